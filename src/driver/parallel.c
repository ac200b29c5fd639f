#define _POSIX_C_SOURCE 200809L
#include "driver/parallel.h"

#include <pthread.h>

#define JOBS_MAX 256

struct queue {
	pthread_mutex_t lock;
	size_t next, n;
	void (*work)(void *user, size_t i);
	void *user;
};

static void *serve(void *user)
{
	struct queue *q = user;

	for (;;) {
		size_t i;

		pthread_mutex_lock(&q->lock);
		i = q->next < q->n ? q->next++ : q->n;
		pthread_mutex_unlock(&q->lock);
		if (i == q->n)
			return NULL;
		q->work(q->user, i);
	}
}

void tn_parallel(size_t jobs, size_t n, void (*work)(void *user, size_t i), void *user)
{
	struct queue q = { .next = 0, .n = n, .work = work, .user = user };
	pthread_t threads[JOBS_MAX];
	size_t started = 0;

	if (!n)
		return;
	jobs = jobs < n ? jobs : n;
	pthread_mutex_init(&q.lock, NULL);
	/* this thread is one of them */
	while (started + 1 < jobs && started < JOBS_MAX &&
		pthread_create(&threads[started], NULL, serve, &q) == 0)
		started++;
	serve(&q);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&q.lock);
}
