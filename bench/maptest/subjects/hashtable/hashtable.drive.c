/* The table is full. Two threads put keys into it, and one of them makes it grow. */
#include "drive.h"
#include "hashtable.h"

static hashtable *table;

static void put_one(void) { hashtable_put(table, 3, 30); }

static void put_two(void) { hashtable_put(table, 4, 40); }

int main(void) {
    int value = 0;
    table = hashtable_new(2);
    hashtable_put(table, 0, 5);
    hashtable_put(table, 2, 6);
    drive_two(put_one, put_two);
    assert(hashtable_size(table) == 4);
    assert(hashtable_get(table, 3, &value) && value == 30);
    assert(hashtable_get(table, 4, &value) && value == 40);
    hashtable_free(table);
    return 0;
}
