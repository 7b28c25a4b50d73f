// A registry of handlers behind a shared vector: the index is checked in one critical section, used in another.
//
// Bug (uncaught std::out_of_range in Registry::call): the caller sees that handler 1 exists; the other thread removes
// it; vector::at throws in a thread that has no handler for it.
#include <cstdio>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

class Registry {
public:
    void add(std::function<int(int)> handler) {
        std::lock_guard<std::mutex> guard(lock_);
        handlers_.push_back(std::move(handler));
    }

    void remove_last() {
        std::lock_guard<std::mutex> guard(lock_);
        if (!handlers_.empty()) handlers_.pop_back();
    }

    std::size_t size() {
        std::lock_guard<std::mutex> guard(lock_);
        return handlers_.size();
    }

    int call(std::size_t index, int argument) {
        std::lock_guard<std::mutex> guard(lock_);
        return handlers_.at(index)(argument);
    }

private:
    std::mutex lock_;
    std::vector<std::function<int(int)>> handlers_;
};

int main() {
    Registry registry;
    registry.add([](int n) { return n + 1; });
    registry.add([](int n) { return n * 2; });
    int result = 0;
    std::thread caller([&] {
        if (registry.size() > 1) result = registry.call(1, 21);
    });
    std::thread remover([&] { registry.remove_last(); });
    caller.join();
    remover.join();
    std::printf("%d\n", result);
    return 0;
}
