// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "isa/rules.h"
#include "tests/isa/sample_commands.h"
#include "tests/support/catch.h"

namespace okksim::tests {

inline std::uint32_t bits(std::int64_t value) { return static_cast<std::uint32_t>(value); }

/// A sample command of which single arguments are changed.
class Probe {
 public:
    explicit Probe(const isa::InstructionInfo& row) : command_(sample_command(row)) {}
    explicit Probe(isa::Opcode opcode) : Probe(isa::instruction(opcode)) {}

    Probe& set(const std::string& argument, std::int64_t value) {
        word_of(command_, argument) = bits(value);
        return *this;
    }
    /// Adds to an address.
    Probe& move(const std::string& argument, std::int64_t bytes) {
        word_of(command_, argument) += bits(bytes);
        return *this;
    }
    isa::Command& command() { return command_; }

    void accepted(bool as_function = true) {
        const auto violation = isa::check(command_, small_machine(), as_function);
        INFO(command_.info().name);
        if (violation) {
            FAIL_CHECK(violation->argument << " = " << violation->value
                                           << "; rule: " << violation->rule);
        } else {
            CHECK(!violation);
        }
    }
    /// The one violation names `argument`, and its value and rule contain the texts.
    void rejected(const std::string& argument, const std::string& value, const std::string& rule,
                  bool is_address = false, bool as_function = true) {
        INFO(command_.info().name << " " << argument << " = " << value);
        const auto violation = isa::check(command_, small_machine(), as_function);
        REQUIRE(violation);
        CHECK(violation->argument == argument);
        CHECK_THAT(violation->value, Catch::Contains(value));
        CHECK_THAT(violation->rule, Catch::Contains(rule));
        CHECK(violation->is_address == is_address);
    }

 private:
    isa::Command command_;
};

/// Calls `body` with every row that has the operand.
template <typename Body>
void for_rows_with(const std::string& name, Body&& body) {
    int rows = 0;
    for (const isa::InstructionInfo& row : isa::instructions()) {
        if (!has_operand(row, name)) continue;
        body(row);
        ++rows;
    }
    CHECK(rows > 0);
}

}  // namespace okksim::tests
