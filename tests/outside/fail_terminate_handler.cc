// fails: uncaught: uncaught exception Broken: the belt is broken
// A terminate handler of the program's own.
#include <cstdlib>
#include <exception>
#include <thread>

struct Other {
    virtual ~Other() = default;
    int filler = 0;
};
struct Broken : Other, std::exception {
    const char *what() const noexcept override { return "the belt is broken"; }
};

int main() {
    std::set_terminate([] { std::abort(); });
    std::thread worker([] { throw Broken(); });
    worker.join();
    return 0;
}
