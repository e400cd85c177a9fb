// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>

namespace okksim::tests {

/// Longest allowed round of a fuzz target, in seconds of processor time.
inline constexpr double kMostSeconds = 10;

/// Arguments of a fuzz target: PROGRAM [seconds] [seed] [round].
struct FuzzArguments {
    double seconds = 10;
    std::uint64_t seed = 1;
    std::optional<std::uint64_t> round;  ///< this one alone
};

/// Reads the arguments, and prints the command line that repeats a round when the program crashes
/// in it. `program` must live as long as the program.
FuzzArguments begin_fuzzing(const char* program, int argc, char** argv);

/// Runs rounds until the time is over, and returns their number.
std::uint64_t run_rounds(const FuzzArguments& arguments,
                         const std::function<void(std::uint64_t)>& round);

/// Ends the program with status 1; prints the message and the command that repeats the round.
[[noreturn]] void fail_round(const char* what);

/// True if a ProgramFault or a ConfigError refuses the file; any other exception fails the round.
bool refuses(const std::function<void()>& read);

/// Watches one round: end() fails it if it took too much time or the program too much memory. A
/// single disproportionate allocation ends the program at once.
class RoundWatch {
 public:
    explicit RoundWatch(std::uint64_t number);
    void end() const;

 private:
    std::clock_t start_ = std::clock();
};

}  // namespace okksim::tests
