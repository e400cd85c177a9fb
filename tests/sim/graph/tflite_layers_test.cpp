// SPDX-License-Identifier: Apache-2.0
// Recurrent layers, positions and products of TensorFlow Lite files against numbers derived by
// hand.
#include <cmath>

#include "tests/sim/graph/tflite_support.h"
#include "tests/support/catch.h"

namespace okksim::tests::tflite_files {
namespace {

using Catch::Contains;

}  // namespace

TEST_CASE("SVDF of a first run uses the newest column", "[graph][tflite]") {
    constexpr int kSvdf = 27;
    TfliteWriter file;
    const int x = file.tensor("x", Type::FLOAT32, {1, 2});
    const int w = file.constant<float>("w", Type::FLOAT32, {2, 2}, {1, 2, 3, 4});
    const int t = file.constant<float>("t", Type::FLOAT32, {2, 2}, {9, 2, 9, 3});
    const int b = file.constant<float>("b", Type::FLOAT32, {2}, {1, 0});
    const int s = file.tensor("s", Type::FLOAT32, {1, 4});
    file.last_tensor().is_variable = true;
    const int y = file.tensor("y", Type::FLOAT32, {1, 2});
    wire::SVDFOptionsT options;
    options.rank = 1;
    file.op(kSvdf, {x, w, t, b, s}, {y}, options);
    file.ends({x}, {y});
    // Filters: 1 + 2 = 3 and 3 + 4 = 7, times 2 and 3, plus the bias.
    CHECK(reals(file, {{1, 1}}) == std::vector<double>{7, 21});
}

TEST_CASE("an RNN keeps its state from step to step", "[graph][tflite]") {
    constexpr int kRnn = 35;
    TfliteWriter file;
    const int x = file.tensor("x", Type::FLOAT32, {1, 3, 1});  // batch, time, size
    const int w = file.constant<float>("w", Type::FLOAT32, {1, 1}, {2});
    const int r = file.constant<float>("r", Type::FLOAT32, {1, 1}, {1});
    const int b = file.constant<float>("b", Type::FLOAT32, {1}, {1});
    const int s = file.tensor("s", Type::FLOAT32, {1, 1});
    file.last_tensor().is_variable = true;
    const int y = file.tensor("y", Type::FLOAT32, {1, 3, 1});
    file.op(kRnn, {x, w, r, b, s}, {y}, wire::SequenceRNNOptionsT{});
    file.ends({x}, {y});
    // h = 2 x + h + 1: 3, then 4 + 3 + 1, then -2 + 8 + 1.
    CHECK(reals(file, {{1, 2, -1}}) == std::vector<double>{3, 8, 7});
}

TEST_CASE("an LSTM without an input gate couples it to the forget gate", "[graph][tflite]") {
    constexpr int kLstm = 44;
    TfliteWriter file;
    const int x = file.tensor("x", Type::FLOAT32, {1, 1, 1});
    const int zero = file.constant<float>("zero", Type::FLOAT32, {1, 1}, {0});
    const int one = file.constant<float>("one", Type::FLOAT32, {1, 1}, {1});
    const int b = file.constant<float>("b", Type::FLOAT32, {1}, {0});
    const int s = file.tensor("s", Type::FLOAT32, {1, 1});
    file.last_tensor().is_variable = true;
    const int y = file.tensor("y", Type::FLOAT32, {1, 1, 1});
    wire::UnidirectionalSequenceLSTMOptionsT options;
    options.activation = wire::Activation::RELU;
    file.op(kLstm,
            {x, -1, zero, one, zero, -1, zero, zero, zero, -1, -1, -1, -1, b, b, b, -1, -1, s, s},
            {y}, options);
    file.ends({x}, {y});
    // f = sigmoid(0) = 0.5, i = 0.5, o = 0.5: c = 0.5 * 3, y = 0.5 * 1.5.
    const auto result = reals(file, {{3}});
    REQUIRE(result.size() == 1);
    CHECK(std::abs(result[0] - 0.75) < 1e-6);
}

TEST_CASE("positions of GATHER, SCATTER_ND and ONE_HOT", "[graph][tflite]") {
    constexpr int kGather = 36, kScatterNd = 122, kOneHot = 85, kTopK = 48;
    TfliteWriter gather;
    const int x = gather.tensor("x", Type::INT8, {2, 2}, {{1.0F}, {0}});
    const int rows = gather.constant<std::int32_t>("rows", Type::INT32, {3}, {1, 0, 1});
    const int y = gather.tensor("y", Type::INT8, {3, 2}, {{1.0F}, {0}});
    gather.op(kGather, {x, rows}, {y}, wire::GatherOptionsT{});
    gather.ends({x}, {y});
    CHECK(integers(gather, {{1, 2, 3, 4}}) == Integers{3, 4, 1, 2, 3, 4});

    TfliteWriter scatter;  // repeated positions add up
    const int at = scatter.constant<std::int32_t>("at", Type::INT32, {3, 1}, {2, 0, 2});
    const int u = scatter.tensor("u", Type::INT32, {3});
    const int size = scatter.constant<std::int32_t>("size", Type::INT32, {1}, {4});
    const int z = scatter.tensor("z", Type::INT32, {4});
    scatter.op(kScatterNd, {at, u, size}, {z});
    scatter.ends({u}, {z});
    CHECK(integers(scatter, {{5, 6, 7}}) == Integers{6, 0, 12, 0});

    TfliteWriter hot;
    const int i = hot.tensor("i", Type::INT32, {2});
    const int depth = hot.constant<std::int32_t>("depth", Type::INT32, {}, {3});
    const int on = hot.constant<std::int32_t>("on", Type::INT32, {}, {9});
    const int off = hot.constant<std::int32_t>("off", Type::INT32, {}, {1});
    const int h = hot.tensor("h", Type::INT32, {2, 3});
    wire::OneHotOptionsT last;
    last.axis = -1;
    hot.op(kOneHot, {i, depth, on, off}, {h}, last);
    hot.ends({i}, {h});
    CHECK(integers(hot, {{2, 0}}) == Integers{1, 1, 9, 9, 1, 1});

    TfliteWriter top;
    const int v = top.tensor("v", Type::FLOAT32, {4});
    const int k = top.constant<std::int32_t>("k", Type::INT32, {}, {2});
    const int values = top.tensor("values", Type::FLOAT32, {2});
    const int places = top.tensor("places", Type::INT32, {2});
    top.op(kTopK, {v, k}, {values, places});
    top.ends({v}, {values, places});
    const auto results = run(read(top.bytes()), {{3, 8, 1, 8}});
    CHECK(results[0].real == std::vector<double>{8, 8});
    CHECK(results[1].integer == Integers{1, 3});
}

TEST_CASE("BATCH_MATMUL of INT8 subtracts both zero points", "[graph][tflite]") {
    constexpr int kBatchMatmul = 126;
    TfliteWriter file;
    const int x = file.tensor("x", Type::INT8, {1, 2}, {{0.5F}, {1}});
    const int y = file.tensor("y", Type::INT8, {1, 2}, {{2.0F}, {-1}});
    const int z = file.tensor("z", Type::INT8, {1, 1}, {{1.0F}, {5}});
    wire::BatchMatMulOptionsT options;
    options.adj_y = true;
    file.op(kBatchMatmul, {x, y}, {z}, options);
    file.ends({x, y}, {z});
    // (2 - 1)(3 + 1) + (3 - 1)(4 + 1) = 14, times 1, plus 5.
    CHECK(integers(file, {{2, 3}, {3, 4}}) == Integers{19});
}

TEST_CASE("products of INT16 matrices keep their batches", "[graph][tflite]") {
    constexpr int kBatchMatmul = 126;
    TfliteWriter file;
    const int x = file.tensor("x", Type::INT16, {2, 1, 2}, {{0.5F}, {0}});
    const int y = file.tensor("y", Type::INT16, {2, 2, 1}, {{0.5F}, {0}});
    const int z = file.tensor("z", Type::INT16, {2, 1, 1}, {{0.25F}, {0}});
    file.op(kBatchMatmul, {x, y}, {z}, wire::BatchMatMulOptionsT{});
    file.ends({x, y}, {z});
    // 1 * 5 + 2 * 6 and 3 * 7 + 4 * 8, times 0.5 * 0.5 / 0.25.
    CHECK(integers(file, {{1, 2, 3, 4}, {5, 6, 7, 8}}) == Integers{17, 53});
}

TEST_CASE("sums of INT16 with scales of powers of two round the shifted operand",
          "[graph][tflite]") {
    constexpr int kAdd = 0;
    for (const bool shifts : {true, false}) {
        TfliteWriter file;
        const int x = file.tensor("x", Type::INT16, {2}, {{0x1p-12F}, {0}});
        const int y = file.tensor("y", Type::INT16, {2}, {{0x1p-13F}, {0}});
        const int z = file.tensor("z", Type::INT16, {2}, {{0x1p-12F}, {0}});
        wire::AddOptionsT options;
        options.pot_scale_int16 = shifts;
        file.op(kAdd, {x, y}, {z}, options);
        file.ends({x, y}, {z});
        // -1 / 2 rounds to -1, and 5 - 1 = 4. The sum 4.5 of the other rule rounds to 5.
        CHECK(integers(file, {{5, 5}, {-1, 4}}) == Integers{shifts ? 4 : 5, 7});
    }
}

TEST_CASE("UINT8 numbers without scales add up and have bits", "[graph][tflite]") {
    constexpr int kScatterNd = 122, kXor = 160;
    TfliteWriter scatter;
    const int at = scatter.constant<std::int32_t>("at", Type::INT32, {2, 1}, {1, 1});
    const int u = scatter.tensor("u", Type::UINT8, {2});
    const int size = scatter.constant<std::int32_t>("size", Type::INT32, {1}, {2});
    const int z = scatter.tensor("z", Type::UINT8, {2});
    scatter.op(kScatterNd, {at, u, size}, {z});
    scatter.ends({u}, {z});
    CHECK(integers(scatter, {{100, 50}}) == Integers{0, -106});  // 150 of the bytes of INT8
    TfliteWriter bits;
    const int x = bits.tensor("x", Type::UINT8, {1}), y = bits.tensor("y", Type::UINT8, {1}),
              r = bits.tensor("r", Type::UINT8, {1});
    bits.op(kXor, {x, y}, {r});
    bits.ends({x, y}, {r});
    CHECK(integers(bits, {{120, 15}, {15}}).at(0) == 119);  // 0111'1000 and 0000'1111
}

TEST_CASE("segments and diagonals", "[graph][tflite]") {
    constexpr int kSegmentSum = 125, kUnsortedMax = 154, kSetDiagonal = 115;
    TfliteWriter sums;
    const int x = sums.tensor("x", Type::INT32, {3, 2});
    const int ids = sums.constant<std::int32_t>("ids", Type::INT32, {3}, {0, 0, 2});
    const int y = sums.tensor("y", Type::INT32, {3, 2});
    sums.op(kSegmentSum, {x, ids}, {y});
    sums.ends({x}, {y});
    CHECK(integers(sums, {{1, 2, 3, 4, 5, 6}}) == Integers{4, 6, 0, 0, 5, 6});

    TfliteWriter maxima;  // an id below 0 leaves its element out
    const int v = maxima.tensor("v", Type::FLOAT32, {4});
    const int at = maxima.constant<std::int32_t>("at", Type::INT32, {4}, {1, -1, 0, 1});
    const int count = maxima.constant<std::int32_t>("count", Type::INT32, {}, {2});
    const int m = maxima.tensor("m", Type::FLOAT32, {2});
    maxima.op(kUnsortedMax, {v, at, count}, {m});
    maxima.ends({v}, {m});
    CHECK(reals(maxima, {{3, 99, -4, 5}}) == std::vector<double>{-4, 5});

    TfliteWriter diagonal;
    const int a = diagonal.tensor("a", Type::INT32, {3, 2});
    const int d = diagonal.tensor("d", Type::INT32, {2});
    const int b = diagonal.tensor("b", Type::INT32, {3, 2});
    diagonal.op(kSetDiagonal, {a, d}, {b});
    diagonal.ends({a, d}, {b});
    CHECK(integers(diagonal, {{1, 2, 3, 4, 5, 6}, {8, 9}}) == Integers{8, 2, 3, 9, 5, 6});
}

TEST_CASE("ATAN2 has the quadrant of its operands", "[graph][tflite]") {
    constexpr int kAtan2 = 156;
    TfliteWriter file;
    const int y = file.tensor("y", Type::FLOAT32, {5}), x = file.tensor("x", Type::FLOAT32, {5}),
              z = file.tensor("z", Type::FLOAT32, {5});
    file.op(kAtan2, {y, x}, {z});
    file.ends({y, x}, {z});
    const Integers height{0, 1, -2, -3, 0}, width{-1, 1, 1, -3, 0};
    const auto result = reals(file, {height, width});
    REQUIRE(result.size() == height.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double wanted =
            std::atan2(static_cast<double>(height[i]), static_cast<double>(width[i]));
        CHECK(std::abs(result[i] - wanted) < 1e-6);
    }
}

TEST_CASE("zero points have the range of their type", "[graph][tflite]") {
    constexpr int kRelu = 19;
    const auto text = [](Type type, std::int64_t zero) {
        TfliteWriter file;
        const int x = file.tensor("x", type, {1}, {{1.0F}, {zero}});
        const int y = file.tensor("y", type, {1}, {{1.0F}, {zero}});
        file.op(kRelu, {x}, {y});
        file.ends({x}, {y});
        return refusal(file);
    };
    CHECK(text(Type::INT8, -128) == "accepted");
    CHECK(text(Type::UINT8, 255) == "accepted");
    CHECK_THAT(text(Type::INT8, 128), Contains("the zero point 128: INT8 has -128 to 127"));
    CHECK_THAT(text(Type::UINT8, -1), Contains("the zero point -1: UINT8 has 0 to 255"));
}

TEST_CASE("a transposed convolution of MediaPipe is read", "[graph][tflite]") {
    constexpr int kCustom = 32;
    for (const std::int32_t padding : {1, 2, 3}) {
        TfliteWriter file;
        file.custom = "Convolution2DTransposeBias";
        const int x = file.tensor("x", Type::FLOAT32, {1, 1, 2, 1});
        const int w = file.constant<float>("w", Type::FLOAT32, {1, 1, 3, 1}, {1, 2, 4});
        const int b = file.constant<float>("b", Type::FLOAT32, {1}, {0.5F});
        const int columns = padding == 1 ? 4 : 5;
        const int y = file.tensor("y", Type::FLOAT32, {1, 1, columns, 1});
        file.op(kCustom, {x, w, b}, {y});
        file.custom_options({padding, 2, 1});  // stride 2 in a row
        file.ends({x}, {y});
        // 1, 2, 4 and 10, 20, 40 two columns later. SAME crops the last column.
        const std::vector<double> row{1.5, 2.5, 14.5, 20.5, 40.5};
        if (padding == 3) {
            CHECK_THAT(refusal(file), Contains("padding = 3") && Contains("1 (SAME) or 2"));
        } else {
            CHECK(reals(file, {{1, 10}}) ==
                  std::vector<double>(row.begin(), row.begin() + columns));
        }
    }
}

TEST_CASE("operands of different types are refused", "[graph][tflite]") {
    constexpr int kMul = 18, kWhere = 109;
    TfliteWriter file;
    const int x = file.tensor("x", Type::FLOAT32, {1}), y = file.tensor("y", Type::INT32, {1}),
              z = file.tensor("z", Type::FLOAT32, {1});
    file.op(kMul, {x, y}, {z}, wire::MulOptionsT{});
    file.ends({x, y}, {z});
    CHECK_THAT(refusal(file), Contains("INT32") && Contains("one type, here FLOAT32"));
    TfliteWriter where;
    const int c = where.tensor("c", Type::BOOL, {4}), at = where.tensor("at", Type::INT64, {4, 1});
    where.op(kWhere, {c}, {at});
    where.ends({c}, {at});
    CHECK_THAT(refusal(where), Contains("WHERE") && Contains("size depends on data"));
}

TEST_CASE("numbers of enumerations and zero points are checked", "[graph][tflite]") {
    constexpr int kAdd = 0, kMaxPool = 17;
    const auto sum = [](const TfliteScales& scales, int activation) {
        TfliteWriter file;
        const int x = file.tensor("x", Type::INT8, {2}, scales);
        const int y = file.tensor("y", Type::INT8, {2}, scales);
        wire::AddOptionsT options;
        options.activation = static_cast<wire::Activation>(activation);
        file.op(kAdd, {x, x}, {y}, options);
        file.ends({x}, {y});
        return refusal(file);
    };
    CHECK(sum({{1.0F}, {-128}}, 0) == "accepted");
    CHECK_THAT(sum({{1.0F}, {128}}, 0), Contains("zero point 128"));
    CHECK_THAT(sum({{1.0F}, {0}}, 9), Contains("activation number 9"));
    CHECK_THAT(sum({}, 0), Contains("arithmetic of INT8 without scales"));
    TfliteWriter pool;
    const int x = pool.tensor("x", Type::FLOAT32, {1, 2, 2, 1});
    const int y = pool.tensor("y", Type::FLOAT32, {1, 1, 1, 1});
    wire::Pool2DOptionsT options;
    options.padding = static_cast<wire::Padding>(7);
    options.stride_w = options.stride_h = options.filter_width = options.filter_height = 2;
    pool.op(kMaxPool, {x}, {y}, options);
    pool.ends({x}, {y});
    CHECK_THAT(refusal(pool), Contains("padding = 7") && Contains("SAME or VALID"));
}

}  // namespace okksim::tests::tflite_files
