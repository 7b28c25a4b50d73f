/* says: it loads a library \(dlopen\) while threads run
 * A library loaded, used and unloaded by a thread. */
#include <dlfcn.h>
#include <pthread.h>

#include "check.h"

static void *use(void *unused) {
    CHECK(dlopen("libnonexistent.so.9", RTLD_NOW) == NULL && dlerror());
    void *handle = dlopen("libm.so.6", RTLD_NOW);
    CHECK(handle);
    double (*root)(double) = (double (*)(double))dlsym(handle, "sqrt");
    CHECK(root && root(49) > 6.9 && root(49) < 7.1);
    CHECK(dlclose(handle) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    pthread_join(thread, NULL);
    return 0;
}
