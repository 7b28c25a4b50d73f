#include "runtime/stem.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "runtime/engine.h"
#include "runtime/events.h"
#include "runtime/hooks/outside.h"
#include "runtime/reserve.h"

enum { MAPS = 1 << 18, ENTRIES = 4096 };

struct entry { /* struct linux_dirent64 */
    uint64_t inode;
    int64_t next;
    uint16_t size;
    uint8_t type;
    char name[];
};

static uint64_t descriptors_before;
static long input_before;

/* A hash of which descriptors there are and what they are; 0: unknown. */
static uint64_t look_at_descriptors(void) {
    static _Alignas(8) char entries[ENTRIES];
    uint64_t sum = 1;
    long directory = rv_sys_open("/proc/self/fd", O_RDONLY | O_CLOEXEC | O_DIRECTORY, 0);
    if (rv_sys_failed(directory)) return 0;
    for (;;) {
        long size = rv_sys3(SYS_getdents64, directory, (long)entries, sizeof entries);
        if (rv_sys_failed(size)) sum = 0;
        if (size <= 0) break;
        for (long at = 0; at < size;) {
            const struct entry *entry = (const struct entry *)(entries + at);
            uint64_t number = 0;
            struct stat status;
            at += entry->size;
            if (entry->name[0] == '.') continue;
            for (const char *digit = entry->name; *digit; digit++)
                number = number * 10 + (uint64_t)(*digit - '0');
            if ((long)number == directory || rv_sys_failed(rv_sys2(SYS_fstat, (long)number, (long)&status)))
                continue;
            sum += (number + 1) * 0x9e3779b97f4a7c15u ^ status.st_ino * 0x85ebca6bu ^ status.st_dev;
        }
    }
    (void)rv_sys_close((int)directory);
    return sum;
}

void rv_stem_look(void) {
    descriptors_before = look_at_descriptors();
    input_before = rv_sys_lseek(0, 0, SEEK_CUR);
}

/* "start-end rwxs ...": a line of /proc/self/maps. */
static bool is_foreign_shared(const char *line) {
    uintptr_t start = 0;
    for (; *line && *line != '-'; line++)
        start = start << 4 | (uintptr_t)(*line <= '9' ? *line - '0' : *line - 'a' + 10);
    while (*line && *line != ' ') line++;
    return *line && line[1] && line[2] && line[3] && line[4] == 's' && !rv_is_own(start);
}

/* Memory that the program shares with whoever gets a copy; or it cannot be told. */
static bool shares_memory(void) {
    char *text = rv_sys_mmap(NULL, MAPS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (rv_sys_failed((long)text)) return true;
    long fd = rv_sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    size_t size = 0;
    for (long got = 1; !rv_sys_failed(fd) && got > 0 && size<MAPS - 1; size += got> 0 ? (size_t)got : 0)
        got = rv_sys_read((int)fd, text + size, MAPS - 1 - size);
    bool shares = size == 0 || size == MAPS - 1;
    for (const char *line = text; !shares && *line;) {
        shares = is_foreign_shared(line);
        while (*line && *line++ != '\n') {}
    }
    if (!rv_sys_failed(fd)) (void)rv_sys_close((int)fd);
    (void)rv_sys_munmap(text, MAPS);
    return shares;
}

static bool fit(void) {
    const struct rv_learned *learned = rv_engine.learned;
    return rv.mode == RV_SINGLE && !learned->need_fork && !rv.area->control.alone &&
           !rv.area->control.coverage && !rv_children_alive() && descriptors_before &&
           descriptors_before == look_at_descriptors() && input_before == rv_sys_lseek(0, 0, SEEK_CUR) &&
           !shares_memory();
}

/* What fork shares and exec does not. */
static bool own_memory(void) {
    struct rv_learned kept = {.new_sites = 0}, *learned = rv_engine.learned;
    memcpy(&kept, learned, offsetof(struct rv_learned, pairs));
    void *fresh = rv_sys_mmap(learned, sizeof *learned, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (rv_sys_failed((long)fresh)) return false;
    memcpy(learned, &kept, offsetof(struct rv_learned, pairs));
    return true;
}

static void become_worker(pid_t parent) {
    (void)rv_sys2(SYS_setpgid, 0, 0);
    (void)rv_sys2(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if ((pid_t)rv_sys0(SYS_getppid) != parent) rv_sys_exit_group(127);
    rv.area->control.pid = (uint32_t)rv_sys_getpid();
    (void)rv_sys_lseek(0, input_before, SEEK_SET);
    if (!own_memory()) rv_unusable("no memory for what is learned");
    rv_engine.request_flags = rv.area->request.flags; /* it may end before it has threads */
    rv_plan_init();
    rv_preempt_start();
}

void rv_stem_serve(void) {
    struct rv_stem_word *word = &rv.shared->stem;
    pid_t parent = (pid_t)rv_sys0(SYS_getppid);
    bool good = fit();
    uint32_t made = 0;
    int *own_id = NULL; /* where glibc keeps the main thread's number */
    if (rv_sys_failed(rv_sys2(SYS_prctl, PR_GET_TID_ADDRESS, (long)&own_id)) ||
        (own_id && *own_id != rv_sys_getpid()))
        own_id = NULL;
    long flags = CLONE_PARENT | SIGCHLD | (own_id ? CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID : 0);
    __atomic_store_n(&word->state, good ? RV_STEM_READY : RV_STEM_REFUSED, __ATOMIC_RELEASE);
    (void)rv_sys_futex(&word->state, FUTEX_WAKE, INT32_MAX, NULL);
    if (!good) rv_sys_exit_group(0);
    for (;;) {
        uint32_t wanted = __atomic_load_n(&word->wanted, __ATOMIC_ACQUIRE);
        if (wanted == made) {
            (void)rv_sys_futex(&word->wanted, FUTEX_WAIT, wanted, NULL);
            continue;
        }
        long child = rv_sys6(SYS_clone, flags, 0, 0, (long)own_id, 0, 0);
        if (child == 0) {
            become_worker(parent);
            return;
        }
        made = wanted;
        word->pid = (int32_t)child;
        __atomic_store_n(&word->made, made, __ATOMIC_RELEASE);
        (void)rv_sys_futex(&word->made, FUTEX_WAKE, INT32_MAX, NULL);
    }
}
