// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "isa/tensors.h"
#include "tests/support/random_source.h"

namespace okksim::tests {

/// Random element-wise, fixed-point and GDMA commands whose tensors are inside the machine's
/// memories. They have all layouts, stride 0 on sources, W strides (BDC) and overlapping tensors.
class ElementCases {
 public:
    ElementCases(RandomSource& random, const isa::MachineShape& machine)
        : random_(random), machine_(machine) {}

    /// Returns a command of this row, or std::nullopt if the random choice did not fit into memory.
    std::optional<isa::Command> make(const isa::InstructionInfo& row);

 private:
    isa::Dim4 shape();
    isa::Dim4 stride(const isa::TensorView& view, std::int32_t lane);
    void set_scalar(isa::Command& command, const isa::OperandInfo& operand);
    bool place(isa::Command& command, const isa::OperandInfo& operand, std::int32_t lane);
    const isa::OperandInfo* stride_of(const isa::InstructionInfo& row,
                                      const isa::OperandInfo& address) const;

    RandomSource& random_;
    isa::MachineShape machine_;
};

}  // namespace okksim::tests
