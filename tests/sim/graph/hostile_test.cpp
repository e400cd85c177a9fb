// SPDX-License-Identifier: Apache-2.0
// Damaged and hostile files: an error or a graph, never a crash, a hang or a large allocation.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "isa/base/fault.h"
#include "sim/graph/builder.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "sim/graph/validate/validate.h"
#include "tests/sim/graph/sample_graphs.h"
#include "tests/support/catch.h"
#include "tests/support/golden_dir.h"

namespace okksim::sim::graph {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// True if the bytes are a legal graph. Only documented errors are allowed.
bool accepts(const Bytes& bytes) {
    // A copy of the exact size, so that a sanitizer sees reads beyond the end.
    const auto owner = std::make_shared<const Bytes>(bytes);
    try {
        const Graph graph = read_graph(std::as_bytes(std::span(*owner)), owner, "hostile");
        validate_graph(graph);
        operator_modes(graph);
        return true;
    } catch (const ProgramFault&) {
    } catch (const ConfigError&) {
    }
    return false;
}

Bytes sample_file() {
    GraphBuilder b;
    const auto x = b.input(DType::kI8, {1, 4, 4, 2});
    const auto weight = b.constant(DType::kI4, {3, 1, 1, 2}, {1, -2, 3, -4, 5, -6});
    const auto bias = b.constant(DType::kI32, {3}, {10, 20, 30});
    const auto zp = b.constant(DType::kI8, {1}, {3});
    const auto zero = b.constant(DType::kI4, {1}, {0});
    const Conv2dAttributes conv{{0, 0, 0, 0}, {1, 1}, {1, 1}, false, DType::kI32};
    const auto y =
        b.add(OpCode::kConv2d, conv, {x, weight, bias, zp, zero}, DType::kI32, {1, 4, 4, 3});
    b.output(
        b.add(OpCode::kReshape, NoAttributes{}, {y, b.shape_value({16, 3})}, DType::kI32, {16, 3}));
    return write_graph(b.finish());
}

TEST_CASE("every truncation of a file is refused") {
    const Bytes whole = sample_file();
    REQUIRE(accepts(whole));
    std::size_t accepted = 0;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        accepted += accepts(Bytes(whole.begin(), whole.begin() + static_cast<long>(size))) ? 1 : 0;
    }
    // Only padding at the very end can be omitted. FlatBuffers are written from the end, so the
    // last bytes are a string terminator or alignment.
    CHECK(accepted <= 8);
}

TEST_CASE("every flipped bit gives an error or a graph") {
    Bytes bytes = sample_file();
    for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
        bytes[i / 8] ^= static_cast<std::uint8_t>(1U << (i % 8));
        accepts(bytes);
        bytes[i / 8] ^= static_cast<std::uint8_t>(1U << (i % 8));
    }
    CHECK(accepts(bytes));
}

TEST_CASE("the graphs that fuzzing starts from are legal") {
    for (const Graph& graph : tests::sample_graphs()) CHECK(accepts(write_graph(graph)));
}

/// Damages `bytes` at one to four positions: random bytes, and 32-bit words with dangerous values.
void damage(Bytes& bytes, std::mt19937& random) {
    constexpr std::uint32_t kWords[] = {0, 1, 4, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC};
    for (unsigned n = random() % 4 + 1; n > 0; --n) {
        const std::size_t at = random() % bytes.size();
        if (random() % 2 == 0) {
            bytes[at] = static_cast<std::uint8_t>(random());
        } else if (at + 4 <= bytes.size()) {
            std::uint32_t word = kWords[random() % std::size(kWords)];
            if (random() % 4 == 0) word = static_cast<std::uint32_t>(random() % bytes.size());
            std::memcpy(bytes.data() + at / 4 * 4, &word, sizeof(word));
        }
    }
}

/// Seconds of fuzzing per corpus; OKKSIM_FUZZ_SECONDS sets more.
double fuzz_seconds() {
    const char* text = std::getenv("OKKSIM_FUZZ_SECONDS");
    return text != nullptr ? std::atof(text) : 1.0;
}

std::vector<Bytes> corpus() {
    std::vector<Bytes> files{sample_file()};
    const auto golden = tests::golden_dir();
    if (!golden) return files;
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(*golden / "tosa")) {
        if (entry.path().extension() == ".tosa") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    for (std::size_t i = 0; i < paths.size(); i += 7) {
        if (std::filesystem::file_size(paths[i]) > 20000) continue;
        std::ifstream stream(paths[i], std::ios::binary);
        files.emplace_back(std::istreambuf_iterator<char>(stream),
                           std::istreambuf_iterator<char>());
        if (files.back().empty()) files.pop_back();
    }
    return files;
}

TEST_CASE("random damage gives an error or a graph") {
    const std::vector<Bytes> files = corpus();
    std::mt19937 random(20240607);
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(fuzz_seconds());
    std::size_t runs = 0;
    while (std::chrono::steady_clock::now() < end) {
        Bytes bytes = files[random() % files.size()];
        damage(bytes, random);
        const auto start = std::chrono::steady_clock::now();
        accepts(bytes);
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        // Files have at most 20 kB; a time near a second is disproportionate.
        REQUIRE(time.count() < 1.0);
        ++runs;
    }
    CHECK(runs > 10);
}

/// Little-endian words of a hand-made FlatBuffer.
class Words {
 public:
    std::size_t size() const { return bytes.size(); }
    void u16(std::uint32_t v) {
        bytes.push_back(static_cast<std::uint8_t>(v));
        bytes.push_back(static_cast<std::uint8_t>(v >> 8));
    }
    void u32(std::uint32_t v) {
        u16(v & 0xFFFFU);
        u16(v >> 16);
    }
    void set_u32(std::size_t at, std::uint32_t v) { std::memcpy(bytes.data() + at, &v, 4); }
    /// Makes the offset at `at` point to the current end.
    void point_here(std::size_t at) { set_u32(at, static_cast<std::uint32_t>(size() - at)); }

    Bytes bytes;
};

/// A small file that takes operators x names steps to read naively. Its `operators` offsets refer
/// to one operator, whose input list has `names` entries that refer to one string.
Bytes shared_operator_file(std::uint32_t operators, std::uint32_t names) {
    Words w;
    w.u32(0);  // root offset, set below
    w.bytes.insert(w.bytes.end(), {'T', 'O', 'S', 'A'});
    // vtables: graph {version, regions}; version {}; region {-, blocks}; block {-, operators};
    // operator {-, -, -, inputs}.
    const std::size_t graph_vtable = w.size();
    for (const std::uint32_t v : {8, 12, 4, 8}) w.u16(v);
    const std::size_t version_vtable = w.size();
    for (const std::uint32_t v : {12, 12, 4, 8}) w.u16(v);
    for (const std::uint32_t v : {0, 0}) w.u16(v);
    const std::size_t list_vtable = w.size();
    for (const std::uint32_t v : {8, 8, 0, 4}) w.u16(v);
    const std::size_t operator_vtable = w.size();
    for (const std::uint32_t v : {12, 8, 0, 0, 0, 4}) w.u16(v);

    w.point_here(0);
    const std::size_t graph = w.size();
    w.u32(static_cast<std::uint32_t>(graph - graph_vtable));
    w.u32(0);
    w.u32(0);
    w.point_here(graph + 4);
    const std::size_t version = w.size();
    w.u32(static_cast<std::uint32_t>(version - version_vtable));
    w.u32(1);
    w.u32(0);
    const auto list_of_one = [&](std::size_t from) {
        w.point_here(from);
        w.u32(1);
        w.u32(4);
        const std::size_t table = w.size();
        w.u32(static_cast<std::uint32_t>(table - list_vtable));
        w.u32(0);
        return table + 4;
    };
    const std::size_t blocks = list_of_one(graph + 8);
    const std::size_t operator_list = list_of_one(blocks);
    w.point_here(operator_list);
    w.u32(operators);
    const std::size_t first = w.size();
    for (std::uint32_t i = 0; i < operators; ++i) w.u32(0);
    const std::size_t op = w.size();
    for (std::uint32_t i = 0; i < operators; ++i) {
        w.set_u32(first + 4 * i, static_cast<std::uint32_t>(op - first - 4 * i));
    }
    w.u32(static_cast<std::uint32_t>(op - operator_vtable));
    w.u32(4);
    w.u32(names);
    const std::size_t first_name = w.size();
    for (std::uint32_t i = 0; i < names; ++i) w.u32(0);
    for (std::uint32_t i = 0; i < names; ++i) {
        w.set_u32(first_name + 4 * i, static_cast<std::uint32_t>(w.size() - first_name - 4 * i));
    }
    w.u32(1);
    w.u32('x');
    return w.bytes;
}

TEST_CASE("shared tables and strings do not multiply the work") {
    const Bytes bytes = shared_operator_file(200000, 200000);  // 1.6 MB, 4e10 names
    const auto start = std::chrono::steady_clock::now();
    CHECK_FALSE(accepts(bytes));
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    CHECK(time.count() < 5.0);
    // The construction is well-formed: with few entries, the error is about the operator.
    const auto owner = std::make_shared<const Bytes>(shared_operator_file(1, 1));
    CHECK_THROWS_WITH(read_graph(std::as_bytes(std::span(*owner)), owner, "small"),
                      Catch::Contains("operator number 0"));
}

TEST_CASE("deeply nested control flow is refused") {
    for (const int depth : {6, 7, 20000}) {
        GraphBuilder b;
        std::vector<BlockReference> blocks{{0, 0}};
        for (int i = 1; i <= depth; ++i) blocks.push_back(b.begin_block("b" + std::to_string(i)));
        for (int i = 0; i <= depth; ++i) {
            b.select_block(blocks[static_cast<std::size_t>(i)]);
            const auto condition = b.input(DType::kBool, {});
            if (i == depth) {
                b.output(b.add(OpCode::kLogicalNot, NoAttributes{}, {condition}, DType::kBool, {}));
                continue;
            }
            const SubGraph inner{blocks[static_cast<std::size_t>(i) + 1], {}};
            b.output(b.add(OpCode::kCondIf, CondIfAttributes{inner, inner}, {condition, condition},
                           DType::kBool, {}));
        }
        const Graph graph = b.finish();
        if (depth == 6) {
            CHECK_NOTHROW(validate_graph(graph));
        } else {
            CHECK_THROWS_WITH(validate_graph(graph), Catch::Contains("MAX_NESTING"));
        }
    }
}

}  // namespace
}  // namespace okksim::sim::graph
