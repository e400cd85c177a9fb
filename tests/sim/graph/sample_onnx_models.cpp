// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/graph/sample_onnx_models.h"

#include "tests/sim/graph/onnx_writer.h"

namespace okksim::tests {

namespace {

using namespace onnx;
using Integers = std::vector<std::int64_t>;

std::string network() {
    GraphMessage graph;
    graph.input("x", {-1, 2, 6, 6}, kFloat, {"batch"});
    graph.weight("w", {4, 2, 3, 3}, std::vector<float>(72, 0.25F));
    graph.weight("axes", {2}, Integers{2, 3});
    graph.add("Conv", {"x", "w"}, {"c"}, {attribute("pads", Integers{1, 1, 1, 1})});
    graph.add("Relu", {"c"}, {"r"});
    graph.add("MaxPool", {"r"}, {"p"},
              {attribute("kernel_shape", Integers{2, 2}), attribute("strides", Integers{2, 2})});
    graph.add("ReduceMean", {"p"}, {"m"}, {attribute("axes", Integers{2, 3})});
    graph.add("Flatten", {"m"}, {"f"}).add("Softmax", {"f"}, {"y"}).output("y");
    return model(graph, 13);
}

std::string shapes() {
    GraphMessage graph;
    graph.input("x", {2, 3, 4}).add("Shape", {"x"}, {"s"});
    graph.weight("i", {1}, Integers{0}).weight("rest", {1}, Integers{-1});
    graph.add("Gather", {"s", "i"}, {"n"})
        .add("Concat", {"n", "rest"}, {"t"}, {attribute("axis", std::int64_t{0})});
    graph.add("Reshape", {"x", "t"}, {"v"}).add("Transpose", {"v"}, {"y"}).output("y");
    return model(graph);
}

std::string control() {
    GraphMessage body;
    body.input("i", {}, kInt64).input("c", {}, kBool).input("v", {2});
    body.add("Identity", {"c"}, {"go"}).add("Add", {"v", "x"}, {"next"});
    body.output("go", kBool).output("next");
    GraphMessage then_graph, else_graph, graph;
    then_graph.add("Neg", {"x"}, {"t"}).output("t");
    else_graph.add("Abs", {"x"}, {"e"}).output("e");
    graph.input("x", {2}).input("c", {1}, kBool).weight("n", {}, Integers{3});
    graph.add("Loop", {"n", "", "x"}, {"l"}, {graph_attribute("body", body.bytes())});
    graph.add("If", {"c"}, {"b"},
              {graph_attribute("then_branch", then_graph.bytes()),
               graph_attribute("else_branch", else_graph.bytes())});
    graph.add("Add", {"l", "b"}, {"y"}).output("y");
    return model(graph);
}

std::string quantised() {
    GraphMessage graph;
    graph.input("x", {1, 4}).weight("s", {}, std::vector<float>{0.5F});
    graph.weight(tensor("z", kUint8, 1, {}, {3}))
        .weight(tensor("k", kInt8, 1, {4, 2}, {1, 2, 3, 4, 5, 6, 7, -8}));
    graph.weight(tensor("kz", kInt8, 1, {}, {0}));
    graph.add("QuantizeLinear", {"x", "s", "z"}, {"q"})
        .add("DequantizeLinear", {"q", "s", "z"}, {"d"});
    graph.add("DequantizeLinear", {"k", "s", "kz"}, {"w"}).add("MatMul", {"d", "w"}, {"m"});
    graph.add("QuantizeLinear", {"m", "s", "z"}, {"y"}).output("y", kUint8);
    return model(graph, 13);
}

std::string function_and_sparse() {
    const Message values = tensor("sw", {2}, std::vector<float>{1, 2});
    const Message indices = tensor("", {2}, Integers{0, 3});
    const Message sparse = bytes_field(1, values) + bytes_field(2, indices) + integer_field(3, 4);
    const Message function =
        bytes_field(1, "f") + bytes_field(4, "a") + bytes_field(5, "b") + bytes_field(6, "k") +
        bytes_field(7, node("Concat", {"a", "a"}, {"b"}, {reference_attribute("axis", "k", 2)})) +
        opset_field(9, "", 17) + bytes_field(10, "own");
    GraphMessage graph;
    graph.input("x", {4}).field(15, sparse).add("Mul", {"x", "sw"}, {"p"});
    graph.add("f", {"p"}, {"y"}, {attribute("k", std::int64_t{0})}, "own").output("y");
    return model(graph, 17, bytes_field(25, function) + opset_field(8, "own", 1));
}

}  // namespace

std::vector<std::vector<std::uint8_t>> sample_onnx_models() {
    std::vector<std::vector<std::uint8_t>> files;
    for (const std::string& file :
         {network(), shapes(), control(), quantised(), function_and_sparse()}) {
        files.emplace_back(file.begin(), file.end());
    }
    return files;
}

}  // namespace okksim::tests
