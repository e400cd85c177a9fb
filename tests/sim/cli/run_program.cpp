// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/cli/run_program.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

}  // namespace

Program::Program() {
    std::string name = (std::filesystem::temp_directory_path() / "okksim-cli-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    folder_ = name;
}

Program::~Program() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

ProgramRun Program::run(const std::string& arguments) const {
    const std::string command = "cd " + folder_.string() + " && " OKKSIM_PROGRAM " " + arguments +
                                " > .out 2> .err < /dev/null";
    const int status = std::system(command.c_str());
    ProgramRun result;
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    result.out = text_of(folder_ / ".out");
    result.err = text_of(folder_ / ".err");
    return result;
}

void Program::write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
}

std::string Program::read(const std::string& name) const { return text_of(folder_ / name); }

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace okksim::tests
