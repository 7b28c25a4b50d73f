// fails: abort: pure virtual method called
// A virtual call while the object is being destroyed.
#include <thread>

struct Base {
    virtual void step() = 0;
    void run() { step(); }
    virtual ~Base() { run(); }
};
struct Derived : Base {
    void step() override {}
};

int main() {
    std::thread worker([] { Derived derived; });
    worker.join();
    return 0;
}
