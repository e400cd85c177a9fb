// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of integers and of two directions against numbers derived by hand.
#include <cmath>

#include "tests/sim/graph/tflite_support.h"
#include "tests/support/catch.h"

namespace okksim::tests::tflite_files {
TEST_CASE("SVDF of integers rounds the features and keeps a state of the file", "[graph][tflite]") {
    constexpr int kSvdf = 27;
    TfliteWriter file;
    const int x = file.tensor("x", Type::INT8, {1, 2}, {{0.5F}, {1}});
    const int w =
        file.constant<std::int8_t>("w", Type::INT8, {2, 2}, {1, 1, -1, -1}, {{0.5F}, {0}});
    const int t =
        file.constant<std::int16_t>("t", Type::INT16, {2, 2}, {9, 3, 9, 5}, {{0.5F}, {0}});
    const int b = file.constant<std::int32_t>("b", Type::INT32, {2}, {1, 0}, {{0.25F}, {0}});
    const int s =
        file.constant<std::int16_t>("s", Type::INT16, {1, 4}, {7, 1, 7, 2}, {{0.5F}, {0}});
    const int y = file.tensor("y", Type::INT8, {1, 2}, {{0.5F}, {-1}});
    wire::SVDFOptionsT options;
    options.rank = 1;
    file.op(kSvdf, {x, w, t, b, s}, {y}, options);
    file.ends({x}, {y});
    // x without its zero point is 2, 1. Features: 3 and -3, times 0.5 * 0.5 / 0.5, are 2 and -1,
    // because the first rounding moves halves up.
    // Sums: 2 * 3 + 1 * 9 + 1 = 16 and -1 * 5 + 2 * 9 = 13, times 0.5 are 8 and 7, minus 1.
    CHECK(integers(file, {{3, 2}}) == Integers{7, 6});
}

TEST_CASE("an LSTM of integers has an INT16 cell", "[graph][tflite]") {
    constexpr int kLstm = 44;
    TfliteWriter file;
    const TfliteScales unit{{0x1p-6F}, {0}};
    const int x = file.tensor("x", Type::INT8, {1, 1, 1}, {{0x1p-6F}, {4}});
    const auto weights = [&](std::int8_t value) {
        return file.constant<std::int8_t>("w", Type::INT8, {1, 1}, {value}, unit);
    };
    const int zero = weights(0), some = weights(100);
    const auto bias = [&](std::int32_t value) {
        return file.constant<std::int32_t>("b", Type::INT32, {1}, {value}, {{0x1p-12F}, {0}});
    };
    const int none = bias(0), most = bias(40000), partly = bias(-4096 - 200);
    const int s = file.tensor("s", Type::INT8, {1, 1}, {{0x1p-7F}, {3}});
    file.last_tensor().is_variable = true;
    const int c = file.tensor("c", Type::INT16, {1, 1}, {{0x1p-11F}, {0}});
    file.last_tensor().is_variable = true;
    const int y = file.tensor("y", Type::INT8, {1, 1, 1}, {{0x1p-7F}, {3}});
    wire::UnidirectionalSequenceLSTMOptionsT options;
    options.activation = wire::Activation::TANH;
    file.op(kLstm, {x,  zero, zero, zero, some, zero,   zero, zero, zero, -1,
                    -1, -1,   none, none, most, partly, -1,   -1,   s,    c},
            {y}, options);
    file.ends({x}, {y});
    // Input gate: sigmoid(0) = 16384 / 2^15. Cell gate: tanh(8) = 32767 / 2^15, saturated.
    // Cell: 16384 * 32767 / 2^30 * 2^11 = 1024, so tanh(0.5) = 15143 / 2^15.
    // Output gate: 100 (6 - 4) - 4296 = -4096, so sigmoid(-1) = 8812 / 2^15.
    // State: 8812 * 15143 / 2^30 * 2^7 = 15.91, plus 3.
    CHECK(integers(file, {{6}}) == Integers{19});
}

TEST_CASE("two directions of an RNN are one output or two", "[graph][tflite]") {
    constexpr int kBidirectionalRnn = 46;
    for (const bool merges : {true, false}) {
        TfliteWriter file;
        const int x = file.tensor("x", Type::FLOAT32, {3, 1, 1});  // time, batch, size
        const int one = file.constant<float>("one", Type::FLOAT32, {1, 1}, {1});
        const int b = file.constant<float>("b", Type::FLOAT32, {1}, {0});
        const int s = file.tensor("s", Type::FLOAT32, {1, 1});
        file.last_tensor().is_variable = true;
        const int h = file.tensor("h", Type::FLOAT32, {1, 1});  // the state of an input
        const int y = file.tensor("y", Type::FLOAT32, {3, 1, merges ? 2 : 1});
        const int z = file.tensor("z", Type::FLOAT32, {3, 1, 1});
        wire::BidirectionalSequenceRNNOptionsT options;
        options.time_major = true;
        options.merge_outputs = merges;
        std::vector<int> outputs{y};
        if (!merges) outputs.push_back(z);
        file.op(kBidirectionalRnn, {x, one, one, b, s, one, one, b, h, -1, -1, -1}, outputs,
                options);
        file.ends({x, h}, outputs);
        // Sums from the start: 1, 3, 6. Sums from the end, which begin with 10: 13, 15, 16.
        const auto results = run(read(file.bytes()), {{1, 2, 3}, {10}});
        if (merges) {
            CHECK(results[0].real == std::vector<double>{1, 16, 3, 15, 6, 13});
        } else {
            CHECK(results[0].real == std::vector<double>{1, 3, 6});
            CHECK(results[1].real == std::vector<double>{16, 15, 13});
        }
    }
}

TEST_CASE("an LSTM starts with the states of an input", "[graph][tflite]") {
    constexpr int kLstm = 16;
    TfliteWriter file;
    const int x = file.tensor("x", Type::FLOAT32, {1, 1});
    const int zero = file.constant<float>("zero", Type::FLOAT32, {1, 1}, {0});
    const int b = file.constant<float>("b", Type::FLOAT32, {1}, {0});
    const int s = file.tensor("s", Type::FLOAT32, {1, 1});
    const int c = file.tensor("c", Type::FLOAT32, {1, 1});
    const int y = file.tensor("y", Type::FLOAT32, {1, 1});
    wire::LSTMOptionsT options;
    options.activation = wire::Activation::RELU;
    file.op(kLstm, {x,  zero, zero, zero, zero, zero, zero, zero, zero, -1,
                    -1, -1,   b,    b,    b,    b,    -1,   -1,   s,    c},
            {y}, options);
    file.ends({x, s, c}, {y});
    // All gates are sigmoid(0) = 0.5, and the new value is 0: 0.5 * (0.5 * 8).
    const auto result = reals(file, {{3}, {5}, {8}});
    REQUIRE(result.size() == 1);
    CHECK(std::abs(result[0] - 2) < 1e-6);
}

}  // namespace okksim::tests::tflite_files
