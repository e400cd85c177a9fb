// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/tosa/attributes.h"
#include "kernels/tosa/tosa_types.h"

/// Trials of REQUIRE conditions that depend on data (kernels/REQUIRE.md). At the limit an operator
/// gives its result; one step beyond it gives a fault. Trials run on the reference machine and on a
/// small one.
namespace okksim::tests {

using Values = std::vector<std::int64_t>;

inline constexpr std::int64_t kMost32 = INT32_MAX;
inline constexpr std::int64_t kLeast32 = INT32_MIN;
inline constexpr std::int64_t kMost48 = (std::int64_t{1} << 47) - 1;
inline constexpr std::int64_t kLeast48 = -(std::int64_t{1} << 47);

struct Operand {
    tosa::DType type;
    std::vector<std::int32_t> dims;
    Values values;
};
Operand vector(tosa::DType type, const Values& values);
Operand scalar(tosa::DType type, std::int64_t value);

/// An operator and its operands.
struct Trial {
    tosa::OpCode op;
    tosa::Attributes attributes;
    std::vector<Operand> inputs;
    tosa::DType out;
    std::vector<std::int32_t> dims;
};

/// An element-wise operator on one or two single elements.
Trial unary(tosa::OpCode op, tosa::DType type, std::int64_t a, tosa::DType out);
Trial binary(tosa::OpCode op, tosa::DType type, std::int64_t a, std::int64_t b, tosa::DType out,
             const tosa::Attributes& attributes = tosa::NoAttributes{});

/// Checks that the operator reports its result as unpredictable and names the REQUIRE.
void check_unpredictable(const Trial& trial);
void check_result(const Trial& trial, const Values& expected);

}  // namespace okksim::tests
