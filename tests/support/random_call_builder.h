// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/random_calls.h"

namespace okksim::tests {

/// Builds one valid call: chooses shapes and layouts, and allocates the tensors. Throws DoesNotFit
/// when the choice does not fit the machine; the caller tries again with a smaller `scale`.
class RandomCallBuilder {
 public:
    struct DoesNotFit {};

    /// `scale`: target for the largest number of elements per lane.
    RandomCallBuilder(const isa::MachineShape& machine, RandomSource& random, std::int64_t scale)
        : machine_(machine), random_(random), scale_(scale) {}

    RandomCall build(const isa::InstructionInfo& row);

 private:
    using Stride = std::optional<isa::Dim4>;
    /// Freedom of choice for the strides of a tensor.
    struct StrideRules {
        bool source = false;  ///< zero strides are allowed
        bool w_is_one = false;
        int element_bytes = 4;
    };
    struct Placed {
        std::int64_t address = 0;
        Stride stride;
    };

    // One function per group of forms (random_call_forms.cpp).
    void gdma_copy(bool dst_local, bool src_local);
    void gdma_matrix(bool to_local);
    void gdma_fill(bool local);
    void elements(int sources, bool in_place_allowed);
    void per_channel(int vectors);
    void aligned_sequence(bool has_work, bool tunable);
    void int8_to_fp32(bool packed);
    void convolution();
    void depthwise();
    void pool(bool scaled);
    void matrix_multiply();
    void fixed(int sources, bool mac, bool compare);
    void fixed_shift(int sources);
    void fixed_mul_16_by_8();
    void fixed_split(bool has_work);

    // Arguments.
    void push(std::int64_t value) { call_.arguments.emplace_back(value); }
    void push(const isa::Dim4& value) { call_.arguments.emplace_back(value); }
    void push(const Stride& stride);
    std::int64_t constant(isa::OperandKind kind, const isa::OperandRules& rules);

    // Shapes (random_call_builder.cpp).
    std::int64_t extent();
    std::int32_t channels();
    isa::Dim4 shape();
    std::int64_t lane();
    isa::Dim4 free_stride(const isa::Dim4& shape, std::int64_t slots, const StrideRules& rules);
    Stride local_stride(std::int64_t lane, const isa::Dim4& shape, const StrideRules& rules);
    Stride system_stride(const isa::Dim4& shape, const StrideRules& rules);
    Stride kernel_stride(std::int64_t lane, const isa::Dim4& shape);

    // Addresses.
    Placed local_tensor(std::int64_t lane, const isa::Dim4& shape, const StrideRules& rules);
    Placed system_tensor(const isa::Dim4& shape, const StrideRules& rules);
    std::int64_t place_local(std::int64_t lane, const isa::Dim4& shape, const isa::Dim4& stride,
                             int element_bytes, std::int64_t alignment);
    std::int64_t aligned_tensor(std::int64_t lane, const isa::Dim4& shape);
    std::int64_t compact_tensor(std::int64_t lane, const isa::Dim4& shape);
    std::int64_t matrix(std::int64_t lane, std::int64_t rows, std::int64_t cols,
                        std::int64_t width);
    std::int64_t place_system(std::int64_t low, std::int64_t high, int element_bytes);
    void mark_work(std::int64_t address, const isa::Dim4& shape, const isa::Dim4& stride,
                   int element_bytes);

    // Windows of convolutions and pools.
    struct Windows {
        isa::Dim4 input;
        std::int64_t kernel_h = 1, kernel_w = 1;
        std::optional<isa::Padding> padding;
        std::optional<isa::Dim2> stride;
        std::optional<isa::Dim2> dilation;
        isa::Dim4 output;
    };
    Windows windows(bool dilates);

    const isa::MachineShape& machine_;
    RandomSource& random_;
    std::int64_t scale_;
    const isa::InstructionInfo* row_ = nullptr;
    RandomCall call_;
    std::vector<std::pair<std::int64_t, std::int64_t>> lane_bytes_;    ///< taken, in every lane
    std::vector<std::pair<std::int64_t, std::int64_t>> system_bytes_;  ///< taken, by address
};

}  // namespace okksim::tests
