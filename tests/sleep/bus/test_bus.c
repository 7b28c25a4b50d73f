#include "bus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <unistd.h>

#define MS 1000

static bus        *b;
static subscriber *s1, *s2;

static int open_bus(void **state) {
    (void)state;
    b  = bus_new();
    s1 = bus_subscribe(b);
    s2 = NULL;
    return b && s1 ? 0 : -1;
}

static int free_bus(void **state) {
    (void)state;
    bus_free(b);
    return 0;
}

typedef struct {
    subscriber *from;
    int         message;
    bool        got;
} reception;

static void *receive(void *arg) {
    reception *r = arg;
    //@ event startingReceive
    r->got = bus_receive(r->from, &r->message);
    //@ event finishedReceive
    return NULL;
}

//@ schedule [startingReceive] -> startingPublish
static void receive_waits_for_publish(void **state) {
    (void)state;
    pthread_t thread;
    reception r = {.from = s1};
    pthread_create(&thread, NULL, receive, &r);
    usleep(60 * MS);
    //@ event startingPublish
    assert_false(r.got);
    bus_publish(b, 42);
    pthread_join(thread, NULL);
    assert_true(r.got);
    assert_int_equal(r.message, 42);
}

//@ schedule [startingReceive#1] -> startingPublishToAll, [startingReceive#2] -> startingPublishToAll
static void all_subscribers_are_woken(void **state) {
    (void)state;
    pthread_t t1, t2;
    s2           = bus_subscribe(b);
    reception r1 = {.from = s1}, r2 = {.from = s2};
    pthread_create(&t1, NULL, receive, &r1);
    pthread_create(&t2, NULL, receive, &r2);
    usleep(80 * MS);
    //@ event startingPublishToAll
    bus_publish(b, 7);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert_int_equal(r1.message, 7);
    assert_int_equal(r2.message, 7);
}

// What was published is in the mailbox when the receiver comes, late.
static void *late_receiver(void *arg) {
    usleep(60 * MS);
    //@ event startingLateReceive
    return receive(arg);
}

//@ schedule finishedPublish -> startingLateReceive, finishedReceive -> startingLook
static void mail_waits_for_receiver(void **state) {
    (void)state;
    pthread_t thread;
    reception r = {.from = s1};
    pthread_create(&thread, NULL, late_receiver, &r);
    bus_publish(b, 1);
    bus_publish(b, 2);
    assert_int_equal(bus_waiting(s1), 2);
    //@ event finishedPublish
    usleep(120 * MS);
    //@ event startingLook
    assert_int_equal(r.message, 1);
    assert_int_equal(bus_waiting(s1), 1);
    pthread_join(thread, NULL);
}

static int published;

static void *publisher(void *arg) {
    (void)arg;
    for (int i = 0; i < BUS_MAILBOX; i++) bus_publish(b, i);
    //@ event startingLastPublish
    bus_publish(b, 99);
    published = 1;
    return NULL;
}

//@ schedule [startingLastPublish] -> startingFirstReceive
static void publisher_waits_for_room(void **state) {
    (void)state;
    pthread_t thread;
    int       m = -1;
    published   = 0;
    pthread_create(&thread, NULL, publisher, NULL);
    usleep(100 * MS);
    //@ event startingFirstReceive
    assert_int_equal(published, 0);
    assert_int_equal(bus_waiting(s1), BUS_MAILBOX);
    assert_true(bus_receive(s1, &m));
    assert_int_equal(m, 0);
    pthread_join(thread, NULL);
    assert_int_equal(published, 1);
    assert_int_equal(bus_waiting(s1), BUS_MAILBOX);
}

//@ schedule [startingLastPublish] -> startingUnsubscribe
static void unsubscribing_makes_room(void **state) {
    (void)state;
    pthread_t thread;
    published = 0;
    pthread_create(&thread, NULL, publisher, NULL);
    usleep(100 * MS);
    //@ event startingUnsubscribe
    bus_unsubscribe(s1);
    pthread_join(thread, NULL);
    assert_int_equal(published, 1);
}

//@ schedule [startingReceive] -> startingBusClose
static void close_ends_receive(void **state) {
    (void)state;
    pthread_t thread;
    reception r = {.from = s1, .got = true};
    pthread_create(&thread, NULL, receive, &r);
    usleep(60 * MS);
    //@ event startingBusClose
    bus_close(b);
    pthread_join(thread, NULL);
    assert_false(r.got);
}

#define T(f) cmocka_unit_test_setup_teardown(f, open_bus, free_bus)

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        T(receive_waits_for_publish), T(all_subscribers_are_woken), T(mail_waits_for_receiver),
        T(publisher_waits_for_room),  T(unsubscribing_makes_room),  T(close_ends_receive),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("bus", tests, NULL, NULL);
}
