#define _POSIX_C_SOURCE 200809L
#include "base/hold.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "base/banned.h"

static const int signals[] = { SIGXFSZ, SIGINT, SIGTERM, SIGHUP };

#define N_SIGNALS (sizeof(signals) / sizeof(*signals))
#define ALL	  ((1u << N_SIGNALS) - 1)
#define FILE_SIZE 1u /* the bit of SIGXFSZ */

static sigset_t set_of(unsigned bits)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < N_SIGNALS; i++)
		if (bits & 1u << i)
			sigaddset(&set, signals[i]);
	return set;
}

unsigned tn_hold_begin(void)
{
	const sigset_t all = set_of(ALL);
	sigset_t before;
	unsigned held = 0;

	if (pthread_sigmask(SIG_BLOCK, &all, &before) != 0)
		return 0;
	for (size_t i = 0; i < N_SIGNALS; i++)
		if (!sigismember(&before, signals[i]))
			held |= 1u << i;
	return held;
}

bool tn_hold_is_asked(void)
{
	sigset_t waiting;

	if (sigpending(&waiting) != 0)
		return false;
	for (size_t i = 1; i < N_SIGNALS; i++) {
		struct sigaction action;

		/* one that is ignored waits, too, while it is held */
		if (sigismember(&waiting, signals[i]) == 1 &&
			sigaction(signals[i], NULL, &action) == 0 &&
			action.sa_handler != SIG_IGN)
			return true;
	}
	return false;
}

void tn_hold_end(unsigned held)
{
	static const struct timespec at_once = { 0, 0 };
	const sigset_t size = set_of(FILE_SIZE), all = set_of(held);

	/* that a file has grown beyond its limit is an error of write(), and told as that */
	if (held & FILE_SIZE)
		while (sigtimedwait(&size, NULL, &at_once) == SIGXFSZ)
			;
	pthread_sigmask(SIG_UNBLOCK, &all, NULL);
}

void tn_hold_drop(void)
{
	const sigset_t all = set_of(ALL);

	pthread_sigmask(SIG_UNBLOCK, &all, NULL);
}
