/* The page cache of a small web server, with two clients asking for pages.
 *
 * Rendering a page is slow, so the server keeps the pages it rendered last. A page may be dropped from the cache
 * while a client is still being sent its text; pages are therefore counted references: one is the cache's, one is
 * each client's. Whoever gives the last one back frees the page.
 *
 * It has a bug. It works: you can run it all day. `make demo` shows what ravel makes of it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LIMIT = 2, CLIENTS = 2 };

struct page {
    char name[16];
    char *text;
    unsigned references;
    unsigned long rendered_at;
    struct page *next;
};

struct cache {
    pthread_rwlock_t lock;
    struct page *pages;
    unsigned count;
    unsigned long clock;
};

static struct cache cache = {.lock = PTHREAD_RWLOCK_INITIALIZER};

/* ---- pages ---- */

static struct page *page_render(const char *name) {
    struct page *page = calloc(1, sizeof *page);
    if (!page || asprintf(&page->text, "<html><h1>%s</h1></html>", name) < 0) {
        perror("page_render");
        exit(1);
    }
    snprintf(page->name, sizeof page->name, "%s", name);
    page->references = 1;
    return page;
}

static void page_free(struct page *page) {
    free(page->text);
    free(page);
}

/* Gives one reference back. */
static void page_release(struct page *page) {
    pthread_rwlock_wrlock(&cache.lock);
    bool last = --page->references == 0;
    pthread_rwlock_unlock(&cache.lock);
    if (last) page_free(page);
}

/* ---- the cache; these want its lock held ---- */

static struct page *cache_find(const char *name) {
    for (struct page *page = cache.pages; page; page = page->next)
        if (strcmp(page->name, name) == 0) return page;
    return NULL;
}

static void cache_evict_oldest(void) {
    struct page **oldest = &cache.pages;
    for (struct page **link = &cache.pages; *link; link = &(*link)->next)
        if ((*link)->rendered_at < (*oldest)->rendered_at) oldest = link;
    struct page *page = *oldest;
    *oldest = page->next;
    cache.count--;
    if (--page->references == 0) page_free(page);
}

static void cache_insert(struct page *page) {
    if (cache.count == CACHE_LIMIT) cache_evict_oldest();
    page->rendered_at = ++cache.clock;
    page->references++;
    page->next = cache.pages;
    cache.pages = page;
    cache.count++;
}

/* ---- what clients call ---- */

/* The page, rendered now or earlier, with a reference for the caller. */
static struct page *cache_get(const char *name) {
    /* Most requests find their page: let them look it up side by side. */
    pthread_rwlock_rdlock(&cache.lock);
    struct page *page = cache_find(name);
    if (page) page->references++;
    pthread_rwlock_unlock(&cache.lock);
    if (page) return page;

    struct page *rendered = page_render(name);
    pthread_rwlock_wrlock(&cache.lock);
    page = cache_find(name); /* another client may have been faster */
    if (page)
        page->references++;
    else
        cache_insert(rendered);
    pthread_rwlock_unlock(&cache.lock);
    if (page) page_free(rendered);
    return page ? page : rendered;
}

static void cache_clear(void) {
    pthread_rwlock_wrlock(&cache.lock);
    while (cache.pages) cache_evict_oldest();
    pthread_rwlock_unlock(&cache.lock);
}

struct client {
    const char *request;
    size_t sent;
};

static void *serve(void *argument) {
    struct client *client = argument;
    struct page *page = cache_get(client->request);
    client->sent = strlen(page->text);
    page_release(page);
    return NULL;
}

int main(void) {
    pthread_t threads[CLIENTS];
    struct client clients[CLIENTS] = {{.request = "index"}, {.request = "index"}};
    size_t total = 0;
    page_release(cache_get("news")); /* what most will ask for first */
    page_release(cache_get("index"));
    for (int i = 0; i < CLIENTS; i++) pthread_create(&threads[i], NULL, serve, &clients[i]);
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
        total += clients[i].sent;
    }
    cache_clear();
    printf("%zu bytes sent\n", total);
    return 0;
}
