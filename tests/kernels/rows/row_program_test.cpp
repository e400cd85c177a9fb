// SPDX-License-Identifier: Apache-2.0
// Row spaces and programs of row groups: the groups that fit in one, and the conditions that can
// fail.
#include "kernels/rows/row_program.h"

#include "isa/features.h"
#include "kernels/rows/row_builder.h"
#include "kernels/rows/row_planner.h"
#include "kernels/rows/row_space.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {
namespace {

using kernels::DeviceTensor;
using kernels::Follower;
using kernels::rows::Members;
using kernels::rows::RowCheck;
using kernels::rows::RowExtent;
using kernels::rows::RowFunction;
using kernels::rows::RowSpace;
using tosa::DType;
using tosa::OpCode;

DeviceTensor tensor(DType type, const std::vector<std::int32_t>& dims,
                    const std::vector<std::int64_t>& strides = {}) {
    DeviceTensor tensor;
    tensor.type = type;
    tensor.rank = static_cast<int>(dims.size());
    std::copy(dims.begin(), dims.end(), tensor.dims.begin());
    tensor.strides = kernels::row_major_strides(dims);
    std::copy(strides.begin(), strides.end(), tensor.strides.begin());
    return tensor;
}

isa::MachineShape all_groups() {
    isa::MachineShape machine = small_machine(4, 16384);
    machine.features = isa::kAllFeatures;
    return machine;
}

const tosa::Attributes kNone = tosa::NoAttributes{};
const tosa::Attributes kSumOfLast = tosa::ReduceSumAttributes{1};
constexpr int kStored = Follower::kStored;

/// i16 * i16 of [3, columns], from -2^30 + 2^15 to 2^30.
Follower product(std::int32_t columns) {
    const DeviceTensor factor = tensor(DType::kI16, {3, columns});
    return {OpCode::kMul,
            &kNone,
            {kStored, kStored},
            {factor, factor, tensor(DType::kI8, {1})},
            tensor(DType::kI32, {3, columns})};
}

Follower with_constant(OpCode op, const tosa::Attributes& attributes, std::int32_t columns) {
    const DeviceTensor value = tensor(DType::kI32, {3, columns});
    return {op, &attributes, {0, kStored}, {value, tensor(DType::kI32, {1, 1})}, value};
}

/// Returns constants by member, one element each. The shift of the product is 0.
kernels::rows::ReadConstant constants(std::vector<std::int64_t> by_member) {
    return [by_member](std::size_t member,
                       std::size_t input) -> std::optional<std::vector<std::int64_t>> {
        if (member == 0)
            return input == 2 ? std::optional(std::vector<std::int64_t>{0}) : std::nullopt;
        return std::vector<std::int64_t>{by_member.at(member - 1)};
    };
}

}  // namespace

TEST_CASE("rows/the rows of a space are all dimensions but the columns'") {
    // [2,3,4,5], columns 4: rows (2,3,5) in the order of a tensor stored channel first.
    const DeviceTensor whole = tensor(DType::kI8, {2, 3, 4, 5}, {60, 4, 1, 12});
    const std::vector<DeviceTensor> one{whole};
    const auto space = RowSpace::of(one, 2, whole);
    REQUIRE(space);
    CHECK(space->rows() == 30);
    CHECK(space->columns() == 4);
    CHECK(space->extent(whole) == RowExtent::kFull);
    CHECK(space->extent(tensor(DType::kI8, {2, 3, 1, 5})) == RowExtent::kRows);
    CHECK(space->extent(tensor(DType::kI8, {1, 1, 4, 1})) == RowExtent::kColumns);
    CHECK(space->extent(tensor(DType::kI8, {1, 1, 1, 1})) == RowExtent::kOne);
    const auto strides = space->strides(whole);
    REQUIRE(strides);
    CHECK(strides->row == 4);
    CHECK(strides->column == 1);
    // In row-major order, 3 is outside of 5: not the order of this space.
    CHECK_FALSE(space->strides(tensor(DType::kI8, {2, 3, 4, 5})));
    CHECK_FALSE(RowSpace::of(std::vector{whole, tensor(DType::kI8, {2, 3, 4, 2})}, 2, whole));
}

TEST_CASE("rows/blocks of rows lie apart") {
    // [2,1,3,5] stored channel first: the three pixels of an image follow each other, images do
    // not.
    const DeviceTensor map = tensor(DType::kI8, {2, 1, 3, 5}, {15, 3, 1, 3});
    const DeviceTensor plain = tensor(DType::kI8, {2, 1, 3, 5});
    const std::vector<DeviceTensor> both{map, plain};
    CHECK_FALSE(RowSpace::of(both, 3, plain)->strides(map));
    const auto space = RowSpace::of(both, 3, plain, 1);
    REQUIRE(space);
    CHECK(space->rows() == 6);
    CHECK(space->block_rows() == 3);
    CHECK(space->strides(map)->row == 1);
    CHECK(space->strides(map)->block == 15);
    CHECK(space->strides(map)->column == 3);
    CHECK(space->strides(plain)->block == 3 * space->strides(plain)->row);
}

TEST_CASE("rows/operands that repeat some dimensions of the rows have all rows") {
    // 4 images of 3 rows of 5: one image for all, and one row for each image.
    const DeviceTensor whole = tensor(DType::kI8, {4, 3, 5});
    const DeviceTensor image = tensor(DType::kI8, {1, 3, 5});
    const DeviceTensor row = tensor(DType::kI8, {4, 1, 5});
    const std::vector<DeviceTensor> all{whole, image, row};
    const auto space = RowSpace::of(all, 2, whole, 1);
    REQUIRE(space);
    for (const DeviceTensor& repeating : {image, row}) {
        CHECK(space->extent(repeating) == RowExtent::kFull);
        CHECK(space->repeats_rows(repeating));
    }
    CHECK_FALSE(space->repeats_rows(whole));
    CHECK_FALSE(space->repeats_rows(tensor(DType::kI8, {1, 1, 5})));
    CHECK(space->strides(image)->row == 5);
    CHECK(space->strides(image)->block == 0);
    CHECK(space->strides(row)->row == 0);
    CHECK(space->strides(row)->block == 5);
    // In a single block, rows are not at equal distances.
    CHECK_FALSE(RowSpace::of(all, 2, whole)->strides(image));
}

TEST_CASE("rows/sums that always fit are not looked at") {
    // The largest product is 2^30: with 2^30 - 1 the largest word, with 2^30 one more.
    constexpr std::int64_t kLargest = std::int64_t{1} << 30;
    const Members members{product(7), with_constant(OpCode::kAdd, kNone, 7)};
    for (const std::int64_t constant : {kLargest - 1, kLargest}) {
        const auto program =
            kernels::rows::row_program(members, constants({constant}), all_groups());
        REQUIRE(program);
        REQUIRE(program->commands.size() == 2);
        CHECK(program->commands[1].function == RowFunction::kAddConstant);
        CHECK(program->commands[1].check ==
              (constant < kLargest ? RowCheck::kNone : RowCheck::kFits));
        CHECK(program->checks() == (constant == kLargest));
    }
}

TEST_CASE("rows/totals of what is not below zero are looked at by their sign, or not possible") {
    // max(product, 0) is 0 .. 2^30: one column fits a signed word, two and three fit an unsigned
    // word, four fit neither.
    const tosa::Attributes largest = tosa::MaximumAttributes{};
    for (const std::int32_t columns : {2, 3, 4}) {
        Follower total{OpCode::kReduceSum,
                       &kSumOfLast,
                       {1},
                       {tensor(DType::kI32, {3, columns})},
                       tensor(DType::kI32, {3, 1})};
        const Members members{product(columns), with_constant(OpCode::kMaximum, largest, columns),
                              total};
        const auto program = kernels::rows::row_program(members, constants({0}), all_groups());
        INFO(columns);
        CHECK(program.has_value() == (columns < 4));
        if (program) CHECK(program->commands.back().check == RowCheck::kSign);
    }
    // Two columns of products that may be negative do not fit either.
    Follower total{OpCode::kReduceSum,
                   &kSumOfLast,
                   {0},
                   {tensor(DType::kI32, {3, 2})},
                   tensor(DType::kI32, {3, 1})};
    CHECK_FALSE(kernels::rows::row_program({product(2), total}, constants({}), all_groups()));
}

TEST_CASE("rows/a machine that lacks an instruction has no program") {
    const Members members{product(7), with_constant(OpCode::kAdd, kNone, 7)};
    isa::MachineShape machine = all_groups();
    machine.features &= ~isa::feature_bit(isa::Feature::kIntAlu);
    CHECK_FALSE(kernels::rows::row_program(members, constants({1}), machine));
    // Transposed rows: copies that transpose.
    Members across = members;
    for (DeviceTensor& input : across[0].inputs) input.strides = {1, 3};
    across[0].inputs[2] = tensor(DType::kI8, {1});
    machine = all_groups();
    CHECK(kernels::rows::row_program(across, constants({1}), machine));
    machine.features &= ~isa::feature_bit(isa::Feature::kDmaLayout);
    CHECK_FALSE(kernels::rows::row_program(across, constants({1}), machine));
}

TEST_CASE("rows/tiles are whole rows of all lanes") {
    const Members members{product(7), with_constant(OpCode::kAdd, kNone, 7)};
    auto program = kernels::rows::row_program(members, constants({1}), all_groups());
    REQUIRE(program);
    program->rows = 100;
    const auto candidates = kernels::rows::row_candidates(*program, all_groups());
    // 100 rows at once, and 52 (50 rounded up to 4 lanes), 28, 16, 8 and 4 rows.
    std::vector<std::int64_t> rows;
    for (const auto& plan : candidates) rows.push_back(plan.tile_rows);
    CHECK(rows == std::vector<std::int64_t>{100, 52, 28, 16, 8, 4});
    program->columns = 4096;  // no lane has space for two rows of 4096 words and one more
    CHECK(kernels::rows::row_candidates(*program, all_groups()).empty());
}

/// Members of a softmax: the largest element of a row, the difference of every element from it, and
/// its table entry times 128. Then follow the sum of two entries, and this sum shifted to 2^30 ..
/// 2^31 - 1, less 2^30.
Members softmax() {
    static const tosa::Attributes largest = tosa::ReduceMaxAttributes{1};
    static const tosa::Attributes scale =
        tosa::RescaleAttributes{true, tosa::RoundingMode::kSingleRound, false};
    const auto value = [](DType type, std::int32_t columns) { return tensor(type, {3, columns}); };
    const auto rescaled = [&](int operand, DType from, DType to, std::int32_t columns) {
        return Follower{OpCode::kRescale,
                        &scale,
                        {operand},
                        {value(from, columns), tensor(DType::kI32, {1}), tensor(DType::kI8, {1}),
                         tensor(from, {1}), tensor(to, {1})},
                        value(to, columns)};
    };
    Follower first = rescaled(kStored, DType::kI8, DType::kI8, 2);
    return {first,
            {OpCode::kReduceMax, &largest, {0}, {value(DType::kI8, 2)}, value(DType::kI8, 1)},
            rescaled(0, DType::kI8, DType::kI32, 2),
            rescaled(1, DType::kI8, DType::kI32, 1),
            {OpCode::kSub,
             &kNone,
             {2, 3},
             {value(DType::kI32, 2), value(DType::kI32, 1)},
             value(DType::kI32, 2)},
            rescaled(4, DType::kI32, DType::kI16, 2),
            {OpCode::kTable,
             &kNone,
             {5},
             {value(DType::kI16, 2), tensor(DType::kI16, {513})},
             value(DType::kI32, 2)},
            {OpCode::kReduceSum, &kSumOfLast, {6}, {value(DType::kI32, 2)}, value(DType::kI32, 1)},
            {OpCode::kClz, &kNone, {7}, {value(DType::kI32, 1)}, value(DType::kI32, 1)},
            {OpCode::kSub,
             &kNone,
             {8, kStored},
             {value(DType::kI32, 1), tensor(DType::kI32, {1, 1})},
             value(DType::kI32, 1)},
            {OpCode::kLogicalLeftShift,
             &kNone,
             {7, 9},
             {value(DType::kI32, 1), value(DType::kI32, 1)},
             value(DType::kI32, 1)},
            {OpCode::kSub,
             &kNone,
             {10, kStored},
             {value(DType::kI32, 1), tensor(DType::kI32, {1, 1})},
             value(DType::kI32, 1)}};
}

TEST_CASE("rows/softmax looks at nothing where its table says that sums are not small") {
    // Differences of -255 .. 0 times 2^7 are -32640 .. 0: entries 1 to 256 of 513. The largest
    // element has the entry at 0 = -32768 + 256 * 128.
    const auto checks = [](std::int64_t at_zero, std::int64_t other_shift, std::int64_t less) {
        const auto read = [=](std::size_t member,
                              std::size_t input) -> std::optional<std::vector<std::int64_t>> {
            const auto one = [](std::int64_t value) { return std::vector<std::int64_t>{value}; };
            if (member == 6) {
                std::vector<std::int64_t> entries(513, 0);
                entries[256] = at_zero;
                return input == 1 ? std::optional(entries) : std::nullopt;
            }
            if (member == 9) return one(1);
            if (member == 11) return one(less);
            if (input == 1) return one(std::int64_t{1} << 30);
            if (input == 2) return one(member == 5 ? 23 : member == 3 ? other_shift : 30);
            return input > 2 ? std::optional(one(0)) : std::nullopt;
        };
        const auto program = kernels::rows::row_program(softmax(), read, all_groups());
        REQUIRE(program);
        return program->checks();
    };
    constexpr std::int64_t kHalf = std::int64_t{1} << 30;
    // A sum of at least 128 reaches 2^30 when the zeros before its highest bit are shifted out.
    CHECK_FALSE(checks(1, 30, kHalf));
    // Sums of 0 stay 0.
    CHECK(checks(0, 30, kHalf));
    // 2^31 - 1 is the maximum; subtracting -1 from it does not fit.
    CHECK_FALSE(checks(1, 30, 0));
    CHECK(checks(1, 30, -1));
    // The row maximum with another scale is not the scaled value of an element.
    CHECK(checks(1, 31, kHalf));
}

}  // namespace okksim::tests
