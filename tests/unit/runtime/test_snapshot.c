/* The snapshot against a reference copy: every way, all kinds of regions, all kinds of writers, and systems that
 * refuse what it would like to use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/rng.h"
#include "runtime/snapshot.h"
#include "runtime/snapshot_track.h"

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            _exit(1);                                                               \
        }                                                                           \
    } while (0)

enum { KIB = 1 << 10, MIB = 1 << 20 };

/* Each scenario in a process of its own: filters, mappings and descriptors end with it. */
static int in_child(void (*body)(void)) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        body();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* ---- a world of regions ---- */

enum { REGIONS = 8, GROWTH_MAX = 12 * MIB };

static struct {
    struct rv_region regions[REGIONS];
    size_t size[REGIONS]; /* at the snapshot */
    char *reference[REGIONS];
    char *growing; /* its counter lies in region 0, as the heap's do */
} world;

static char own_data[40 * KIB] = {1}; /* .data of this program */
static char own_bss[20 * KIB];

static char *anonymous(size_t size) {
    char *place =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(place != MAP_FAILED);
    return place;
}

static void fill(struct rv_rng *rng, char *to, size_t size) {
    for (size_t i = 0; i < size; i++) to[i] = (char)rv_rng_below(rng, 256);
}

static void make_world(struct rv_rng *rng) {
    char *control = anonymous(8 * KIB), *big = anonymous(2 * MIB), *sparse = anonymous(4 * MIB);
    world.growing = anonymous(64 * MIB);
    int file = open("/proc/self/exe", O_RDONLY);
    CHECK(file >= 0);
    char *private_file = mmap(NULL, 32 * KIB, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    CHECK(private_file != MAP_FAILED && close(file) == 0);
    fill(rng, control, 8 * KIB);
    fill(rng, big, 2 * MIB);
    fill(rng, world.growing, 100 * KIB + 77);
    size_t *counter = (size_t *)(control + 1024);
    *counter = 100 * KIB + 77;
    struct rv_region regions[REGIONS] = {
        {.base = control, .fixed = 6000},
        {.base = big + 4096 + 13, .fixed = MIB + 5}, /* begins and ends in the middle of a page ... */
        {.base = big + 4096 + 13 + MIB + 5, .fixed = 300 * KIB}, /* ... which the next one shares */
        {.base = sparse, .fixed = 4 * MIB},                      /* zeros that were never touched */
        {.base = private_file, .fixed = 32 * KIB},
        {.base = own_data, .fixed = sizeof(own_data)},
        {.base = own_bss + 1, .fixed = sizeof(own_bss) - 2},
        {.base = world.growing, .used = counter},
    };
    memcpy(world.regions, regions, sizeof(regions));
}

static size_t used(unsigned i) {
    return world.regions[i].used ? *world.regions[i].used : world.regions[i].fixed;
}

static void take(enum rv_snapshot_way way) {
    for (unsigned i = 0; i < REGIONS; i++) {
        free(world.reference[i]);
        world.size[i] = used(i);
        world.reference[i] = malloc(world.size[i]);
        memcpy(world.reference[i], world.regions[i].base, world.size[i]);
    }
    CHECK(rv_snapshot_take(world.regions, REGIONS, way));
}

static void check_restored(size_t grown_to) {
    for (unsigned i = 0; i < REGIONS; i++) {
        CHECK(used(i) == world.size[i]);
        CHECK(memcmp(world.regions[i].base, world.reference[i], world.size[i]) == 0);
    }
    const char *growing = world.growing;
    for (size_t i = world.size[7]; i < grown_to; i++) CHECK(growing[i] == 0);
}

/* ---- writers ---- */

/* Bytes by the kernel, which must not meet EFAULT and must not go unseen. */
static void kernel_writes(char *to, size_t size) {
    static int zero = -1;
    if (zero < 0) zero = open("/dev/zero", O_RDONLY);
    CHECK(read(zero, to, size) == (ssize_t)size);
}

static void one_write(struct rv_rng *rng) {
    unsigned i = (unsigned)rv_rng_below(rng, REGIONS);
    char *base = world.regions[i].base;
    size_t size = world.size[i];
    size_t at =
        rv_rng_below(rng, 3) ? rv_rng_below(rng, size / 16) : rv_rng_below(rng, size); /* some often */
    size_t length = rv_rng_below(rng, 200);
    if (at + length > size) length = size - at;
    size_t *counter = (size_t *)(uintptr_t)world.regions[7].used;
    size_t saved = *counter; /* a wild write into it is not this test's matter */
    switch (rv_rng_below(rng, 12)) {
    case 0: kernel_writes(base + at, length); break;
    case 1: /* pages dropped: they read as zeros, or as the file */
        if (i == 3) (void)madvise(base + (at & ~(size_t)4095), 4096, MADV_DONTNEED);
        break;
    case 2: memset(base + at, 0, length); break;
    default: fill(rng, base + at, length);
    }
    *counter = saved;
}

/* Grows by a little, by much, by much that is hardly touched. */
static size_t grow(struct rv_rng *rng) {
    size_t *counter = (size_t *)(uintptr_t)world.regions[7].used, from = *counter;
    static const size_t most[] = {1, 100, 60 * KIB, 500 * KIB, GROWTH_MAX};
    size_t by = rv_rng_below(rng, most[rv_rng_below(rng, 5)]);
    *counter += by;
    if (by && rv_rng_below(rng, 2))
        memset(world.growing + from, 'g', by);
    else if (by)
        world.growing[from + rv_rng_below(rng, by)] = 's';
    return from + by;
}

static void executions(struct rv_rng *rng, unsigned count, enum rv_snapshot_way way) {
    size_t highest = 0;
    for (unsigned i = 0; i < count; i++) {
        for (uint64_t writes = rv_rng_below(rng, 20); writes > 0; writes--) one_write(rng);
        if (i % 7 == 0) {
            size_t end = grow(rng);
            if (end > highest) highest = end;
        }
        rv_snapshot_restore();
        check_restored(i % 16 == 0 ? highest : world.size[7]);
        if (way != RV_SNAPSHOT_AUTO) CHECK(rv_snapshot_way_used() == way);
    }
    check_restored(highest);
}

static bool available(enum rv_track_way way) {
    bool yes = rv_track_open(way);
    rv_track_close();
    return yes;
}

static enum rv_snapshot_way way_under_test;

static void agree(void) {
    struct rv_rng rng = {17 + (uint64_t)way_under_test};
    make_world(&rng);
    enum rv_snapshot_way expected = way_under_test;
    if (expected == RV_SNAPSHOT_UFFD && !available(RV_TRACK_UFFD)) expected = RV_SNAPSHOT_COMPARE;
    if (expected == RV_SNAPSHOT_SOFT && !available(RV_TRACK_SOFT)) expected = RV_SNAPSHOT_COMPARE;
    take(way_under_test);
    executions(&rng, 150, expected);
    for (int i = 0; i < 50; i++) one_write(&rng); /* another state ... */
    *(size_t *)(uintptr_t)world.regions[7].used += 3 * MIB;
    take(way_under_test); /* ... is the one from now on */
    executions(&rng, 150, expected);
    rv_snapshot_drop();
}

static void test_every_way_agrees_with_a_reference(void **state) {
    (void)state;
    for (way_under_test = RV_SNAPSHOT_AUTO; way_under_test <= RV_SNAPSHOT_COMPARE; way_under_test++)
        assert_int_equal(in_child(agree), 0);
}

/* ---- the cost follows what was dirtied ---- */

enum { NOT_HERE = 77 };

static void dirtied_only(void) {
    if (!available(RV_TRACK_UFFD)) _exit(NOT_HERE);
    char *big = anonymous(64 * MIB);
    memset(big, 1, 64 * MIB);
    struct rv_region region = {.base = big, .fixed = 64 * MIB};
    CHECK(rv_snapshot_take(&region, 1, RV_SNAPSHOT_AUTO));
    CHECK(rv_snapshot_way_used() == RV_SNAPSHOT_UFFD);
    rv_snapshot_restore();
    CHECK(rv_snapshot_pages_copied() == 0);
    for (int i = 0; i < 500; i++) { /* hot pages, pages that cool down, pages that come back */
        for (int page = 0; page < 100; page++) big[(page + i / 100 % 3 * 200) * 5 * 4096 + i]++;
        rv_snapshot_restore();
        CHECK(rv_snapshot_pages_copied() == 100);
        rv_snapshot_restore();
        CHECK(rv_snapshot_pages_copied() == 0);
    }
    for (int i = 0; i < 500; i++) { /* few of them are copied without a look: no more than there are */
        for (int page = 0; page < 10; page++) big[page * 7 * 4096 + i]++;
        rv_snapshot_restore();
        CHECK(i < 200 || rv_snapshot_pages_copied() == 10);
    }
    for (size_t i = 0; i < 64 * MIB; i++) CHECK(big[i] == 1);
}

static void test_only_dirtied_pages_are_copied(void **state) {
    (void)state;
    int status = in_child(dirtied_only);
    if (status == NOT_HERE) skip();
    assert_int_equal(status, 0);
}

/* ---- the main stack ---- */

static ucontext_t main_context, carrier_context;
static struct rv_region stack_region;
static enum rv_snapshot_way stack_way;

static void carrier(void) {
    CHECK(rv_snapshot_take(&stack_region, 1, stack_way));
    for (;;) {
        swapcontext(&carrier_context, &main_context);
        rv_snapshot_restore();
    }
}

static __attribute__((noinline)) unsigned deep(unsigned n) {
    volatile char room[3000];
    memset((char *)(uintptr_t)room, (int)n, sizeof(room));
    return n ? deep(n - 1) + (unsigned)room[n] : 0;
}

static unsigned times_back; /* not in the region: survives */

static void stack(void) {
    extern char **environ;
    volatile unsigned local = 7;
    char *top = (char *)environ;
    while (*(char **)top) top += sizeof(char *); /* the end of environ: high on the stack */
    stack_region.base = (char *)((uintptr_t)&local - 4096);
    stack_region.fixed = (size_t)(top - stack_region.base);
    getcontext(&carrier_context);
    carrier_context.uc_stack.ss_sp = anonymous(256 * KIB);
    carrier_context.uc_stack.ss_size = 256 * KIB;
    makecontext(&carrier_context, carrier, 0);
    swapcontext(&main_context, &carrier_context); /* returns once for each execution */
    CHECK(local == 7);
    local = 8;
    char *home = environ[0];
    environ[0] = NULL;
    CHECK(home != NULL);
    (void)deep(20); /* below the region: it may be dirty, nobody cares */
    if (++times_back < 100) swapcontext(&(ucontext_t){0}, &carrier_context);
}

static void test_the_main_stack_comes_back(void **state) {
    (void)state;
    for (stack_way = RV_SNAPSHOT_AUTO; stack_way <= RV_SNAPSHOT_COMPARE; stack_way++) {
        times_back = 0;
        assert_int_equal(in_child(stack), 0);
    }
}

/* ---- systems that refuse ---- */

static void refuse(long number, int error) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = 4, .filter = code};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static long refused_call;
static int refused_with;

static void under_refusal(void) {
    refuse(refused_call, refused_with);
    struct rv_rng rng = {5};
    make_world(&rng);
    for (int way = RV_SNAPSHOT_AUTO; way <= RV_SNAPSHOT_COMPARE; way++) {
        take((enum rv_snapshot_way)way);
        if (refused_call == SYS_userfaultfd || refused_call == SYS_ioctl)
            CHECK(rv_snapshot_way_used() != RV_SNAPSHOT_UFFD);
        executions(&rng, 40, RV_SNAPSHOT_AUTO /* any */);
    }
}

static void test_refused_system_calls_cost_speed_only(void **state) {
    (void)state;
    const long calls[] = {SYS_userfaultfd, SYS_userfaultfd, SYS_ioctl,
                          SYS_getrusage,   SYS_madvise,     SYS_pread64};
    const int errors[] = {EPERM, ENOSYS, EPERM, EPERM, EPERM, EPERM};
    for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        refused_call = calls[i];
        refused_with = errors[i];
        assert_int_equal(in_child(under_refusal), 0);
    }
}

/* ---- a program that closes our descriptors ---- */

static int opened[64];
static unsigned opened_count;

static int remember(int fd) {
    CHECK(opened_count < 64);
    opened[opened_count++] = fd;
    return fd;
}

static void closed_behind_our_back(void) {
    if (!available(RV_TRACK_UFFD)) _exit(NOT_HERE);
    struct rv_rng rng = {23};
    make_world(&rng);
    rv_snapshot_hide_with(remember);
    for (unsigned which = 0; which < 2; which++) {
        opened_count = 0;
        take(RV_SNAPSHOT_UFFD);
        executions(&rng, 10, RV_SNAPSHOT_UFFD);
        CHECK(opened_count >= 2);
        for (unsigned i = 0; i < opened_count; i++) {
            char link[64], target[64] = "";
            snprintf(link, sizeof(link), "/proc/self/fd/%d", opened[i]);
            CHECK(readlink(link, target, sizeof(target) - 1) >= 0 || errno == ENOENT);
            if (strstr(target, which ? "pagemap" : "userfaultfd")) CHECK(close(opened[i]) == 0);
        }
        for (int i = 0; i < 64; i++) { /* within so many it must be noticed; until then some may be missed */
            one_write(&rng);
            rv_snapshot_restore();
        }
        CHECK(rv_snapshot_way_used() == RV_SNAPSHOT_COMPARE);
        executions(&rng, 40, RV_SNAPSHOT_COMPARE);
    }
}

static void test_closed_descriptors_are_noticed(void **state) {
    (void)state;
    int status = in_child(closed_behind_our_back);
    if (status == NOT_HERE) skip();
    assert_int_equal(status, 0);
}

/* ---- limits ---- */

static void many_regions(void) {
    static struct rv_region regions[RV_SNAPSHOT_MAX + 1];
    char *place = anonymous((RV_SNAPSHOT_MAX + 1) * 64);
    for (unsigned i = 0; i <= RV_SNAPSHOT_MAX; i++) {
        regions[i] = (struct rv_region){.base = place + (size_t)i * 64, .fixed = i % 64};
        memset(regions[i].base, 1, 64);
    }
    CHECK(!rv_snapshot_take(regions, RV_SNAPSHOT_MAX + 1, RV_SNAPSHOT_AUTO));
    for (int way = RV_SNAPSHOT_AUTO; way <= RV_SNAPSHOT_COMPARE; way++) {
        CHECK(rv_snapshot_take(regions, RV_SNAPSHOT_MAX, (enum rv_snapshot_way)way));
        memset(place, 2, (size_t)RV_SNAPSHOT_MAX * 64);
        rv_snapshot_restore();
        for (unsigned i = 0; i < RV_SNAPSHOT_MAX * 64; i++) /* what is between regions is left alone */
            CHECK(place[i] == (i % 64 < i / 64 % 64 ? 1 : 2));
        memset(place, 1, (size_t)RV_SNAPSHOT_MAX * 64);
    }
    CHECK(rv_snapshot_take(regions, 0, RV_SNAPSHOT_AUTO));
    rv_snapshot_restore();
    CHECK(rv_snapshot_pages_copied() == 0);
}

static void test_many_regions(void **state) {
    (void)state;
    assert_int_equal(in_child(many_regions), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_way_agrees_with_a_reference),
        cmocka_unit_test(test_only_dirtied_pages_are_copied),
        cmocka_unit_test(test_the_main_stack_comes_back),
        cmocka_unit_test(test_refused_system_calls_cost_speed_only),
        cmocka_unit_test(test_closed_descriptors_are_noticed),
        cmocka_unit_test(test_many_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
