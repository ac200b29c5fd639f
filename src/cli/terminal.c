#include "terminal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A number as shells write it, and nothing else: COLUMNS may hold anything. */
static int named(const char *text)
{
	char *end;
	long columns;

	if (!text || *text < '0' || *text > '9')
		return 0;
	errno = 0;
	columns = strtol(text, &end, 10);
	return *end || errno || columns > INT_MAX ? 0 : (int)columns;
}

int terminal_columns(void)
{
	int columns = named(getenv("COLUMNS"));
#ifdef TIOCGWINSZ
	struct winsize size = { 0 };

	if (!columns && isatty(STDOUT_FILENO) &&
		ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		columns = size.ws_col;
#endif
	return columns;
}
