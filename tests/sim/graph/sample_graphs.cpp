// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/graph/sample_graphs.h"

#include "sim/graph/builder.h"

namespace okksim::tests {
namespace {

using namespace tosa;
using sim::graph::Graph;
using sim::graph::GraphBuilder;
using sim::graph::TensorIndex;

constexpr NoAttributes kNone{};
constexpr DType kF32 = DType::kFp32;

/// int8 convolution with int4 weights, rescaled, pooled and looked up in a table.
Graph quantised_graph() {
    GraphBuilder b;
    const auto x = b.input(DType::kI8, {1, 4, 4, 2});
    const auto weight = b.constant(DType::kI4, {3, 1, 1, 2}, {1, -2, 3, -4, 5, -6});
    const auto bias = b.constant(DType::kI32, {3}, {10, 20, 30});
    const auto zero8 = b.constant(DType::kI8, {1}, {0});
    const auto zero4 = b.constant(DType::kI4, {1}, {0});
    const auto zero32 = b.constant(DType::kI32, {1}, {0});
    const Conv2dAttributes conv{{0, 0, 0, 0}, {1, 1}, {1, 1}, false, DType::kI32};
    const auto y =
        b.add(OpCode::kConv2d, conv, {x, weight, bias, zero8, zero4}, DType::kI32, {1, 4, 4, 3});
    const RescaleAttributes rescale{true, RoundingMode::kSingleRound, true, false, false};
    const auto multiplier = b.constant(DType::kI32, {3}, {1 << 30, 1 << 29, 1 << 30});
    const auto shift = b.constant(DType::kI8, {3}, {33, 34, 35});
    const auto z = b.add(OpCode::kRescale, rescale, {y, multiplier, shift, zero32, zero8},
                         DType::kI8, {1, 4, 4, 3});
    const MaxPool2dAttributes pool{{2, 2}, {2, 2}, {0, 0, 0, 0}, NanPropagationMode::kPropagate};
    const auto p = b.add(OpCode::kMaxPool2d, pool, {z}, DType::kI8, {1, 2, 2, 3});
    std::vector<std::int64_t> entries;
    for (int i = 0; i < 256; ++i) entries.push_back(i - 128);
    const auto table = b.constant(DType::kI8, {256}, entries);
    const auto t = b.add(OpCode::kTable, kNone, {p, table}, DType::kI8, {1, 2, 2, 3});
    b.output(b.add(OpCode::kArgmax, ArgmaxAttributes{3, NanPropagationMode::kPropagate}, {t},
                   DType::kI32, {1, 2, 2}));
    return b.finish();
}

/// A chain of data layout operators.
Graph layout_graph() {
    GraphBuilder b;
    const auto x = b.input(DType::kI16, {2, 3, 4});
    const auto t =
        b.add(OpCode::kTranspose, TransposeAttributes{{2, 0, 1}}, {x}, DType::kI16, {4, 2, 3});
    const auto r = b.add(OpCode::kReverse, ReverseAttributes{1}, {t}, DType::kI16, {4, 2, 3});
    const auto fill = b.constant(DType::kI16, {1}, {7});
    const auto p = b.add(OpCode::kPad, kNone, {r, b.shape_value({0, 1, 1, 0, 0, 0}), fill},
                         DType::kI16, {5, 3, 3});
    const auto s =
        b.add(OpCode::kSlice, kNone, {p, b.shape_value({1, 0, 1}), b.shape_value({4, 3, 2})},
              DType::kI16, {4, 3, 2});
    const auto c = b.add(OpCode::kConcat, ConcatAttributes{2}, {s, s, s}, DType::kI16, {4, 3, 6});
    const auto m =
        b.add(OpCode::kTile, kNone, {c, b.shape_value({1, 2, 1})}, DType::kI16, {4, 6, 6});
    const auto indices = b.constant(DType::kI32, {4, 2}, {0, 5, 1, 1, 2, 3, 4, 0});
    const auto g = b.add(OpCode::kGather, kNone, {m, indices}, DType::kI16, {4, 2, 6});
    b.output(b.add(OpCode::kReshape, kNone, {g, b.shape_value({48})}, DType::kI16, {48}));
    const auto rows = b.constant(DType::kI32, {4, 2}, {0, 5, 1, 2, 2, 3, 4, 0});
    b.output(b.add(OpCode::kScatter, kNone, {m, rows, g}, DType::kI16, {4, 6, 6}));
    return b.finish();
}

/// Floating point: convolutions, resize, reductions, select, clamp, casts.
Graph float_graph() {
    GraphBuilder b;
    const auto x = b.input(kF32, {1, 4, 4, 2});
    const auto zero = b.constant({1}, {0.0F});
    const auto weight = b.constant({3, 3, 2, 1}, std::vector<float>(18, 0.5F));
    const auto bias = b.constant({2}, {1.0F, -1.0F});
    const DepthwiseConv2dAttributes depthwise{{1, 1, 1, 1}, {1, 1}, {1, 1}, false, kF32};
    const auto d = b.add(OpCode::kDepthwiseConv2d, depthwise, {x, weight, bias, zero, zero}, kF32,
                         {1, 4, 4, 2});
    const auto r =
        b.add(OpCode::kResize, ResizeAttributes{ResizeMode::kBilinear},
              {d, b.shape_value({2, 1, 2, 1}), b.shape_value({0, 0}), b.shape_value({0, 0})}, kF32,
              {1, 7, 7, 2});
    ClampAttributes clamp;
    clamp.min_val = {{0, 0, 128, 191}, 4};
    clamp.max_val = {{0, 0, 128, 63}, 4};
    clamp.nan_mode = NanPropagationMode::kIgnore;
    const auto c = b.add(OpCode::kClamp, clamp, {r}, kF32, {1, 7, 7, 2});
    const auto sum = b.add(OpCode::kReduceSum, ReduceSumAttributes{1}, {c}, kF32, {1, 1, 7, 2});
    const auto shift = b.constant(DType::kI8, {1}, {0});
    const auto product = b.add(OpCode::kMul, kNone, {c, sum, shift}, kF32, {1, 7, 7, 2});
    const auto mask = b.add(OpCode::kGreater, kNone, {product, sum}, DType::kBool, {1, 7, 7, 2});
    const auto selected = b.add(OpCode::kSelect, kNone, {mask, product, c}, kF32, {1, 7, 7, 2});
    const auto half = b.add(OpCode::kCast, kNone, {selected}, DType::kFp16, {1, 7, 7, 2});
    const AvgPool2dAttributes pool{{7, 7}, {1, 1}, {0, 0, 0, 0}, kF32};
    const auto zero16 = b.constant_bytes(DType::kFp16, {1}, std::vector<std::byte>(2));
    b.output(b.add(OpCode::kAvgPool2d, pool, {half, zero16, zero16}, DType::kFp16, {1, 1, 1, 2}));
    return b.finish();
}

/// A loop around a branch; both use values of the blocks around them.
Graph control_graph() {
    GraphBuilder b;
    const auto n = b.input(kF32, {1}, "n");
    const auto x = b.input(kF32, {3}, "x");
    b.input(kF32, {3}, "step");
    const BlockReference cond = b.begin_block("cond");
    const auto cn = b.input(kF32, {1});
    b.input(kF32, {3});
    b.output(b.add(OpCode::kGreater, kNone, {cn, b.constant({1}, {0.0F})}, DType::kBool, {1}));
    const BlockReference then_block = b.begin_block("then");
    const auto tx = b.input(kF32, {3});
    b.output(b.add(OpCode::kAdd, kNone, {tx, b.capture("step")}, kF32, {3}));
    const BlockReference else_block = b.begin_block("else");
    const auto ex = b.input(kF32, {3});
    b.output(ex);
    const BlockReference body = b.begin_block("body");
    const auto bn = b.input(kF32, {1});
    const auto bx = b.input(kF32, {3});
    const auto one = b.constant({1}, {1.0F});
    b.output(b.add(OpCode::kSub, kNone, {bn, one}, kF32, {1}));
    const auto odd = b.add(OpCode::kGreater, kNone, {bn, one}, DType::kBool, {1});
    b.output(b.add(OpCode::kCondIf, CondIfAttributes{{then_block, {}}, {else_block, {}}}, {odd, bx},
                   kF32, {3}));
    b.select_block({0, 0});
    const auto last = b.tensor(kF32, {1});
    const auto result = b.tensor(kF32, {3});
    b.add_with_outputs(OpCode::kWhileLoop, WhileLoopAttributes{{cond, {}}, {body, {}}}, {n, x},
                       {last, result});
    b.output(last);
    b.output(result);
    return b.finish();
}

/// States, a custom operator, a transform.
Graph state_graph() {
    GraphBuilder b;
    const auto x = b.input(kF32, {1, 2, 4}, "x");
    const std::uint32_t state =
        b.variable("state", kF32, {1, 2, 4}, std::vector<std::byte>(8 * sizeof(float)));
    const auto old = b.add(OpCode::kVariableRead, VariableAttributes{state}, {}, kF32, {1, 2, 4});
    const auto sum = b.add(OpCode::kAdd, kNone, {x, old}, kF32, {1, 2, 4});
    b.add_with_outputs(OpCode::kVariableWrite, VariableAttributes{state}, {sum}, {});
    const auto real = b.tensor(kF32, {1, 2, 3});
    const auto imaginary = b.tensor(kF32, {1, 2, 3});
    b.add_with_outputs(OpCode::kRfft2d, Rfft2dAttributes{false}, {sum}, {real, imaginary});
    b.output(real);
    b.output(imaginary);
    b.output(b.add(OpCode::kCustom, CustomAttributes{"thing", "example.org", {1, 2, 3}}, {sum},
                   kF32, {1, 2, 4}));
    return b.finish();
}

}  // namespace

std::vector<Graph> sample_graphs() {
    std::vector<Graph> graphs;
    graphs.push_back(quantised_graph());
    graphs.push_back(layout_graph());
    graphs.push_back(float_graph());
    graphs.push_back(control_graph());
    graphs.push_back(state_graph());
    return graphs;
}

}  // namespace okksim::tests
