// A thread pool in C++: std::thread, std::function, two condition variables, a timed wait, and exceptions that travel
// from the worker to whoever asks for the result. Correct.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

class Result {
public:
    void set(int value) {
        finish([&] { value_ = value; });
    }
    void fail(std::exception_ptr error) {
        finish([&] { error_ = error; });
    }

    int get() {
        std::unique_lock<std::mutex> guard(lock_);
        while (!done_) changed_.wait_for(guard, std::chrono::milliseconds(10));
        if (error_) std::rethrow_exception(error_);
        return value_;
    }

private:
    template <typename Change> void finish(Change change) {
        std::lock_guard<std::mutex> guard(lock_);
        change();
        done_ = true;
        changed_.notify_all();
    }

    std::mutex lock_;
    std::condition_variable changed_;
    bool done_ = false;
    int value_ = 0;
    std::exception_ptr error_;
};

class Pool {
public:
    explicit Pool(unsigned workers) {
        for (unsigned i = 0; i < workers; i++) workers_.emplace_back([this] { work(); });
    }

    ~Pool() {
        {
            std::lock_guard<std::mutex> guard(lock_);
            closing_ = true;
        }
        posted_.notify_all();
        for (auto &worker : workers_) worker.join();
    }

    std::shared_ptr<Result> run(std::function<int()> job) {
        auto result = std::make_shared<Result>();
        std::lock_guard<std::mutex> guard(lock_);
        jobs_.push_back([job = std::move(job), result] {
            try {
                result->set(job());
            } catch (...) {
                result->fail(std::current_exception());
            }
        });
        posted_.notify_one();
        return result;
    }

private:
    void work() {
        std::unique_lock<std::mutex> guard(lock_);
        for (;;) {
            posted_.wait(guard, [this] { return closing_ || !jobs_.empty(); });
            if (jobs_.empty()) return;
            auto job = std::move(jobs_.front());
            jobs_.pop_front();
            guard.unlock();
            job();
            guard.lock();
        }
    }

    std::mutex lock_;
    std::condition_variable posted_;
    std::deque<std::function<void()>> jobs_;
    bool closing_ = false;
    std::vector<std::thread> workers_;
};

static int parse(const std::string &text) {
    if (text.empty()) throw std::invalid_argument("nothing to parse");
    return std::stoi(text);
}

int main() {
    Pool pool(2);
    auto good = pool.run([] { return parse("42"); });
    auto empty = pool.run([] { return parse(""); });
    auto word = pool.run([] { return parse("forty-two"); });
    assert(good->get() == 42);
    int caught = 0;
    for (auto &bad : {empty, word}) {
        try {
            bad->get();
        } catch (const std::invalid_argument &error) {
            caught++;
        }
    }
    assert(caught == 2);
    return 0;
}
