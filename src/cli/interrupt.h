/* Ctrl-C and friends: whoever waits ends soon, and what there is is reported. */
#ifndef RV_CLI_INTERRUPT_H
#define RV_CLI_INTERRUPT_H

/* SIGINT, SIGTERM and SIGHUP set rv_interrupted (supervisor/serve.h); the death of a worker ends a wait. */
void rv_catch_interrupts(void);

#endif
