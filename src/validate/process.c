#define _XOPEN_SOURCE 700
#include "validate/process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/banned.h"
#include "base/hold.h"

#define LOOK	   100 /* ms between looks at the clock and at what asks for an end */
#define OUTPUT_MAX ((size_t)256 << 20) /* bytes */

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* In the child: never returns. */
static void become(const char *const *argv, const char *dir, int out)
{
	int null = open("/dev/null", O_RDONLY);
	/* execvp takes the vector without const, and does not write to it */
	union {
		const char *const *from;
		char *const *to;
	} vector = { argv };

	tn_hold_drop();
	setpgid(0, 0); /* a compiler starts others; a time limit ends them all */
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
		dup2(out, STDERR_FILENO) < 0 || chdir(dir) != 0)
		_exit(127);
	execvp(argv[0], vector.to);
	_exit(127);
}

/* Copies the pipe until its end, the deadline, the limit, or somebody asks for an end. */
static enum tn_process_end collect(int fd, int64_t deadline, struct tn_strbuf *out)
{
	char chunk[1 << 14];
	size_t total = 0;

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = deadline - now_ms();
		ssize_t got;

		if (left <= 0)
			return PROCESS_TIMEOUT;
		if (tn_hold_is_asked())
			return PROCESS_STOPPED;
		if (poll(&p, 1, left > LOOK ? LOOK : (int)left) <= 0)
			continue;
		got = read(fd, chunk, sizeof(chunk));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return PROCESS_EXITED;
		total += (size_t)got;
		if (total > OUTPUT_MAX)
			return PROCESS_TOO_MUCH;
		tn_strbuf_add(out, chunk, (size_t)got);
	}
}

/* After the pipe was closed the program is about to end; it may not be. */
static bool wait_until(pid_t child, int64_t deadline, int *out_status)
{
	while (now_ms() < deadline && !tn_hold_is_asked()) {
		struct timespec pause = { 0, 2 * 1000 * 1000 };
		pid_t got = waitpid(child, out_status, WNOHANG);

		if (got == child)
			return true;
		if (got < 0 && errno != EINTR)
			return false;
		nanosleep(&pause, NULL);
	}
	return false;
}

struct tn_process tn_process_run(
	const char *const *argv, const char *dir, int seconds, struct tn_strbuf *out)
{
	struct tn_process result = { PROCESS_FAILED, 0 };
	int64_t deadline = now_ms() + (int64_t)seconds * 1000;
	int ends[2], status = 0;
	pid_t child;

	if (pipe(ends) != 0)
		return result;
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	child = fork();
	if (child == 0)
		become(argv, dir, ends[1]);
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return result;
	}
	setpgid(child, child); /* whoever comes first; an error is the other's success */
	result.end = collect(ends[0], deadline, out);
	close(ends[0]);
	if (result.end == PROCESS_EXITED && !wait_until(child, deadline, &status))
		result.end = tn_hold_is_asked() ? PROCESS_STOPPED : PROCESS_TIMEOUT;
	if (result.end != PROCESS_EXITED) {
		kill(-child, SIGKILL);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		return result;
	}
	if (WIFEXITED(status)) {
		result.exit_code = WEXITSTATUS(status);
	} else {
		result.end = PROCESS_SIGNALED;
		result.exit_code = WTERMSIG(status);
	}
	return result;
}

bool tn_process_exists(const char *program)
{
	const char *path = getenv("PATH");
	char name[4096];

	while (path && *path) {
		size_t len = strcspn(path, ":");
		int n = snprintf(name, sizeof(name), "%.*s/%s", (int)len, path, program);

		if (n > 0 && (size_t)n < sizeof(name) && access(name, X_OK) == 0)
			return true;
		path += len;
		if (*path == ':')
			path++;
	}
	return false;
}

enum tn_status tn_tempdir_make(
	struct tn_arena *arena, struct tn_diags *diags, const char **out_dir)
{
	const char *base = getenv("TMPDIR");
	char *dir =
		tn_arena_printf(arena, "%s/tenure.XXXXXX", base && *base ? base : "/tmp");

	if (!dir)
		return TN_ERR_NOMEM;
	if (!mkdtemp(dir)) {
		tn_diag_at(diags, SEVERITY_ERROR, "file/io", NULL, NULL, NULL,
			"cannot make a temporary directory '%s': %s", dir,
			strerror(errno));
		return TN_ERR_IO;
	}
	*out_dir = dir;
	return TN_OK;
}

static int remove_one(
	const char *path, const struct stat *info, int flag, struct FTW *ftw)
{
	(void)info;
	(void)flag;
	(void)ftw;
	return remove(path) == 0 ? 0 : -1;
}

void tn_tempdir_remove(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
