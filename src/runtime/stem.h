/* The process from which `ravel test` gets its workers.
 *
 * With rv_config.stem a process does not run main when it comes to it, but stays there, and forks a worker for each request
 * (rv_shared.stem): what comes before main, exec and the dynamic loader first, is paid for once. The worker is a child of the
 * supervisor, as one that was executed would be, and goes on into main with the configuration as it stands by then. What it has
 * of the process is a copy, and what lies in memory that is shared is put back by the supervisor (supervisor/stem.h).
 *
 * A copy would not be as good as a fresh process where what came before main has left something that copies share: open
 * descriptors, shared mappings, children, threads, files. Then the process says RV_STEM_REFUSED and ends. */
#ifndef RV_RUNTIME_STEM_H
#define RV_RUNTIME_STEM_H

/* At the start of the process, before any program code: what there is that is not the program's. */
void rv_stem_look(void);
/* In place of main; returns in workers only. */
void rv_stem_serve(void);

#endif
