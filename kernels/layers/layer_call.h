// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/call/tensor.h"
#include "kernels/layers/byte_program.h"
#include "kernels/layers/native_program.h"

/// Layer groups: consecutive operators whose feature maps stay in local memory. Only weights and
/// the inputs and outputs of the group pass the GDMA. Feature maps are fp32 words. Those of int8
/// values and of their sums hold integers.
namespace okksim::kernels::layers {

/// A value that a group's operators take or give.
struct LayerValue {
    DeviceTensor tensor;  ///< without an address if neither given nor wanted
    bool given = false;   ///< in system memory before the group runs
    bool wanted = false;  ///< in system memory after the group has run
    /// Feature maps of int8 hold the value minus this zero point, which the operator that
    /// multiplies it subtracts.
    std::int32_t offset = 0;
};

struct LayerOperator {
    tosa::OpCode op = tosa::OpCode::kIdentity;
    const tosa::Attributes* attributes = nullptr;
    std::vector<int> inputs;  ///< indices in LayerCall::values, of all operands
    int output = 0;
    /// Values of an operand that is a list: where a SLICE begins. Empty when they are not known.
    std::vector<std::int64_t> list = {};
    /// Function of integers of this operator together with earlier operators that it replaces.
    /// Planners need it.
    std::shared_ptr<const ByteProgram> program = nullptr;
    /// On packed int8 feature maps: the function, if it covers more than this operator.
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
