/* A three-stage relay: order entry, pricing, shipping. Each stage looks once, in any order; only one order of all
 * three goes wrong.
 *
 * Bug (assert in ship, four ordering constraints): the shipper notes the stock before entry reserves it; entry
 * reserves and prices before the pricer recalculates; the pricer must have read the old tariff before entry
 * changes it and write the price after entry's own; the shipper then reads the price last.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static struct order {
    atomic_int stock;  /* 1: on the shelf */
    atomic_int tariff; /* 1: old, 2: new */
    atomic_int price;  /* 0: none yet */
} order = {.stock = 1, .tariff = 1};

static void *enter_order(void *unused) {
    (void)unused;
    atomic_store(&order.stock, 0);
    atomic_store(&order.tariff, 2);
    atomic_store(&order.price, 20);
    return NULL;
}

static void *reprice(void *unused) {
    (void)unused;
    int tariff = atomic_load(&order.tariff);
    if (atomic_load(&order.price) != 0) atomic_store(&order.price, tariff * 10);
    return NULL;
}

static void ship(int stock, int tariff, int price) {
    int stale = stock == 1 && tariff == 2 && price == 10;
    assert(!stale && "shipped at the old price");
}

static void *shipping(void *unused) {
    (void)unused;
    int stock = atomic_load(&order.stock);
    int tariff = atomic_load(&order.tariff);
    int price = atomic_load(&order.price);
    ship(stock, tariff, price);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    void *(*const stages[3])(void *) = {enter_order, reprice, shipping};
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, stages[i], NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    printf("price %d\n", atomic_load(&order.price));
    return 0;
}
