/* The real functions behind our hooks: looked up once, on first use, past this library.
 * RV_REAL(name)(args) calls; the type comes from the system header, so that include must come first. */
#ifndef RV_RUNTIME_REAL_H
#define RV_RUNTIME_REAL_H

/* Looks the symbol up after this library in load order; with a version where several exist. Ends the
 * process with a message if there is none. */
void *rv_real_lookup(const char *name);
/* The same, NULL if there is none. */
void *rv_real_find(const char *name);

#define RV_REAL(name)                                                                                  \
    (*({                                                                                               \
        static __typeof__(&name) real_##name;                                                          \
        if (__builtin_expect(!real_##name, 0)) real_##name = (__typeof__(&name))rv_real_lookup(#name); \
        real_##name;                                                                                   \
    }))

#endif
