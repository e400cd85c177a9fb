// SPDX-License-Identifier: Apache-2.0
#include "sim/files/mapped_file.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cstring>

#include "isa/base/errors.h"
#include "isa/base/input_file.h"
#include "isa/base/output_file.h"

namespace okksim::sim {
namespace {

/// Identifies the contents of a file.
struct FileState {
    dev_t device = 0;
    ino_t node = 0;
    off_t size = 0;
    timespec changed{};

    bool operator==(const FileState& other) const {
        return device == other.device && node == other.node && size == other.size &&
               changed.tv_sec == other.changed.tv_sec && changed.tv_nsec == other.changed.tv_nsec;
    }
};

FileState state_of(const char* path) {
    struct stat status {};
    if (stat(path, &status) != 0) return {};
    return {status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

/// A mapping that the SIGBUS handler can look up. The handler must neither allocate nor lock, so
/// the list of entries only grows, and free entries are reused.
struct Watch {
    std::atomic<bool> used{true};
    std::atomic<std::uintptr_t> begin{0}, end{0};
    std::array<char, 512> name{};  ///< truncated if longer
    std::string path;
    FileState state;
    Watch* next = nullptr;
};

std::atomic<Watch*> watches{nullptr};
int shortened_code = 0;

Watch* free_watch() {
    for (Watch* watch = watches; watch != nullptr; watch = watch->next) {
        bool used = false;
        if (watch->used.compare_exchange_strong(used, true)) return watch;
    }
    Watch* watch = new Watch;
    watch->next = watches;
    while (!watches.compare_exchange_weak(watch->next, watch)) {
    }
    return watch;
}

/// Registers a mapping during its lifetime.
class Mapping {
 public:
    explicit Mapping(const std::filesystem::path& path)
        : watch_(free_watch()),
          region_(boost::interprocess::file_mapping(path.c_str(), boost::interprocess::read_only),
                  boost::interprocess::read_only) {
        watch_->path = path.string();
        watch_->state = state_of(path.c_str());
        std::strncpy(watch_->name.data(), path.c_str(), watch_->name.size() - 1);
        watch_->begin = reinterpret_cast<std::uintptr_t>(region_.get_address());
        watch_->end = watch_->begin + region_.get_size();
    }
    ~Mapping() {
        watch_->end = 0;
        watch_->used = false;
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    std::span<const std::byte> bytes() const {
        return {static_cast<const std::byte*>(region_.get_address()), region_.get_size()};
    }

 private:
    Watch* watch_;
    boost::interprocess::mapped_region region_;
};

void say(const char* text) {
    const ssize_t ignored = write(STDERR_FILENO, text, std::strlen(text));
    static_cast<void>(ignored);
}

void on_bus_error(int signal, siginfo_t* info, void*) {
    const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (const Watch* watch = watches; watch != nullptr; watch = watch->next) {
        if (at < watch->begin || at >= watch->end) continue;
        say("okksim: ");
        say(watch->name.data());
        say(": became shorter during reading; run again when no other process writes to it\n");
        OutputFile::forget_all();  // destructors do not run
        _exit(shortened_code);
    }
    // Another cause: the default action ends the process.
    ::signal(signal, SIG_DFL);
}

/// Advises the kernel about whole pages. Failure only costs memory.
void advise_whole_pages(std::span<const std::byte> bytes, int advice) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = (reinterpret_cast<std::uintptr_t>(bytes.data()) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size()) / page * page;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, advice);
}

}  // namespace

MappedFile map_file(const std::filesystem::path& path) {
    namespace ip = boost::interprocess;
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
        throw ConfigError(path.string(), "file not found; check the path");
    }
    refuse_endless(path, "give the path of a file");
    const auto size = std::filesystem::file_size(path, error);
    if (error) throw ConfigError(path.string(), "cannot read the size: " + error.message());
    note_read_file(path);
    if (size == 0) return {};
    try {
        auto mapping = std::make_shared<const Mapping>(path);
        const std::span<const std::byte> bytes = mapping->bytes();
        return {std::move(mapping), bytes};
    } catch (const ip::interprocess_exception& exception) {
        throw ConfigError(path.string(), std::string("cannot map the file: ") + exception.what());
    }
}

void check_mapped_files() {
    for (const Watch* watch = watches; watch != nullptr; watch = watch->next) {
        if (watch->end == 0 || state_of(watch->path.c_str()) == watch->state) continue;
        throw ConfigError(watch->path,
                          "changed during reading; run again when no other process writes to it");
    }
}

void explain_shortened_files(int exit_code) {
    shortened_code = exit_code;
    struct sigaction action {};
    action.sa_sigaction = &on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, nullptr);
}

namespace {

bool are_of_mapped_file(std::span<const std::byte> bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    for (const Watch* watch = watches; watch != nullptr; watch = watch->next) {
        if (begin >= watch->begin && begin + bytes.size() <= watch->end) return true;
    }
    return false;
}

}  // namespace

void release_pages(std::span<const std::byte> bytes) {
    // A file's pages stay in the system's cache, so MADV_PAGEOUT would force another read. Other
    // memory must keep its contents.
    advise_whole_pages(bytes, are_of_mapped_file(bytes) ? MADV_DONTNEED : MADV_PAGEOUT);
}

void unmap_pages(std::span<const std::byte> bytes) {
    if (are_of_mapped_file(bytes)) advise_whole_pages(bytes, MADV_DONTNEED);
}

void unmap_files() {
    for (const Watch* watch = watches; watch != nullptr; watch = watch->next) {
        const std::uintptr_t begin = watch->begin, end = watch->end;
        if (begin >= end) continue;
        unmap_pages({reinterpret_cast<const std::byte*>(begin), end - begin});
    }
}

}  // namespace okksim::sim
