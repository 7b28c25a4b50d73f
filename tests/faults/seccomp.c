/* Runs a command as an ordinary CI container would: personality, ptrace, perf_event_open and userfaultfd are refused.
 *
 *     seccomp COMMAND [ARG...]      exit status of COMMAND; 2: wrong request, 3: no filter possible
 *
 * A query is refused like a change: personality(0xffffffff) fails too, as the default profiles of container engines do
 * it for all but a few values.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REFUSE(number) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static int install_filter(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        REFUSE(SYS_personality),
        REFUSE(SYS_ptrace),
        REFUSE(SYS_perf_event_open),
        REFUSE(SYS_userfaultfd),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: seccomp COMMAND [ARG...]\n");
        return 2;
    }
    if (install_filter()) {
        perror("seccomp: filter");
        return 3;
    }
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 3;
}
