// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/call/tensor.h"
#include "kernels/layers/byte_program.h"
#include "kernels/layers/native_program.h"

/// Layer groups: operators one after the other whose maps stay in local memory between them, so
/// that only weights, what the group takes and what it gives pass the data mover. Maps are fp32
/// words; those of int8 values and of their sums hold integers.
namespace okksim::kernels::layers {

/// A value that a group's operators take or give.
struct LayerValue {
    DeviceTensor tensor;  ///< without address where it is neither given nor wanted
    bool given = false;   ///< in system memory before the group runs
    bool wanted = false;  ///< to be there afterwards
    /// Of an int8 value: maps hold it less this, which is the zero point of who multiplies it.
    std::int32_t offset = 0;
};

struct LayerOperator {
    tosa::OpCode op = tosa::OpCode::kIdentity;
    const tosa::Attributes* attributes = nullptr;
    std::vector<int> inputs;  ///< positions in LayerCall::values, of all operands
    int output = 0;
    /// Values of an operand that is a list: where a SLICE begins. Empty when they are not known.
    std::vector<std::int64_t> list = {};
    /// What it makes of integers, with the operators before it that it stands for; planners need
    /// it.
    std::shared_ptr<const ByteProgram> program = nullptr;
    /// On packed int8 maps: what it computes of them, where that is more than the operator says.
    bool is_native = false;
    std::shared_ptr<const NativeProgram> native = nullptr;
};

/// A group to carry out; operators in an order in which they can run.
struct LayerCall {
    std::span<const LayerOperator> operators;
    std::span<const LayerValue> values;
    /// Address of LayerPlan::prepared_bytes() that prepare_layers() filled.
    std::uint64_t prepared = 0;
};

}  // namespace okksim::kernels::layers
