/* Two threads borrow the one connection that there may be. */
#include "drive.h"
#include "datasource.h"

static datasource *source;
static int first, second;

static void borrow_first(void) { first = datasource_borrow(source); }

static void borrow_second(void) { second = datasource_borrow(source); }

int main(void) {
    source = datasource_new(1);
    drive_two(borrow_first, borrow_second);
    assert((first == 0) != (second == 0));
    datasource_free(source);
    return 0;
}
