// SPDX-License-Identifier: Apache-2.0
// The best classes of a classification.
#include "sim/execution/best_classes.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "isa/base/errors.h"
#include "isa/base/temporary_folder.h"
#include "sim/graph/builder.h"
#include "tests/support/catch.h"

namespace okksim::sim::execution {
namespace {

using Catch::Contains;
using graph::DType;

template <typename T>
graph::HostTensor output(DType type, const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return graph::make_host_tensor(type, {1, static_cast<std::int64_t>(values.size())},
                                   std::move(bytes));
}

ClassOptions best(std::size_t count) {
    ClassOptions options;
    options.count = count;
    return options;
}

std::vector<std::int64_t> numbers(const ClassTable& table) {
    std::vector<std::int64_t> all;
    for (const BestClass& best : table.best) all.push_back(best.number);
    return all;
}

TEST_CASE("the best classes come first, and equal ones in order") {
    const auto table =
        best_classes("y", output<float>(DType::kFp32, {1, 7, 7, -2}),
                     {.count = 3, .labels = {"a", "b", "c", "d"}, .labels_file = ""});
    CHECK(table.output == "y");
    CHECK(numbers(table) == std::vector<std::int64_t>{1, 2, 0});
    CHECK(table.best[0].label == "b");
    CHECK(table.best[0].value == 7);
    CHECK(best_classes("y", output<float>(DType::kFp32, {1, 2}), best(5)).best.size() == 2);
}

TEST_CASE("values with the sum 1 are probabilities, others become ones by softmax") {
    const auto given = best_classes("y", output<float>(DType::kFp32, {0.25F, 0.75F}), best(1));
    CHECK(given.best[0].probability == 0.75);
    CHECK_THAT(given.meaning, Contains("the output is probabilities"));
    // e^ln(3) / (e^0 + e^ln(3)) = 3/4, also far from 0.
    for (const float shift : {0.0F, 100.0F, -100.0F}) {
        const auto made = best_classes(
            "y", output<float>(DType::kFp32, {shift, shift + std::log(3.0F)}), best(2));
        CHECK(*made.best[0].probability == Approx(0.75).epsilon(1e-4));
        CHECK(*made.best[1].probability == Approx(0.25).epsilon(1e-4));
        CHECK_THAT(made.meaning, Contains("softmax"));
    }
    // The sum is 1, but one value is negative.
    CHECK_THAT(best_classes("y", output<float>(DType::kFp32, {-1, 2}), best(1)).meaning,
               Contains("softmax"));
}

TEST_CASE("8-bit values are probabilities in steps of 1/256 if their sum is about 1") {
    // 64/256 and 192/256.
    auto bytes = output<std::uint8_t>(DType::kI8, {64, 192});
    bytes.is_unsigned = true;
    CHECK(best_classes("y", bytes, best(1)).best[0].probability == 0.75);
    CHECK(best_classes("y", bytes, best(1)).best[0].value == 192);
    const auto signed_bytes = output<std::int8_t>(DType::kI8, {-64, 64});
    CHECK(best_classes("y", signed_bytes, best(1)).best[0].probability == 0.75);
    const auto logits = best_classes("y", output<std::int8_t>(DType::kI8, {100, 90}), best(1));
    CHECK_FALSE(logits.best[0].probability);
    CHECK_THAT(logits.meaning, Contains("unknown scale"));
    CHECK_FALSE(
        best_classes("y", output<std::int32_t>(DType::kI32, {0, 1}), best(1)).best[0].probability);
}

TEST_CASE("values that are not finite have no probabilities") {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const auto table = best_classes("y", output<float>(DType::kFp32, {kNan, -5, 3}), best(3));
    CHECK(numbers(table) == std::vector<std::int64_t>{2, 1, 0});
    CHECK_FALSE(table.best[0].probability);
}

TEST_CASE("labels are lines of a file") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "labels.txt";
    std::ofstream(file) << "cat\r\nlong dog\n\n\n";
    CHECK(read_labels(file) == std::vector<std::string>{"cat", "long dog"});
    std::ofstream(file) << "\n";
    CHECK_THROWS_WITH(read_labels(file), Contains("has no label"));
    CHECK_THROWS_WITH(read_labels(folder.path()), Contains("cannot be read"));
    CHECK_THROWS_WITH(read_labels(folder.path() / "none"), Contains("cannot be read"));
}

graph::Block block(const std::vector<graph::Shape>& outputs) {
    graph::Block block;
    for (const graph::Shape& shape : outputs) {
        graph::Tensor tensor;
        tensor.name = graph::Name("y");
        tensor.shape = shape;
        tensor.type = DType::kFp32;
        block.outputs.push_back(static_cast<graph::TensorIndex>(block.tensors.size()));
        block.tensors.push_back(tensor);
    }
    return block;
}

TEST_CASE("outputs with classes are [N] or [1,N]") {
    CHECK_NOTHROW(check_classes(block({{1, 4}}), best(1)));
    CHECK_NOTHROW(check_classes(block({{2, 2}, {4}}), best(1)));
    for (const graph::Shape& shape : {graph::Shape{2, 4}, {1, 1}, {1, 1, 4}, {}}) {
        CHECK_THROWS_WITH(check_classes(block({shape}), best(3)),
                          Contains("--top 3: no output has one value per class"));
        CHECK_NOTHROW(check_classes(block({shape}), best(0)));
    }
    CHECK_THROWS_WITH(
        check_classes(block({{1, 3}}), {.count = 1, .labels = {"a", "b"}, .labels_file = "l.txt"}),
        Contains("--labels l.txt: has 2 labels, but output y has 3 classes"));
}

}  // namespace
}  // namespace okksim::sim::execution
