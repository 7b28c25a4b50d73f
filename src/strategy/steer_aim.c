/* The parameter of steer. It comes from the command line of a worker, so nothing of it is trusted. */
#include "strategy/steer.h"

enum { DIGITS_MAX = 16 };

static const char *skip(const char *text, const char *word) {
    while (text && *word)
        if (*text++ != *word++) return NULL;
    return text;
}

static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* What follows the number, or NULL. */
static const char *site(const char *text, uint64_t *number) {
    unsigned digits = 0;
    *number = 0;
    for (; text && digit(*text) >= 0; text++) {
        if (++digits > DIGITS_MAX) return NULL;
        *number = *number << 4 | (uint64_t)digit(*text);
    }
    return digits ? text : NULL;
}

static const char *pair(const char *text, const char *between, uint64_t sites[2]) {
    text = site(text, &sites[0]);
    text = skip(text, between);
    return site(text, &sites[1]);
}

bool rv_steer_parse(const char *params, struct rv_steer_aim *aim) {
    *aim = (struct rv_steer_aim){.count = 1};
    if (!params) return false;
    const char *text = skip(params, "race,");
    if (text) {
        text = pair(text, ",", aim->sites[0]);
        return text && !*text;
    }
    text = skip(params, "lock");
    *aim = (struct rv_steer_aim){.locks = true};
    while (text && *text) {
        if (aim->count == RV_LONGEST_CYCLE) return false;
        text = pair(skip(text, ","), "-", aim->sites[aim->count++]);
    }
    return text && aim->count >= 2;
}
