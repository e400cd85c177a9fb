// SPDX-License-Identifier: Apache-2.0
// Memory for reading very many tiny operators: at most three times the file in every form,
// including the mapped file itself.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>

#include "isa/base/temporary_folder.h"
#include "sim/graph/builder.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "tests/sim/graph/file_v090.h"
#include "tests/sim/graph/sample_xmodels.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

std::atomic<std::int64_t> live_bytes = 0;
std::atomic<std::int64_t> peak_bytes = 0;

void count(std::int64_t bytes) {
    const std::int64_t live = live_bytes += bytes;
    std::int64_t peak = peak_bytes;
    while (live > peak && !peak_bytes.compare_exchange_weak(peak, live)) {
    }
}

constexpr std::size_t kOperators = 100000;
using Bytes = std::vector<std::uint8_t>;

/// Peak of allocated bytes during reading, per byte of the file.
double bytes_per_byte(const Bytes& file, std::size_t operators = kOperators) {
    const std::int64_t before = live_bytes;
    peak_bytes = before;
    const Graph graph = read_graph(std::as_bytes(std::span(file)), nullptr, "many");
    REQUIRE(graph.main().operators.size() >= operators);
    const auto taken = static_cast<double>(peak_bytes - before);
    WARN(graph.format << ": " << file.size() / kOperators << " bytes of file and "
                      << taken / static_cast<double>(kOperators) << " bytes of memory an operator");
    return taken / static_cast<double>(file.size());
}

/// A chain of ABS, and one of operators with two operands.
Graph chain(OpCode op) {
    GraphBuilder b;
    TensorIndex x = b.input(DType::kI32, {1});
    for (std::size_t i = 0; i < kOperators; ++i) {
        const std::vector<TensorIndex> operands(op == OpCode::kAbs ? 1 : 2, x);
        x = b.add(op, NoAttributes{}, operands, DType::kI32, {1});
    }
    b.output(x);
    return b.finish();
}

Bytes text_of(const std::string& text) { return {text.begin(), text.end()}; }

Bytes file_v090() {
    tests::FileV090 file;
    const auto name = [](std::size_t i) { return "t" + std::to_string(i); };
    for (std::size_t i = 0; i <= kOperators; ++i) {
        file.tensor(name(i), {1}, tests::FileV090::DType::INT32);
    }
    for (std::size_t i = 0; i < kOperators; ++i) {
        file.op(tests::FileV090::Op::ABS, {name(i)}, {name(i + 1)});
    }
    return file.bytes({name(0)}, {name(kOperators)});
}

/// A name like those that exporters write.
constexpr const char* kUsualName = "Model__Model_ReLU_relu__";

Bytes file_xmodel(const std::string& type, const std::string& prefix = kUsualName) {
    const tests::XmodelResult result{{xmodel::ElementKind::kFloat, 32}, {1}};
    const auto name = [&](std::size_t i) { return prefix + std::to_string(i); };
    tests::XmodelWriter file;
    file.node("data", name(0), {}, {}, result);
    for (std::size_t i = 0; i < kOperators; ++i) {
        const std::vector<std::string> operands(type == "relu" ? 1 : 2, name(i));
        file.node(type, name(i + 1), {{"input", operands}}, {}, result);
    }
    return file.bytes();
}

/// Limit of memory in addition to the file, per byte of the file.
constexpr double kMost = 2;

TEST_CASE("TOSA 1.0: reading takes at most three times the file") {
    CHECK(bytes_per_byte(write_graph(chain(OpCode::kAbs))) <= kMost);
    CHECK(bytes_per_byte(write_graph(chain(OpCode::kAdd))) <= kMost);
}

TEST_CASE("TOSA 0.90: reading takes at most three times the file") {
    CHECK(bytes_per_byte(file_v090()) <= kMost);
}

TEST_CASE("MLIR text: reading takes at most three times the file") {
    CHECK(bytes_per_byte(text_of(write_mlir(chain(OpCode::kAbs)))) <= kMost);
    CHECK(bytes_per_byte(text_of(write_mlir(chain(OpCode::kAdd)))) <= kMost);
}

/// Only one of many functions can run.
TEST_CASE("MLIR text: functions that are not run take no room") {
    std::string text = "func.func @main() {\n  return\n}\n";
    for (std::size_t i = 0; i < kOperators; ++i) {
        text += "func.func @f" + std::to_string(i) +
                "(%a: tensor<1xf32>) -> tensor<1xf32> {\n  return %a : tensor<1xf32>\n}\n";
    }
    CHECK(bytes_per_byte(text_of(text), 0) <= kMost);
}

// The operators' results are unknown; each operator has a separate constant.
TEST_CASE("MLIR text: small constants take at most three times the text, with the mapped file") {
    std::string text = "func.func @main() {\n";
    for (std::size_t i = 0; i < kOperators; ++i) {
        text += "  %cst_" + std::to_string(i) + " = \"tosa.const\"() <{values = dense<" +
                std::to_string(i) + "> : tensor<1x1x1xi32>}> : () -> tensor<1x1x1xi32>\n";
    }
    CHECK(bytes_per_byte(text_of(text + "  return\n}\n")) <= kMost);
}

TEST_CASE(".xmodel: reading takes at most three times the file") {
    CHECK(bytes_per_byte(file_xmodel("relu")) <= kMost);
    CHECK(bytes_per_byte(file_xmodel("add")) <= kMost);
}

/// The results of all operators are live at once, before they are added in pairs.
Bytes file_xmodel_waiting() {
    const tests::XmodelResult result{{xmodel::ElementKind::kFloat, 32}, {1}};
    const auto name = [](std::size_t i) { return kUsualName + std::to_string(i); };
    tests::XmodelWriter file;
    file.node("data", name(0), {}, {}, result);
    constexpr std::size_t kWaiting = kOperators / 2 + 1;
    for (std::size_t i = 1; i <= kWaiting; ++i) {
        file.node("relu", name(i), {{"input", {name(0)}}}, {}, result);
    }
    for (std::size_t i = kWaiting + 1; i <= kOperators; ++i) {
        file.node("add", name(i), {{"input", {name(i - kWaiting), name(i - kWaiting + 1)}}}, {},
                  result);
    }
    return file.bytes();
}

TEST_CASE(".xmodel: results that wait for their use take no more") {
    CHECK(bytes_per_byte(file_xmodel_waiting()) <= kMost);
}

// Memory is 153 bytes per operator. The operator and its result take 104 bytes. Two name indices
// take 21 bytes: slots of 4 bytes, with 100000 of 262144 slots used. The operator's file position
// and the facts about its result take 20 bytes; the rest is free space in containers. From names of
// ten characters on, this is at most twice the file, which holds each name three times.
TEST_CASE(".xmodel: operators with short names") {
    CHECK(bytes_per_byte(file_xmodel("relu", "r")) <= 3.2);
    CHECK(bytes_per_byte(file_xmodel("relu", "relu_layer")) <= kMost);
}

// Texts need two lists of names (8 bytes each) and an index of them (5), up to twice that while
// they grow. Files need their tables once, in a buffer of 384 bytes per operator.
TEST_CASE("writing takes few bytes an operator beside the graph") {
    const Graph graph = chain(OpCode::kAbs);
    const TemporaryFolder folder;
    const auto taken = [&](auto&& save) {
        const std::int64_t before = live_bytes;
        peak_bytes = before;
        save(graph, folder.path() / "file");
        return static_cast<double>(peak_bytes - before) / kOperators;
    };
    CHECK(taken(save_mlir) <= 70);
    CHECK(taken(save_graph) <= 450);
}

TEST_CASE("constants of .xmodel files stay where they are in the file") {
    const std::vector<std::byte> data(std::size_t{4} << 20);
    const std::int64_t count = static_cast<std::int64_t>(data.size() / 4);
    const tests::XmodelResult result{{xmodel::ElementKind::kFloat, 32}, {1, count}};
    tests::XmodelWriter file;
    file.node("data", "x", {}, {}, result);
    file.constant("const", "c", result, data);
    file.node("add", "y", {{"input", {"x", "c"}}}, {}, result);
    CHECK(bytes_per_byte(file.bytes(), 1) < 0.1);
}

/// Bytes of mapped files that are resident in the process.
std::int64_t mapped_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("RssFile:")) return std::stoll(line.substr(8)) * 1024;
    }
    return 0;
}

TEST_CASE("MLIR text: what has been read is not kept in memory") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "net.mlir";
    const std::string text = write_mlir(chain(OpCode::kAbs));
    std::ofstream(path) << text;
    const std::int64_t before = mapped_bytes();
    const Graph graph = load_graph(path);
    CHECK(graph.main().operators.size() >= kOperators);
    // Reading touches all of the text; the names reload only their pages.
    CHECK(mapped_bytes() - before < static_cast<std::int64_t>(text.size()) / 2);
    CHECK(graph.main().tensors.back().name.text() ==
          chain(OpCode::kAbs).main().tensors.back().name);
}

}  // namespace
}  // namespace okksim::sim::graph

void* operator new(std::size_t size) {
    void* memory = std::malloc(std::max<std::size_t>(size, 1));
    if (memory == nullptr) throw std::bad_alloc();
    okksim::sim::graph::count(static_cast<std::int64_t>(malloc_usable_size(memory)));
    return memory;
}
void operator delete(void* memory) noexcept {
    okksim::sim::graph::count(-static_cast<std::int64_t>(malloc_usable_size(memory)));
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
