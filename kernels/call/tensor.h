// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/tosa/attributes.h"

namespace okksim::kernels {

/// Highest tensor rank at level 8K (TOSA 1.0.1, section 1.10).
inline constexpr int kMaxRank = 6;

/// A tensor in system memory for kernels. Elements are stored in whole bytes, little-endian: bool 1
/// byte (0 or 1), int4 1 byte (sign-extended), int8 1, int16 2, int32 4. int48 has 8 (sign-extended
/// to 64 bits), fp8 1, fp16 and bf16 2, fp32 4, shape values 8.
///
/// `dims` are the specification's dimensions. `strides` count elements. Most tensors are row-major;
/// the planner keeps feature maps channel first. Storage is dense: the strides are those of some
/// permutation of the dimensions.
struct DeviceTensor {
    std::uint64_t address = 0;
    tosa::DType type = tosa::DType::kUnknown;
    int rank = 0;
    std::array<std::int32_t, kMaxRank> dims{};
    std::array<std::int64_t, kMaxRank> strides{};
    /// The value exists before the graph begins, so that reading it needs no waiting.
    bool constant = false;
    /// Bound of the magnitudes of an integer constant. Absent if its values were not examined.
    std::optional<std::int64_t> largest;

    std::int64_t count() const {
        std::int64_t product = 1;
        for (int i = 0; i < rank; ++i) product *= dims[static_cast<std::size_t>(i)];
        return product;
    }
};

/// True if planners may read the values of a constant: a list, or a tensor of few elements along
/// one dimension. Never for feature maps or weights.
bool is_list(std::span<const std::int64_t> dims);
bool is_list(const DeviceTensor& tensor);
/// Bytes of one stored element of a DeviceTensor.
int stored_bytes(tosa::DType type);
/// Strides of the dense storage whose dimension order, outermost first, is `order`.
std::array<std::int64_t, kMaxRank> strides_in_order(std::span<const std::int32_t> dims,
                                                    std::span<const int> order);
/// Strides of dense row-major storage.
std::array<std::int64_t, kMaxRank> row_major_strides(std::span<const std::int32_t> dims);
/// True when the tensor is dense row-major (dimensions of extent 1 do not matter).
bool is_row_major(const DeviceTensor& tensor);

/// Input `input` of the first operator (0) or follower `member` - 1 of a group.
struct StoredPlace {
    std::size_t member = 0, input = 0;
};

/// An element-wise operator that runs on the tiles of another operator's result before they are
/// stored. kernels/pointwise/fusion.h defines which ones can.
struct Follower {
    tosa::OpCode op = tosa::OpCode::kIdentity;
    const tosa::Attributes* attributes = nullptr;
    /// Values of its leading operands: 0 the first operator's result, i that of follower i - 1,
    /// kStored a tensor in memory. Row groups of fp32 also use same_as(): a tensor in memory that
    /// is already an earlier operand.
    static constexpr int kStored = -1;
    static constexpr std::size_t kMostInputs = 4;
    static constexpr int same_as(const StoredPlace& place) {
        return kStored - 1 - static_cast<int>(place.member * kMostInputs + place.input);
    }
    static constexpr std::optional<StoredPlace> earlier(int operand) {
        if (operand >= kStored) return std::nullopt;
        const auto code = static_cast<std::size_t>(kStored - 1 - operand);
        return StoredPlace{code / kMostInputs, code % kMostInputs};
    }
    std::vector<int> operands;
    /// All operands, as if it ran alone; values of the group have no address.
    std::vector<DeviceTensor> inputs;
    DeviceTensor output;
};

class Decisions;

/// One operator to run. Inputs and outputs are in the order of the specification's argument table.
/// Small compile-time constants (zero points, shifts, multipliers, permutations, shapes, tables)
/// are input tensors; kernels read them with read_values().
struct OperatorCall {
    tosa::OpCode op = tosa::OpCode::kIdentity;
    const tosa::Attributes* attributes = nullptr;
    std::span<const DeviceTensor> inputs;
    std::span<const DeviceTensor> outputs;
    /// Address of the constants that prepare_constants() made for this call (prepared_constants.h);
    /// 0: none.
    std::uint64_t prepared = 0;
    /// Operators applied to the result before it is stored; outputs[0] is then the last follower's
    /// output.
    std::span<const Follower> followers = {};
    /// Decisions about the call before the launch (planning/decisions.h). Kernels need them.
    Decisions* decisions = nullptr;

    template <typename T>
    const T& attributes_as() const {
        return std::get<T>(*attributes);
    }
};

/// A kernel: firmware that runs one operator with okk calls. It runs on the control processor after
/// okk_initialize, in serial mode, and leaves the machine idle or with commands queued in serial
/// mode. It may use all local memory during the call.
using OperatorKernel = void (*)(const OperatorCall& call);

/// Returns the kernel for an operator, or nullptr if it has none (the runner executes control flow,
/// variables and constants). Column `kernel` of kernels/tosa/operators.def.
OperatorKernel find_operator_kernel(tosa::OpCode op);
/// Returns the kernel for a call of an operator that has one. A call with followers may be a row
/// group, which has its kernel in kernels/rows.
OperatorKernel find_call_kernel(const OperatorCall& call);

/// Reads up to `count` values of a small constant tensor with the control processor. Integer types
/// only (bool, i4 ... i48, shape); counts as bytes touched by the MCU. Waits (okk_poll) for a
/// tensor that is not constant, so it cannot be read in parallel mode.
void read_values(const DeviceTensor& tensor, std::span<std::int64_t> values);
/// Reads the bit pattern of fp32 / fp16 / bf16 / fp8 values in the same way.
void read_bits(const DeviceTensor& tensor, std::span<std::uint32_t> bits);

}  // namespace okksim::kernels
