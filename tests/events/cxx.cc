/* C++: threads of the standard library, an exception that leaves a test, assertions.
 *
 * put_take: finished.add -> starting.take => ok
 * put_take: [starting.take] -> starting.add => ok
 * put_take: taken -> starting.add => schedule: infeasible: event starting.add in thread 0 .main. waits for taken
 * throws: => exit: exit status 3
 * compares: => assert: compares: big == -1 does not hold: big is 18446744073709551615
 */
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <ravel.h>

namespace {

std::mutex lock;
std::condition_variable changed;
int items = 0;

void add() {
    std::lock_guard<std::mutex> guard(lock);
    items++;
    changed.notify_one();
}

void take() {
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard, [] { return items > 0; });
    items--;
}

RAVEL_TEST(put_take) {
    std::thread taker([] {
        RAVEL_EVENT(starting.take);
        take();
        RAVEL_EVENT(taken);
    });
    RAVEL_EVENT(starting.add);
    add();
    RAVEL_EVENT(finished.add);
    taker.join();
    RAVEL_ASSERT_EQ(items, 0);
    RAVEL_ASSERT_NE(&items, nullptr);
}

RAVEL_TEST(throws) { throw std::runtime_error("out"); }

RAVEL_TEST(compares) {
    std::uint64_t big = UINT64_MAX;
    RAVEL_ASSERT_LT(-1, big);
    RAVEL_ASSERT_EQ(1.5f, 1.5);
    RAVEL_ASSERT_STR_EQ("a", "a");
    RAVEL_ASSERT_EQ(big, -1);
}

} // namespace

int main() {
    try {
        put_take();
        if (ravel_active()) {
            compares();
            throws();
        }
    } catch (const std::exception &) {
        return 3;
    }
    return 0;
}
