// A snapshot holder with a raw pointer where a shared_ptr belongs.
//
// Bug (use-after-free in Holder::sum): the reader takes the pointer; the writer replaces the snapshot and deletes the
// old one; the reader walks deleted memory.
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>

struct Snapshot {
    explicit Snapshot(int base) : a(base), b(base + 1) {}
    int a, b;
};

class Holder {
public:
    Holder() : current_(new Snapshot(1)) {}
    ~Holder() { delete current_.load(); }

    void replace(int base) {
        Snapshot *old = current_.exchange(new Snapshot(base));
        delete old;
    }

    int sum() const {
        const Snapshot *snapshot = current_.load();
        return snapshot->a + snapshot->b;
    }

private:
    std::atomic<Snapshot *> current_;
};

int main() {
    Holder holder;
    thread_local int last = 0;
    int result = 0;
    std::thread reader([&] {
        for (int i = 0; i < 2; i++) last = holder.sum();
        result = last;
    });
    std::thread writer([&] { holder.replace(10); });
    reader.join();
    writer.join();
    std::printf("%d\n", result == 3 || result == 21);
    return 0;
}
