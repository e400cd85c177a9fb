// SPDX-License-Identifier: Apache-2.0
// Row groups of fp32: the operators that fit in one group, and the commands for them.
#include "kernels/rows/float_row_program.h"

#include <bit>

#include "kernels/rows/float_row_builder.h"
#include "kernels/rows/float_row_planner.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {
namespace {

using kernels::DeviceTensor;
using kernels::Follower;
using kernels::rows::float_row_candidates;
using kernels::rows::float_row_program;
using kernels::rows::FloatRowFunction;
using kernels::rows::Members;
using tosa::DType;
using tosa::OpCode;

constexpr int kStored = Follower::kStored;
const tosa::Attributes kNone = tosa::NoAttributes{};
const tosa::Attributes kSum = tosa::ReduceSumAttributes{1};
const tosa::Attributes kMax = tosa::ReduceMaxAttributes{1, tosa::NanPropagationMode::kPropagate};

DeviceTensor tensor(const std::vector<std::int32_t>& dims) {
    DeviceTensor tensor;
    tensor.type = DType::kFp32;
    tensor.rank = static_cast<int>(dims.size());
    std::copy(dims.begin(), dims.end(), tensor.dims.begin());
    tensor.strides = kernels::row_major_strides(dims);
    return tensor;
}

const DeviceTensor kRows = tensor({6, 20}), kLine = tensor({6, 1}), kOne = tensor({1, 1});

/// x minus its maximum, powers of it, their sum, its reciprocal, the product.
Members softmax() {
    const int x = Follower::same_as({0, 0});
    return {{OpCode::kReduceMax, &kMax, {kStored}, {kRows}, kLine},
            {OpCode::kSub, &kNone, {x, 0}, {kRows, kLine}, kRows},
            {OpCode::kExp, &kNone, {1}, {kRows}, kRows},
            {OpCode::kReduceSum, &kSum, {2}, {kRows}, kLine},
            {OpCode::kReciprocal, &kNone, {3}, {kLine}, kLine},
            {OpCode::kMul, &kNone, {2, 4}, {kRows, kLine}, kRows}};
}

std::optional<std::vector<std::int64_t>> unknown(std::size_t, std::size_t) { return std::nullopt; }

}  // namespace

TEST_CASE("a softmax is six commands on one loaded value, and no less") {
    Members members = softmax();
    const auto program = float_row_program(members, unknown);
    REQUIRE(program);
    CHECK_FALSE(program->is_open);
    REQUIRE(program->commands.size() == 6);
    CHECK(program->commands[0].function == FloatRowFunction::kLargest);
    CHECK(program->commands[2].function == FloatRowFunction::kPower);
    CHECK(program->commands[4].function == FloatRowFunction::kShare);
    CHECK(program->values.size() == 7);
    CHECK(program->rows == 6);
    CHECK(program->columns == 20);
    while (members.size() > 1) {
        members.pop_back();
        const auto part = float_row_program(members, unknown);
        REQUIRE(part);
        CHECK(part->is_open);
    }
}

TEST_CASE("a largest value that NaN may have to pass is in no group") {
    Members other = softmax();
    SECTION("what is subtracted from another value") {
        other[1].operands[0] = kStored;
        CHECK_FALSE(float_row_program(other, unknown));
    }
    SECTION("differences that another operator reads") {
        other.push_back({OpCode::kAdd, &kNone, {1, 5}, {kRows, kRows}, kRows});
        CHECK_FALSE(float_row_program(other, unknown));
    }
    SECTION("powers that are not divided by their own sum") {
        other.back().operands[1] = 3;
        CHECK_FALSE(float_row_program(other, unknown));
    }
    SECTION("another function than EXP") {
        other[2].op = OpCode::kTanh;
        CHECK_FALSE(float_row_program(other, unknown));
    }
}

TEST_CASE("arithmetic with a known number takes no operand for it") {
    const auto number = [](std::size_t, std::size_t) {
        return std::optional(std::vector<std::int64_t>{std::bit_cast<std::uint32_t>(2.5f)});
    };
    const auto of = [&](OpCode op, bool first) {
        const std::vector<DeviceTensor> inputs =
            first ? std::vector{kOne, kRows} : std::vector{kRows, kOne};
        const Members members{{op, &kNone, {kStored, kStored}, inputs, kRows}};
        const auto program = float_row_program(members, number);
        REQUIRE(program);
        CHECK(program->values.size() == 2);
        return program->commands[0];
    };
    CHECK(of(OpCode::kAdd, true).function == FloatRowFunction::kAddConstant);
    CHECK(of(OpCode::kMul, false).function == FloatRowFunction::kMultiplyConstant);
    CHECK(of(OpCode::kSub, true).function == FloatRowFunction::kSubtractFrom);
    CHECK(of(OpCode::kSub, false).function == FloatRowFunction::kAddConstant);
    CHECK(of(OpCode::kSub, false).constant == -2.5f);
}

TEST_CASE("plans of rows fit local memory and the commands") {
    const Members members = softmax();
    const auto program = float_row_program(members, unknown);
    REQUIRE(program);
    const isa::MachineShape machine = small_machine(4, 16384);
    const auto plans = float_row_candidates(*program, members, machine);
    REQUIRE_FALSE(plans.empty());
    for (const auto& plan : plans) {
        CHECK(plan.layout.rows_are_lines);
        CHECK(6 % plan.layout.share == 0);
        for (std::size_t v = 0; v < plan.places.size(); ++v) {
            CHECK(plan.places[v] + plan.second_place[v] < 16384);
            CHECK(plan.places[v] % 128 == 0);
        }
    }
    // A row of 4099 numbers, a prime, exceeds a window and cannot form a rectangle.
    Members longer = softmax();
    for (Follower& member : longer) {
        for (DeviceTensor& input : member.inputs) {
            if (input.dims[1] == 20) input = tensor({6, 4099});
        }
        if (member.output.dims[1] == 20) member.output = tensor({6, 4099});
    }
    const auto long_rows = float_row_program(longer, unknown);
    REQUIRE(long_rows);
    CHECK(float_row_candidates(*long_rows, longer, small_machine(64, 1 << 19)).empty());
}

}  // namespace okksim::tests
