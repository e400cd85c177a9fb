// SPDX-License-Identifier: Apache-2.0
// Continues validate_operator_test.cpp with sections 2.11 to 2.17 and the rules of tensors and
// graphs.
#include "tests/sim/graph/validate_support.h"

namespace okksim::sim::graph {
namespace {

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
        return rescale(
            [=](Rescale& r) { r.in = i16, r.attributes.input_unsigned = true, r.input_zp = zp; });
    };
    expect(unsigned_input(-32768), "legal");  // the bits of 32768
    expect(unsigned_input(5), "input_zp != 32768");
    expect(rescale([&](Rescale& r) { r.in = i48; }), "scale32 && is_same<in_t,i48_t>()");
    expect(rescale([&](Rescale& r) {
               r.attributes.scale32 = false,
               r.attributes.rounding_mode = RoundingMode::kDoubleRound;
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
    expect(variable(kI32, {2}), "no row of TOSA 1.0 has them");
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
        return make_host_tensor(
            kF32, {1}, {std::byte{0}, std::byte{0}, std::byte{0}, static_cast<std::byte>(top)});
    };
    CHECK_NOTHROW(validate_input_value(graph, graph.main(), op, 1, value(0)));
    CHECK_NOTHROW(validate_input_value(graph, graph.main(), op, 1, value(0x80)));  // -0.0
    CHECK_THROWS_AS(validate_input_value(graph, graph.main(), op, 1, value(0x40)), ProgramFault);
    CHECK_NOTHROW(validate_input_value(graph, graph.main(), op, 0, value(0x40)));
}

}  // namespace
}  // namespace okksim::sim::graph
