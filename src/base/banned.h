/* Functions that have no safe use here; using one is a compile error. Include last. */
#ifndef TN_BASE_BANNED_H
#define TN_BASE_BANNED_H

#define TN_BANNED(name) tn_banned_##name

#undef strcpy
#define strcpy(a, b) TN_BANNED(strcpy)
#undef strcat
#define strcat(a, b) TN_BANNED(strcat)
#undef strncpy
#define strncpy(a, b, c) TN_BANNED(strncpy)
#undef strncat
#define strncat(a, b, c) TN_BANNED(strncat)
#undef strtok
#define strtok(a, b) TN_BANNED(strtok)
#undef sprintf
#define sprintf(...) TN_BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) TN_BANNED(vsprintf)
#undef gets
#define gets(a) TN_BANNED(gets)
#undef atoi
#define atoi(a) TN_BANNED(atoi)
#undef atol
#define atol(a) TN_BANNED(atol)
#undef alloca
#define alloca(a) TN_BANNED(alloca)

#endif
