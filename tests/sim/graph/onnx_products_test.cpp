// SPDX-License-Identifier: Apache-2.0
// ONNX: products of real matrices.
#include "tests/sim/graph/onnx_node.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using namespace onnx;
using Catch::Matchers::Approx;
using Catch::Matchers::Contains;
using Numbers = std::vector<double>;

auto roughly(const Numbers& expected) { return Approx(expected).margin(1e-4).epsilon(1e-4); }

Message flag(std::string_view name) { return attribute(name, std::int64_t{1}); }
Message equation(std::string_view text) { return attribute("equation", text); }
Message number_of(std::string_view name, std::int64_t value) { return attribute(name, value); }

}  // namespace

TEST_CASE("ONNX: MatMul by numpy's rules", "[graph][onnx]") {
    const Operand a = real({2, 3}, {1, 2, 3, 4, 5, 6}), v = real({3}, {1, 0, -1});
    CHECK(values_of({"MatMul", {a, v}}) == Numbers{-2, -2});
    CHECK(values_of({"MatMul", {real({2}, {1, 10}), a}}) == Numbers{41, 52, 63});
    // Batches [2,1] and [3] broadcast to [2,3].
    const auto result =
        run_node({"MatMul", {real({2, 1, 1, 1}, {1, 2}), real({3, 1, 2}, {1, 2, 3, 4, 5, 6})}});
    CHECK(result[0].shape == Shape{2, 3, 1, 2});
    CHECK(result[0].values == Numbers{1, 2, 3, 4, 5, 6, 2, 4, 6, 8, 10, 12});
    const Operand whole{{1, 2}, {3, 4}, kInt64};
    CHECK(values_of({"MatMul", {whole, {{2, 1}, {5, 6}, kInt64}}}) == Numbers{39});
}

TEST_CASE("ONNX: Gemm transposes, scales and adds", "[graph][onnx]") {
    // A' = [1 3; 2 4], B' = [5; 6]: [1 5 + 3 6, 2 5 + 4 6] = [23, 34]. Times 2, plus half of C.
    CHECK_THAT(
        values_of(
            {"Gemm",
             {real({2, 2}, {1, 2, 3, 4}), known_real({1, 2}, {5, 6}), known_real({2, 1}, {10, 20})},
             {flag("transA"), flag("transB"), attribute("alpha", 2.0), attribute("beta", 0.5)}}),
        roughly({51, 78}));
}

TEST_CASE("ONNX: Einsum", "[graph][onnx]") {
    const Operand a = real({2, 2}, {1, 2, 3, 4});
    CHECK(values_of({"Einsum", {a}, {equation("ij->ji")}}) == Numbers{1, 3, 2, 4});
    CHECK(values_of({"Einsum", {a}, {equation("ii->i")}}) == Numbers{1, 4});
    CHECK(values_of({"Einsum", {a}, {equation("ii")}}) == Numbers{5});
    CHECK(values_of({"Einsum", {a, a}, {equation("...ij,...jk->...ik")}}) ==
          Numbers{7, 10, 15, 22});
    CHECK_THAT(refusal_of({"Einsum", {a}, {equation("ijk->k")}}), Contains("equation"));
    CHECK_THAT(refusal_of({"Einsum", {a}, {}}), Contains("missing"));
}

TEST_CASE("ONNX: FusedMatMul", "[graph][onnx]") {
    CHECK(values_of({"FusedMatMul",
                     {real({2, 1}, {1, 2}), real({2, 1}, {3, 4})},
                     {flag("transA"), attribute("alpha", 0.5)},
                     17,
                     1,
                     "com.microsoft"}) == Numbers{5.5});
    // A [2,3,1] has rows, batches and columns: result [batch][row] = a[row][batch] b[batch].
    CHECK(values_of({"FusedMatMul",
                     {real({2, 3, 1}, {1, 2, 3, 4, 5, 6}), real({3, 1, 1}, {1, 10, 100})},
                     {flag("transBatchA")},
                     17,
                     1,
                     "com.microsoft"}) == Numbers{1, 4, 20, 50, 300, 600});
}

TEST_CASE("ONNX: MatMulNBits has blocks of packed weights", "[graph][onnx]") {
    // 2 columns of 32 rows in 2 blocks of 16. All nibbles of a block are equal: 9 and 10 in the
    // first column, 7 and 8 in the second one.
    Numbers packed;
    for (const double nibble : {9, 10, 7, 8}) packed.insert(packed.end(), 8, 17 * nibble);
    const Operand weights{{2, 2, 8}, packed, kUint8, true};
    const Operand scales = known_real({4}, {1, 2, 0.5, 4});
    const std::vector<Message> attributes{number_of("K", 32), number_of("N", 2),
                                          number_of("bits", 4), number_of("block_size", 16)};
    const Operand a = real({1, 32}, Numbers(32, 1));
    // Zero point 8: 16 (1 * 1 + 2 * 2) and 16 (-1 * 0.5 + 0 * 4).
    const Node node{"MatMulNBits", {a, weights, scales}, attributes, 17, 1, "com.microsoft"};
    CHECK_THAT(values_of(node), roughly({80, -8}));
    // Zero points 9, 8 and 7, 6: 16 (0 + 2 * 2) and 16 (0 + 2 * 4).
    Node with_zeros = node;
    with_zeros.operands.push_back({{2}, {0x89, 0x67}, kUint8, true});
    CHECK_THAT(values_of(with_zeros), roughly({64, 128}));
    Node wrong = node;
    wrong.operands[2] = known_real({3}, {1, 2, 3});
    CHECK_THAT(refusal_of(wrong), Contains("4 elements"));
}

TEST_CASE("ONNX: determinants of small matrices of run time", "[graph][onnx]") {
    // 2 (3 * 4 - 2 * 1) - 0 + 1 (1 * 1 - 3 * 1).
    CHECK_THAT(values_of({"Det", {real({3, 3}, {2, 0, 1, 1, 3, 2, 1, 1, 4})}}), roughly({18}));
    CHECK_THAT(values_of({"Det", {real({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 9})}}), roughly({-2, 3}));
    CHECK_THAT(refusal_of({"Det", {real({5, 5}, Numbers(25, 1))}}), Contains("4 rows"));
}

TEST_CASE("ONNX: determinants and inverses of known matrices", "[graph][onnx]") {
    // The pivot of the first column is in the second row.
    GraphMessage graph;
    graph.weight("m", {2, 2}, std::vector<float>{0, 2, 4, 6}).input("x", {1});
    graph.add("Det", {"m"}, {"d"}).add("Inverse", {"m"}, {"i"}, {}, "com.microsoft");
    graph.add("MatMul", {"i", "m"}, {"unit"}).add("Mul", {"x", "d"}, {"y"}).output("y");
    graph.add("Mul", {"x", "unit"}, {"z"}).output("z");
    const auto results = run(model(graph, 17, opset_field(8, "com.microsoft", 1)), {{3}});
    CHECK_THAT(results[0].values, roughly({-24}));
    CHECK_THAT(results[1].values, roughly({3, 0, 0, 3}));
}

TEST_CASE("ONNX: products refuse operands that do not match", "[graph][onnx]") {
    const Operand a = real({2, 3}, Numbers(6, 1)), b = real({2, 3}, Numbers(6, 1));
    CHECK_THAT(refusal_of({"MatMul", {a, b}}), Contains("columns of the first matrix"));
    CHECK_THAT(refusal_of({"MatMul", {a, real({}, {1})}}), Contains("one or more dimensions"));
    CHECK_THAT(refusal_of({"MatMul", {a, {{3, 1}, {1, 2, 3}, kInt32}}}), Contains("one type"));
    CHECK_THAT(refusal_of({"Gemm", {real({3}, {1, 2, 3}), a}}), Contains("matrices"));
    CHECK_THAT(refusal_of({"Gemm", {a, b, real({3}, {1, 2, 3})}, {flag("transB")}}),
               Contains("broadcasts to [2,2]"));
}

}  // namespace okksim::tests
