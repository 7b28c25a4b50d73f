/* A note is the working directory and the words of the command line, each ended by NUL, and an empty word at the end. */
#include "cli/cc_migrate.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/migrate_log.h"
#include "report/text.h"

/* Only says what is included: nothing is compiled. */
static bool only_preprocesses(const struct rv_words *arguments) {
    for (size_t i = 0; i < arguments->count; i++) {
        const char *word = arguments->words[i];
        if (strcmp(word, "-E") == 0 || strcmp(word, "-M") == 0 || strcmp(word, "-MM") == 0 ||
            strcmp(word, "-fsyntax-only") == 0)
            return true;
    }
    return false;
}

static void write_note(const char *path, const struct rv_words *arguments, size_t which) {
    char directory[PATH_MAX];
    struct rv_text note = {0};
    if (!getcwd(directory, sizeof directory)) return;
    rv_text_add_n(&note, directory, strlen(directory) + 1);
    rv_text_add_n(&note, arguments->words[which], strlen(arguments->words[which]) + 1);
    for (size_t i = 0; i < arguments->count; i++)
        rv_text_add_n(&note, arguments->words[i], strlen(arguments->words[i]) + 1);
    rv_text_add_n(&note, "", 1);
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd >= 0 && write(fd, note.data, note.size) != (ssize_t)note.size) (void)unlink(path);
    if (fd >= 0) close(fd);
    free(note.data);
}

void rv_cc_migrate(struct rv_words *arguments) {
    const char *asked = getenv(RV_MIGRATE_ENV), *note = getenv(RV_MIGRATE_NOTE_ENV);
    const char *sign = asked ? strchr(asked, '=') : NULL;
    if (!sign || only_preprocesses(arguments)) return;
    size_t length = (size_t)(sign - asked), count = arguments->count;
    for (size_t i = 0; i < count; i++) {
        char real[PATH_MAX];
        if (arguments->words[i][0] == '-' || !realpath(arguments->words[i], real)) continue;
        if (strlen(real) != length || strncmp(real, asked, length) != 0) continue;
        if (note) write_note(note, arguments, i);
        if (!sign[1]) return;
        char *directory = rv_text_copy(arguments->words[i]);
        arguments->words[i] = rv_text_copy(sign + 1);
        rv_words_add(arguments, "-iquote"); /* what it includes lies beside the original */
        rv_words_add(arguments, dirname(directory));
        rv_words_add(arguments, "-w"); /* what is put in is nobody's style */
        return;
    }
}
