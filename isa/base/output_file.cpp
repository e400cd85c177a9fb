// SPDX-License-Identifier: Apache-2.0
#include "isa/base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

namespace okksim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
constexpr mode_t kUsualMode = 0666;

[[noreturn]] void refuse(const std::string& what, int error) {
    throw OutputError(what, std::string("cannot be written: ") + std::strerror(error));
}

/// List of all files that are being written to a temporary name, newest first.
std::mutex list_lock;
OutputFile* newest = nullptr;

/// Identity of a file, independent of the path that leads to it.
using FileNumber = std::pair<dev_t, ino_t>;
FileNumber number_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

/// Files that were read, for protect_read_files().
bool protects_read_files = false;
std::set<FileNumber> read_files;

/// Returns a name in the file's folder that no other writer has.
std::string name_aside(const fs::path& target) {
    static std::atomic<unsigned> count{0};
    return (target.parent_path() /
            (".okksim-" + std::to_string(getpid()) + "-" + std::to_string(++count)))
        .string();
}

/// Returns the target of a chain of links; the target need not exist.
fs::path resolved(fs::path path) {
    constexpr int kMostLinks = 40;  // limit of the system itself
    for (int i = 0; i < kMostLinks; ++i) {
        std::error_code error;
        const fs::path next = fs::read_symlink(path, error);
        if (error) break;
        path = path.parent_path() / next;
    }
    return path;
}

}  // namespace

void protect_read_files() { protects_read_files = true; }

void note_read_file(const fs::path& path) {
    if (!protects_read_files) return;
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    const std::lock_guard lock(list_lock);
    read_files.insert(number_of(status));
    for (const OutputFile* file = newest; file != nullptr; file = file->older_) {
        struct stat target {};
        if (file->aside_.empty() || stat(file->target_.c_str(), &target) != 0) continue;
        if (number_of(target) != number_of(status)) continue;
        file->is_read_too_ = true;  // a caller may ignore the error and continue
        throw OutputError(file->what_, OutputFile::kReadToo);
    }
}

void note_read_folder(const fs::path& folder, std::initializer_list<std::string_view> endings) {
    if (!protects_read_files) return;
    const auto note = [&](const fs::path& path) {
        const std::string name = path.filename().string();
        const bool is_meant = std::ranges::any_of(
            endings, [&](std::string_view ending) { return name.ends_with(ending); });
        if (is_meant) note_read_file(path);
    };
    note(folder);
    // The reader of the folder reports what cannot be listed.
    std::error_code error;
    constexpr auto kOptions = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator entry(folder, kOptions, error), end;
         !error && entry != end; entry.increment(error)) {
        note(entry->path());
    }
}

OutputFile::OutputFile(std::string what, const std::string& path, Over over)
    : what_(std::move(what)) {
    if (path.empty()) return;
    target_ = path;
    struct stat status {};
    const bool is_there = stat(path.c_str(), &status) == 0;
    if (is_there && !S_ISREG(status.st_mode)) {
        open_in_place();
        return;
    }
    // A read-only file must not be replaced either.
    if (is_there && access(path.c_str(), W_OK) != 0) refuse(what_, errno);
    target_ = resolved(path).string();
    refuse_second_writer();
    if (is_there && over == Over::kNothingRead) refuse_read_file(number_of(status));
    aside_ = name_aside(target_);
    const mode_t mode = is_there ? status.st_mode & 07777 : kUsualMode;
    file_ = open(aside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file_ >= 0) {
        enlist();
        // Restores mode bits that the umask cleared. Failure is allowed: the file may be another
        // user's.
        if (is_there && fchmod(file_, mode) != 0) error_ = 0;
        return;
    }
    const bool only_folder_is_closed = errno == EACCES || errno == EPERM || errno == EROFS;
    aside_.clear();
    if (!is_there || !only_folder_is_closed) refuse(what_, errno);
    open_in_place();
}

OutputFile::~OutputFile() {
    forget();
    leave();
}

/// The writer that commits last would replace the other writer's file.
void OutputFile::refuse_second_writer() const {
    const auto place = [](const std::string& target) {
        std::error_code error;
        // weakly_canonical() leaves a bare name of a missing file relative.
        const fs::path whole = fs::weakly_canonical(fs::absolute(target, error), error);
        return error ? fs::path(target) : whole;
    };
    const std::lock_guard lock(list_lock);
    for (const OutputFile* file = newest; file != nullptr; file = file->older_) {
        // The list includes files of the process that forked this one.
        if (file->aside_.empty() || place(file->target_) != place(target_)) continue;
        throw OutputError(what_,
                          "is the file that " + file->what_ + " also writes; name two files");
    }
}

/// Prevents the loss of a model, reference or store that was read.
void OutputFile::refuse_read_file(const std::pair<dev_t, ino_t>& file) const {
    const std::lock_guard lock(list_lock);
    if (read_files.contains(file)) throw OutputError(what_, kReadToo);
}

void OutputFile::enlist() {
    const std::lock_guard lock(list_lock);
    writer_ = getpid();
    older_ = std::exchange(newest, this);
}

void OutputFile::leave() {
    const std::lock_guard lock(list_lock);
    for (OutputFile** place = &newest; *place != nullptr; place = &(*place)->older_) {
        if (*place != this) continue;
        *place = older_;
        return;
    }
}

void OutputFile::forget_all() {
    // Takes no lock: the thread that ends may hold it.
    for (const OutputFile* file = newest; file != nullptr; file = file->older_) {
        if (file->writer_ == getpid() && !file->aside_.empty()) unlink(file->aside_.c_str());
    }
}

void OutputFile::open_in_place() {
    // Opening a pipe blocks until it has a reader; a signal meanwhile is not a failure.
    do {
        file_ = open(target_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    } while (file_ < 0 && errno == EINTR);
    if (file_ < 0) refuse(what_, errno);
}

void OutputFile::write(std::string_view text) {
    if (file_ < 0) return;
    buffer_ += text;
    if (buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::flush() {
    std::string_view rest = buffer_;
    while (!rest.empty() && error_ == 0) {
        const ssize_t written = ::write(file_, rest.data(), rest.size());
        if (written >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            error_ = errno;
        }
    }
    buffer_.clear();
}

void OutputFile::commit() {
    if (file_ < 0) return;
    if (is_read_too_) {
        forget();
        throw OutputError(what_, kReadToo);
    }
    flush();
    if (close(std::exchange(file_, -1)) != 0 && error_ == 0) error_ = errno;
    if (error_ == 0 && !aside_.empty()) {
        if (std::rename(aside_.c_str(), target_.c_str()) == 0) {
            aside_.clear();
        } else {
            error_ = errno;
        }
    }
    if (error_ == 0) return;
    forget();
    refuse(what_, error_);
}

void OutputFile::forget() {
    if (file_ >= 0) close(std::exchange(file_, -1));
    if (!aside_.empty()) unlink(aside_.c_str());
    aside_.clear();
}

void write_file(const std::string& path, std::string_view text, Over over) {
    OutputFile file(path, path, over);
    file.write(text);
    file.commit();
}

}  // namespace okksim
