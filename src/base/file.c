#define _POSIX_C_SOURCE 200809L
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/banned.h"
#include "base/hold.h"

#define CHUNK TN_FILE_HEAD

static enum tn_status io_error(
	struct tn_diags *diags, enum tn_status status, const char *what, const char *name)
{
	tn_diag_at(diags, SEVERITY_ERROR, "file/io", NULL, NULL, name,
		"cannot %s '%s': %s", what, name, strerror(errno));
	return status;
}

/* What cannot be an input, in words; NULL: a file, a stream, a terminal. */
static const char *unreadable(mode_t mode, bool is_terminal)
{
	if (S_ISDIR(mode))
		return "a folder";
	return S_ISBLK(mode) || (S_ISCHR(mode) && !is_terminal) ? "a device" : NULL;
}

static enum tn_status refuse(struct tn_diags *diags, const char *name, const char *what)
{
	tn_diag_at(diags, SEVERITY_ERROR, "file/io", NULL, NULL, name,
		"cannot read '%s': it is %s", name, what);
	return TN_ERR_INPUT;
}

/* A name for what is open already: to open it again does not wait. */
static bool is_descriptor(const char *name)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		const size_t len = strlen(folders[i]);

		if (strncmp(name, folders[i], len) == 0 && name[len] &&
			!name[len + strspn(name + len, "0123456789")])
			return true;
	}
	return strcmp(name, "-") == 0 || strcmp(name, "/dev/stdin") == 0;
}

enum tn_status tn_file_is_settled(struct tn_diags *diags, const char *name)
{
	struct stat info;

	if (is_descriptor(name) || stat(name, &info) != 0 || S_ISREG(info.st_mode))
		return TN_OK;
	return refuse(diags, name,
		S_ISFIFO(info.st_mode)	 ? "a pipe"
		: S_ISSOCK(info.st_mode) ? "a socket"
					 : unreadable(info.st_mode, false));
}

/* Reads until `room` is full or the file ends; -1, reported, on an error. */
static ssize_t read_into(
	struct tn_diags *diags, int fd, const char *name, char *room, size_t len)
{
	size_t have = 0;

	while (have < len) {
		ssize_t got = read(fd, room + have, len - have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			(void)io_error(diags, TN_ERR_INPUT, "read", name);
			return -1;
		}
		if (got == 0)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

static enum tn_status too_large(struct tn_diags *diags, const char *name)
{
	tn_diag_at(diags, SEVERITY_ERROR, "file/too-large", NULL, NULL, name,
		"'%s' is larger than %zu bytes", name, TN_FILE_MAX);
	return TN_ERR_INPUT;
}

/* The rest of a file whose size is known: read where it stays. */
static enum tn_status read_sized(struct tn_arena *arena, struct tn_diags *diags, int fd,
	const char *head, size_t size, struct tn_source *source)
{
	char *text = tn_arena_alloc(arena, size + 1);
	ssize_t got;

	if (!text)
		return TN_ERR_NOMEM;
	memcpy(text, head, CHUNK);
	got = read_into(diags, fd, source->name, text + CHUNK, size - CHUNK);
	if (got < 0)
		return TN_ERR_INPUT;
	source->text = text;
	source->len = CHUNK + (size_t)got;
	return TN_OK;
}

/* The rest of a pipe, or of a file that does not say how large it is; the head is full and
 * comes in a buffer that grows. */
static enum tn_status read_stream(struct tn_arena *arena, struct tn_diags *diags, int fd,
	char **buffer, struct tn_source *source)
{
	size_t len = CHUNK, capacity = CHUNK;

	while (len == capacity) {
		char *grown;
		ssize_t got;

		if (len > TN_FILE_MAX)
			return too_large(diags, source->name);
		capacity = capacity <= TN_FILE_MAX / 2 ? 2 * capacity : TN_FILE_MAX + 1;
		grown = realloc(*buffer, capacity);
		if (!grown)
			return TN_ERR_NOMEM;
		*buffer = grown;
		got = read_into(diags, fd, source->name, grown + len, capacity - len);
		if (got < 0)
			return TN_ERR_INPUT;
		len += (size_t)got;
	}
	source->text = tn_arena_strndup(arena, *buffer, len);
	source->len = len;
	return source->text ? TN_OK : TN_ERR_NOMEM;
}

/* The head first; the rest when there is one and the head fits. `size` 0: not known. */
static enum tn_status read_file(struct tn_arena *arena, struct tn_diags *diags, int fd,
	size_t size, tn_file_test *fits, struct tn_source *source)
{
	char *buffer = malloc(CHUNK);
	enum tn_status status;
	ssize_t got;

	if (!buffer)
		return TN_ERR_NOMEM;
	got = read_into(diags, fd, source->name, buffer, CHUNK);
	if (got < 0) {
		status = TN_ERR_INPUT;
	} else if ((size_t)got < CHUNK || (fits && !fits(buffer, CHUNK))) {
		source->text = tn_arena_strndup(arena, buffer, (size_t)got);
		source->len = (size_t)got;
		status = source->text ? TN_OK : TN_ERR_NOMEM;
	} else if (size > CHUNK) {
		status = read_sized(arena, diags, fd, buffer, size, source);
	} else {
		status = read_stream(arena, diags, fd, &buffer, source);
	}
	free(buffer);
	return status;
}

enum tn_status tn_file_read(struct tn_arena *arena, struct tn_diags *diags,
	const char *name, tn_file_test *fits, struct tn_source **out)
{
	struct tn_source *source = TN_NEW(arena, struct tn_source);
	enum tn_status status;
	const char *what;
	struct stat info;
	int fd = STDIN_FILENO;

	if (!source)
		return TN_ERR_NOMEM;
	source->name = tn_arena_strdup(arena, name);
	if (!source->name)
		return TN_ERR_NOMEM;
	if (strcmp(name, "-") != 0) {
		fd = open(name, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return io_error(diags, TN_ERR_INPUT, "open", name);
	}
	if (fstat(fd, &info) != 0)
		status = io_error(diags, TN_ERR_INPUT, "read", name);
	else if ((what = unreadable(info.st_mode, isatty(fd))) != NULL)
		status = refuse(diags, name, what);
	else if (!S_ISREG(info.st_mode) || info.st_size <= 0 || fd == STDIN_FILENO)
		status = read_file(arena, diags, fd, 0, fits, source);
	else if ((unsigned long long)info.st_size > TN_FILE_MAX)
		status = too_large(diags, name);
	else
		status = read_file(arena, diags, fd, (size_t)info.st_size, fits, source);
	if (status == TN_OK) /* a zero byte at the front is no text in any encoding that
	                        is read here */
		source->is_text = !memchr(
			source->text, 0, source->len < CHUNK ? source->len : CHUNK);
	if (fd != STDIN_FILENO)
		close(fd);
	if (status == TN_OK)
		*out = source;
	return status;
}

enum tn_status tn_file_read_settled(struct tn_arena *arena, struct tn_diags *diags,
	const char *name, tn_file_test *fits, struct tn_source **out)
{
	enum tn_status status = tn_file_is_settled(diags, name);

	return status == TN_OK ? tn_file_read(arena, diags, name, fits, out) : status;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t put = write(fd, data, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		data += put;
		len -= (size_t)put;
	}
	return 0;
}

/* A pipe, a device, a terminal: nothing to replace. */
static enum tn_status write_stream(
	struct tn_diags *diags, const char *name, const void *data, size_t len)
{
	int fd = open(name, O_WRONLY | O_CLOEXEC);
	enum tn_status status = TN_OK;

	if (fd < 0)
		return io_error(diags, TN_ERR_IO, "open", name);
	if (write_all(fd, data, len) != 0)
		status = io_error(diags, TN_ERR_IO, "write", name);
	close(fd);
	return status;
}

static enum tn_status replace(struct tn_diags *diags, const char *name, char *temporary,
	const void *data, size_t len)
{
	enum tn_status status = TN_OK;
	int fd = mkstemp(temporary);

	if (fd < 0)
		return io_error(diags, TN_ERR_IO, "write", name);
	if (write_all(fd, data, len) != 0 || fchmod(fd, 0644) != 0)
		status = io_error(diags, TN_ERR_IO, "write", name);
	if (close(fd) != 0 && status == TN_OK)
		status = io_error(diags, TN_ERR_IO, "write", name);
	if (status == TN_OK && rename(temporary, name) != 0)
		status = io_error(diags, TN_ERR_IO, "replace", name);
	if (status != TN_OK)
		unlink(temporary);
	return status;
}

enum tn_status tn_file_write(
	struct tn_diags *diags, const char *name, const void *data, size_t len)
{
	struct tn_arena scratch;
	enum tn_status status = TN_ERR_NOMEM;
	struct stat info;
	char *temporary;

	if (strcmp(name, "-") == 0)
		return write_all(STDOUT_FILENO, data, len) == 0
			       ? TN_OK
			       : io_error(diags, TN_ERR_IO, "write", "standard output");
	if (stat(name, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
		return write_stream(diags, name, data, len);
	tn_arena_init(&scratch);
	temporary = tn_arena_printf(&scratch, "%s.XXXXXX", name);
	if (temporary) {
		const unsigned held = tn_hold_begin();

		status = replace(diags, name, temporary, data, len);
		tn_hold_end(held);
	}
	tn_arena_release(&scratch);
	return status;
}

bool tn_file_same(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

enum tn_status tn_dir_make(struct tn_diags *diags, const char *name)
{
	struct stat info;

	if (mkdir(name, 0755) == 0)
		return TN_OK;
	if (errno == EEXIST && stat(name, &info) == 0 && S_ISDIR(info.st_mode))
		return TN_OK;
	return io_error(diags, TN_ERR_IO, "make directory", name);
}
