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

/// A tensor in system memory as kernels see it. Elements are stored in whole bytes, little-endian:
/// bool 1 byte (0 or 1), int4 1 byte (sign-extended), int8 1, int16 2, int32 4, int48 8
/// (sign-extended to 64 bits), fp8 1, fp16 and bf16 2, fp32 4, shape values 8.
///
/// `dims` are the specification's dimensions. `strides` count elements and say where they lie: row
/// major for most tensors, channel first for feature maps that the planner keeps that way. Storage
/// is dense: the strides are those of some permutation of the dimensions.
struct DeviceTensor {
    std::uint64_t address = 0;
    tosa::DType type = tosa::DType::kUnknown;
    int rank = 0;
    std::array<std::int32_t, kMaxRank> dims{};
    std::array<std::int64_t, kMaxRank> strides{};
    /// The value was there before the graph began, so that reading it needs no waiting.
    bool constant = false;
    /// Of a constant of integers: no value is further from zero. Absent where nobody looked.
    std::optional<std::int64_t> largest;

    std::int64_t count() const {
        std::int64_t product = 1;
        for (int i = 0; i < rank; ++i) product *= dims[static_cast<std::size_t>(i)];
        return product;
    }
};

/// Whether planners may look at the values of a constant: a list, or a tensor of few elements along
/// one dimension. Never feature maps or weights.
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

/// An element-wise operator carried out on the tiles of another one's result before they are stored
/// (kernels/pointwise/fusion.h says which can be).
struct Follower {
    tosa::OpCode op = tosa::OpCode::kIdentity;
    const tosa::Attributes* attributes = nullptr;
    /// Of its leading operands the values that they are: 0 the first operator's result, i that of
    /// follower i - 1, kStored a tensor in memory; of row groups of fp32 also same_as(): the tensor
    /// in memory that an operand before it is.
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
    /// All operands, as they would be if it ran alone; values of the group have no address.
    std::vector<DeviceTensor> inputs;
    DeviceTensor output;
};

class Decisions;

/// One operator to carry out. Inputs and outputs are in the order of the specification's argument
/// table. Small compile-time constants (zero points, shifts, multipliers, permutations, shapes,
/// tables) are input tensors like any other; kernels read them with read_values().
struct OperatorCall {
    tosa::OpCode op = tosa::OpCode::kIdentity;
    const tosa::Attributes* attributes = nullptr;
    std::span<const DeviceTensor> inputs;
    std::span<const DeviceTensor> outputs;
    /// Address of what prepare_constants() made of this call's constants (prepared_constants.h); 0:
    /// nothing.
    std::uint64_t prepared = 0;
    /// What is done to the result before it is stored; outputs[0] is then the last one's output.
    std::span<const Follower> followers = {};
    /// What was decided about the call before the launch (planning/decisions.h). Kernels need it.
    Decisions* decisions = nullptr;

    template <typename T>
    const T& attributes_as() const {
        return std::get<T>(*attributes);
    }
};

/// A kernel: firmware that carries out one operator with okk calls. It runs on the control
/// processor after okk_initialize, in serial mode, and leaves the machine idle or with commands
/// queued in serial mode. Local memory is the kernel's alone for the call.
using OperatorKernel = void (*)(const OperatorCall& call);

/// The kernel for an operator, or nullptr when it has none (control flow, variables and constants
/// are the runner's). Column `kernel` of kernels/tosa/operators.def.
OperatorKernel find_operator_kernel(tosa::OpCode op);
/// The kernel for a call of an operator that has one: with followers that of a row group
/// (kernels/rows) where it is one.
OperatorKernel find_call_kernel(const OperatorCall& call);

/// Up to `count` values of a small constant tensor, read by the control processor itself. Integer
/// types only (bool, i4 ... i48, shape); counted as bytes touched by the MCU. A tensor that is not
/// constant is waited for (okk_poll), so it cannot be read in parallel mode.
void read_values(const DeviceTensor& tensor, std::span<std::int64_t> values);
/// The bit pattern of fp32 / fp16 / bf16 / fp8 values, likewise.
void read_bits(const DeviceTensor& tensor, std::span<std::uint32_t> bits);

}  // namespace okksim::kernels
