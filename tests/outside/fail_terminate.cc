// fails: abort: std::terminate called without an active exception
// A thread that is neither joined nor detached.
#include <thread>

int main() {
    std::thread forgotten([] {});
    return 0;
}
