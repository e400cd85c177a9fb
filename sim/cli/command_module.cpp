// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/command_module.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "isa/base/errors.h"
#include "sim/files/mapped_file.h"

namespace okksim::sim::cli {
namespace {

constexpr std::array<std::string_view, 10> kModuleCommands = {
    "inspect", "sweep",    "report",  "worth",    "bench",
    "gate",    "baseline", "compare", "fidelity", "manual"};

std::filesystem::path module_file() {
    Dl_info info{};
    const bool found = dladdr(reinterpret_cast<const void*>(&map_file), &info) != 0;
    return std::filesystem::path(found ? info.dli_fname : "").parent_path() / "okksim" /
           "commands.so";
}

}  // namespace

bool is_module_command(const std::string& word) {
    return std::find(kModuleCommands.begin(), kModuleCommands.end(), word) != kModuleCommands.end();
}

void add_module_commands(CLI::App& app, int& exit_code) {
    const std::filesystem::path file = module_file();
    if (!std::filesystem::exists(file)) return;
    // The library stays loaded until the program ends.
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const add = library == nullptr ? nullptr : dlsym(library, kAddCommandsName);
    if (add == nullptr) {
        const char* const why = dlerror();
        throw ConfigError(file.string(),
                          std::string("cannot be loaded; install okksim again, or build it with "
                                      "`make build`: ") +
                              (why == nullptr ? "it has no commands" : why));
    }
    reinterpret_cast<AddCommands>(add)(app, exit_code);
}

}  // namespace okksim::sim::cli
