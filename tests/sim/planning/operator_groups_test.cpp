// SPDX-License-Identifier: Apache-2.0
// The operators that share a kernel.
#include "sim/planning/operator_groups.h"

#include <algorithm>
#include <cstring>

#include "kernels/pointwise/float_body.h"
#include "kernels/pointwise/fusion.h"
#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/graph_planner.h"
#include "sim/planning/machine_plan.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using namespace okksim::tosa;
using graph::GraphBuilder;
using graph::TensorIndex;
using planning::OperatorGroup;

constexpr DType kFp32 = DType::kFp32;
const graph::Shape kMap{1, 4, 4, 8};

ElementBytes fp32_element(float value) {
    ElementBytes element;
    std::memcpy(element.bytes.data(), &value, sizeof value);
    element.size = sizeof value;
    return element;
}

ElementBytes i8_element(std::int8_t value) {
    ElementBytes element;
    element.bytes[0] = static_cast<std::uint8_t>(value);
    element.size = 1;
    return element;
}

TensorIndex clamp(GraphBuilder& b, TensorIndex x) {
    return b.add(OpCode::kClamp,
                 ClampAttributes{fp32_element(0), fp32_element(6), NanPropagationMode::kPropagate},
                 {x}, kFp32, kMap);
}
TensorIndex unary(GraphBuilder& b, OpCode op, TensorIndex x) {
    return b.add(op, NoAttributes{}, {x}, kFp32, kMap);
}
TensorIndex multiply(GraphBuilder& b, TensorIndex x, TensorIndex y, std::int64_t shift = 0) {
    return b.add(OpCode::kMul, NoAttributes{}, {x, y, b.constant(DType::kI8, {1}, {shift})}, kFp32,
                 kMap);
}

/// A 1x1 convolution of 8 channels, i8 to i32 or fp32.
TensorIndex convolution(GraphBuilder& b, TensorIndex x, DType type) {
    const bool is_float = type == kFp32;
    const TensorIndex weights =
        is_float ? b.constant({8, 1, 1, 8}, std::vector<float>(64, 0.5F))
                 : b.constant(type, {8, 1, 1, 8}, std::vector(64, std::int64_t{3}));
    const DType sum = is_float ? kFp32 : DType::kI32;
    const TensorIndex bias = is_float ? b.constant({8}, std::vector<float>(8, 1.0F))
                                      : b.constant(sum, {8}, std::vector(8, std::int64_t{5}));
    const auto zero = [&] {
        return is_float ? b.constant({1}, {0.0F}) : b.constant(type, {1}, {0});
    };
    return b.add(OpCode::kConv2d, Conv2dAttributes{{0, 0, 0, 0}, {1, 1}, {1, 1}, false, sum},
                 {x, weights, bias, zero(), zero()}, sum, kMap);
}

TensorIndex rescale(GraphBuilder& b, TensorIndex x, std::int64_t shift,
                    std::int64_t zero_point = 0) {
    return b.add(OpCode::kRescale, RescaleAttributes{true, RoundingMode::kSingleRound, false},
                 {x, b.constant(DType::kI32, {1}, {1 << 30}), b.constant(DType::kI8, {1}, {shift}),
                  b.constant(DType::kI32, {1}, {zero_point}), b.constant(DType::kI8, {1}, {-3})},
                 DType::kI8, kMap);
}

std::vector<std::string> names_of_groups(GraphBuilder& b) {
    const graph::Graph graph = b.finish();
    graph::validate_graph(graph);
    std::vector<std::string> names;
    for (const OperatorGroup& group : planning::choose_groups(graph.main())) {
        std::vector<OpCode> followers;
        for (const planning::GroupMember& member : group.followers) {
            followers.push_back(graph.main().operators[member.op].op);
        }
        names.push_back(planning::group_name(graph.main().operators[group.first].op, followers));
    }
    return names;
}
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("the planner's list of fp32 operators is that of the kernels") {
    const Attributes attributes[] = {NoAttributes{},
                                     ClampAttributes{fp32_element(0), fp32_element(1)},
                                     MaximumAttributes{}, MinimumAttributes{}};
    const auto attributes_of = [&](OpCode op) -> const Attributes& {
        return op == OpCode::kClamp     ? attributes[1]
               : op == OpCode::kMaximum ? attributes[2]
               : op == OpCode::kMinimum ? attributes[3]
                                        : attributes[0];
    };
    for (int i = 1; i <= static_cast<int>(OpCode::kConstShape); ++i) {
        const auto op = static_cast<OpCode>(i);
        CAPTURE(op_name(op));
        CHECK(kernels::has_float_body(op) ==
              kernels::float_body(op, attributes_of(op), kFp32).has_value());
    }
}

TEST_CASE("a chain shares the kernel of its first operator") {
    GraphBuilder b;
    b.output(unary(b, OpCode::kTanh, clamp(b, convolution(b, b.input(kFp32, kMap), kFp32))));
    CHECK(names_of_groups(b) == Names{"CONV2D+CLAMP+TANH"});
}

TEST_CASE("a long group is named by its ends and the number of its operators") {
    std::vector<OpCode> followers(7, OpCode::kAdd);
    followers.push_back(OpCode::kMul);
    CHECK(planning::group_name(OpCode::kConv2d, followers) ==
          "CONV2D+ADD+ADD+ADD+ADD+ADD+ADD+ADD+MUL");
    // One operator more than a name lists: the first one and nine that follow it.
    followers.push_back(OpCode::kTanh);
    CHECK(planning::group_name(OpCode::kConv2d, followers) == "CONV2D..TANH (10 operators)");
}

TEST_CASE("a value may be read twice within a group") {
    GraphBuilder b;
    const TensorIndex sum = convolution(b, b.input(kFp32, kMap), kFp32);
    b.output(multiply(b, sum, unary(b, OpCode::kSigmoid, sum)));
    CHECK(names_of_groups(b) == Names{"CONV2D+SIGMOID+MUL"});
}

TEST_CASE("graphs are refused by name on machines that their kernels do not fit") {
    GraphBuilder b;
    const TensorIndex x = b.input(kFp32, kMap);
    b.output(unary(b, OpCode::kAbs, x));
    const graph::Graph graph = b.finish();
    const auto plan = [&](const std::vector<std::string>& settings) {
        planning::plan_for_machine(graph, load_machine("bm1684", settings));
    };
    const auto vector = [](int words) {
        return std::vector<std::string>{
            "chip.vector_words=" + std::to_string(words),
            "chip.local_memory_bytes=" + std::to_string(words * 4 * 8 * 512)};
    };
    for (const int words : {4, 12, 20}) CHECK_NOTHROW(plan(vector(words)));
    for (const int words : {1, 2, 3, 5, 6, 33}) {
        CHECK_THROWS_WITH(plan(vector(words)), Catch::Contains("chip.vector_words") &&
                                                   Catch::Contains("is not a multiple of 4"));
    }
    // 16 rows of four bytes for each of 64 lanes; 128 lanes need twice that.
    CHECK_NOTHROW(plan({"l2.bytes=4096"}));
    CHECK_THROWS_WITH(plan({"l2.bytes=4096", "chip.lanes=128"}),
                      Catch::Contains("l2.bytes") && Catch::Contains("less than 8192"));
}

TEST_CASE("values that others read are stored") {
    GraphBuilder b;
    SECTION("by the host") {
        const TensorIndex sum = convolution(b, b.input(kFp32, kMap), kFp32);
        b.output(clamp(b, sum));
        b.output(sum);
        CHECK(names_of_groups(b).empty());
    }
    SECTION("by an operator outside") {
        const TensorIndex sum = convolution(b, b.input(kFp32, kMap), kFp32);
        b.output(clamp(b, sum));
        b.output(b.add(OpCode::kReverse, ReverseAttributes{1}, {sum}, kFp32, kMap));
        CHECK(names_of_groups(b).empty());
    }
    SECTION("but what is before them is not") {
        const TensorIndex shared = clamp(b, convolution(b, b.input(kFp32, kMap), kFp32));
        b.output(unary(b, OpCode::kTanh, shared));
        b.output(b.add(OpCode::kReverse, ReverseAttributes{1}, {shared}, kFp32, kMap));
        CHECK(names_of_groups(b) == Names{"CONV2D+CLAMP"});
    }
    SECTION("by another block") {
        const TensorIndex which = b.input(DType::kBool, {1});
        const TensorIndex sum = b.tensor(kFp32, kMap, "sum");
        b.add_with_outputs(OpCode::kExp, NoAttributes{}, {b.input(kFp32, kMap)}, {sum});
        const BlockReference then_block = b.begin_block("then");
        b.output(unary(b, OpCode::kTanh, b.capture("sum")));
        const BlockReference else_block = b.begin_block("else");
        b.output(unary(b, OpCode::kCos, b.capture("sum")));
        b.select_block({0, 0});
        const TensorIndex chosen = b.tensor(kFp32, kMap);
        b.add_with_outputs(OpCode::kCondIf, CondIfAttributes{{then_block, {}}, {else_block, {}}},
                           {which}, {chosen});
        b.output(clamp(b, sum));
        b.output(chosen);
        CHECK(names_of_groups(b).empty());
    }
}

TEST_CASE("a follower may read a stored tensor that is there in time") {
    const auto add = [](GraphBuilder& b, TensorIndex x, TensorIndex y) {
        return b.add(OpCode::kAdd, NoAttributes{}, {x, y}, kFp32, kMap);
    };
    GraphBuilder b;
    const TensorIndex x = b.input(kFp32, kMap);
    SECTION("of the same shape") {
        b.output(clamp(b, add(b, x, convolution(b, x, kFp32))));
        const graph::Graph graph = b.finish();
        const std::vector<OperatorGroup> groups = planning::choose_groups(graph.main());
        REQUIRE(groups.size() == 1);
        REQUIRE(groups[0].followers.size() == 2);
        CHECK(groups[0].followers[0].operands == std::vector<int>{kernels::Follower::kStored, 0});
        CHECK(groups[0].followers[1].operands == std::vector<int>{1});
    }
    SECTION("at most three") {
        TensorIndex sum = add(b, x, b.input(kFp32, kMap));
        for (int i = 0; i < 4; ++i) sum = add(b, sum, b.input(kFp32, kMap));
        b.output(sum);
        CHECK(names_of_groups(b) == Names{"ADD+ADD+ADD+ADD"});
    }
    SECTION("not one that broadcasts") {
        const TensorIndex scalar = b.constant({1, 1, 1, 1}, {2.0F});
        b.output(clamp(b, add(b, convolution(b, x, kFp32), scalar)));
        CHECK(names_of_groups(b) == Names{"ADD+CLAMP"});
    }
    SECTION("not one that is made later") {
        // The sum joins the second convolution, the later one.
        const TensorIndex first = convolution(b, x, kFp32);
        const TensorIndex second = convolution(b, x, kFp32);
        b.output(clamp(b, add(b, first, second)));
        const graph::Graph graph = b.finish();
        const std::vector<OperatorGroup> groups = planning::choose_groups(graph.main());
        REQUIRE(groups.size() == 1);
        CHECK(graph.main().operators[groups[0].first].outputs[0] == second);
    }
}

TEST_CASE("int32 sums take RESCALE, and CLAMP after it") {
    // From shift 32 on apply_scale_32 takes every int32: -2^31 <= value < 2^31 (TOSA 1.0.1, 4.5.5).
    const auto groups = [](std::int64_t shift) {
        GraphBuilder b;
        const TensorIndex scaled =
            rescale(b, convolution(b, b.input(DType::kI8, kMap), DType::kI8), shift);
        b.output(b.add(OpCode::kClamp, ClampAttributes{i8_element(-3), i8_element(100)}, {scaled},
                       DType::kI8, kMap));
        return names_of_groups(b);
    };
    CHECK(groups(32) == Names{"CONV2D+RESCALE+CLAMP"});
    CHECK(groups(31).empty());
}

TEST_CASE("constants that RESCALE would report keep it out") {
    // Shifts are 2 to 62, and int32 has no zero point but 0 (TOSA 1.0.1, RESCALE).
    const auto is_grouped = [](std::int64_t shift, std::int64_t zero_point) {
        GraphBuilder b;
        b.output(
            rescale(b, convolution(b, b.input(DType::kI8, kMap), DType::kI8), shift, zero_point));
        const graph::Graph graph = b.finish();
        return !planning::choose_groups(graph.main()).empty();
    };
    CHECK(is_grouped(40, 0));
    CHECK_FALSE(is_grouped(40, 1));
    CHECK_FALSE(is_grouped(40, -1));
    CHECK(is_grouped(62, 0));
    CHECK_FALSE(is_grouped(63, 0));
}

TEST_CASE("a shift that MUL would report keeps it out") {
    GraphBuilder b;
    const TensorIndex sum = convolution(b, b.input(kFp32, kMap), kFp32);
    b.output(multiply(b, sum, unary(b, OpCode::kSigmoid, sum), 1));
    const graph::Graph graph = b.finish();
    CHECK(planning::choose_groups(graph.main()).empty());
}

TEST_CASE("groups have at most eight followers") {
    GraphBuilder b;
    TensorIndex value = convolution(b, b.input(kFp32, kMap), kFp32);
    for (int i = 0; i < 12; ++i) value = unary(b, OpCode::kTanh, value);
    b.output(value);
    // 1 + 8 operators, then a group of the remaining four.
    std::string first = "CONV2D", second = "TANH";
    for (int i = 0; i < 8; ++i) first += "+TANH";
    for (int i = 0; i < 3; ++i) second += "+TANH";
    CHECK(names_of_groups(b) == Names{first, second});
}

TEST_CASE("values within a group have no memory") {
    GraphBuilder b;
    b.output(clamp(b, convolution(b, b.input(kFp32, kMap), kFp32)));
    const graph::Graph graph = b.finish();
    constexpr std::uint64_t kStart = 1 << 20;
    const auto plan = planning::plan_graph(graph, {kStart, 1 << 20});
    const planning::BlockPlan& main = plan.block(graph.entry);
    REQUIRE(main.unstored.size() == 1);
    const TensorIndex sum = *main.unstored.begin();
    CHECK(graph.main().operators[*graph.main().tensors[sum].producer].op == OpCode::kConv2d);
    CHECK(main.slots[sum].address == 0);
    CHECK(main.slots[graph.main().outputs[0]].address >= kStart);
}

TEST_CASE("a machine on which a shared kernel takes longer gets separate ones") {
    // 57 commands on each of many small tiles: the smaller the tiles, the more of them.
    GraphBuilder b;
    const graph::Shape map{1, 64, 64, 8};
    const TensorIndex x = b.input(kFp32, map);
    const TensorIndex weights = b.constant({8, 3, 3, 8}, std::vector<float>(576, 0.5F));
    const TensorIndex sum =
        b.add(OpCode::kConv2d, Conv2dAttributes{{1, 1, 1, 1}, {1, 1}, {1, 1}, false, kFp32},
              {x, weights, b.constant({8}, std::vector<float>(8, 1.0F)), b.constant({1}, {0.0F}),
               b.constant({1}, {0.0F})},
              kFp32, map);
    b.output(b.add(OpCode::kSigmoid, NoAttributes{}, {sum}, kFp32, map));
    const graph::Graph graph = b.finish();
    const auto kernels_on = [&](const std::vector<std::string>& settings, bool fuse) {
        const Machine machine = load_machine("bm1684", settings);
        const auto plan =
            planning::plan_for_machine(graph, machine, {.fuse = fuse, .layers = false});
        return std::count_if(
            plan.block(graph.entry).steps.begin(), plan.block(graph.entry).steps.end(),
            [](const planning::Step& step) { return step.kind == planning::StepKind::kKernel; });
    };
    CHECK(kernels_on({}, true) == 1);
    CHECK(kernels_on({}, false) == 2);
    CHECK(kernels_on({"chip.lanes=4", "chip.local_memory_bytes=16384"}, true) == 2);
}
