// SPDX-License-Identifier: Apache-2.0
// A constant with one value for all elements takes no memory until its bytes are requested. Large
// constants follow the tables of a file.
#include "sim/graph/builder.h"
#include "sim/graph/element.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/host_tensor.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "sim/graph/validate/validate.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

Graph read(const std::string& text) {
    const auto owner = std::make_shared<const std::string>(text);
    return read_graph(std::as_bytes(std::span(*owner)), owner, "net.mlir");
}

Graph read(std::vector<std::uint8_t> bytes) {
    const auto owner = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
    return read_graph(std::as_bytes(std::span(*owner)), owner, "net.tosa");
}

std::string constant(const std::string& values, const std::string& type) {
    return "func.func @main() -> " + type + " {\n  %c = \"tosa.const\"() <{values = dense<" +
           values + "> : " + type + "}> : () -> " + type + "\n  return %c : " + type + "\n}\n";
}

const ConstantData& data(const Graph& graph) { return graph.main().tensors[0].data; }

TEST_CASE("one value for all elements is kept as it is, in every type") {
    struct Row {
        const char* values;
        const char* type;
        std::size_t element;  ///< bytes
        std::uint64_t bytes;
    };
    // 2000 elements; 4 bits each of i4, two in a byte.
    for (const Row& row :
         {Row{"-7", "tensor<2000xi4>", 1, 1000}, Row{"true", "tensor<2000xi1>", 1, 2000},
          Row{"-3", "tensor<2000xi8>", 1, 2000}, Row{"-3", "tensor<2000xi48>", 6, 12000},
          Row{"1.5", "tensor<2000xf32>", 4, 8000},
          Row{"\"0x0000C03F\"", "tensor<2000xf32>", 4, 8000}}) {
        const Graph graph = read(constant(row.values, row.type));
        REQUIRE(data(graph).repeated() != nullptr);
        CHECK(data(graph).repeated()->element().size() == row.element);
        CHECK(data(graph).size() == row.bytes);
        CHECK(data(graph).bytes().size() == row.bytes);
    }
    CHECK(integer_element(data(read(constant("-7", "tensor<2000xi4>"))), DType::kI4, 1999) == -7);
    const Graph words = read(constant("-3", "tensor<2000xi48>"));
    CHECK(integer_element(data(words).bytes(), DType::kI48, 1999) == -3);
    // Stored as int64 on the host: 8 bytes each.
    const HostBytes host = host_bytes(DType::kI48, {2000}, data(words));
    CHECK(host.data.size() == 16000);
    CHECK(host.data.bytes()[15999] == std::byte{0xFF});
}

TEST_CASE("pieces of constants have all bytes once") {
    const Graph graph = read(constant("258", "tensor<100xi32>"));
    std::vector<std::byte> bytes;
    data(graph).for_each_piece(30, [&](std::span<const std::byte> piece, std::uint64_t at) {
        CHECK(at == bytes.size());
        bytes.insert(bytes.end(), piece.begin(), piece.end());
    });
    CHECK(std::equal(bytes.begin(), bytes.end(), data(graph).bytes().begin(),
                     data(graph).bytes().end()));
}

TEST_CASE("a function of a constant's bytes is called when they are needed") {
    Graph graph;
    int calls = 0;
    const auto fill = [&](std::span<std::byte> to) {
        ++calls;
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::byte>(i % 251);
    };
    const ConstantData constant = graph.own_deferred(10000, fill);
    CHECK(constant.size() == 10000);
    CHECK(calls == 0);
    std::vector<std::byte> bytes;
    constant.for_each_piece(3000, [&](std::span<const std::byte> piece, std::uint64_t at) {
        CHECK(at == bytes.size());
        bytes.insert(bytes.end(), piece.begin(), piece.end());
    });
    CHECK(calls == 1);
    CHECK(bytes.size() == 10000);
    CHECK(bytes[9999] == std::byte{9999 % 251});
    // Two requests of all bytes return the same memory.
    CHECK(constant.bytes().data() == constant.bytes().data());
    CHECK(calls == 2);
    CHECK(std::equal(bytes.begin(), bytes.end(), constant.bytes().begin()));
    // Small constants are computed at once.
    CHECK(graph.own_deferred(16, fill).is_view());
    CHECK(calls == 3);
}

// Each has nearly 2 GiB: with bytes for one of them, the test would take 8 GiB.
TEST_CASE("checking and writing text takes nothing of one value for all elements") {
    std::string text = "func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> {\n";
    for (int i = 0; i < 4; ++i) {
        text += "  %c" + std::to_string(i) +
                " = \"tosa.const\"() <{values = dense<7.0> : tensor<536870911xf32>}> : () -> "
                "tensor<536870911xf32>\n";
    }
    const Graph graph = read(text + "  return %a : tensor<1xf32>\n}\n");
    validate_graph(graph);
    CHECK(write_mlir(graph).size() < 1000);
}

/// Constants of one value are written in short form, whatever their source.
TEST_CASE("texts and files of a large constant hold the same") {
    for (const char* values : {"1.5", "\"0x0000C03F\""}) {
        const Graph graph = read(constant(values, "tensor<100000xf32>"));
        const Graph again = read(write_graph(graph));
        CHECK(data(again).repeated() == nullptr);
        CHECK(data(again).size() == 400000);
        CHECK(float_bits_element(data(again), DType::kFp32, 99999) == 0x3FC00000);
        CHECK(write_mlir(again) == write_mlir(graph));
        CHECK(write_graph(again) == write_graph(graph));
    }
}

TEST_CASE("large constants stand behind the tables, small ones and states among them") {
    GraphBuilder b;
    const TensorIndex x = b.input(DType::kI8, {1});
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < 70001; ++i) values.push_back(i % 101);
    const auto large = b.constant(DType::kI8, {70001}, values);
    const auto small = b.constant(DType::kI8, {3}, {1, 2, 3});
    values.resize(70000);
    const auto second = b.constant(DType::kI8, {70000}, values);
    for (const TensorIndex value : {large, small, second, x}) b.output(value);
    const Graph graph = b.finish();
    const std::vector<std::uint8_t> file = write_graph(graph);
    const Graph again = read(file);
    CHECK(write_mlir(again) == write_mlir(graph));
    for (const Tensor& tensor : again.main().tensors) {
        if (!tensor.has_data) continue;
        // The specification's writers align constants to 8.
        const auto at = tensor.data.bytes().data() - again.main().tensors[0].data.bytes().data();
        CHECK((at % 8 == 0 || tensor.data.size() == 3));
    }
    CHECK(file.size() > 140001);
    CHECK(file.size() < 142000);
}

}  // namespace
}  // namespace okksim::sim::graph
