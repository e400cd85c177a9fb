// SPDX-License-Identifier: Apache-2.0
// One legal graph per group of operators, and one graph per rule that breaks this rule only.
#include "tests/sim/graph/validate_support.h"

namespace okksim::sim::graph {
namespace {

/// Parameters of a legal CONV2D: 5x5 input, 3x3 kernel, stride 2, no padding: (5 - 1 - 2) / 2 + 1 =
/// 2.
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
        b.output(b.add(
            OpCode::kConv2d, attributes,
            {b.input(in, input), b.input(in, weight), b.input(out, bias), one(input_zp), one(0)},
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
    expect(real(2), "input_zp = 2; rule: ERROR_IF(zero point only for int8_t");
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
    expect(simple(OpCode::kAdd, kNone, {{2, 3}, {3}}, kI32, {2, 3}),
           "rank(shape1) != rank(shape2)");
    expect(simple(OpCode::kAdd, kNone, {{2, 3}, {2, 2}}, kI32, {2, 3}), "at dimension 1 of [2,3]");
    expect(simple(OpCode::kAdd, kNone, {{2, 3}, {2, 1}}, kI32, {2, 4}), "which is [2,3]");
    expect(simple(OpCode::kAdd, kNone, {{2, 3}}, kI32, {2, 3}), "it takes 2");
    expect(simple(OpCode::kAdd, kNone, {{2}, {2}}, kI8, {2}), "no row has this type of input1");
    expect(simple(OpCode::kExp, kNone, {{2}}, kF32, {3}), "the shape of");
    expect(simple(OpCode::kEqual, kNone, {{2}, {2}}, kF32, {2}), "no row has this type of output");
    expect(simple(OpCode::kAbs, kNone, {{1, 1, 1, 1, 1, 1, 1}}, kF32, {1, 1, 1, 1, 1, 1, 1}),
           "LEVEL_CHECK");
    const auto clamp = [](std::uint8_t min_exponent, std::uint8_t max_exponent,
                          std::uint32_t size) {
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
            b.output(
                b.add(OpCode::kTable, kNone, {b.input(kI8, {3}), b.input(kI8, {size})}, kI8, {3}));
        };
    };
    expect(table(256), "legal");
    expect(table(255), "TABLE_SIZE = 256");
    const auto select = [](Shape condition) {
        return [=](GraphBuilder& b) {
            b.output(b.add(
                OpCode::kSelect, kNone,
                {b.input(DType::kBool, condition), b.input(kF32, {2, 1}), b.input(kF32, {1, 3})},
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

}  // namespace
}  // namespace okksim::sim::graph
