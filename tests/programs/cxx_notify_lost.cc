// A future made by hand: the value is set and announced outside the waiter's lock.
//
// Bug (deadlock in Promise::get): the waiter tests the flag under the lock, false; the setter sets it and notifies
// without the lock; the waiter then sleeps on a notification that has passed.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

template <typename T>
class Promise {
public:
    void set(T value) {
        value_ = value;
        ready_.store(true);
        changed_.notify_all();
    }

    T get() {
        std::unique_lock<std::mutex> guard(lock_);
        changed_.wait(guard, [this] { return ready_.load(); });
        return value_;
    }

private:
    std::mutex lock_;
    std::condition_variable changed_;
    std::atomic<bool> ready_{false};
    T value_{};
};

static int expensive(int n) {
    int sum = 0;
    for (int i = 1; i <= n; i++) sum += i;
    return sum;
}

int main() {
    Promise<int> promise;
    std::thread worker([&] { promise.set(expensive(10)); });
    int value = promise.get();
    worker.join();
    std::printf("%d\n", value);
    return 0;
}
