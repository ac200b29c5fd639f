/* Loaded before the C library: the program waits in front of its main for commands, and runs
 * each in a process of its own, forked when all libraries have been loaded. What that takes is
 * most of what a run on a small graph takes. tests/served.py asks, over the socket whose number
 * is in SERVED_SOCKET: a length, with it the standard streams, then that many bytes: the folder
 * and the words of the command, a NUL behind each. The answer is the status of wait(2). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STREAMS = 3, WORDS = 4096, BROKEN = 125 };

typedef int (*main_function)(int, char **, char **);
typedef int (*start_function)(main_function, int, char **, void (*)(void), void (*)(void),
	void (*)(void), void *);

static main_function program;

/* The length of the next command, or 0 when there is none. */
static size_t receive(int from, int streams[STREAMS])
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(STREAMS * sizeof(int))];
	} control;
	uint32_t length = 0;
	struct iovec part = { &length, sizeof(length) };
	struct msghdr message = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes) };
	const struct cmsghdr *with;

	if (recvmsg(from, &message, MSG_WAITALL) != (ssize_t)sizeof(length))
		return 0;
	with = CMSG_FIRSTHDR(&message);
	if (!with || with->cmsg_len != CMSG_LEN(STREAMS * sizeof(int)))
		return 0;
	memcpy(streams, CMSG_DATA(with), STREAMS * sizeof(int));
	return length;
}

/* In the child: its main, with streams and a folder of its own. */
static int run(const int streams[STREAMS], char *text, size_t length)
{
	static char *words[WORDS + 1];
	const char *folder = text;
	int n = 0;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < STREAMS; i++)
		if (dup2(streams[i], i) != i || close(streams[i]))
			return BROKEN;
	for (char *at = text + strlen(text) + 1; at < text + length;
		at += strlen(at) + 1) {
		if (n == WORDS)
			return BROKEN;
		words[n++] = at;
	}
	if (*folder && chdir(folder))
		return BROKEN;
	return program(n, words, environ);
}

static int serve(int argc, char **argv, char **env)
{
	const int from = (int)strtol(getenv("SERVED_SOCKET"), NULL, 10);
	int streams[STREAMS];
	size_t length;

	(void)argc, (void)argv, (void)env;
	unsetenv("LD_PRELOAD"); /* not for what the program starts */
	unsetenv("LD_BIND_NOW");
	unsetenv("SERVED_SOCKET");
	while ((length = receive(from, streams))) {
		char *text = malloc(length + 1);
		int status = 0;
		pid_t child;

		if (!text || recv(from, text, length, MSG_WAITALL) != (ssize_t)length)
			return BROKEN;
		text[length] = '\0';
		child = fork();
		if (child == 0) {
			close(from);
			return run(streams, text, length);
		}
		free(text);
		for (int i = 0; i < STREAMS; i++)
			close(streams[i]);
		if (child < 0 || waitpid(child, &status, 0) != child ||
			send(from, &status, sizeof(status), MSG_NOSIGNAL) < 0)
			return BROKEN;
	}
	return 0;
}

/* The C library's own, which every program begins with. */
int __libc_start_main(main_function main, int argc, char **argv, void (*init)(void),
	void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_function main, int argc, char **argv, void (*init)(void),
	void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	start_function next;

	*(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
	program = main;
	return next(getenv("SERVED_SOCKET") ? serve : main, argc, argv, init, fini,
		rtld_fini, stack_end);
}
