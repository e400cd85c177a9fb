// SPDX-License-Identifier: Apache-2.0
// Operators on fp16 and bf16 give the same bits with commands for these types (group half_mac),
// with a conversion command (convert), and with neither.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "tests/support/catch.h"
#include "tests/support/group_run.h"
#include "tests/support/half_numbers.h"
#include "tests/support/random_source.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using namespace okksim::tosa;
using graph::GraphBuilder;
using graph::HostTensor;
using graph::Shape;
using graph::TensorIndex;
using tests::GroupRun;
using tests::RandomSource;
using tests::run_planned;

/// One operator on numbers from -2 to 2, in most cases followed by a clamp. Sums are integers below
/// 2^24, so their order does not matter.
class RandomOperator {
 public:
    RandomOperator(std::uint64_t seed, OpCode op) : random_(seed), op_(op), type_(DType::kFp16) {
        // Products of bf16 matrices are fp32.
        if (op != OpCode::kMatmul && random_.one_in(2)) type_ = DType::kBf16;
    }

    graph::Graph make() {
        switch (op_) {
            case OpCode::kConv2d: convolution(); break;
            case OpCode::kDepthwiseConv2d: depthwise(); break;
            case OpCode::kTransposeConv2d: transposed(); break;
            case OpCode::kMatmul: product(); break;
            default: elementwise(); break;
        }
        if (random_.one_in(3)) return finish(result_);
        const ClampAttributes clamp{tests::float_element(type_, -3),
                                    tests::float_element(type_, 100),
                                    NanPropagationMode::kPropagate};
        return finish(builder_.add(OpCode::kClamp, clamp, {result_}, type_, shape_));
    }
    const std::vector<HostTensor>& inputs() const { return inputs_; }
    DType result_type() const { return type_; }

 private:
    graph::Graph finish(TensorIndex last) {
        builder_.output(last);
        return builder_.finish();
    }

    std::vector<std::byte> numbers(const Shape& shape) {
        std::vector<float> values(static_cast<std::size_t>(*graph::element_count(shape)));
        for (float& value : values) value = static_cast<float>(random_.between(-2, 2));
        std::vector<std::byte> bytes = tests::float_bytes(type_, values);
        if (op_ != OpCode::kMaximum && op_ != OpCode::kMinimum && op_ != OpCode::kClamp) {
            return bytes;
        }
        const std::uint16_t nan = type_ == DType::kFp16 ? 0x7E00 : 0x7FC0;
        for (std::size_t at = 0; at < bytes.size(); at += sizeof nan) {
            if (random_.one_in(6)) std::memcpy(&bytes[at], &nan, sizeof nan);
        }
        return bytes;
    }
    TensorIndex input(const Shape& shape) {
        inputs_.push_back(graph::make_host_tensor(type_, shape, numbers(shape)));
        return builder_.input(type_, shape);
    }
    TensorIndex weights(const Shape& shape) {
        if (random_.one_in(4)) return input(shape);
        return builder_.constant_bytes(type_, shape, numbers(shape));
    }
    TensorIndex zero() { return builder_.constant_bytes(type_, {1}, {std::byte{0}, std::byte{0}}); }

    void add(const Attributes& attributes, const std::vector<TensorIndex>& operands,
             const Shape& shape) {
        shape_ = shape;
        result_ = builder_.add(op_, attributes, operands, type_, shape);
    }
    std::int32_t small(std::int64_t most) {
        return static_cast<std::int32_t>(random_.between(1, most));
    }

    void convolution() {
        const Shape map = {random_.pick({1, 1, 2}), random_.between(3, 20), random_.between(3, 20),
                           random_.pick({1, 2, 3, 4, 7, 16, 70, 130})};
        const std::int64_t outputs = random_.pick({1, 5, 64, 65, 130}), k = random_.between(1, 3);
        const bool is_far = random_.one_in(6);  // this padding is stored in the tile
        const auto pad = static_cast<std::int32_t>(is_far ? 16 : random_.below(2));
        const Conv2dAttributes attributes{
            {pad, pad, pad, pad}, {1, 1}, {1, 1}, false, DType::kFp32};
        add(attributes,
            {input(map), weights({outputs, k, k, map[3]}), weights({outputs}), zero(), zero()},
            {map[0], map[1] + 2 * pad - k + 1, map[2] + 2 * pad - k + 1, outputs});
    }
    void depthwise() {
        const Shape map = {random_.pick({1, 2}), random_.between(3, 20), random_.between(3, 20),
                           random_.pick({1, 3, 64, 100})};
        const std::int64_t multiplier = random_.pick({1, 1, 2}), k = random_.between(1, 3);
        const Conv2dAttributes attributes{{0, 0, 0, 0}, {1, 1}, {1, 1}, false, DType::kFp32};
        add(DepthwiseConv2dAttributes{attributes.pad, attributes.stride, attributes.dilation, false,
                                      DType::kFp32},
            {input(map), weights({k, k, map[3], multiplier}), weights({map[3] * multiplier}),
             zero(), zero()},
            {map[0], map[1] - k + 1, map[2] - k + 1, map[3] * multiplier});
    }
    void transposed() {
        const Shape map = {1, random_.between(2, 9), random_.between(2, 9),
                           random_.pick({1, 6, 66})};
        const std::int64_t outputs = random_.pick({1, 5, 65}), k = random_.between(1, 3);
        const std::int32_t step = small(2);
        add(TransposeConv2dAttributes{{0, 0, 0, 0}, {step, step}, false, DType::kFp32},
            {input(map), weights({outputs, k, k, map[3]}), weights({outputs}), zero(), zero()},
            {1, (map[1] - 1) * step + k, (map[2] - 1) * step + k, outputs});
    }
    void product() {
        const std::int64_t matrices = random_.between(1, 3), rows = random_.pick({1, 9, 70}),
                           terms = random_.pick({1, 3, 30, 130}), width = random_.pick({1, 8, 70});
        add(NoAttributes{},
            {input({matrices, rows, terms}), input({matrices, terms, width}), zero(), zero()},
            {matrices, rows, width});
    }
    void elementwise() {
        const Shape shape = {random_.between(1, 3), random_.between(1, 40), random_.between(1, 9),
                             random_.pick({1, 7, 64})};
        Shape other = shape;
        if (random_.one_in(3)) other[2] = 1;  // broadcasts
        std::vector<TensorIndex> operands{input(shape), input(other)};
        if (op_ == OpCode::kMul) {
            operands.push_back(builder_.constant(DType::kI8, {1}, {0}));
        }
        const auto nan_mode =
            random_.one_in(2) ? NanPropagationMode::kIgnore : NanPropagationMode::kPropagate;
        switch (op_) {
            case OpCode::kMaximum: return add(MaximumAttributes{nan_mode}, operands, shape);
            case OpCode::kMinimum: return add(MinimumAttributes{nan_mode}, operands, shape);
            case OpCode::kClamp:
                return add(ClampAttributes{tests::float_element(type_, -1),
                                           tests::float_element(type_, 1.5f), nan_mode},
                           {operands[0]}, shape);
            default: return add(NoAttributes{}, operands, shape);
        }
    }

    RandomSource random_;
    OpCode op_;
    DType type_;
    GraphBuilder builder_;
    TensorIndex result_ = 0;
    Shape shape_;
    std::vector<HostTensor> inputs_;
};

constexpr OpCode kOperators[] = {OpCode::kConv2d,
                                 OpCode::kDepthwiseConv2d,
                                 OpCode::kTransposeConv2d,
                                 OpCode::kMatmul,
                                 OpCode::kAdd,
                                 OpCode::kSub,
                                 OpCode::kMul,
                                 OpCode::kMaximum,
                                 OpCode::kMinimum,
                                 OpCode::kClamp};

/// Replaces every NaN by one pattern: TOSA 1.0.1 does not specify the bits.
std::vector<std::byte> with_one_nan(std::vector<std::byte> elements, DType type) {
    const std::uint16_t infinity = type == DType::kFp16 ? 0x7C00 : 0x7F80;
    if (type == DType::kFp32) return elements;
    for (std::size_t at = 0; at < elements.size(); at += sizeof infinity) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, &elements[at], sizeof bits);
        if ((bits & 0x7FFF) > infinity) bits = 0x7FFF;
        std::memcpy(&elements[at], &bits, sizeof bits);
    }
    return elements;
}

void check_operators(const std::vector<std::string>& settings, std::uint64_t seeds) {
    const auto machine = [&](const char* name, std::vector<std::string> more) {
        more.insert(more.end(), settings.begin(), settings.end());
        return load_machine(name, more);
    };
    const Machine base = machine("bm1684", {});
    const Machine others[] = {machine("okk-next", {}),
                              machine("okk-next", {"features.half_mac=false"}),
                              machine("okk-next", {"features.convert=false"})};
    for (const OpCode op : kOperators) {
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            RandomOperator random(seed, op);
            const graph::Graph graph = random.make();
            CAPTURE(op_name(op), seed);
            graph::validate_graph(graph);
            const GroupRun expected = run_planned(graph, random.inputs(), base, {});
            REQUIRE_FALSE(expected.fault);
            for (const Machine& other : others) {
                INFO(other.label());
                const GroupRun run = run_planned(graph, random.inputs(), other, {});
                REQUIRE_FALSE(run.fault);
                CHECK(with_one_nan(run.output, random.result_type()) ==
                      with_one_nan(expected.output, random.result_type()));
            }
        }
    }
}

}  // namespace

TEST_CASE("halves give the same bits with and without commands of their own") {
    check_operators({}, 20);
}

TEST_CASE("halves in many tiles give the same bits") {
    check_operators({"chip.lanes=8", "chip.local_memory_bytes=16384"}, 8);
}

TEST_CASE("halves take half the time where the array is busy") {
    // 256 channels by 256 with 3 x 3 positions at 28 x 28 pixels.
    GraphBuilder builder;
    const Shape map{1, 28, 28, 256}, kernel{256, 3, 3, 256};
    const auto zeros = [&](const Shape& shape) {
        return builder.constant_bytes(
            DType::kFp16, shape,
            std::vector<std::byte>(2 * static_cast<std::size_t>(*graph::element_count(shape))));
    };
    const TensorIndex input = builder.input(DType::kFp16, map);
    const Conv2dAttributes attributes{{1, 1, 1, 1}, {1, 1}, {1, 1}, false, DType::kFp32};
    builder.output(builder.add(OpCode::kConv2d, attributes,
                               {input, zeros(kernel), zeros({256}), zeros({1}), zeros({1})},
                               DType::kFp16, map));
    const graph::Graph graph = builder.finish();
    const std::vector<HostTensor> inputs{graph::make_host_tensor(
        DType::kFp16, map, std::vector<std::byte>(std::size_t{2} * 28 * 28 * 256))};
    const auto time = [&](const std::vector<std::string>& settings) {
        return run_planned(graph, inputs, load_machine("okk-next", settings), {}).microseconds;
    };
    // 28 * 28 pixels in 49 groups, 4 slots, 9 * 64 + 5 cycles at 550 MHz: 207 us, 413 with fp32.
    CHECK(time({}) < 0.65 * time({"features.half_mac=false"}));
}
