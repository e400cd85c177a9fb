// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "isa/command.h"
#include "tests/models/bdc/typed/typed_reference.h"
#include "tests/support/random_source.h"

namespace okksim::tests {

/// Random commands of the groups beyond the API reference, and contents of memory for them. They
/// cover every element type; strides with gaps, of 0 and negative ones; tensors in-place and
/// overlapping; numbers at the limits of their types.
class TypedCases {
 public:
    TypedCases(RandomSource& random, const isa::MachineShape& machine)
        : random_(random), machine_(machine) {}

    void fill(LaneImage& image);
    /// A command that keeps every rule.
    isa::Command make(const isa::InstructionInfo& row);

 private:
    isa::Command attempt(const isa::InstructionInfo& row);
    void set(const isa::OperandInfo& operand);
    void set_integer(const std::string& name);
    void set_limits();
    void set_stride(const isa::OperandInfo& operand);
    void set_address(const isa::OperandInfo& operand);
    void put(const std::string& name, std::int64_t value, std::size_t index = 0);
    std::uint32_t word(const std::string& name, std::size_t index = 0) const;
    bool has(const std::string& name) const;
    isa::ElementType type_of(const std::string& tensor) const;

    RandomSource& random_;
    isa::MachineShape machine_;
    isa::Command command_;
    std::int64_t lane_ = 0;
};

}  // namespace okksim::tests
