// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "isa/base/errors.h"

namespace okksim {

/// A file cannot be written: the disk is full, or the folder is missing or read-only.
class OutputError : public ConfigError {
 public:
    using ConfigError::ConfigError;
};

/// From now on, refuses output to files that this process has read or reads later. Meant for
/// programs that carry out one command.
void protect_read_files();
/// Registers a file that is read, for protect_read_files(). Throws OutputError if it is being
/// written.
void note_read_file(const std::filesystem::path& path);

/// Registers the file, or the files below a folder whose names have one of the endings. Called
/// before reports are opened, so that they cannot replace these files.
void note_read_folder(const std::filesystem::path& folder,
                      std::initializer_list<std::string_view> endings);

/// Files that may be overwritten. kAnything is for a program's own store, which it can regenerate.
enum class Over { kNothingRead, kAnything };

/// A file that appears complete or not at all. It is written under a temporary name in the same
/// folder; commit() renames it and until then the old file stays. A path that is not a regular file
/// (a terminal, a pipe, /dev/null) is written directly. A writable file in a read-only folder is
/// written directly, too. All output of firmware and simulator uses this class.
class OutputFile {
 public:
    /// `what` names the file in messages: its path, or the flag with it. With an empty path nothing
    /// is written. Throws OutputError if the path cannot be written or if another OutputFile of
    /// this process writes it. Throws OutputError also if the file was read (protect_read_files()).
    OutputFile(std::string what, const std::string& path, Over over = Over::kNothingRead);
    explicit OutputFile(const std::string& path) : OutputFile(path, path) {}
    /// Discards a file that was not committed.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// False if the path is empty.
    explicit operator bool() const { return !target_.empty(); }

    /// Appends to the file. commit() reports failures, so callers need not check each write.
    void write(std::string_view text);
    OutputFile& operator<<(std::string_view text) {
        write(text);
        return *this;
    }
    OutputFile& operator<<(char letter) {
        write({&letter, 1});
        return *this;
    }

    /// Renames the file to its final name; nothing may follow. Throws OutputError with the system's
    /// reason if a write failed, or if the old file was read meanwhile. The old file then stays.
    void commit();

    /// Discards all uncommitted files of this process without an allocation. Meant for ends of the
    /// program that run no destructors.
    static void forget_all();

 private:
    friend void note_read_file(const std::filesystem::path& path);
    static constexpr const char* kReadToo = "is also an input file; name another output file";

    void refuse_second_writer() const;
    void refuse_read_file(const std::pair<dev_t, ino_t>& file) const;
    void enlist();
    void leave();
    void open_in_place();
    void flush();
    void forget();

    OutputFile* older_ = nullptr;  ///< next in the list of all uncommitted files
    pid_t writer_ = 0;             ///< a forked process inherits the list, not the files
    std::string what_;
    std::string target_;
    std::string aside_;  ///< empty: written in place
    std::string buffer_;
    mutable bool is_read_too_ = false;  ///< the file is never committed then
    int file_ = -1;
    int error_ = 0;  ///< errno of the first failure
};

/// Writes a whole file. OutputError as OutputFile.
void write_file(const std::string& path, std::string_view text, Over over = Over::kNothingRead);

}  // namespace okksim
