// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "isa/errors.h"

namespace okksim {

/// A file cannot be written: a full disk, a folder that is closed or not there.
class OutputError : public ConfigError {
 public:
    using ConfigError::ConfigError;
};

/// From now on nothing is written over a file that this process has read or reads later: for
/// programs that carry out one command.
void protect_read_files();
/// A file that is read, for protect_read_files(). OutputError when it is being written.
void note_read_file(const std::filesystem::path& path);

/// The files below a folder, or the file, whose names have one of the endings: before reports are
/// opened that must not be written over them, read or not.
void note_read_folder(const std::filesystem::path& folder,
                      std::initializer_list<std::string_view> endings);

/// What may be written over: a program's own store of what it can make again may have been read.
enum class Over { kNothingRead, kAnything };

/// A file that is there as a whole or not at all: it is written aside, in the same folder, and put
/// in its place by commit(); until then what was there stays. A path that is no regular file (a
/// terminal, a pipe, /dev/null) is written as it is, and so is a file that may be written in a
/// folder that may not. Everything that firmware and simulator write goes through here.
class OutputFile {
 public:
    /// `what` names the file in messages: its path, or the flag with it. An empty path is no file:
    /// nothing is written. OutputError when the path cannot be written, or when another of this
    /// process is being written there, or what is there was read (protect_read_files()).
    OutputFile(std::string what, const std::string& path, Over over = Over::kNothingRead);
    explicit OutputFile(const std::string& path) : OutputFile(path, path) {}
    /// What was not committed is forgotten.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// False without a path.
    explicit operator bool() const { return !target_.empty(); }

    /// Adds to the file. Failures are kept for commit(), so that whoever streams need not ask.
    void write(std::string_view text);
    OutputFile& operator<<(std::string_view text) {
        write(text);
        return *this;
    }
    OutputFile& operator<<(char letter) {
        write({&letter, 1});
        return *this;
    }

    /// Puts the file in its place; nothing may follow. OutputError, with the system's reason, when
    /// anything of it could not be written, or when what is there was read meanwhile: then the old
    /// file is still there.
    void commit();

    /// What this process writes and has not committed is forgotten at once, without an allocation:
    /// for ends of the program that run no destructors.
    static void forget_all();

 private:
    friend void note_read_file(const std::filesystem::path& path);
    static constexpr const char* kReadToo =
        "is a file that is read, too; name another one to write";

    void refuse_second_writer() const;
    void refuse_read_file(const std::pair<dev_t, ino_t>& file) const;
    void enlist();
    void leave();
    void open_in_place();
    void flush();
    void forget();

    OutputFile* older_ = nullptr;  ///< the next in the list of all that are written aside
    pid_t writer_ = 0;             ///< a forked process inherits the list, not the files
    std::string what_;
    std::string target_;
    std::string aside_;  ///< empty: written in place
    std::string buffer_;
    mutable bool is_read_too_ = false;  ///< then it is never put in its place
    int file_ = -1;
    int error_ = 0;  ///< the first failure
};

/// Writes a whole file. OutputError as OutputFile.
void write_file(const std::string& path, std::string_view text, Over over = Over::kNothingRead);

}  // namespace okksim
