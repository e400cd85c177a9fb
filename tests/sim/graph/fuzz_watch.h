// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>

namespace okksim::tests {

/// A round of a fuzz target takes no longer, in seconds of the processor.
inline constexpr double kMostSeconds = 10;

/// What a fuzz target is called with: PROGRAM [seconds] [seed] [round].
struct FuzzArguments {
    double seconds = 10;
    std::uint64_t seed = 1;
    std::optional<std::uint64_t> round;  ///< this one alone
};

/// Reads the arguments, and prints the command line that repeats a round when the program crashes
/// in it. `program` must live as long as the program.
FuzzArguments begin_fuzzing(const char* program, int argc, char** argv);

/// Runs rounds until the time is over, and gives their number.
std::uint64_t run_rounds(const FuzzArguments& arguments,
                         const std::function<void(std::uint64_t)>& round);

/// Ends the program with status 1: message, and how to repeat the round.
[[noreturn]] void fail_round(const char* what);

/// Whether a file is refused, by a ProgramFault or a ConfigError; any other exception fails the
/// round.
bool refuses(const std::function<void()>& read);

/// One round: end() fails it when it took too much time or the program too much memory. One
/// allocation that is out of proportion ends the program at once.
class RoundWatch {
 public:
    explicit RoundWatch(std::uint64_t number);
    void end() const;

 private:
    std::clock_t start_ = std::clock();
};

}  // namespace okksim::tests
