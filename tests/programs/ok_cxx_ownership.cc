// Ownership across threads in C++: shared_ptr and weak_ptr counts, a static local made by whoever comes first,
// thread_local objects with destructors, call_once, shared_mutex. Correct.
#include <atomic>
#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> documents_alive{0}, tallies_ended{0}, registries_made{0};

struct Document {
    explicit Document(std::string content) : text(std::move(content)) { documents_alive++; }
    ~Document() { documents_alive--; }
    Document(const Document &) = delete;
    std::string text;
};

class Registry {
public:
    Registry() { registries_made++; }

    // The document of this name, made if nobody holds it any more.
    std::shared_ptr<const Document> open(const std::string &name) {
        {
            std::shared_lock<std::shared_mutex> reading(lock_);
            auto found = open_.find(name);
            if (found != open_.end())
                if (auto document = found->second.lock()) return document;
        }
        std::unique_lock<std::shared_mutex> writing(lock_);
        auto &slot = open_[name];
        auto document = slot.lock();
        if (!document) {
            document = std::make_shared<const Document>("text of " + name);
            slot = document;
        }
        return document;
    }

private:
    std::shared_mutex lock_;
    std::map<std::string, std::weak_ptr<const Document>> open_;
};

static Registry &registry() {
    static Registry the_registry;
    return the_registry;
}

struct Tally {
    int opened = 0;
    ~Tally() { tallies_ended += opened; }
};

static thread_local Tally tally;
static std::once_flag banner_once;
static int banners; // by the one thread that is let in

static void edit(const char *name) {
    std::call_once(banner_once, [] { banners++; });
    for (int i = 0; i < 2; i++) {
        auto document = registry().open(name);
        auto copy = document;
        tally.opened++;
        assert(copy->text == std::string("text of ") + name);
    }
}

int main() {
    std::vector<std::thread> editors;
    for (const char *name : {"letter", "letter", "list"}) editors.emplace_back(edit, name);
    for (auto &editor : editors) editor.join();
    assert(documents_alive == 0 && tallies_ended == 6);
    assert(registries_made == 1 && banners == 1);
    return 0;
}
