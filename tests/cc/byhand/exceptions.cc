// Exceptions through frames, across threads, with thread_local destructors; static locals; std::async.
#include <atomic>
#include <condition_variable>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> alive{0}, built{0};
struct counted {
    counted() { alive++; }
    ~counted() { alive--; }
};
struct slow {
    slow() { built++; }
};
static thread_local counted per_thread;

static int deep(int n) {
    counted here;
    if (n == 0)
        throw std::runtime_error("from the bottom");
    return deep(n - 1) + 1;
}
static slow &single() {
    static slow only;
    return only;
}

int main() {
    try {
        deep(50);
    } catch (const std::exception &e) {
        std::cout << e.what() << ", alive " << alive << "\n";
    }
    std::exception_ptr carried;
    std::thread thrower([&] {
        (void)&per_thread;
        try {
            deep(10);
        } catch (...) {
            carried = std::current_exception();
        }
    });
    thrower.join();
    try {
        std::rethrow_exception(carried);
    } catch (const std::runtime_error &e) {
        std::cout << "carried: " << e.what() << ", alive " << alive << "\n";
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++)
        threads.emplace_back([] { single(); });
    for (auto &thread : threads)
        thread.join();
    std::cout << "built " << built << "\n";

    auto future = std::async(std::launch::async, [](int n) -> int {
        if (n > 1)
            throw std::out_of_range("too far");
        return n;
    }, 2);
    try {
        std::cout << future.get() << "\n";
    } catch (const std::out_of_range &e) {
        std::cout << "async: " << e.what() << "\n";
    }
    std::promise<std::string> promise;
    auto answer = promise.get_future();
    std::thread giver([&] { promise.set_value("promised"); });
    std::cout << answer.get() << "\n";
    giver.join();

    std::shared_mutex table_lock;
    std::map<int, int> table;
    std::thread writer([&] {
        for (int i = 0; i < 100; i++) {
            std::unique_lock guard(table_lock);
            table[i] = i * i;
        }
    });
    writer.join();
    std::shared_lock guard(table_lock);
    std::cout << table.size() << " " << table[99] << "\n";
    std::recursive_timed_mutex timed;
    std::cout << timed.try_lock_for(std::chrono::milliseconds(1)) << timed.try_lock() << "\n";
    throw std::logic_error("nobody catches this");
}
