/* Names from a small program that the test writes and compiles itself: where its lines and variables are is
 * known from the text, where they lie in the file is asked from the file's own tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report_fixture.h"
#include <elfutils/libdw.h>

static const char program[] =                                        /* lines are counted below: keep them */
    "#include <pthread.h>\n"                                         /* 1 */
    "#include <stdlib.h>\n"                                          /* 2 */
    "struct node { struct node *next; int value; char tag[12]; };\n" /* 3 */
    "struct queue { pthread_mutex_t lock; struct { int first, last; } range;\n"                   /* 4 */
    "  struct node items[4]; union { int i; double d; }; int grid[3][5]; struct node *list; };\n" /* 5 */
    "struct queue queue;\n"                                                                       /* 6 */
    "static int counter;\n"                                                                       /* 7 */
    "static inline __attribute__((always_inline)) int twice(int x) {\n"                           /* 8 */
    "    return counter + 2 * x;\n"                                                               /* 9 */
    "}\n"                                                                                         /* 10 */
    "__attribute__((noinline)) int next_id(int x) {\n"                                            /* 11 */
    "    static struct node last;\n"                                                              /* 12 */
    "    last.value = twice(x);\n"                                                                /* 13 */
    "    return last.value;\n"                                                                    /* 14 */
    "}\n"                                                                                         /* 15 */
    "__attribute__((noinline)) static void *get_memory(size_t size) {\n"                          /* 16 */
    "    void *p = malloc(size);\n"                                                               /* 17 */
    "    return p ? p : (abort(), p);\n"                                                          /* 18 */
    "}\n"                                                                                         /* 19 */
    "__attribute__((noinline)) void push(int value) {\n"                                          /* 20 */
    "    int *unrelated = 0;\n"                                                                   /* 21 */
    "    struct node *fresh = get_memory(sizeof *fresh);\n"                                       /* 22 */
    "    fresh->value = value + (unrelated != 0);\n"                                              /* 23 */
    "    fresh->next = queue.list;\n"                                                             /* 24 */
    "    queue.list = get_memory(3 * sizeof *queue.list);\n"                                      /* 25 */
    "    char *text = malloc(100);\n"                                                             /* 26 */
    "    if (text) free(text);\n"                                                                 /* 27 */
    "    void *opaque = malloc(40);\n"                                                            /* 28 */
    "    free(opaque);\n"                                                                         /* 29 */
    "}\n"                                                                                         /* 30 */
    "int main(void) { push(next_id(1)); return 0; }\n";                                           /* 31 */

enum { BASE = 0x7000000 }; /* where we say the program was loaded */

struct fixture {
    char directory[64];
    char *path;
    struct rv_area *area;
    struct rv_symboliser *symbols;
    int fd;
    Elf *elf;
    Dwarf *dwarf;
};

static int open_fixture(void **state, const char *compile) {
    struct fixture *f = rv_text_alloc(1, sizeof *f);
    strcpy(f->directory, "/tmp/rv-symbolise-XXXXXX");
    if (!mkdtemp(f->directory)) return -1;
    char *source = rv_text_format("%s/q.c", f->directory);
    FILE *file = fopen(source, "w");
    fputs(program, file);
    fclose(file);
    f->path = rv_text_format("%s/q", f->directory);
    char *command = rv_text_format("cd %s && %s -o q q.c -Wl,--build-id", f->directory, compile);
    int failed = system(command);
    free(command);
    free(source);
    f->area = fixture_area();
    f->fd = open(f->path, O_RDONLY);
    elf_version(EV_CURRENT);
    f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
    f->dwarf = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
    const void *id = NULL;
    ssize_t size = dwelf_elf_gnu_build_id(f->elf, &id);
    struct rv_module *module = &f->area->modules[1]; /* 0 is a file that is not there */
    strcpy(f->area->modules[0].path, "/nonexistent/libx.so");
    snprintf(module->path, sizeof module->path, "%s", f->path);
    module->base = module->start = BASE;
    module->end = BASE + 0x100000;
    module->build_id_size = (uint32_t)size;
    memcpy(module->build_id, id, (size_t)size);
    strcpy(f->area->modules[2].path, "/usr/lib/libravel.so.0");
    f->area->module_count = 3;
    f->symbols = rv_symboliser_open(f->area, f->directory);
    *state = f;
    return failed;
}

static int set_up(void **state) { return open_fixture(state, "gcc -g -O0"); }
static int set_up_clang(void **state) { return open_fixture(state, "clang -g -O0"); }
static int set_up_plain(void **state) { return open_fixture(state, "gcc -O0"); }

static int tear_down(void **state) {
    struct fixture *f = *state;
    rv_symboliser_close(f->symbols);
    dwarf_end(f->dwarf);
    elf_end(f->elf);
    close(f->fd);
    fixture_area_free(f->area);
    char *command = rv_text_format("rm -r %s", f->directory);
    int failed = system(command);
    free(command);
    free(f->path);
    free(f);
    return failed;
}

static uint64_t symbol_address(struct fixture *f, const char *name) {
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(f->elf, section))) {
        GElf_Shdr header;
        gelf_getshdr(section, &header);
        if (header.sh_type != SHT_SYMTAB) continue;
        for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++) {
            GElf_Sym symbol;
            gelf_getsym(elf_getdata(section, NULL), (int)i, &symbol);
            if (strcmp(elf_strptr(f->elf, header.sh_link, symbol.st_name), name) == 0) return symbol.st_value;
        }
    }
    fail_msg("no symbol %s", name);
    return 0;
}

/* Some address whose line is this one; +1 makes it a return address into it. */
static rv_code code_of_line(struct fixture *f, int line) {
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    Dwarf_Lines *lines;
    size_t count;
    while (dwarf_get_units(f->dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0) {
        if (dwarf_getsrclines(&die, &lines, &count) != 0) continue;
        for (size_t i = 0; i < count; i++) {
            Dwarf_Line *entry = dwarf_onesrcline(lines, i);
            int number = 0;
            Dwarf_Addr address = 0;
            dwarf_lineno(entry, &number);
            dwarf_lineaddr(entry, &address);
            if (number != line) continue;
            Dwarf_Line *seen = dwarf_getsrc_die(&die, address);
            int again = 0;
            if (seen && dwarf_lineno(seen, &again) == 0 && again == line)
                return (uint64_t)1 << 48 | (address + 1);
        }
    }
    fail_msg("no code for line %d", line);
    return 0;
}

static void assert_data(struct fixture *f, uint64_t address, unsigned size, const char *expected) {
    char *name = rv_symbolise_data(f->symbols, BASE + address, size);
    assert_non_null(name);
    assert_string_equal(name, expected);
    free(name);
}

static void free_all(struct rv_location *locations, unsigned count) {
    for (unsigned i = 0; i < count; i++) rv_location_free(&locations[i]);
}

static void test_code_has_function_line_and_source(void **state) {
    struct fixture *f = *state;
    struct rv_location at[8];
    for (int twice = 0; twice < 2; twice++) { /* the second answer comes from the cache */
        assert_int_equal(rv_symbolise_code(f->symbols, code_of_line(f, 24), true, at, 8), 1);
        assert_string_equal(at[0].function, "push");
        assert_string_equal(at[0].file, "q.c");
        assert_int_equal(at[0].line, 24);
        assert_string_equal(at[0].source, "fresh->next = queue.list;");
        assert_string_equal(at[0].module, f->path);
        free_all(at, 1);
    }
}

static void test_inlined_functions_are_levels(void **state) {
    struct fixture *f = *state;
    struct rv_location at[8];
    assert_int_equal(rv_symbolise_code(f->symbols, code_of_line(f, 9), true, at, 8), 2);
    assert_string_equal(at[0].function, "twice");
    assert_int_equal(at[0].line, 9);
    assert_string_equal(at[1].function, "next_id");
    assert_int_equal(at[1].line, 13);
    assert_string_equal(at[1].source, "last.value = twice(x);");
    free_all(at, 2);
    assert_int_equal(rv_symbolise_code(f->symbols, code_of_line(f, 9), true, at, 1), 1);
    free_all(at, 1);
}

static void test_unknown_code_is_said_to_be_unknown(void **state) {
    struct fixture *f = *state;
    struct rv_location at[2];
    rv_code codes[] = {RV_CODE_UNKNOWN, 0x123, (uint64_t)1 << 48 | 0xffffffffffff, (uint64_t)200 << 48 | 5,
                       (uint64_t)1 << 48};
    for (unsigned i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        assert_int_equal(rv_symbolise_code(f->symbols, codes[i], true, at, 2), 1);
        assert_string_equal(at[0].function, "");
        assert_int_equal(at[0].line, 0);
        free_all(at, 1);
    }
    assert_true(rv_symbolise_is_runtime(f->symbols, (uint64_t)2 << 48 | 100));
    assert_false(rv_symbolise_is_runtime(f->symbols, (uint64_t)1 << 48 | 100));
}

static void test_variables_have_fields_and_indices(void **state) {
    struct fixture *f = *state;
    uint64_t queue = symbol_address(f, "queue");
    assert_data(f, queue, 0, "queue.lock");
    assert_data(f, queue + 4, 4, "queue.lock");
    assert_data(f, queue + 40, 4, "queue.range.first");
    assert_data(f, queue + 44, 4, "queue.range.last");
    assert_data(f, queue + 40, 8, "queue.range");
    assert_data(f, queue + 48 + 3 * 24, 8, "queue.items[3].next");
    assert_data(f, queue + 48 + 2 * 24 + 8, 4, "queue.items[2].value");
    assert_data(f, queue + 48 + 1 * 24 + 12 + 5, 1, "queue.items[1].tag[5]");
    assert_data(f, queue + 144, 4, "queue.i");
    assert_data(f, queue + 144, 8, "queue.d");
    assert_data(f, queue + 152 + (2 * 5 + 3) * 4, 4, "queue.grid[2][3]");
    assert_data(f, queue + 216, 8, "queue.list");
    assert_data(f, queue + 216 + 2, 1, "queue.list+2");
    assert_data(f, symbol_address(f, "counter"), 4, "counter");
}

static void test_statics_of_functions_are_named(void **state) {
    struct fixture *f = *state;
    Elf_Scn *section = NULL; /* the symbol is "last.0" or "next_id.last", as the compiler likes */
    uint64_t address = 0;
    while (!address && (section = elf_nextscn(f->elf, section))) {
        GElf_Shdr header;
        gelf_getshdr(section, &header);
        for (size_t i = 0; header.sh_type == SHT_SYMTAB && i < header.sh_size / header.sh_entsize; i++) {
            GElf_Sym symbol;
            gelf_getsym(elf_getdata(section, NULL), (int)i, &symbol);
            const char *name = elf_strptr(f->elf, header.sh_link, symbol.st_name);
            if (strncmp(name, "last.", 5) == 0 || strcmp(name, "next_id.last") == 0)
                address = symbol.st_value;
        }
    }
    assert_int_not_equal(address, 0);
    assert_data(f, address + 8, 4, "last.value (static in next_id())");
}

static void test_addresses_outside_every_module_have_no_name(void **state) {
    struct fixture *f = *state;
    assert_null(rv_symbolise_data(f->symbols, 0x1234, 4));
    assert_null(rv_symbolise_data(f->symbols, UINT64_MAX, 4));
}

static void assert_block(struct fixture *f, int line, int caller, uint64_t size, unsigned offset,
                         const char *expected) {
    struct rv_block_report block = {.number = 1, .size = size};
    block.alloc_frames[0] = (uint64_t)2 << 48 | 100; /* libravel's malloc */
    block.alloc_frames[1] = code_of_line(f, line);
    if (caller) block.alloc_frames[2] = code_of_line(f, caller);
    char *name = rv_symbolise_block(f->symbols, &block, offset);
    assert_string_equal(name, expected);
    free(name);
}

static void test_blocks_are_typed_from_their_allocation(void **state) {
    struct fixture *f = *state;
    assert_block(f, 17, 22, 24, 0, "struct node.next (heap block from push() q.c:22)");
    assert_block(f, 17, 22, 24, 8, "struct node.value (heap block from push() q.c:22)");
    assert_block(f, 17, 25, 72, 48 + 12, "struct node[2].tag[0] (heap block from push() q.c:25)");
    assert_block(f, 26, 31, 100, 7, "char[7] (heap block from push() q.c:26)");
}

static void test_blocks_of_unknown_type_are_not_guessed(void **state) {
    struct fixture *f = *state;
    assert_block(f, 28, 31, 40, 8, "heap block of 40 bytes from push() q.c:28, +8");
    assert_block(f, 17, 22, 24, 24, "heap block of 24 bytes from push() q.c:22, +24"); /* past its end */
    struct rv_block_report nothing = {.size = 16};
    char *name = rv_symbolise_block(f->symbols, &nothing, 4);
    assert_string_equal(name, "heap block of 16 bytes, +4");
    free(name);
}

static void test_without_debug_information_symbols_serve(void **state) {
    struct fixture *f = *state;
    struct rv_location at[4];
    assert_data(f, symbol_address(f, "queue"), 4, "queue");
    assert_data(f, symbol_address(f, "queue") + 40, 4, "queue+40");
    assert_int_equal(
        rv_symbolise_code(f->symbols, (uint64_t)1 << 48 | (symbol_address(f, "push") + 5), true, at, 4), 1);
    assert_string_equal(at[0].function, "push");
    assert_int_equal(at[0].line, 0);
    free_all(at, 1);
}

static void test_a_rebuilt_program_gives_no_names(void **state) {
    struct fixture *f = *state;
    struct rv_location at[4];
    f->area->modules[1].build_id[3] ^= 1;
    struct rv_symboliser *other = rv_symboliser_open(f->area, f->directory);
    assert_int_equal(rv_symbolise_code(other, code_of_line(f, 24), true, at, 4), 1);
    assert_string_equal(at[0].function, "");
    free_all(at, 1);
    rv_symboliser_close(other);
}

/* The whole way: an area with a use after free becomes a failure with names. */
static void test_a_failure_from_an_area_is_named(void **state) {
    struct fixture *f = *state;
    struct rv_area *area = f->area;
    uint64_t list = BASE + symbol_address(f, "queue") + 216;
    area->outcome = (struct rv_outcome){.kind = RV_KIND_USE_AFTER_FREE,
                                        .thread = 1,
                                        .message = "read of freed memory",
                                        .address = 0x600000000008,
                                        .block = 9,
                                        .block_offset = 8,
                                        .thread_count = 2,
                                        .block_count = 1,
                                        .event_count = 3,
                                        .run_count = 1};
    area->blocks[0] = (struct rv_block_report){
        .number = 9, .freed = 1, .address = 0x600000000000, .size = 24, .free_thread = 2};
    area->blocks[0].alloc_frames[0] = code_of_line(f, 17);
    area->blocks[0].alloc_frames[1] = code_of_line(f, 22);
    area->blocks[0].free_frames[0] = code_of_line(f, 27);
    area->events[0] = (struct rv_event){
        .address = list, .thread = 1, .op = RV_OP_READ, .size = 8, .site = code_of_line(f, 24)};
    area->events[1] = (struct rv_event){.address = list,
                                        .thread = 2,
                                        .op = RV_OP_WRITE,
                                        .size = 8,
                                        .site = code_of_line(f, 25),
                                        .flags = RV_EVENT_SWITCH | RV_EVENT_PREEMPT};
    area->events[2] = (struct rv_event){
        .address = 0x600000000000, .block = 9, .thread = 2, .op = RV_OP_FREE, .site = code_of_line(f, 27)};
    area->thread_reports[0] =
        (struct rv_thread_report){.id = 1,
                                  .state = RV_THREAD_RUNNING,
                                  .owner = RV_NO_THREAD,
                                  .frame_count = 2,
                                  .frames = {(uint64_t)2 << 48 | 7, code_of_line(f, 23)}};
    area->thread_reports[1] = (struct rv_thread_report){.id = 2,
                                                        .state = RV_THREAD_BLOCKED,
                                                        .op = RV_OP_LOCK,
                                                        .owner = 1,
                                                        .object = BASE + symbol_address(f, "queue"),
                                                        .name = "cleaner"};
    struct rv_failure failure = {0};
    rv_failure_from_area(&failure, area, f->symbols);
    assert_int_equal(failure.event_count, 3);
    assert_string_equal(failure.events[0].object, "queue.list");
    assert_string_equal(failure.events[2].object, "struct node.next (heap block from push() q.c:22)");
    assert_string_equal(failure.events[2].note, "frees the block");
    assert_int_equal(failure.threads[0].stack.count, 1); /* libravel's frame is left out */
    assert_string_equal(failure.threads[0].name, "push");
    assert_string_equal(failure.threads[1].state, "blocked in lock of queue.lock held by thread 1");
    assert_string_equal(failure.block->description, "struct node.value (heap block from push() q.c:22)");
    assert_int_equal(failure.block->released.frames[0].line, 27);
    rv_failure_free(&failure);
}

static void test_blocks_from_one_place_are_told_apart(void **state) {
    struct fixture *f = *state;
    struct rv_area *area = f->area;
    area->outcome = (struct rv_outcome){.kind = RV_KIND_ASSERT, .block_count = 2, .event_count = 2};
    for (unsigned i = 0; i < 2; i++) {
        uint64_t address = 0x600000000000 + i * 64;
        area->blocks[i] = (struct rv_block_report){.number = 5 + i, .address = address, .size = 24};
        area->blocks[i].alloc_frames[0] = code_of_line(f, 17);
        area->blocks[i].alloc_frames[1] = code_of_line(f, 22);
        area->events[i] = (struct rv_event){.address = address + 8,
                                            .block = 5 + i,
                                            .thread = i,
                                            .op = RV_OP_WRITE,
                                            .size = 4,
                                            .site = code_of_line(f, 23),
                                            .flags = RV_EVENT_SWITCH};
    }
    struct rv_failure failure = {0};
    rv_failure_from_area(&failure, area, f->symbols);
    assert_int_equal(failure.event_count, 2);
    assert_string_equal(failure.events[0].object, "struct node.value #1 (heap block from push() q.c:22)");
    assert_string_equal(failure.events[1].object, "struct node.value #2 (heap block from push() q.c:22)");
    rv_failure_free(&failure);
}

int main(void) {
#define WITH(test, up) cmocka_unit_test_setup_teardown(test, up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH(test_code_has_function_line_and_source, set_up),
        WITH(test_inlined_functions_are_levels, set_up),
        WITH(test_unknown_code_is_said_to_be_unknown, set_up),
        WITH(test_variables_have_fields_and_indices, set_up),
        WITH(test_statics_of_functions_are_named, set_up),
        WITH(test_addresses_outside_every_module_have_no_name, set_up),
        WITH(test_blocks_are_typed_from_their_allocation, set_up),
        WITH(test_blocks_of_unknown_type_are_not_guessed, set_up),
        WITH(test_without_debug_information_symbols_serve, set_up_plain),
        WITH(test_a_rebuilt_program_gives_no_names, set_up),
        WITH(test_a_failure_from_an_area_is_named, set_up),
        WITH(test_blocks_from_one_place_are_told_apart, set_up),
    };
    const struct CMUnitTest clang_tests[] = {
        WITH(test_code_has_function_line_and_source, set_up_clang),
        WITH(test_variables_have_fields_and_indices, set_up_clang),
        WITH(test_blocks_are_typed_from_their_allocation, set_up_clang),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (system("command -v clang >/dev/null 2>&1") == 0)
        failed += cmocka_run_group_tests(clang_tests, NULL, NULL);
    return failed;
}
