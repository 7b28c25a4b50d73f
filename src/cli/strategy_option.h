/* The .check of options that name a strategy. */
#ifndef RV_CLI_STRATEGY_OPTION_H
#define RV_CLI_STRATEGY_OPTION_H

/* NULL, or what is wrong with NAME[:PARAM]. */
const char *rv_check_strategy(const char *text);

#endif
