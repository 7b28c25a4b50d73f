/* A sleeping test as its answer key wants it: events and schedules for sleeps. */
#ifndef APPLY_H
#define APPLY_H

#include <stdio.h>

#include "key.h"

void apply_key(const struct key *key, FILE *to);

#endif
