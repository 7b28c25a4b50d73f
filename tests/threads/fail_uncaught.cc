// fails: uncaught: .*falling
#include <stdexcept>
#include <thread>

struct Guard {
    ~Guard() {} // nothing may be unwound: there is no handler
};

int main() {
    std::thread thread([] {
        Guard guard;
        throw std::runtime_error("falling");
    });
    thread.join();
    return 0;
}
