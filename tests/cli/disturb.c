/* Loaded before the C library: lets one call on files fail, or sends a signal in the midst of
 * it. DISTURB is "CALL N WHAT": the name of the call, which of them in the run (from 1), and
 * the number of an error, or of a signal behind a '-'. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is it this call's turn? Sends the signal, and gives the error, or 0 for a call that goes on. */
static int disturbed(const char *call)
{
	static int count;
	const char *plan = getenv("DISTURB");
	char name[16];
	int n, what;

	if (!plan || sscanf(plan, "%15s %d %d", name, &n, &what) != 3 ||
		strcmp(name, call) != 0 || ++count < n)
		return 0;
	if (what > 0) /* a disk that is full stays full */
		return what;
	if (count == n)
		kill(getpid(), -what);
	return 0;
}

/* The half of it is there when the disturbance comes. */
ssize_t write(int fd, const void *data, size_t len)
{
	static ssize_t (*next)(int, const void *, size_t);
	const char *plan = getenv("DISTURB");
	ssize_t put = 0;
	int error;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "write");
	if (plan && strncmp(plan, "write ", 6) == 0)
		put = next(fd, data, len / 2);
	error = put < 0 ? errno : disturbed("write");
	if (!error)
		return put + next(fd, (const char *)data + put, len - (size_t)put);
	errno = error;
	return -1;
}

int fchmod(int fd, mode_t mode)
{
	static int (*next)(int, mode_t);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "fchmod");
	errno = disturbed("fchmod");
	return errno ? -1 : next(fd, mode);
}

int rename(const char *from, const char *to)
{
	static int (*next)(const char *, const char *);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "rename");
	errno = disturbed("rename");
	return errno ? -1 : next(from, to);
}
