// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/formats/graph_formats.h"

#include <fstream>
#include <iterator>

#include "isa/base/errors.h"
#include "isa/base/temporary_folder.h"
#include "sim/graph/builder.h"
#include "sim/graph/foreign/foreign_formats.h"
#include "sim/graph/formats/graph_writers.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "tests/sim/graph/sample_xmodels.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

using Catch::Contains;

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

Graph read(std::string_view text) { return read_graph(bytes_of(text), nullptr, "model"); }

/// A number in little-endian order.
std::string bytes_of(std::uint32_t value, int size) {
    std::string bytes;
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
    return bytes;
}

/// The header of an empty file in a zip archive. Its last four bytes are the lengths of the name
/// and of the extra field (0).
std::string zip_file(const std::string& name) {
    return "PK\x03\x04" + std::string(22, '\0') +
           bytes_of(static_cast<std::uint32_t>(name.size()), 2) + bytes_of(0, 2) + name;
}

/// A zip archive of empty files. Their headers come first, then a directory with entries of 46
/// bytes and a name. The end record of 22 bytes holds the directory's offset.
std::string zip_of(const std::vector<std::string>& names) {
    std::string files, directory;
    for (const std::string& name : names) {
        files += zip_file(name);
        directory += "PK\x01\x02" + std::string(24, '\0') +
                     bytes_of(static_cast<std::uint32_t>(name.size()), 2) + std::string(16, '\0') +
                     name;
    }
    return files + directory + "PK\x05\x06" + std::string(12, '\0') +
           bytes_of(static_cast<std::uint32_t>(files.size()), 4) + bytes_of(0, 2);
}

TEST_CASE("other tools' files are named, with the way to convert them") {
    using namespace std::string_view_literals;
    using namespace std::string_literals;
    for (const auto& name : {"net/data.pkl"s, "data.pkl"s, "net/archive_format"s,
                             "serialized_exported_program.json"s}) {
        CHECK_THROWS_WITH(read(zip_of({"net/x", name})),
                          Contains("PyTorch") && Contains("torch.onnx.export"));
    }
    // Truncated after the first file's name.
    CHECK_THROWS_WITH(read(zip_file("net/data.pkl")), Contains("PyTorch"));
    CHECK_THROWS_WITH(read(zip_of({"net.mlir", "net/my_data.pkl"})),
                      Contains("is a zip archive") && Contains("unzip") && !Contains("PyTorch"));
    CHECK_THROWS_WITH(read(zip_file("a.txt")), Contains("is a zip archive"));
    // Pickles: the protocol, from 4 on a frame of 13 bytes, the number 0x1950A86A20F9469CFC6C.
    const auto magic = "\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."s;
    for (const auto& pickle :
         {"\x80\x02"s + magic, "\x80\x03"s + magic, "\x80\x04\x95\x0d\0\0\0\0\0\0\0"s + magic}) {
        CHECK_THROWS_WITH(read(pickle), Contains("PyTorch") && Contains("torch.onnx.export"));
    }
    CHECK_THROWS_WITH(read("ML\xefR\x0d"sv), Contains("MLIR bytecode") && Contains("mlir-opt"));
    CHECK_THROWS_WITH(read("\x89HDF\r\n\x1a\n\0\0"sv), Contains("Keras"));
    // The name of the first file follows 30 bytes.
    CHECK_THROWS_WITH(read("PK\x03\x04" + std::string(26, ' ') + "metadata.json"),
                      Contains("Keras") && Contains("from_keras_model"));
    // Schema version 1, a MetaGraphDef of 9 bytes that begins with its MetaInfoDef.
    CHECK_THROWS_WITH(read("\x08\x01\x12\x09\x0a\x07*\x05serve"sv),
                      Contains("SavedModel") && Contains("from_saved_model"));
    // A node of 12 bytes: the name "x", the operation "Const" and an attribute without bytes.
    CHECK_THROWS_WITH(read("\x0a\x0c\x0a\x01x\x12\x05"
                           "Const*\0"sv),
                      Contains("frozen") && Contains("from_frozen_graph"));
    // The magic number follows 257 bytes.
    CHECK_THROWS_WITH(read("a" + std::string(256, '\0') + "ustar"),
                      Contains("tar archive") && Contains("tar -xf"));
    CHECK_THROWS_WITH(read("\x14\0\0\0\0\0\0\0{\"a\":{}}"sv), Contains("weights alone"));
    CHECK_THROWS_WITH(read("\x1f\x8b\x08"sv), Contains("gzip") && Contains("gunzip"));
    CHECK_THROWS_WITH(read("\xff\xfe"
                           "f\0u\0"sv),
                      Contains("UTF-16") && Contains("iconv"));
}

TEST_CASE("foreign files that end early are no reason to read beyond them") {
    using namespace std::string_view_literals;
    CHECK(find_foreign_format(bytes_of("\x08"sv)) == nullptr);
    CHECK(find_foreign_format(bytes_of("\x08\x08\x12\x7f"sv)) == nullptr);
    CHECK(find_foreign_format({}) == nullptr);
}

TEST_CASE("a function is asked for where a form has functions") {
    const auto bytes = tests::sample_xmodels().front();
    ReadOptions options;
    options.function = "f";
    CHECK_THROWS_WITH(read_graph(std::as_bytes(std::span(bytes)), nullptr, "net.xmodel", options),
                      Contains("--function f") && Contains("net.xmodel has no functions"));
}

TEST_CASE("unknown content is refused with the forms that are read") {
    CHECK_THROWS_AS(read(""), GraphFileError);
    CHECK_THROWS_WITH(
        read("\x7f"
             "ELF and more"),
        Contains("none of the supported formats") && Contains("TOSA 1.0 FlatBuffers"));
}

TEST_CASE("a form that cannot hold a graph names one that can") {
    // Variables of i32 belong to the dialect, not to version 1.0.
    const Graph graph = read(
        "module {\n tosa.variable @v = dense<7> : tensor<2xi32>\n"
        " func.func @f() -> tensor<2xi32> {\n"
        "  %r = tosa.variable_read @v : tensor<2xi32>\n  return %r : tensor<2xi32>\n }\n}\n");
    CHECK_THROWS_WITH(save_graph_as(graph, "unwritten.tosa"),
                      Contains("a .tosa file cannot hold this graph: write a .mlir file"));
}

TEST_CASE("a file comes back from its text: names of blocks, and operators from nowhere") {
    Graph graph = read(R"(func.func @f(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "tosa.cond_if"(%c, %x) ({
  ^bb0(%a: tensor<2xf32>):
    %1 = tosa.abs %a : (tensor<2xf32>) -> tensor<2xf32>
    tosa.yield %1 : tensor<2xf32>
  }, {
  ^bb0(%b: tensor<2xf32>):
    %2 = tosa.exp %b : (tensor<2xf32>) -> tensor<2xf32> loc("layer1")
    tosa.yield %2 : tensor<2xf32>
  }) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
)");
    REQUIRE(graph.regions[0].blocks.size() == 3);
    graph.regions[0].blocks[1].name = "one, \"or\"";
    graph.regions[0].blocks[2].name = "the other";
    // Only one operator of this binary file has a location.
    const std::vector<std::uint8_t> file = write_graph(graph);
    const std::string text = write_mlir(read_graph(std::as_bytes(std::span(file)), nullptr, "a"));
    const TemporaryFolder folder;
    // A file of any version is written again as 1.0.1.
    Graph older = read_graph(std::as_bytes(std::span(file)), nullptr, "a");
    older.version.patch = 0;
    save_graph_as(older, folder.path() / "again.tosa");
    CHECK(load_graph(folder.path() / "again.tosa").version.patch == 1);
    save_graph_as(read(text), folder.path() / "back.tosa");
    std::ifstream stream(folder.path() / "back.tosa", std::ios::binary);
    const std::vector<std::uint8_t> back{std::istreambuf_iterator<char>(stream), {}};
    CHECK(back == file);
    // Messages still give the operator's position in the text.
    const Graph again = read(text);
    CHECK_THAT(again.main().origin(again.main().operators[0]), Contains(":3"));
}

TEST_CASE("a graph says which form it was read from") {
    GraphBuilder b;
    b.output(b.add(OpCode::kAbs, NoAttributes{}, {b.input(DType::kI32, {2})}, DType::kI32, {2}));
    Graph graph = b.finish();
    graph.regions[0].blocks[0].operators[0].location = "net.tflite:7";
    const auto bytes = write_graph(graph);
    const Graph again = read_graph(std::as_bytes(std::span(bytes)), nullptr, "model");
    CHECK(again.format == "TOSA 1.0 FlatBuffers");
    CHECK(again.main().origin(again.main().operators[0]) == "net.tflite:7");
    CHECK(again.warnings.empty());
}

TEST_CASE("a form that cannot say what elements are in files is refused") {
    GraphBuilder b;
    const auto x = b.input(DType::kI8, {4});
    b.output(b.add(OpCode::kIdentity, NoAttributes{}, {x}, DType::kI8, {4}));
    Graph graph = b.finish();
    Block& main = graph.regions[0].blocks[0];
    main.tensors[main.outputs[0]].is_unsigned = true;
    const TemporaryFolder folder;
    CHECK_THROWS_WITH(save_graph_as(graph, folder.path() / "net.tosa"),
                      Contains("u1 in .npy files") && Contains("write a .mlir file"));
    save_graph_as(graph, folder.path() / "net.mlir");
    const Graph again = load_graph(folder.path() / "net.mlir");
    CHECK(again.main().tensors[again.main().outputs[0]].is_unsigned);
}

}  // namespace
}  // namespace okksim::sim::graph
