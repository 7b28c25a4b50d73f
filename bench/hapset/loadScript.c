/* A browser loads scripts: the current one is global, set when its load begins and used when it is complete.
 *
 * Original: Mozilla, nsXULDocument: LoadScript() sets gCurrentScript under a lock and starts the load,
 * OnStreamComplete() compiles gCurrentScript under the lock again. Each is atomic, the two together are not.
 *
 * Bug (assert in script_complete; atomicity): one document sets the current script and starts its load; before it is
 * complete another document sets its own; the first then compiles the other one's script.
 *
 * Parameters: DOCUMENTS (2 to 8; default 2), ROUNDS of unrelated work (default 1).
 */
#include "subject.h"
#include <assert.h>

enum { MAX_DOCUMENTS = 8, MAX_ROUNDS = 20 };

struct script {
    int document;
    int compiled;
};

static struct {
    pthread_mutex_t lock;
    struct script *current; /* under lock */
    int loads;              /* under lock */
} loader = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct script scripts[MAX_DOCUMENTS];
static int rounds;

static void script_load(struct script *script) {
    pthread_mutex_lock(&loader.lock);
    loader.current = script;
    loader.loads++;
    pthread_mutex_unlock(&loader.lock);
}

static void script_complete(const struct script *expected) {
    pthread_mutex_lock(&loader.lock);
    loader.current->compiled++;
    assert(loader.current == expected && "what was loaded is compiled");
    pthread_mutex_unlock(&loader.lock);
}

static void *document(void *arg) {
    struct script *script = arg;
    unrelated_work(script->document, rounds);
    script_load(script);
    unrelated_work(script->document, rounds);
    script_complete(script);
    unrelated_work(script->document, rounds);
    return NULL;
}

int main(int argc, char **argv) {
    int documents = size_argument(argc, argv, 1, 2, 2, MAX_DOCUMENTS);
    rounds = size_argument(argc, argv, 2, 1, 0, MAX_ROUNDS);
    pthread_t threads[MAX_DOCUMENTS];
    for (int i = 0; i < documents; i++) {
        scripts[i].document = i;
        pthread_create(&threads[i], NULL, document, &scripts[i]);
    }
    for (int i = 0; i < documents; i++) pthread_join(threads[i], NULL);
    assert(loader.loads == documents);
    puts("compiled");
    return 0;
}
