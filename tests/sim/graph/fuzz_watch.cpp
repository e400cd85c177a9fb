// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/graph/fuzz_watch.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "isa/base/errors.h"
#include "isa/base/fault.h"

// The sanitizers' report of a crash, if any, includes the round.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace okksim::tests {

namespace {

/// No file of the corpus needs a larger single allocation.
constexpr std::size_t kMostBytesAtOnce = 64 << 20;
constexpr long kMostResidentKib = 3 << 20;

const char* present_program = "";
std::uint64_t present_seed = 0;
std::uint64_t present_round = 0;

void put(const char* text, std::size_t size) {
    if (write(STDERR_FILENO, text, size) < 0) return;
}

void put_number(std::uint64_t value) {
    char text[24];
    char* end = text + sizeof text;
    char* begin = end;
    do {
        *--begin = static_cast<char>('0' + value % 10);
        value /= 10;
    } while (value != 0);
    put(begin, static_cast<std::size_t>(end - begin));
}

/// Async-signal safe.
void print_round() {
    put("repeat: ", 8);
    put(present_program, std::strlen(present_program));
    put(" 1 ", 3);
    put_number(present_seed);
    put(" ", 1);
    put_number(present_round);
    put("\n", 1);
}

void on_signal(int number) {
    print_round();
    signal(number, SIG_DFL);
    raise(number);
}

}  // namespace

FuzzArguments begin_fuzzing(const char* program, int argc, char** argv) {
    FuzzArguments arguments;
    if (argc > 1) arguments.seconds = std::atof(argv[1]);
    if (argc > 2) arguments.seed = std::strtoull(argv[2], nullptr, 10);
    if (argc > 3) arguments.round = std::strtoull(argv[3], nullptr, 10);
    present_program = program;
    present_seed = arguments.seed;
    if (__sanitizer_set_death_callback != nullptr) {
        __sanitizer_set_death_callback(&print_round);
    } else {
        for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
            signal(number, &on_signal);
        }
    }
    return arguments;
}

std::uint64_t run_rounds(const FuzzArguments& arguments,
                         const std::function<void(std::uint64_t)>& round) {
    if (arguments.round) {
        round(*arguments.round);
        return 1;
    }
    std::uint64_t rounds = 0;
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(arguments.seconds);
    while (std::chrono::steady_clock::now() < end) round(rounds++);
    return rounds;
}

void fail_round(const char* what) {
    std::fprintf(stderr, "%s\n", what);
    print_round();
    std::_Exit(1);
}

bool refuses(const std::function<void()>& read) {
    try {
        read();
        return false;
    } catch (const ProgramFault&) {
        return true;
    } catch (const ConfigError&) {
        return true;
    } catch (const std::exception& error) {
        fail_round(error.what());
    }
}

RoundWatch::RoundWatch(std::uint64_t number) { present_round = number; }

void RoundWatch::end() const {
    const std::clock_t ticks = std::clock() - start_;
    if (static_cast<double>(ticks) > kMostSeconds * CLOCKS_PER_SEC) fail_round("took too long");
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    if (usage.ru_maxrss > kMostResidentKib) fail_round("took too much memory");
}

}  // namespace okksim::tests

/// Ends the program on a disproportionate allocation; a bad_alloc could be caught on the way.
void* operator new(std::size_t size) {
    if (size > okksim::tests::kMostBytesAtOnce) okksim::tests::fail_round("outsized allocation");
    void* memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    if (size > okksim::tests::kMostBytesAtOnce) okksim::tests::fail_round("outsized allocation");
    return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
