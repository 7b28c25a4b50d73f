// A cache filled through a loader that may throw; the lock is taken and released by hand around it.
//
// Bug (deadlock in Cache::get): the source goes offline before the first thread asks; the loader throws past the
// unlock; the other thread waits for the lock for ever.
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

struct Source {
    std::atomic<bool> online{true};

    int load(int key) {
        if (!online.load()) throw std::runtime_error("source is offline");
        return key * key;
    }
};

class Cache {
public:
    explicit Cache(Source &source) : source_(source) {}

    int get(int key) {
        lock_.lock();
        auto found = values_.find(key);
        if (found == values_.end()) found = values_.emplace(key, source_.load(key)).first;
        int value = found->second;
        lock_.unlock();
        return value;
    }

private:
    Source &source_;
    std::mutex lock_;
    std::map<int, int> values_;
};

static int ask(Cache &cache, int key) {
    try {
        return cache.get(key);
    } catch (const std::runtime_error &) {
        return -1;
    }
}

int main() {
    Source source;
    Cache cache(source);
    int results[2];
    std::thread first([&] { results[0] = ask(cache, 5); });
    std::thread second([&] { results[1] = ask(cache, 5); });
    source.online.store(false);
    first.join();
    source.online.store(true);
    second.join();
    std::printf("%d %d\n", results[0], results[1]);
    return 0;
}
