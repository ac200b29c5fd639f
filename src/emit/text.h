/* Names from files in generated text: a model may call itself anything, and nothing that
 * it says may end a comment, a string or a line. */
#ifndef TN_EMIT_TEXT_H
#define TN_EMIT_TEXT_H

#include "base/arena.h"
#include "base/strbuf.h"

/* A C identifier that is no reserved one: letters, digits and '_' kept, everything else
 * '_'; at most 40 characters; `otherwise` when nothing is left. NULL on lack of memory. */
char *tn_text_ident(struct tn_arena *arena, const char *name, const char *otherwise);

/* The same in upper case. */
char *tn_text_upper(struct tn_arena *arena, const char *ident);

/* For comments and Markdown: harmless characters kept, others '_'; at most 80. */
void tn_text_plain(struct tn_strbuf *out, const char *name);

/* A C string literal with the quotes. */
void tn_text_string(struct tn_strbuf *out, const char *text);

#endif
