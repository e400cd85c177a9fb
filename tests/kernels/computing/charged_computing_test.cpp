// SPDX-License-Identifier: Apache-2.0
// charged_computing_test PROGRAM: kernels are charged at least one cycle per instruction that they
// execute for their own computing. PROGRAM is okksim_count_computing; callgrind counts (README.md).
// Exits with 77 (skipped) where counting is impossible.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

constexpr int kSkipped = 77;

/// The reason why instructions cannot be counted here, if any.
std::optional<std::string> obstacle() {
#ifdef __SANITIZE_ADDRESS__
    return "this build has sanitizers, which do not run under valgrind";
#endif
#ifndef __OPTIMIZE__
    return "this build is not optimised: its instructions are not those of firmware";
#endif
    if (std::system("valgrind --version > /dev/null 2>&1") != 0) {
        return "there is no valgrind: install the packages of packages.txt";
    }
    return std::nullopt;
}

/// The callgrind command: collects from a kernel's entry to its return, without okk calls, and
/// writes a file per launch.
std::string counting_command(const fs::path& program, const std::string& arguments) {
    return "LD_BIND_NOW=1 valgrind --tool=callgrind --callgrind-out-file=counts "
           "--collect-atstart=no --zero-before=counted_kernel --toggle-collect=counted_kernel "
           "'--toggle-collect=okk_*' "
           "--dump-after=counted_kernel " +
           program.string() + " " + arguments + " > launches 2> messages";
}

std::optional<std::int64_t> instructions_in(const fs::path& file) {
    std::ifstream lines(file);
    const std::string label = "totals: ";
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(label)) return std::stoll(line.substr(label.size()));
    }
    return std::nullopt;
}

struct Totals {
    std::int64_t launches = 0, failures = 0, instructions = 0, cycles = 0;
};

/// Compares launch by launch. With `all`, every launch is printed, not only those that fail.
Totals compare(const fs::path& folder, bool all) {
    Totals totals;
    std::ifstream lines(folder / "launches");
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::int64_t cycles = 0, commands = 0;
        std::string text;
        fields >> cycles >> commands >> std::ws;
        std::getline(fields, text);
        ++totals.launches;
        // Every launch was counted twice; the first time the host binds symbols, too.
        const auto instructions =
            instructions_in(folder / ("counts." + std::to_string(2 * totals.launches)));
        // Reporting a fault is not part of the firmware's work.
        const bool is_right =
            instructions && (*instructions <= cycles || text.find(" FAULT ") != std::string::npos);
        if (!is_right) ++totals.failures;
        totals.instructions += instructions.value_or(0);
        totals.cycles += cycles;
        if (is_right && !all) continue;
        std::cout << (is_right ? "" : "TOO LITTLE: ") << instructions.value_or(-1)
                  << " instructions, " << cycles << " cycles charged, " << commands
                  << " commands: " << text << "\n";
    }
    return totals;
}

fs::path fresh_folder() {
    std::string name = (fs::temp_directory_path() / "okksim-computing-XXXXXX").string();
    return mkdtemp(name.data()) == nullptr ? fs::path() : fs::path(name);
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        std::cerr << "usage: charged_computing_test PROGRAM [its arguments]\n";
        return 2;
    }
    if (const auto reason = obstacle()) {
        std::cout << "skipped: " << *reason << "\n";
        return kSkipped;
    }
    const fs::path program = fs::absolute(arguments[1]);
    std::string rest;
    for (int i = 2; i < count; ++i) rest += std::string(arguments[i]) + " ";
    const fs::path folder = fresh_folder();
    fs::current_path(folder);
    const int status = std::system(counting_command(program, rest).c_str());
    const Totals totals = compare(folder, std::getenv("OKKSIM_COUNTS") != nullptr);
    if (status != 0) std::cout << "the counted program failed: " << program << " " << rest << "\n";
    std::cout << totals.launches << " launches, " << totals.instructions << " instructions, "
              << totals.cycles << " cycles charged, " << totals.failures << " too little\n";
    fs::current_path("/");
    fs::remove_all(folder);
    return status == 0 && totals.launches > 0 && totals.failures == 0 ? 0 : 1;
}
