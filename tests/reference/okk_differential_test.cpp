// SPDX-License-Identifier: Apache-2.0
// Random valid calls of every function: firmware API and functional model against the reference.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "isa/instructions.h"
#include "tests/reference/okk_duel.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {

namespace {

std::int64_t setting(const char* name, std::int64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoll(text);
}

/// Calls per function and machine; OKKSIM_DIFFERENTIAL_CALLS asks for a longer run.
std::int64_t calls_per_function() { return setting("OKKSIM_DIFFERENTIAL_CALLS", 12); }

/// Runs all functions, or those whose name contains OKKSIM_DIFFERENTIAL_FUNCTION.
void duel(const isa::MachineShape& machine, bool sdk_quirks, std::uint64_t seed, int threads = 1) {
    constexpr std::int64_t kCallsPerFill = 3;
    constexpr int kReports = 3;
    const char* filter = std::getenv("OKKSIM_DIFFERENTIAL_FUNCTION");
    const auto first_seed = static_cast<std::uint64_t>(setting("OKKSIM_DIFFERENTIAL_SEED", 1));
    OkkDuel duel(machine, sdk_quirks, threads);
    RandomCalls calls(machine, first_seed * 1000 + seed);
    for (const isa::InstructionInfo& row : isa::instructions()) {
        if (!row.is_documented()) continue;
        if (filter != nullptr && std::string(row.name).find(filter) == std::string::npos) continue;
        int wrong = 0;
        for (std::int64_t i = 0; i < calls_per_function(); ++i) {
            if (i % kCallsPerFill == 0) duel.fill(calls.random());
            const RandomCall call = calls.valid(row);
            const auto difference = duel.run(call);
            if (!difference) continue;
            if (++wrong <= kReports) {
                FAIL_CHECK(machine.lanes << " lanes, quirks " << sdk_quirks << ": " << call.text()
                                         << "\n"
                                         << *difference);
            }
        }
        INFO("okk_" << row.name << ": wrong calls");
        CHECK(wrong == 0);
    }
}

}  // namespace

// A long run found this case. Lanes with one channel slot less merge n and w into rows twice as
// long; the fill had not prepared its constant for these.
TEST_CASE("a fill whose lanes have rows of different length writes the constant everywhere") {
    const isa::MachineShape machine = small_machine(4, 32 * 1024);
    OkkDuel duel(machine, false);
    RandomSource random(1);
    duel.fill(random);
    const RandomCall call{"okk_gdma_16bit_set_C_local",
                          {std::int64_t{125570}, std::int64_t{46484}, isa::Dim4{2, 5, 1, 45},
                           isa::Dim4{45, -90, 180, 1}},
                          {}};
    CHECK(duel.run(call).value_or("equal") == "equal");
}

TEST_CASE("all functions equal the reference on 4 lanes") {
    duel(small_machine(4, 32 * 1024), false, 1);
}

TEST_CASE("all functions equal the reference on 16 lanes") {
    duel(small_machine(16, 32 * 1024), false, 2);
}

TEST_CASE("all functions equal the reference on 64 lanes, with two threads") {
    duel(small_machine(64, 16 * 1024), false, 3, 2);
}

TEST_CASE("all functions equal the reference on an odd number of lanes") {
    duel(small_machine(7, 24 * 1024), false, 4);
}

// Vector lengths other than the reference machine's 32 words affect layouts, alignments and rules.
TEST_CASE("all functions equal the reference whatever the words of a vector") {
    std::uint64_t seed = 6;
    for (const std::int32_t words : {1, 4, 8, 12, 16, 64}) {
        isa::MachineShape machine = small_machine(8, 24 * 1024);
        machine.vector_words = words;
        INFO(words << " words");
        duel(machine, false, seed++);
    }
}

// A row with the semantics of another function must be detected. For every pair of functions with
// the same operands, calls of one differ from the reference of the other, so the tests above would
// fail.
TEST_CASE("the semantics of any other function of the form would be noticed") {
    constexpr int kMostCalls = 60;
    const isa::MachineShape machine = small_machine(4, 16 * 1024);
    OkkDuel duel(machine, false);
    RandomCalls calls(machine, 77);
    const auto notices = [&](const isa::InstructionInfo& row, const isa::InstructionInfo& other) {
        for (int i = 0; i < kMostCalls; ++i) {
            if (i % 3 == 0) duel.fill(calls.random());
            try {
                if (duel.run_against(calls.valid(row), std::string("okk_") + other.name))
                    return true;
            } catch (const std::exception&) {
                return true;  // the other function's reference refuses the arguments
            }
        }
        return false;
    };
    int pairs = 0;
    for (const isa::InstructionInfo& row : isa::instructions()) {
        for (const isa::InstructionInfo& other : isa::instructions()) {
            const bool comparable = &row != &other && row.is_documented() &&
                                    other.is_documented() && row.form == other.form &&
                                    row.kind == other.kind && row.data == other.data;
            if (!comparable) continue;
            ++pairs;
            INFO(row.name << " with the semantics of " << other.name);
            CHECK(notices(row, other));
        }
    }
    // Forms with n functions of one data type give n * (n - 1) pairs.
    CHECK(pairs > 100);
}

TEST_CASE("all functions equal the reference with the vendor kit's quirks") {
    duel(small_machine(16, 16 * 1024), true, 5);
}

}  // namespace okksim::tests
