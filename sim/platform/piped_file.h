// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <thread>

#include "isa/base/output_file.h"

namespace okksim::sim {

/// A file for writers that take a file name and do not check for errors, such as SystemC's value
/// change dumps. They write to a named pipe, whose data passes through OutputFile.
class PipedFile {
 public:
    /// `ending` is the extension of the pipe's name. Throws ConfigError if file or pipe cannot be
    /// created.
    PipedFile(std::string what, const std::string& path, const std::string& ending);
    /// Ends the reader. Data that was not committed is lost.
    ~PipedFile();
    PipedFile(const PipedFile&) = delete;
    PipedFile& operator=(const PipedFile&) = delete;

    /// The file name for the writer.
    const std::filesystem::path& pipe() const { return pipe_; }
    /// Completes the file. Call it after the writer has closed the pipe. Throws ConfigError if the
    /// disk is full.
    void commit();

 private:
    void copy();
    void end_reading();

    OutputFile file_;
    std::filesystem::path folder_;
    std::filesystem::path pipe_;
    int end_ = -1;
    int writer_ = -1;  ///< our own writing end; the reader sees no end of file while it is open
    std::thread reader_;
};

}  // namespace okksim::sim
