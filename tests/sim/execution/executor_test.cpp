// SPDX-License-Identifier: Apache-2.0
// Control flow, variables and sub-graphs on the chip. Expected values are computed by hand.
#include "sim/execution/executor.h"

#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "tests/sim/execution/fp32_tensors.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using namespace okksim::tosa;
using execution::GraphExecutor;
using graph::GraphBuilder;
using graph::TensorIndex;
using tests::fp32_bytes;
using tests::fp32_tensor;
using tests::fp32_values;
using Values = std::vector<float>;

/// A validated graph on a small machine.
class Runner {
 public:
    explicit Runner(graph::Graph graph)
        : graph_(std::move(graph)),
          simulation_(load_machine("bm1684", {"chip.lanes=8", "chip.local_memory_bytes=32768"}),
                      {}) {
        graph::validate_graph(graph_);
        plan_ = planning::plan_for_machine(graph_, simulation_.machine(), planning::PlanOptions{});
        executor_.emplace(graph_, plan_, simulation_);
    }

    GraphExecutor& executor() { return *executor_; }

    /// Runs with fp32 vectors as inputs; returns all outputs.
    std::vector<Values> run(const std::vector<Values>& inputs) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const graph::Block& main = graph_.main();
            executor_->set_input(i, fp32_tensor(main.tensors[main.inputs[i]].shape, inputs[i]));
        }
        const execution::ExecutionReport report = executor_->run();
        if (report.fault) throw ProgramFault(*report.fault);
        std::vector<Values> outputs;
        for (std::size_t i = 0; i < graph_.main().outputs.size(); ++i) {
            outputs.push_back(fp32_values(executor_->output(i)));
        }
        return outputs;
    }

 private:
    graph::Graph graph_;
    Simulation simulation_;
    planning::GraphPlan plan_;
    std::optional<GraphExecutor> executor_;
};

constexpr DType kFp32 = DType::kFp32;

TensorIndex add(GraphBuilder& b, TensorIndex x, TensorIndex y, graph::Shape shape) {
    return b.add(OpCode::kAdd, NoAttributes{}, {x, y}, kFp32, std::move(shape));
}
TensorIndex greater(GraphBuilder& b, TensorIndex x, TensorIndex y) {
    return b.add(OpCode::kGreater, NoAttributes{}, {x, y}, DType::kBool, {1});
}
/// A scalar-like [1] greater than zero.
TensorIndex positive(GraphBuilder& b, TensorIndex x) {
    return greater(b, x, b.constant({1}, {0.0F}));
}

/// A loop that counts its first value down; `body` makes the other values of an iteration.
template <typename Body>
void countdown_block(GraphBuilder& b, BlockReference block, TensorIndex counter, const Body& body) {
    b.select_block(block);
    b.output(add(b, counter, b.constant({1}, {-1.0F}), {1}));
    body();
}

}  // namespace

TEST_CASE("a loop carries values that trade places") {
    GraphBuilder b;
    const BlockReference main{0, 0};
    const auto n = b.input(kFp32, {1}, "n");
    const auto x = b.input(kFp32, {3}, "x");
    const auto y = b.input(kFp32, {3}, "y");
    const BlockReference cond = b.begin_block("cond");
    const auto cn = b.input(kFp32, {1});
    b.input(kFp32, {3});
    b.input(kFp32, {3});
    b.output(positive(b, cn));
    const BlockReference body = b.begin_block("body");
    const auto bn = b.input(kFp32, {1});
    const auto bx = b.input(kFp32, {3});
    const auto by = b.input(kFp32, {3});
    countdown_block(b, body, bn, [&] {
        b.output(by);
        b.output(bx);
    });
    b.select_block(main);
    std::vector<TensorIndex> outputs{b.tensor(kFp32, {1}), b.tensor(kFp32, {3}),
                                     b.tensor(kFp32, {3})};
    b.add_with_outputs(OpCode::kWhileLoop, WhileLoopAttributes{{cond, {}}, {body, {}}}, {n, x, y},
                       outputs);
    for (const auto output : outputs) b.output(output);
    Runner runner(b.finish());
    const Values p{1, 2, 3}, q{4, 5, 6};
    CHECK(runner.run({{0}, p, q}) == std::vector<Values>{{0}, p, q});
    CHECK(runner.run({{1}, p, q}) == std::vector<Values>{{0}, q, p});
    CHECK(runner.run({{4}, p, q}) == std::vector<Values>{{0}, p, q});
    CHECK(runner.run({{5}, p, q}) == std::vector<Values>{{0}, q, p});
}

TEST_CASE("loops nest, see enclosing values and keep variables") {
    // for i in n..1: for j in m..1: total += step; variable += total at the end of each inner loop
    GraphBuilder b;
    const BlockReference main{0, 0};
    const auto n = b.input(kFp32, {1}, "n");
    const auto total = b.input(kFp32, {2}, "total");
    b.input(kFp32, {1}, "m");
    b.input(kFp32, {2}, "step");
    const std::uint32_t state = b.variable("state", kFp32, {2}, fp32_bytes({100, 200}));

    const BlockReference inner_cond = b.begin_block("inner_cond");
    const auto icj = b.input(kFp32, {1});
    b.input(kFp32, {2});
    b.output(positive(b, icj));
    const BlockReference inner_body = b.begin_block("inner_body");
    const auto ibj = b.input(kFp32, {1});
    const auto ibt = b.input(kFp32, {2});
    countdown_block(b, inner_body, ibj, [&] { b.output(add(b, ibt, b.capture("step"), {2})); });

    const BlockReference outer_cond = b.begin_block("outer_cond");
    const auto oci = b.input(kFp32, {1});
    b.input(kFp32, {2});
    b.output(positive(b, oci));
    const BlockReference outer_body = b.begin_block("outer_body");
    const auto obi = b.input(kFp32, {1});
    const auto obt = b.input(kFp32, {2});
    countdown_block(b, outer_body, obi, [&] {
        const auto j = b.tensor(kFp32, {1});
        const auto t = b.tensor(kFp32, {2});
        b.add_with_outputs(OpCode::kWhileLoop,
                           WhileLoopAttributes{{inner_cond, {}}, {inner_body, {}}},
                           {b.capture("m"), obt}, {j, t});
        const auto old = b.add(OpCode::kVariableRead, VariableAttributes{state}, {}, kFp32, {2});
        b.add_with_outputs(OpCode::kVariableWrite, VariableAttributes{state}, {add(b, old, t, {2})},
                           {});
        b.output(t);
    });
    b.select_block(main);
    std::vector<TensorIndex> outputs{b.tensor(kFp32, {1}), b.tensor(kFp32, {2})};
    b.add_with_outputs(OpCode::kWhileLoop, WhileLoopAttributes{{outer_cond, {}}, {outer_body, {}}},
                       {n, total}, outputs);
    for (const auto output : outputs) b.output(output);
    Runner runner(b.finish());
    // Two iterations of three steps (1, 10): totals after the iterations (3, 30) and (6, 60).
    CHECK(runner.run({{2}, {0, 0}, {3}, {1, 10}}) == std::vector<Values>{{0}, {6, 60}});
    CHECK(fp32_values(runner.executor().variable(0)) == Values{109, 290});
    // The state outlives the execution. One iteration without steps: the total stays (7, 7).
    CHECK(runner.run({{1}, {7, 7}, {0}, {1, 10}}) == std::vector<Values>{{0}, {7, 7}});
    CHECK(fp32_values(runner.executor().variable(0)) == Values{116, 297});
}

TEST_CASE("a branch gives back inputs, captured values and constants") {
    GraphBuilder b;
    const BlockReference main{0, 0};
    const auto x = b.input(kFp32, {2}, "x");
    b.input(kFp32, {2}, "y");
    const auto n = b.input(kFp32, {1}, "n");
    const BlockReference then_block = b.begin_block("then");
    const auto tx = b.input(kFp32, {2});
    b.output(tx);
    b.output(b.capture("y"));
    b.output(tx);
    const BlockReference else_block = b.begin_block("else");
    const auto ex = b.input(kFp32, {2});
    b.output(b.constant({2}, {8.0F, 9.0F}));
    b.output(add(b, ex, b.capture("y"), {2}));
    b.output(b.capture("y"));
    b.select_block(main);
    std::vector<TensorIndex> outputs;
    for (int i = 0; i < 3; ++i) outputs.push_back(b.tensor(kFp32, {2}));
    b.add_with_outputs(OpCode::kCondIf, CondIfAttributes{{then_block, {}}, {else_block, {}}},
                       {positive(b, n), x}, outputs);
    for (const auto output : outputs) b.output(output);
    b.output(x);
    Runner runner(b.finish());
    const Values p{1, 2}, q{30, 40};
    CHECK(runner.run({p, q, {1}}) == std::vector<Values>{p, q, p, p});
    CHECK(runner.run({p, q, {0}}) == std::vector<Values>{{8, 9}, {31, 42}, q, p});
}

TEST_CASE("accesses to a variable keep their order") {
    GraphBuilder b;
    const auto x = b.input(kFp32, {2}, "x");
    const std::uint32_t state = b.variable("state", kFp32, {2}, fp32_bytes({5, 6}));
    const VariableAttributes access{state};
    const auto before = b.add(OpCode::kVariableRead, access, {}, kFp32, {2});
    b.add_with_outputs(OpCode::kVariableWrite, access, {x}, {});
    const auto after = b.add(OpCode::kVariableRead, access, {}, kFp32, {2});
    b.add_with_outputs(OpCode::kVariableWrite, access, {add(b, before, after, {2})}, {});
    b.output(before);
    b.output(after);
    Runner runner(b.finish());
    CHECK(runner.run({{1, 2}}) == std::vector<Values>{{5, 6}, {1, 2}});
    CHECK(fp32_values(runner.executor().variable(0)) == Values{6, 8});
}

TEST_CASE("a variable that nobody has written is not read") {
    GraphBuilder b;
    const std::uint32_t state = b.variable("state", kFp32, {2}, {});
    b.output(b.add(OpCode::kVariableRead, VariableAttributes{state}, {}, kFp32, {2}));
    Runner runner(b.finish());
    CHECK_THROWS_WITH(runner.run({}), Catch::Contains("is_written"));
    runner.executor().set_variable(0, fp32_tensor({2}, {3, 4}));
    CHECK(runner.run({}) == std::vector<Values>{{3, 4}});
}

TEST_CASE("a loop that never ends is ended by the limits") {
    GraphBuilder b;
    const auto x = b.input(kFp32, {2}, "x");
    const BlockReference cond = b.begin_block("cond");
    b.input(kFp32, {2});
    b.output(b.constant(DType::kBool, {1}, {1}));
    const BlockReference body = b.begin_block("body");
    const auto bx = b.input(kFp32, {2});
    b.output(add(b, bx, bx, {2}));
    b.select_block({0, 0});
    b.output(
        b.add(OpCode::kWhileLoop, WhileLoopAttributes{{cond, {}}, {body, {}}}, {x}, kFp32, {2}));
    Runner runner(b.finish());
    runner.executor().set_input(0, fp32_tensor({2}, {1, 2}));
    LaunchLimits limits;
    limits.command_budget = 500;
    const execution::ExecutionReport report = runner.executor().run(limits);
    REQUIRE(report.fault);
    CHECK(report.fault->code == FaultCode::kBudget);
}

TEST_CASE("a loop that never ends and issues no command is ended by the calls that it makes") {
    GraphBuilder b;
    const auto x = b.input(kFp32, {2}, "x");
    const BlockReference cond = b.begin_block("cond");
    b.input(kFp32, {2});
    b.output(b.constant(DType::kBool, {1}, {1}));
    const BlockReference body = b.begin_block("body");
    b.output(b.input(kFp32, {2}));
    b.select_block({0, 0});
    b.output(
        b.add(OpCode::kWhileLoop, WhileLoopAttributes{{cond, {}}, {body, {}}}, {x}, kFp32, {2}));
    Runner runner(b.finish());
    runner.executor().set_input(0, fp32_tensor({2}, {1, 2}));
    LaunchLimits limits;
    limits.call_budget = 5000;
    const execution::ExecutionReport report = runner.executor().run(limits);
    REQUIRE(report.fault);
    CHECK(report.fault->code == FaultCode::kBudget);
    CHECK(report.fault->value == "call 5001");
    CHECK(report.fault->advice.find("WHILE_LOOP") != std::string::npos);
    CHECK(report.fault->advice.find("--") == std::string::npos);  // a graph's command has no flag
}

TEST_CASE("a value in channel-first order reaches a branch in the right order") {
    // The resized image, kept channel first, is captured by a branch that reshapes it.
    GraphBuilder b;
    const auto image = b.input(kFp32, {1, 1, 2, 2}, "image");
    const auto n = b.input(kFp32, {1}, "n");
    const auto scale = b.shape_value({1, 1, 2, 1});
    const auto zero = b.shape_value({0, 0});
    const auto border = b.shape_value({0, 0});
    const auto wide = b.add(OpCode::kResize, ResizeAttributes{ResizeMode::kBilinear},
                            {image, scale, zero, border}, kFp32, {1, 1, 3, 2});
    const std::string name = "wide";
    const auto copy = b.tensor(kFp32, {1, 1, 3, 2}, name);
    b.add_with_outputs(OpCode::kIdentity, NoAttributes{}, {wide}, {copy});
    const auto branch = [&](const char* block_name) {
        const BlockReference block = b.begin_block(block_name);
        b.output(b.add(OpCode::kReshape, NoAttributes{}, {b.capture(name), b.shape_value({6})},
                       kFp32, {6}));
        return block;
    };
    const SubGraph then_graph{branch("then"), {}};
    const SubGraph else_graph{branch("else"), {}};
    b.select_block({0, 0});
    b.output(b.add(OpCode::kCondIf, CondIfAttributes{then_graph, else_graph}, {positive(b, n)},
                   kFp32, {6}));
    Runner runner(b.finish());
    runner.executor().set_input(0, fp32_tensor({1, 1, 2, 2}, {1, 10, 3, 20}));
    runner.executor().set_input(1, fp32_tensor({1}, {1}));
    REQUIRE(!runner.executor().run().fault);
    // Scale 2/1: the mean of the two pixels between them, channel by channel.
    CHECK(fp32_values(runner.executor().output(0)) == Values{1, 10, 2, 15, 3, 20});
}

TEST_CASE("views of values live as long as they are used") {
    // a = x + x; v = [6] of a, seen as [3,2] again; many values follow that could take a's memory.
    GraphBuilder b;
    const auto x = b.input(kFp32, {2, 3}, "x");
    const auto n = b.input(kFp32, {1}, "n");
    const auto a = add(b, x, x, {2, 3});
    const auto flat = b.add(OpCode::kReshape, NoAttributes{}, {a, b.shape_value({6})}, kFp32, {6});
    const std::string name = "view";
    const auto view = b.tensor(kFp32, {6}, name);
    b.add_with_outputs(OpCode::kIdentity, NoAttributes{}, {flat}, {view});
    auto y = x;
    for (int i = 0; i < 5; ++i) y = add(b, y, x, {2, 3});
    const auto wide =
        b.add(OpCode::kReshape, NoAttributes{}, {view, b.shape_value({3, 2})}, kFp32, {3, 2});
    const auto constant = b.constant({2, 3}, {1, 2, 3, 4, 5, 6});
    const auto turned =
        b.add(OpCode::kReshape, NoAttributes{}, {constant, b.shape_value({3, 2})}, kFp32, {3, 2});
    b.output(add(b, wide, turned, {3, 2}));
    b.output(y);
    const auto branch = [&](const char* block_name) {
        const BlockReference block = b.begin_block(block_name);
        const auto captured = b.capture(name);
        b.output(add(b, captured, captured, {6}));
        return SubGraph{block, {}};
    };
    const SubGraph then_graph = branch("then");
    const SubGraph else_graph = branch("else");
    b.select_block({0, 0});
    b.output(b.add(OpCode::kCondIf, CondIfAttributes{then_graph, else_graph}, {positive(b, n)},
                   kFp32, {6}));
    Runner runner(b.finish());
    const Values in{1, 10, 100, 2, 20, 200};
    CHECK(runner.run({in, {1}}) == std::vector<Values>{{3, 22, 203, 8, 45, 406},
                                                       {6, 60, 600, 12, 120, 1200},
                                                       {4, 40, 400, 8, 80, 800}});
    // No operator copies data: reshapes and the identity are views.
    for (const auto& record : runner.executor().run().operators) {
        CHECK(record.op != OpCode::kReshape);
        CHECK(record.op != OpCode::kIdentity);
    }
}

TEST_CASE("a clamp at the limits of its type is a view") {
    GraphBuilder b;
    const auto x = b.input(kFp32, {3}, "x");
    const auto clamp = [&](TensorIndex value, std::int8_t low) {
        ClampAttributes attributes;
        attributes.min_val.bytes[0] = static_cast<std::uint8_t>(low);
        attributes.max_val.bytes[0] = 127;
        attributes.min_val.size = attributes.max_val.size = 8;
        attributes.nan_mode = NanPropagationMode::kPropagate;
        return b.add(OpCode::kClamp, attributes, {value}, DType::kI8, {3});
    };
    const auto bytes = b.add(OpCode::kCast, NoAttributes{}, {x}, DType::kI8, {3});
    const auto same = b.add(OpCode::kCast, NoAttributes{}, {clamp(bytes, -128)}, kFp32, {3});
    const auto cut = b.add(OpCode::kCast, NoAttributes{}, {clamp(bytes, -127)}, kFp32, {3});
    b.output(same);
    b.output(cut);
    Runner runner(b.finish());
    CHECK(runner.run({{-128, 0, 127}}) == std::vector<Values>{{-128, 0, 127}, {-127, 0, 127}});
    int clamps = 0;
    for (const auto& record : runner.executor().run().operators) {
        clamps += record.op == OpCode::kClamp ? 1 : 0;
    }
    CHECK(clamps == 1);
}

TEST_CASE("zero points that come at run time keep the rules") {
    GraphBuilder b;
    const auto x = b.input(kFp32, {2}, "x");
    const auto zero = b.constant({1}, {0.0F});
    const auto point = b.input(kFp32, {1}, "zero_point");
    b.output(b.add(OpCode::kNegate, NoAttributes{}, {x, point, zero}, kFp32, {2}));
    Runner runner(b.finish());
    CHECK(runner.run({{1, -2}, {0}}) == std::vector<Values>{{-1, 2}});
    CHECK_THROWS_WITH(runner.run({{1, -2}, {3}}), Catch::Contains("zero point only for int8_t"));
}
