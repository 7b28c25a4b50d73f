// The C++ library on top of the hooks: std::thread, promises and futures, async, call_once, thread_local objects of
// their own for each thread; exceptions thrown, caught and carried over in several threads at the same time.
#include <atomic>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

static thread_local int depth;
static thread_local std::string where = "nowhere";
static std::atomic<int> alive;
static std::once_flag once;
static int initialised;

struct Alive {
    Alive() { alive++; }
    ~Alive() { alive--; }
};

static void fall(int level) {
    Alive here;
    depth = level;
    if (level == 0) throw std::runtime_error("ground");
    std::this_thread::yield(); // another thread's exception may be under way now
    fall(level - 1);
}

static void catch_it(int level) {
    CHECK(where == "nowhere");
    where = std::to_string(level);
    try {
        fall(level);
        CHECK(!"thrown");
    } catch (const std::exception &caught) {
        CHECK(std::uncaught_exceptions() == 0);
        CHECK(depth == 0);
        std::this_thread::yield();
        try {
            throw; // the same one, whatever others threw in between
        } catch (const std::runtime_error &again) {
            CHECK(&again == &caught && std::string(again.what()) == "ground");
        }
    }
    CHECK(where == std::to_string(level));
}

static void exceptions() {
    std::vector<std::thread> threads;
    for (int i = 1; i <= 3; i++) threads.emplace_back(catch_it, i);
    for (auto &thread : threads) thread.join();
    CHECK(alive == 0 && where == "nowhere");
}

static void futures() {
    std::promise<int> promise;
    auto doubled = std::async(std::launch::async, [&promise] { return promise.get_future().get() * 2; });
    auto failed = std::async(std::launch::async, [] { fall(2); });
    promise.set_value(21);
    CHECK(doubled.get() == 42);
    bool caught = false;
    try {
        failed.get();
    } catch (const std::runtime_error &) {
        caught = true;
    }
    CHECK(caught && alive == 0);
}

// Its count is only updated atomically by a program that does not believe itself to be single-threaded.
static void shared() {
    auto counted = std::make_shared<Alive>();
    std::thread first([counted] { auto copy = counted; }), second([counted] { auto copy = counted; });
    first.join();
    second.join();
    CHECK(counted.use_count() == 1 && alive == 1);
    counted.reset();
    CHECK(alive == 0);
}

static void only_once() {
    auto initialise = [] {
        std::call_once(once, [] { initialised++; });
        CHECK(initialised == 1);
    };
    std::thread first(initialise), second(initialise);
    first.join();
    second.join();
    CHECK(first.get_id() == std::thread::id() && initialised == 1);
}

int main() {
    exceptions();
    futures();
    shared();
    only_once();
    return 0;
}
