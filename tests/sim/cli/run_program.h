// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace okksim::tests {

/// Result of one run of the program.
struct ProgramRun {
    int exit_code = -1;  ///< -1: ended by a signal
    std::string out;
    std::string err;
};

/// Runs `okksim ARGUMENTS` through the shell in a fresh folder that lives until the test ends.
class Program {
 public:
    Program();
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    ProgramRun run(const std::string& arguments) const;

    const std::filesystem::path& folder() const { return folder_; }
    void write(const std::string& name, const std::string& text) const;
    std::string read(const std::string& name) const;

 private:
    std::filesystem::path folder_;
};

bool contains(const std::string& text, const std::string& part);

}  // namespace okksim::tests
