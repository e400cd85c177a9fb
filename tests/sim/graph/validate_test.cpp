// SPDX-License-Identifier: Apache-2.0
// One legal graph per group of operators, and one graph per rule that breaks this rule only.
#include "sim/graph/validate/validate.h"

#include <functional>

#include "isa/errors.h"
#include "isa/fault.h"
#include "sim/graph/builder.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

using Build = std::function<void(GraphBuilder&)>;
using Indices = std::vector<TensorIndex>;

/// Message of the refusal, or "legal".
std::string verdict(const Build& build, const ValidationOptions& options = {}) {
    GraphBuilder builder;
    build(builder);
    try {
        validate_graph(builder.finish(), options);
    } catch (const ProgramFault& fault) {
        CHECK(fault.record().code == FaultCode::kIllegalGraph);
        return fault.what();
    }
    return "legal";
}

void expect(const Build& build, const std::string& text) {
    const std::string found = verdict(build);
    INFO(found);
    CHECK(found.find(text) != std::string::npos);
}

constexpr DType kF32 = DType::kFp32;
constexpr DType kI32 = DType::kI32;
constexpr DType kI8 = DType::kI8;
const NoAttributes kNone;

/// Parameters of a CONV2D that is legal as it stands: 5x5 input, 3x3 kernel, stride 2, no padding:
/// (5 - 1 - 2) / 2 + 1 = 2.
struct Conv {
    Shape input{1, 5, 5, 4};
    Shape weight{6, 3, 3, 4};
    Shape bias{6};
    Shape output{1, 2, 2, 6};
    Conv2dAttributes attributes{{0, 0, 0, 0}, {2, 2}, {1, 1}, false, DType::kI32};
    DType in = kI8;
    std::int64_t input_zp = 5;

    void operator()(GraphBuilder& b) const {
        const bool is_real = is_floating_point(in);
        const DType out = is_real ? kF32 : kI32;
        const auto one = [&](std::int64_t value) {
            return is_real ? b.constant({1}, {static_cast<float>(value)})
                           : b.constant(in, {1}, {value});
        };
        b.output(b.add(OpCode::kConv2d, attributes,
                       {b.input(in, input), b.input(in, weight), b.input(out, bias), one(input_zp),
                        one(0)},
                       out, output));
    }
};

template <typename Change>
Conv conv(Change&& change) {
    Conv result;
    change(result);
    return result;
}

TEST_CASE("CONV2D rules") {
    expect(Conv{}, "legal");
    expect(conv([](Conv& c) { c.bias = {1}; }), "legal");
    expect(conv([](Conv& c) { c.bias = {2}; }), "BC != OC && BC != 1");
    expect(conv([](Conv& c) { c.attributes.pad[1] = -1; }), "pad < 0");
    expect(conv([](Conv& c) { c.attributes.stride[1] = 0; }), "stride_x < 1");
    expect(conv([](Conv& c) { c.attributes.dilation[0] = 0; }), "dilation_y < 1");
    expect(conv([](Conv& c) { c.attributes.pad[0] = 1; }), "% stride_y != 0");
    expect(conv([](Conv& c) { c.output[2] = 3; }), "OW != idiv_check");
    expect(conv([](Conv& c) { c.output[3] = 7; }), "OC = 6");
    expect(conv([](Conv& c) { c.output[0] = 2; }), "N = 1");
    expect(conv([](Conv& c) { c.weight[3] = 3; }), "IC = 4");
    expect(conv([](Conv& c) { c.attributes.acc_type = DType::kI48; }), "acc_type = i48_t");
    expect(conv([](Conv& c) { c.attributes.pad[3] = 8193; }), "LEVEL_CHECK(pad <= MAX_KERNEL)");
    expect(conv([](Conv& c) { c.attributes.stride[0] = 8193; }), "stride_y <= MAX_STRIDE");
    expect(conv([](Conv& c) { c.attributes.dilation[1] = 3000; }), "dilation_x * KW");
    const auto real = [](std::int64_t zero_point) {
        return conv([zero_point](Conv& c) {
            c.in = kF32;
            c.attributes.acc_type = kF32;
            c.input_zp = zero_point;
        });
    };
    expect(real(0), "legal");
    expect(real(2), "input_zp = 2 violates: ERROR_IF(zero point only for int8_t");
    expect(real(2), "operator 2 CONV2D");
    expect(real(2), "section 2.3.3");
}

Build pool(AvgPool2dAttributes a, Shape output = {1, 4, 4, 3}) {
    return [=](GraphBuilder& b) {
        const auto zp = b.constant(kI8, {1}, {0});
        b.output(b.add(OpCode::kAvgPool2d, a, {b.input(kI8, {1, 4, 4, 3}), zp, zp}, kI8, output));
    };
}

TEST_CASE("pooling rules") {
    const DType acc = kI32;
    expect(pool({{3, 3}, {1, 1}, {1, 1, 1, 1}, acc}), "legal");
    expect(pool({{0, 1}, {1, 1}, {0, 0, 0, 0}, acc}), "kernel_y < 1");
    expect(pool({{1, 1}, {0, 1}, {0, 0, 0, 0}, acc}), "stride_y < 1");
    expect(pool({{3, 3}, {1, 1}, {-1, 1, 1, 1}, acc}), "pad_top < 0");
    expect(pool({{3, 3}, {1, 1}, {1, 1, 3, 1}, acc}), "pad_right >= kernel_x");
    expect(pool({{3, 3}, {1, 1}, {1, 1, 1, 1}, acc}, {1, 4, 5, 3}), "OW != idiv_check");
    expect(pool({{3, 3}, {2, 1}, {1, 1, 1, 1}, acc}), "% stride_y != 0");
    expect(pool({{3, 3}, {1, 1}, {1, 1, 1, 1}, acc}, {1, 4, 4, 2}), "C = 3");
    expect(pool({{8193, 1}, {1, 1}, {0, 0, 0, 0}, acc}), "kernel <= MAX_KERNEL");
    expect(pool({{3, 3}, {1, 1}, {1, 1, 1, 1}, kF32}), "acc_type = fp32_t");
}

/// An operator on constant-free inputs of one type.
Build simple(OpCode op, Attributes attributes, std::vector<Shape> inputs, DType type, Shape output,
             std::optional<DType> out_type = {}) {
    return [=](GraphBuilder& b) {
        Indices indices;
        for (const Shape& shape : inputs) indices.push_back(b.input(type, shape));
        b.output(b.add(op, attributes, indices, out_type.value_or(type), output));
    };
}

TEST_CASE("other rules of tensor operators") {
    expect(simple(OpCode::kArgmax, ArgmaxAttributes{1, {}}, {{2, 3, 4}}, kF32, {2, 4}, kI32),
           "legal");
    expect(simple(OpCode::kArgmax, ArgmaxAttributes{3, {}}, {{2, 3, 4}}, kF32, {2, 4}, kI32),
           "axis >= rank(shape1)");
    expect(simple(OpCode::kArgmax, ArgmaxAttributes{0, {}}, {{2, 3, 4}}, kF32, {2, 4}, kI32),
           "flatten(left_shape, right_shape) != shape");
    expect(simple(OpCode::kArgmax, ArgmaxAttributes{0, {}}, {{2, 1, 1, 1, 1, 1, 1}}, kF32,
                  {1, 1, 1, 1, 1, 1}, kI32),
           "LEVEL_CHECK(rank(input) <= MAX_RANK)");
    const auto fft = [](Shape real, Shape imag, Shape out) {
        return [=](GraphBuilder& b) {
            const Indices outputs{b.tensor(kF32, out), b.tensor(kF32, out)};
            b.add_with_outputs(OpCode::kFft2d, Fft2dAttributes{},
                               {b.input(kF32, real), b.input(kF32, imag)}, outputs);
            b.output(outputs[0]);
        };
    };
    expect(fft({1, 4, 8}, {1, 4, 8}, {1, 4, 8}), "legal");
    expect(fft({1, 4, 6}, {1, 4, 6}, {1, 4, 6}), "!power_of_two(W)");
    expect(fft({1, 4, 8}, {1, 4, 4}, {1, 4, 8}), "the shape of");
    expect(fft({1, 1, 16384}, {1, 1, 16384}, {1, 1, 16384}), "W <= MAX_KERNEL");
    const auto matmul = [](Shape b_shape, Shape out, DType zp_type) {
        return [=](GraphBuilder& b) {
            const auto zp = b.constant(zp_type, {1}, {1});
            b.output(b.add(OpCode::kMatmul, kNone,
                           {b.input(kI8, {2, 3, 4}), b.input(kI8, b_shape), zp, zp}, kI32, out));
        };
    };
    expect(matmul({2, 4, 5}, {2, 3, 5}, kI8), "legal");
    expect(matmul({2, 5, 5}, {2, 3, 5}, kI8), "C = 4");
    expect(matmul({1, 4, 5}, {2, 3, 5}, kI8), "N = 2");
    expect(matmul({2, 4, 5}, {2, 3, 4}, kI8), "W = 5");
    expect(matmul({2, 4, 5}, {2, 3, 5}, kI32), "no row has this type of A_zp");
}

TEST_CASE("TRANSPOSE_CONV2D rules") {
    const auto build = [](std::array<std::int32_t, 4> pad, std::array<std::int32_t, 2> stride,
                          Shape out) {
        return [=](GraphBuilder& b) {
            const auto zp = b.constant(kI8, {1}, {0});
            b.output(b.add(OpCode::kTransposeConv2d,
                           TransposeConv2dAttributes{pad, stride, false, kI32},
                           {b.input(kI8, {1, 4, 4, 2}), b.input(kI8, {3, 3, 3, 2}),
                            b.input(kI32, {1}), zp, zp},
                           kI32, out));
        };
    };
    // (4 - 1) * 2 + pads + 3 = 9 + pads
    expect(build({0, 0, -2, 1}, {2, 2}, {1, 9, 8, 3}), "legal");
    expect(build({-3, 0, 0, 0}, {2, 2}, {1, 6, 9, 3}), "out_pad <= -KH");
    expect(build({0, 0, 0, 0}, {2, 0}, {1, 9, 3, 3}), "stride_x < 1");
    expect(build({0, 0, 0, 0}, {2, 2}, {1, 9, 8, 3}), "OW != (IW - 1) * stride_x");
    expect(build({0, 0, 9000, 0}, {2, 2}, {1, 9, 9009, 3}), "out_pad <= MAX_KERNEL");
}

TEST_CASE("elementwise rules") {
    expect(simple(OpCode::kAdd, kNone, {{2, 1, 3}, {1, 4, 3}}, kI32, {2, 4, 3}), "legal");
    expect(simple(OpCode::kAdd, kNone, {{}, {}}, kI32, {}), "legal");
    expect(simple(OpCode::kAdd, kNone, {{2, 3}, {3}}, kI32, {2, 3}), "rank(shape1) != rank(shape2)");
    expect(simple(OpCode::kAdd, kNone, {{2, 3}, {2, 2}}, kI32, {2, 3}), "at dimension 1 of [2,3]");
    expect(simple(OpCode::kAdd, kNone, {{2, 3}, {2, 1}}, kI32, {2, 4}), "which is [2,3]");
    expect(simple(OpCode::kAdd, kNone, {{2, 3}}, kI32, {2, 3}), "it takes 2");
    expect(simple(OpCode::kAdd, kNone, {{2}, {2}}, kI8, {2}), "no row has this type of input1");
    expect(simple(OpCode::kExp, kNone, {{2}}, kF32, {3}), "the shape of");
    expect(simple(OpCode::kEqual, kNone, {{2}, {2}}, kF32, {2}), "no row has this type of output");
    expect(simple(OpCode::kAbs, kNone, {{1, 1, 1, 1, 1, 1, 1}}, kF32, {1, 1, 1, 1, 1, 1, 1}),
           "LEVEL_CHECK");
    const auto clamp = [](std::uint8_t min_exponent, std::uint8_t max_exponent, std::uint32_t size) {
        ClampAttributes a;
        a.min_val = {{0, 0, 0, min_exponent}, size};
        a.max_val = {{0, 0, 0, max_exponent}, size};
        return simple(OpCode::kClamp, a, {{2}}, kF32, {2});
    };
    expect(clamp(0x3F, 0x40, 4), "legal");  // 0.5 and 2
    expect(clamp(0x40, 0x3F, 4), "max_val < min_val");
    expect(clamp(0x3F, 0x40, 3), "not an element of the input's data type");
    ClampAttributes nan;
    nan.min_val = {{0, 0, 0xC0, 0x7F}, 4};
    nan.max_val = {{0, 0, 0x80, 0x7F}, 4};
    expect(simple(OpCode::kClamp, nan, {{2}}, kF32, {2}), "isNaN(min_val)");
    const auto table = [](std::int64_t size) {
        return [=](GraphBuilder& b) {
            b.output(b.add(OpCode::kTable, kNone, {b.input(kI8, {3}), b.input(kI8, {size})}, kI8,
                           {3}));
        };
    };
    expect(table(256), "legal");
    expect(table(255), "TABLE_SIZE = 256");
    const auto select = [](Shape condition) {
        return [=](GraphBuilder& b) {
            b.output(b.add(OpCode::kSelect, kNone,
                           {b.input(DType::kBool, condition), b.input(kF32, {2, 1}),
                            b.input(kF32, {1, 3})},
                           kF32, {2, 3}));
        };
    };
    expect(select({1, 1}), "legal");
    expect(select({2, 2}), "at dimension 1");
    const auto negate = [](std::int64_t zp) {
        return [=](GraphBuilder& b) {
            const auto zero = b.constant(kI32, {1}, {zp});
            b.output(b.add(OpCode::kNegate, kNone, {b.input(kI32, {2}), zero, zero}, kI32, {2}));
        };
    };
    expect(negate(0), "legal");
    expect(negate(-1), "input1_zp = -1");
}

TEST_CASE("reduction rules") {
    const auto reduce = [](std::int32_t axis, Shape out) {
        return simple(OpCode::kReduceSum, ReduceSumAttributes{axis}, {{2, 3, 4}}, kF32, out);
    };
    expect(reduce(1, {2, 1, 4}), "legal");
    expect(reduce(-1, {2, 1, 4}), "axis < 0");
    expect(reduce(3, {2, 1, 4}), "axis >= rank(shape1)");
    expect(reduce(1, {2, 3, 4}), "shape[axis] != 1");
    expect(reduce(1, {2, 1, 5}), "shape1[i] = 4");
    expect(reduce(1, {2, 1}), "rank(shape1) != rank(shape)");
}

Build with_lists(OpCode op, DType type, Shape input, std::vector<std::vector<std::int64_t>> lists,
                 Shape output) {
    return [=](GraphBuilder& b) {
        Indices inputs{b.input(type, input)};
        for (const auto& list : lists) inputs.push_back(b.shape_value(list));
        if (op == OpCode::kPad) inputs.push_back(b.constant(type, {1}, {0}));
        b.output(b.add(op, NoAttributes{}, inputs, type, output));
    };
}

TEST_CASE("data layout rules") {
    const auto pad = [](std::vector<std::int64_t> list, Shape out) {
        return with_lists(OpCode::kPad, kI8, {2, 3}, {std::move(list)}, std::move(out));
    };
    expect(pad({1, 0, 2, 1}, {3, 6}), "legal");
    expect(pad({-1, 0, 2, 1}, {1, 6}), "padding[i * 2] < 0");
    expect(pad({1, 0, 2, 1}, {3, 5}), "shape[i] != padding[i * 2]");
    expect(pad({1, 0, 2}, {3, 6}), "2*rank(shape1) = 4");
    expect(pad({1, 0, 2, 1}, {3, 6, 1}), "rank(shape1) != rank(shape)");
    const auto reshape = [](std::vector<std::int64_t> list, Shape out) {
        return with_lists(OpCode::kReshape, kI8, {2, 3}, {std::move(list)}, std::move(out));
    };
    expect(reshape({6}, {6}), "legal");
    expect(reshape({7}, {7}), "tensor_size(shape1) != tensor_size(shape)");
    expect(reshape({1, 6}, {6}), "rank(shape) = 1");
    expect(reshape({3, 2}, {6, 1}), "shape is not the output's");
    expect(reshape({std::int64_t{1} << 31}, {6}), "tensor_size_t");
    const auto slice = [](std::vector<std::int64_t> start, std::vector<std::int64_t> size,
                          Shape out) {
        return with_lists(OpCode::kSlice, kI8, {4, 5}, {std::move(start), std::move(size)},
                          std::move(out));
    };
    expect(slice({1, 2}, {3, 3}, {3, 3}), "legal");
    expect(slice({-1, 2}, {3, 3}, {3, 3}), "start[index] < 0");
    expect(slice({1, 2}, {0, 3}, {1, 3}), "size[index] <= 0");
    expect(slice({1, 3}, {3, 3}, {3, 3}), "start[index] + size[index] > shape1[index]");
    expect(slice({1, 2}, {3, 3}, {3, 2}), "shape[index] != size[index]");
    expect(slice({1}, {3, 3}, {3, 3}), "rank(shape1) = 2");
    const auto tile = [](std::vector<std::int64_t> list, Shape out) {
        return with_lists(OpCode::kTile, kI8, {2, 3}, {std::move(list)}, std::move(out));
    };
    expect(tile({2, 1}, {4, 3}), "legal");
    expect(tile({2, 2}, {4, 3}), "shape1[i] * multiples[i] != shape[i]");
    const auto transpose = [](std::vector<std::int32_t> perms, Shape out) {
        return simple(OpCode::kTranspose, TransposeAttributes{std::move(perms)}, {{2, 3, 4}}, kI8,
                      std::move(out));
    };
    expect(transpose({2, 0, 1}, {4, 2, 3}), "legal");
    expect(transpose({2, 0, 3}, {4, 2, 3}), "index >= rank(shape1)");
    expect(transpose({2, 0, 0}, {4, 2, 3}), "indexes_used");
    expect(transpose({2, 0, 1}, {4, 3, 2}), "shape1[perms[i]] != shape[i]");
    expect(transpose({1, 0}, {3, 2, 4}), "length(perms)");
    expect(simple(OpCode::kReverse, ReverseAttributes{2}, {{2, 3}}, kI8, {2, 3}),
           "axis >= rank(shape)");
    const auto concat = [](std::vector<Shape> inputs, Shape out) {
        return simple(OpCode::kConcat, ConcatAttributes{1}, std::move(inputs), kI8, std::move(out));
    };
    expect(concat({{2, 3}, {2, 1}}, {2, 4}), "legal");
    expect(concat({{2, 3}, {2, 1}}, {2, 5}), "axis_sum != shape[axis]");
    expect(concat({{2, 3}, {3, 1}}, {2, 4}), "!= shapes1[0][axis_index]");
    expect(concat({{2, 3}, {2}}, {2, 4}), "rank(shapes1[shape_index])");
    expect(concat({}, {2, 4}), "it takes 1 or more");
    expect(concat(std::vector<Shape>(65, Shape{2, 1}), {2, 65}), "MAX_TENSOR_LIST_SIZE");
}

TEST_CASE("GATHER and SCATTER shapes") {
    const auto gather = [](Shape indices, Shape out) {
        return [=](GraphBuilder& b) {
            b.output(b.add(OpCode::kGather, kNone,
                           {b.input(kF32, {2, 5, 3}), b.input(kI32, indices)}, kF32, out));
        };
    };
    expect(gather({2, 4}, {2, 4, 3}), "legal");
    expect(gather({1, 4}, {2, 4, 3}), "N = 2");
    expect(gather({2, 4}, {2, 5, 3}), "W = 4");
    expect(gather({2, 4}, {2, 4, 2}), "C = 3");
}

TEST_CASE("RESIZE rules") {
    using List = std::vector<std::int64_t>;
    const auto resize = [](List scale, List offset, List border, Shape out,
                           ResizeMode mode = ResizeMode::kBilinear) {
        return [=](GraphBuilder& b) {
            b.output(b.add(OpCode::kResize, ResizeAttributes{mode},
                           {b.input(kF32, {1, 4, 4, 2}), b.shape_value(scale),
                            b.shape_value(offset), b.shape_value(border)},
                           kF32, out));
        };
    };
    // (4 - 1) * 4 - (-1) + 1 = 14, / 2 + 1 = 8
    const Shape out{1, 8, 8, 2};
    expect(resize({4, 2, 4, 2}, {-1, -1}, {1, 1}, out), "legal");
    expect(resize({4, 2, 4, 2}, {-1, -1}, {1, 1}, out, ResizeMode::kUnknown), "resize_mode_t");
    expect(resize({0, 2, 4, 2}, {-1, -1}, {1, 1}, out), "scale_y_n <= 0");
    expect(resize({4, 2, 4, 0}, {-1, -1}, {1, 1}, out), "scale_x_d <= 0");
    expect(resize({2049, 2, 4, 2}, {-1, -1}, {1, 1}, out), "scale_y_n > (1 << 11)");
    expect(resize({514, 2, 4, 2}, {-1, -1}, {1, 1}, out), "<= MAX_SCALE");
    expect(resize({1, 16, 4, 2}, {-1, -1}, {1, 1}, out), "scale_y_d >= 16 * scale_y_n");
    expect(resize({4, 2, 4, 2}, {-5, -1}, {1, 1}, out), "offset_y < -scale_y_n");
    expect(resize({4, 2, 4, 2}, {-1, 64}, {1, 1}, out), "offset_x >= 16 * scale_x_n");
    expect(resize({4, 2, 4, 2}, {-1, -1}, {-65, 1}, out), "border_y < -16 * scale_y_n");
    expect(resize({4, 2, 4, 2}, {-1, -1}, {1, 4}, out), "border_x >= scale_x_n");
    expect(resize({4, 2, 4, 2}, {0, -1}, {1, 1}, out), "% scale_y_d != 0");
    expect(resize({4, 2, 4, 2}, {-1, -1}, {1, 1}, {1, 7, 8, 2}), "OH != idiv_check");
    expect(resize({4, 2, 4, 2}, {-1, -1}, {1, 1}, {1, 8, 8, 3}), "C = 2");
    expect(resize({4, 2, 4}, {-1, -1}, {1, 1}, out), "is 4 = 4");
    expect(simple(OpCode::kCast, kNone, {{2}}, DType::kI48, {2}, kI32), "no row");
}

struct Rescale {
    RescaleAttributes attributes{true, RoundingMode::kSingleRound, false, false, false};
    DType in = kI8;
    DType out = kI8;
    Shape shape{2, 3};
    std::int64_t channels = 1;
    std::int64_t input_zp = 0;
    std::int64_t output_zp = 0;

    void operator()(GraphBuilder& b) const {
        const std::vector<std::int64_t> ones(static_cast<std::size_t>(channels), 1);
        const auto x = b.input(in, shape);
        const auto multiplier =
            b.constant(attributes.scale32 ? kI32 : DType::kI16, {channels}, ones);
        const auto shift = b.constant(kI8, {channels}, ones);
        b.output(b.add(OpCode::kRescale, attributes,
                       {x, multiplier, shift, b.constant(in, {1}, {input_zp}),
                        b.constant(out, {1}, {output_zp})},
                       out, shape));
    }
};

template <typename Change>
Rescale rescale(Change&& change) {
    Rescale result;
    change(result);
    return result;
}

TEST_CASE("RESCALE rules") {
    const DType i16 = DType::kI16;
    const DType i48 = DType::kI48;
    expect(Rescale{}, "legal");
    expect(rescale([](Rescale& r) { r.input_zp = -128, r.output_zp = 127; }), "legal");
    expect(rescale([&](Rescale& r) { r.in = i16, r.input_zp = 1; }), "input_zp != 0");
    expect(rescale([&](Rescale& r) { r.out = kI32, r.output_zp = 1; }), "output_zp != 0");
    const auto unsigned_input = [&](std::int64_t zp) {
        return rescale([=](Rescale& r) {
            r.in = i16, r.attributes.input_unsigned = true, r.input_zp = zp;
        });
    };
    expect(unsigned_input(-32768), "legal");  // the bits of 32768
    expect(unsigned_input(5), "input_zp != 32768");
    expect(rescale([&](Rescale& r) { r.in = i48; }), "scale32 && is_same<in_t,i48_t>()");
    expect(rescale([&](Rescale& r) {
               r.attributes.scale32 = false, r.attributes.rounding_mode = RoundingMode::kDoubleRound;
           }),
           "DOUBLE_ROUND");
    expect(rescale([&](Rescale& r) { r.attributes.rounding_mode = RoundingMode::kUnknown; }),
           "rounding_mode_t");
    expect(rescale([&](Rescale& r) {
               r.attributes.input_unsigned = r.attributes.output_unsigned = true;
           }),
           "input_unsigned && output_unsigned");
    expect(rescale([&](Rescale& r) { r.out = kI32, r.attributes.input_unsigned = true; }),
           "is_same<out_t,i32_t>() && input_unsigned");
    expect(rescale([&](Rescale& r) { r.in = kI32, r.attributes.output_unsigned = true; }),
           "is_same<in_t,i32_t>() && output_unsigned");
    expect(rescale([&](Rescale& r) {
               r.in = i48, r.attributes.scale32 = false, r.attributes.output_unsigned = true;
           }),
           "is_same<in_t,i48_t>() && output_unsigned");
    expect(rescale([&](Rescale& r) {
               r.in = i48, r.attributes.scale32 = false, r.attributes.input_unsigned = true;
           }),
           "is_same<in_t, i48_t> && input_unsigned");
    expect(rescale([&](Rescale& r) { r.in = kI32, r.attributes.input_unsigned = true; }),
           "is_same<in_t, i32_t> && input_unsigned");
    expect(rescale([&](Rescale& r) { r.out = kI32, r.attributes.output_unsigned = true; }),
           "is_same<out_t, i32_t> && output_unsigned");
    expect(rescale([&](Rescale& r) { r.shape = {}, r.attributes.per_channel = true; }),
           "per_channel && rank(input) < 1");
    expect(rescale([&](Rescale& r) { r.channels = 3, r.attributes.per_channel = true; }), "legal");
    expect(rescale([&](Rescale& r) { r.channels = 2, r.attributes.per_channel = true; }), "NC = ");
    expect(rescale([&](Rescale& r) { r.channels = 3; }), "NC = 1");
}

TEST_CASE("rules of tensors and of the graph") {
    expect(simple(OpCode::kAbs, kNone, {{0}}, kF32, {0}), "at least 1");
    expect(simple(OpCode::kAbs, kNone, {{-2}}, kF32, {-2}), "at least 1");
    expect(simple(OpCode::kIdentity, kNone, {{65536, 32768}}, kI8, {65536, 32768}), "below 2^31");
    expect(simple(OpCode::kAbs, kNone, {{2}}, DType::kUnknown, {2}), "has a data type");
    expect([](GraphBuilder& b) { b.output(b.shape_value({1})); }, "shape_t");
    expect([](GraphBuilder& b) { b.output(b.constant(DType::kI4, {2}, {7, -7})); }, "legal");
    expect([](GraphBuilder& b) { b.output(b.constant(DType::kI4, {2}, {7, -8})); }, "int4_t");
    expect(
        [](GraphBuilder& b) {
            b.output(b.add(OpCode::kReshape, kNone,
                           {b.input(kI8, {2}), b.input(DType::kShape, {1})}, kI8, {2}));
        },
        "shape_t");
}

/// WHILE_LOOP over {counter, value}; the changes break one list.
Build loop(DType condition_type, Shape condition_shape, Shape body_input, Shape body_output) {
    return [=](GraphBuilder& b) {
        const SubGraph cond{b.begin_block("cond"), {}};
        const auto x = b.input(kI32, {});
        b.input(kI32, {2});
        if (condition_type == DType::kBool && condition_shape.empty()) {
            b.output(b.add(OpCode::kGreater, kNone, {x, x}, DType::kBool, {}));
        } else {
            b.output(b.constant(condition_type, condition_shape,
                                std::vector<std::int64_t>(*element_count(condition_shape))));
        }
        const SubGraph body{b.begin_block("body"), {}};
        b.output(b.input(kI32, {}));
        const auto value = b.input(kI32, body_input);
        b.output(body_input == body_output
                     ? value
                     : b.constant(kI32, body_output,
                                  std::vector<std::int64_t>(*element_count(body_output))));
        b.select_block({0, 0});
        const Indices outputs{b.tensor(kI32, {}), b.tensor(kI32, {2})};
        b.add_with_outputs(OpCode::kWhileLoop, WhileLoopAttributes{cond, body},
                           {b.input(kI32, {}), b.input(kI32, {2})}, outputs);
        b.output(outputs[1]);
    };
}

TEST_CASE("control flow rules") {
    const DType boolean = DType::kBool;
    expect(loop(boolean, {}, {2}, {2}), "legal");
    expect(loop(boolean, {1}, {2}, {2}), "legal");
    expect(loop(boolean, {2}, {2}, {2}), "tensor_size(tosa_output_shape(cond_graph)) != 1");
    expect(loop(kI32, {}, {2}, {2}), "tosa_output_type(cond_graph) != bool_t");
    expect(loop(boolean, {}, {3}, {2}), "tosa_input_shape(body_graph)");
    expect(loop(boolean, {}, {2}, {3}), "tosa_output_shape(body_graph)");
    const auto cond_if = [](Shape condition, Shape then_input, Shape else_output) {
        return [=](GraphBuilder& b) {
            const SubGraph then_graph{b.begin_block("then"), {}};
            b.input(kI32, then_input);
            b.output(b.constant(kI32, {2}, {1, 2}));
            const SubGraph else_graph{b.begin_block("else"), {}};
            b.input(kI32, {2});
            b.output(b.constant(kI32, else_output, {1, 2}));
            b.select_block({0, 0});
            b.output(b.add(OpCode::kCondIf, CondIfAttributes{then_graph, else_graph},
                           {b.input(DType::kBool, condition), b.input(kI32, {2})}, kI32, {2}));
        };
    };
    expect(cond_if({1, 1}, {2}, {2}), "legal");
    expect(cond_if({2}, {2}, {2}), "tensor_size(shape) != 1");
    expect(cond_if({}, {3}, {2}), "tosa_input_shape(then_graph)");
    expect(cond_if({}, {2}, {1, 2}), "tosa_output_shape(else_graph)");
}

TEST_CASE("variable rules") {
    const auto variable = [](DType type, Shape read_shape) {
        return [=](GraphBuilder& b) {
            const auto v = b.variable("v", type, {2}, std::vector<std::byte>(8));
            b.output(b.add(OpCode::kVariableRead, VariableAttributes{v}, {}, type, read_shape));
        };
    };
    expect(variable(kF32, {2}), "legal");
    expect(variable(kF32, {3}), "variable_tensor.shape == shape");
    expect(variable(kI32, {2}), "no row has this type of output1");
}

TEST_CASE("profiles, extensions and compile-time constants") {
    const auto options = [](std::initializer_list<Feature> features) {
        ValidationOptions result;
        result.features = 0;
        for (const Feature feature : features) result.features |= feature_bit(feature);
        return result;
    };
    const Build fp16 = simple(OpCode::kAbs, kNone, {{2}}, DType::kFp16, {2});
    const Build bf16 = simple(OpCode::kAbs, kNone, {{2}}, DType::kBf16, {2});
    CHECK(verdict(fp16, options({Feature::kProFp})) == "legal");
    CHECK(verdict(fp16, options({Feature::kProInt})).find("need PRO-FP") != std::string::npos);
    CHECK(verdict(bf16, options({Feature::kProFp})).find("EXT-BF16") != std::string::npos);
    // ADD of i32_t is in both profiles.
    const Build add = simple(OpCode::kAdd, kNone, {{2}, {2}}, kI32, {2});
    CHECK(verdict(add, options({Feature::kProInt})) == "legal");
    CHECK(verdict(add, options({Feature::kProFp})) == "legal");

    const Build dynamic = [](GraphBuilder& b) {
        const auto zp = b.input(kI8, {1});
        b.output(b.add(OpCode::kNegate, kNone, {b.input(kI8, {2}), zp, zp}, kI8, {2}));
    };
    CHECK(verdict(dynamic) == "legal");
    CHECK(verdict(dynamic, options({Feature::kProInt})).find("input1_zp") != std::string::npos);
    GraphBuilder builder;
    dynamic(builder);
    CHECK(required_features(builder.finish()) ==
          (feature_bit(Feature::kProInt) | feature_bit(Feature::kExtDynamic)));

    const Build inexact =
        rescale([](Rescale& r) { r.attributes.rounding_mode = RoundingMode::kInexactRound; });
    CHECK(verdict(inexact) == "legal");
    CHECK(verdict(inexact, options({Feature::kProInt})).find("EXT-INEXACTROUND") !=
          std::string::npos);
}

TEST_CASE("run-time zero points are checked by value") {
    GraphBuilder b;
    const auto zp = b.input(kF32, {1});
    b.output(b.add(OpCode::kNegate, kNone, {b.input(kF32, {2}), zp, zp}, kF32, {2}));
    const Graph graph = b.finish();
    const Operator& op = graph.main().operators[0];
    const auto value = [](std::uint8_t top) {
        return make_host_tensor(kF32, {1}, {std::byte{0}, std::byte{0}, std::byte{0},
                                            static_cast<std::byte>(top)});
    };
    CHECK_NOTHROW(validate_input_value(graph, graph.main(), op, 1, value(0)));
    CHECK_NOTHROW(validate_input_value(graph, graph.main(), op, 1, value(0x80)));  // -0.0
    CHECK_THROWS_AS(validate_input_value(graph, graph.main(), op, 1, value(0x40)), ProgramFault);
    CHECK_NOTHROW(validate_input_value(graph, graph.main(), op, 0, value(0x40)));
}

}  // namespace
}  // namespace okksim::sim::graph
