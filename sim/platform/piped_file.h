// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <thread>

#include "isa/output_file.h"

namespace okksim::sim {

/// A file that others write by name and never check, such as SystemC its value change dumps: they
/// get the name of a pipe, and what comes out of it goes through OutputFile.
class PipedFile {
 public:
    /// `ending` is that of the pipe's name. ConfigError when the file or the pipe cannot be made.
    PipedFile(std::string what, const std::string& path, const std::string& ending);
    /// Ends the reader; what was not committed is forgotten.
    ~PipedFile();
    PipedFile(const PipedFile&) = delete;
    PipedFile& operator=(const PipedFile&) = delete;

    /// For whoever writes.
    const std::filesystem::path& pipe() const { return pipe_; }
    /// To be called when the pipe has been closed again. ConfigError when the disk is full.
    void commit();

 private:
    void copy();
    void end_reading();

    OutputFile file_;
    std::filesystem::path folder_;
    std::filesystem::path pipe_;
    int end_ = -1;
    int writer_ = -1;  ///< ours: while it is open, nobody sees the end of the pipe
    std::thread reader_;
};

}  // namespace okksim::sim
