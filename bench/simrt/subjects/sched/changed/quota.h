/* How many jobs each tenant has in the scheduler, and may have. For all threads. */
#ifndef QUOTA_H
#define QUOTA_H

#include <stdbool.h>

enum { QUOTA_TENANTS = 4, QUOTA_DEFAULT = 6 };

typedef struct quota quota;

quota *quota_new(void);
void quota_free(quota *limits);

bool quota_charge(quota *limits, unsigned tenant);
void quota_refund(quota *limits, unsigned tenant);
void quota_set_limit(quota *limits, unsigned tenant, int limit);
int quota_limit(quota *limits, unsigned tenant);
int quota_used(quota *limits, unsigned tenant);
unsigned long quota_refused(quota *limits);
/* Who is nearest to the limit. */
unsigned quota_busiest(quota *limits);

#endif
