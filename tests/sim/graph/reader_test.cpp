// SPDX-License-Identifier: Apache-2.0
#include "isa/base/fault.h"
#include "sim/graph/builder.h"
#include "sim/graph/element.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

using Catch::Contains;

Graph read_back(const Graph& graph) {
    auto owner = std::make_shared<const std::vector<std::uint8_t>>(write_graph(graph));
    const auto bytes = std::as_bytes(std::span(*owner));
    return read_graph(bytes, owner, "memory");
}

Graph add_graph() {
    GraphBuilder builder;
    const auto a = builder.input(DType::kI32, {2, 3}, "a");
    const auto b = builder.constant(DType::kI32, {2, 3}, {1, 2, 3, 4, 5, -6});
    builder.output(builder.add(OpCode::kAdd, NoAttributes{}, {a, b}, DType::kI32, {2, 3}));
    return builder.finish();
}

TEST_CASE("a written graph reads back the same") {
    const Graph graph = read_back(add_graph());
    const Block& main = graph.main();
    CHECK(main.name == "main");
    REQUIRE(main.operators.size() == 2);
    CHECK(main.operators[0].op == OpCode::kConst);
    CHECK(main.operators[1].op == OpCode::kAdd);
    const Tensor& constant = main.input(main.operators[1], 1);
    CHECK(integer_values(constant) == std::vector<std::int64_t>{1, 2, 3, 4, 5, -6});
    CHECK(main.input(main.operators[1], 0).is_block_input);
    CHECK(main.output(main.operators[1], 0).producer == 1U);
    CHECK(main.outputs == std::vector<TensorIndex>(main.operators[1].outputs));
}

TEST_CASE("constants are views of the file, not copies") {
    auto owner = std::make_shared<const std::vector<std::uint8_t>>(write_graph(add_graph()));
    const auto bytes = std::as_bytes(std::span(*owner));
    const Graph graph = read_graph(bytes, owner, "memory");
    const Tensor& constant = graph.main().input(graph.main().operators[1], 1);
    CHECK(constant.data.bytes().data() >= bytes.data());
    CHECK(constant.data.bytes().data() < bytes.data() + bytes.size());
}

TEST_CASE("attributes of every kind survive a round trip") {
    GraphBuilder builder;
    const auto x = builder.input(DType::kFp32, {1, 4, 4, 2});
    MaxPool2dAttributes pool{{2, 3}, {1, 2}, {1, 0, 2, 1}, NanPropagationMode::kIgnore};
    builder.add(OpCode::kMaxPool2d, pool, {x}, DType::kFp32, {1, 4, 3, 2});
    ClampAttributes clamp;
    clamp.min_val = {{0, 0, 128, 191}, 4};
    clamp.max_val = {{0, 0, 128, 63}, 4};
    builder.add(OpCode::kClamp, clamp, {x}, DType::kFp32, {1, 4, 4, 2});
    RescaleAttributes rescale{true, RoundingMode::kDoubleRound, true, false, true};
    builder.add(OpCode::kRescale, rescale, {x, x, x, x, x}, DType::kI8, {1});
    builder.add(OpCode::kTranspose, TransposeAttributes{{3, 1, 0, 2}}, {x}, DType::kFp32, {2});
    builder.add(OpCode::kCustom, CustomAttributes{"name", "okk", {1, 2, 255}}, {x}, DType::kFp32,
                {2});
    const Graph graph = read_back(builder.finish());
    const auto& ops = graph.main().operators;
    const auto& p = ops[0].attributes_as<MaxPool2dAttributes>();
    CHECK(p.kernel == pool.kernel);
    CHECK(p.stride == pool.stride);
    CHECK(p.pad == pool.pad);
    CHECK(p.nan_mode == NanPropagationMode::kIgnore);
    const auto& c = ops[1].attributes_as<ClampAttributes>();
    CHECK(c.min_val.bytes == clamp.min_val.bytes);
    CHECK(c.max_val.size == 4);
    CHECK(c.nan_mode == NanPropagationMode::kPropagate);  // absent means the default
    const auto& r = ops[2].attributes_as<RescaleAttributes>();
    CHECK((r.scale32 && r.per_channel && !r.input_unsigned && r.output_unsigned));
    CHECK(r.rounding_mode == RoundingMode::kDoubleRound);
    CHECK(ops[3].attributes_as<TransposeAttributes>().perms == std::vector<int>{3, 1, 0, 2});
    const auto& custom = ops[4].attributes_as<CustomAttributes>();
    CHECK(custom.operator_name == "name");
    CHECK(custom.implementation_attrs == std::vector<std::uint8_t>{1, 2, 255});
}

TEST_CASE("operators out of order are put in an executable order") {
    GraphBuilder builder;
    const auto a = builder.input(DType::kFp32, {2});
    const auto late = builder.tensor(DType::kFp32, {2});
    const auto result = builder.add(OpCode::kExp, NoAttributes{}, {late}, DType::kFp32, {2});
    builder.add_with_outputs(OpCode::kAbs, NoAttributes{}, {a}, {late});
    builder.output(result);
    const Graph graph = builder.finish();
    CHECK(graph.main().operators[0].op == OpCode::kAbs);
    CHECK(graph.main().operators[0].index == 1);  // the file's position stays for messages
    CHECK(graph.main().operators[1].op == OpCode::kExp);
    CHECK(graph.main().tensors[result].producer == 1U);
}

TEST_CASE("cycles, missing and double producers are refused") {
    GraphBuilder cycle;
    const auto x = cycle.tensor(DType::kFp32, {2});
    const auto y = cycle.add(OpCode::kExp, NoAttributes{}, {x}, DType::kFp32, {2});
    cycle.add_with_outputs(OpCode::kLog, NoAttributes{}, {y}, {x});
    CHECK_THROWS_WITH(cycle.finish(), Contains("cycle") && Contains("EXP"));

    GraphBuilder missing;
    const auto nothing = missing.tensor(DType::kFp32, {2}, "nothing");
    missing.add(OpCode::kExp, NoAttributes{}, {nothing}, DType::kFp32, {2});
    CHECK_THROWS_WITH(missing.finish(), Contains("nothing") && Contains("2.2"));

    GraphBuilder twice;
    const auto in = twice.input(DType::kFp32, {2});
    const auto out = twice.add(OpCode::kExp, NoAttributes{}, {in}, DType::kFp32, {2});
    twice.add_with_outputs(OpCode::kLog, NoAttributes{}, {in}, {out});
    CHECK_THROWS_AS(twice.finish(), ProgramFault);
}

/// main: COND_IF(condition), whose blocks use main's constant "t0" and value "v" by name; the value
/// is computed after the operator in the list.
Graph capturing_graph(const std::string& value_name) {
    GraphBuilder b;
    const auto condition = b.input(DType::kBool, {}, "condition");
    const auto x = b.input(DType::kFp32, {2}, "x");
    const auto v = b.tensor(DType::kFp32, {2}, "v");
    b.constant({2}, {1.0F, 2.0F});
    std::vector<SubGraph> blocks;
    for (const char* name : {"then", "else"}) {
        blocks.push_back({b.begin_block(name), {}});
        const auto captured_v = b.capture(value_name);
        const auto captured_k = b.capture("t0");
        b.output(b.add(OpCode::kAdd, NoAttributes{}, {captured_v, captured_k}, DType::kFp32, {2}));
    }
    b.select_block({0, 0});
    b.output(b.add(OpCode::kCondIf, CondIfAttributes{blocks[0], blocks[1]}, {condition},
                   DType::kFp32, {2}));
    b.add_with_outputs(OpCode::kAbs, NoAttributes{}, {x}, {v});
    return b.finish();
}

TEST_CASE("blocks use values of the enclosing block") {
    const Graph graph = read_back(capturing_graph("v"));
    const Block& main = graph.main();
    REQUIRE(main.operators.size() == 3);
    CHECK(main.operators[1].op == OpCode::kAbs);  // before the operator that needs it in its block
    const auto& cond_if = main.operators[2].attributes_as<CondIfAttributes>();
    const Block& then_block = graph.block(cond_if.then_graph.block);
    CHECK(then_block.name == "then");
    // The run-time value is a capture; the constant is not.
    REQUIRE(then_block.captures.size() == 1);
    REQUIRE(cond_if.then_graph.captures.size() == 1);
    CHECK(main.tensors[cond_if.then_graph.captures[0]].name == "v");
    const Tensor& inner_v = then_block.input(then_block.operators[0], 0);
    CHECK((inner_v.is_capture && inner_v.name == "v" && inner_v.type == DType::kFp32));
    const Tensor& inner_k = then_block.input(then_block.operators[0], 1);
    CHECK((inner_k.has_data && !inner_k.is_capture && inner_k.shape == Shape{2}));
    CHECK(integer_element(inner_k.data, DType::kI32, 1) == 0x40000000);  // 2.0

    CHECK_THROWS_WITH(capturing_graph("w"), Contains("tensor w") && Contains("2.2"));
}

TEST_CASE("a block must not contain itself") {
    GraphBuilder b;
    const auto condition = b.input(DType::kBool, {});
    const SubGraph self{{0, 0}, {}};
    b.output(b.add(OpCode::kCondIf, CondIfAttributes{self, self}, {condition}, DType::kBool, {}));
    CHECK_THROWS_WITH(b.finish(), Contains("contain itself"));
}

TEST_CASE("other versions are refused by name") {
    Graph graph = add_graph();
    graph.version = {0, 80, 1, false};
    CHECK_THROWS_WITH(read_back(graph), Contains("0.80.1") && Contains("1.0"));
    graph.version = {1, 1, 0, false};
    CHECK_THROWS_AS(read_back(graph), GraphFileError);
    graph.version = {1, 0, 7, true};
    CHECK_NOTHROW(read_back(graph));
}

TEST_CASE("files that are no graphs are refused") {
    const auto read = [](std::vector<std::uint8_t> bytes) {
        return read_graph(std::as_bytes(std::span(bytes)), nullptr, "memory");
    };
    CHECK_THROWS_AS(read({}), GraphFileError);
    CHECK_THROWS_WITH(read({8, 0, 0, 0, 'T', 'F', 'L', '3', 0, 0, 0, 0, 0, 0, 0, 0}),
                      Contains("schema version is 0"));
    // The root offset leaves the file.
    CHECK_THROWS_WITH(read({200, 0, 0, 0, 'T', 'O', 'S', 'A', 0, 0, 0, 0, 0, 0, 0, 0}),
                      Contains("root"));
    CHECK_THROWS_AS(load_graph("/no/such/file.tosa"), ConfigError);
    CHECK_THROWS_AS(load_graph("/"), ConfigError);
}

TEST_CASE("too little data for the shape is refused with the tensor's place") {
    GraphBuilder builder;
    const auto x = builder.constant_bytes(DType::kI32, {3}, std::vector<std::byte>(11));
    builder.output(x);
    const Graph graph = builder.finish();
    try {
        read_back(graph);
        FAIL("accepted");
    } catch (const GraphFileError& error) {
        CHECK(error.table() == "regions[0].blocks[0].tensors[0].data");
        CHECK(error.byte_offset().has_value());
    }
}

TEST_CASE("names are unique in a block") {
    GraphBuilder builder;
    builder.input(DType::kI32, {3}, "x");
    builder.input(DType::kI32, {3}, "x");
    CHECK_THROWS_WITH(read_back(builder.finish()), Contains("already taken"));
}

TEST_CASE("variables become attributes of their accesses and share state by name") {
    GraphBuilder b;
    const auto state = b.variable("v", DType::kI8, {2}, {std::byte{3}, std::byte{4}});
    const auto old = b.add(OpCode::kVariableRead, VariableAttributes{state}, {}, DType::kI8, {2});
    const auto x = b.input(DType::kI8, {2});
    b.add_with_outputs(OpCode::kVariableWrite, VariableAttributes{state}, {x}, {});
    b.output(old);
    const Graph graph = read_back(b.finish());
    REQUIRE(graph.variables.size() == 1);
    CHECK(graph.variables[0].name == "v");
    CHECK(integer_element(graph.variables[0].initial_value, DType::kI8, 1) == 4);
    const auto& ops = graph.main().operators;
    CHECK(ops[0].op == OpCode::kVariableRead);
    CHECK(ops[0].inputs.empty());
    CHECK(ops[1].op == OpCode::kVariableWrite);
    CHECK(ops[1].outputs.empty());
    CHECK(ops[1].attributes_as<VariableAttributes>().variable == 0);
}

}  // namespace
}  // namespace okksim::sim::graph
