// SPDX-License-Identifier: Apache-2.0
// One network as ONNX, TensorFlow Lite, TOSA and text gives the same results in the same simulated
// time.
#include <cmath>
#include <map>
#include <memory>
#include <random>

#include "sim/execution/executor.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "sim/graph/validate/validate.h"
#include "sim/machine/machine.h"
#include "sim/planning/machine_plan.h"
#include "tests/sim/graph/onnx_writer.h"
#include "tests/sim/graph/tflite_writer.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using namespace okksim::sim;
using graph::Shape;
namespace wire = tflite_wire;
using Type = wire::TensorType;
constexpr int kAveragePool2d = 1, kConv2d = 3, kMaxPool2d = 17, kReshape = 22;

struct Outcome {
    std::vector<std::byte> bytes;
    double microseconds = 0;
};

graph::Graph read(const std::vector<std::uint8_t>& bytes, const std::string& name) {
    const auto file = std::make_shared<const std::vector<std::uint8_t>>(bytes);
    graph::ReadOptions options;
    // The rounding of ONNX.
    if (name.ends_with("tflite")) options.rounding = graph::Rounding::kSingle;
    graph::Graph graph = graph::read_graph(std::as_bytes(std::span(*file)), file, name, options);
    graph::validate_graph(graph);
    return graph;
}

Outcome simulate(const graph::Graph& graph, const graph::HostTensor& input) {
    const Machine machine = load_machine("bm1684");
    const auto plan = planning::plan_for_machine(graph, machine, planning::PlanOptions{});
    Simulation simulation(machine, {});
    execution::GraphExecutor executor(graph, plan, simulation);
    executor.set_input(0, input);
    const auto report = executor.run();
    REQUIRE(!report.fault);
    const graph::HostTensor output = executor.output(0);
    return {{output.data.begin(), output.data.end()}, (report.end - report.start).microseconds()};
}

std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

/// Weights [filters, height, width, channels] of TensorFlow Lite.
template <typename T>
struct Weights {
    Shape shape;
    std::vector<T> values;

    std::vector<int> dimensions() const { return {shape.begin(), shape.end()}; }
    /// Returns the elements in the order [filters, channels, height, width] of ONNX.
    std::vector<T> channels_first() const {
        const std::int64_t taps = shape[1] * shape[2], channels = shape[3];
        std::vector<T> result;
        for (std::int64_t o = 0; o < shape[0]; ++o)
            for (std::int64_t c = 0; c < channels; ++c)
                for (std::int64_t t = 0; t < taps; ++t)
                    result.push_back(
                        values[static_cast<std::size_t>((o * taps + t) * channels + c)]);
        return result;
    }
    Shape onnx_shape() const { return Shape{shape[0], shape[3], shape[1], shape[2]}; }
};

template <typename T>
Weights<T> random_weights(const Shape& shape, double low, double high, unsigned seed) {
    std::mt19937 random(seed);
    Weights<T> weights{shape, std::vector<T>(graph::element_count(shape).value())};
    const double step = (high - low) / 4294967295.0;
    for (T& value : weights.values) value = static_cast<T>(low + step * random());
    return weights;
}

/// Compares all forms of a network: names and bytes of the files.
void check_forms(std::map<std::string, std::vector<std::uint8_t>> files,
                 const graph::HostTensor& input, double most_difference) {
    const graph::Graph first = read(files.at("net.onnx"), "net.onnx");
    files["net.tosa"] = graph::write_graph(first);
    files["net.mlir"] = bytes_of(graph::write_mlir(first));
    const Outcome wanted = simulate(first, input);
    for (const auto& [name, bytes] : files) {
        INFO(name);
        const Outcome got = simulate(read(bytes, name), input);
        CHECK(std::abs(got.microseconds / wanted.microseconds - 1) <= 0.01);
        REQUIRE(got.bytes.size() == wanted.bytes.size());
        if (most_difference == 0) CHECK(got.bytes == wanted.bytes);
        for (std::size_t i = 0; i < got.bytes.size() && most_difference > 0; ++i) {
            const int difference =
                static_cast<std::int8_t>(got.bytes[i]) - static_cast<std::int8_t>(wanted.bytes[i]);
            CHECK(std::abs(difference) <= most_difference);
        }
    }
}

wire::Conv2DOptionsT convolution_options(wire::Activation activation = wire::Activation::RELU) {
    wire::Conv2DOptionsT options;
    options.padding = wire::Padding::SAME;
    options.stride_w = options.stride_h = 1;
    options.activation = activation;
    return options;
}

wire::Pool2DOptionsT pool_options(int size) {
    wire::Pool2DOptionsT options;
    options.padding = wire::Padding::VALID;
    options.stride_w = options.stride_h = options.filter_width = options.filter_height = size;
    return options;
}

using onnx::attribute;
using Messages = std::vector<onnx::Message>;
const std::vector<std::int64_t> kFirst{0, 3, 1, 2}, kLast{0, 2, 3, 1}, kOnes{1, 1, 1, 1},
    kTwo{2, 2};

}  // namespace

TEST_CASE("a network of real numbers is the same in each format", "[zoo]") {
    const auto w1 = random_weights<float>({8, 3, 3, 4}, -0.5, 0.5, 1);
    const auto w2 = random_weights<float>({16, 3, 3, 8}, -0.5, 0.5, 2);
    const auto w3 = random_weights<float>({10, 1, 1, 16}, -0.5, 0.5, 3);
    const auto offset = random_weights<float>({8}, -1, 1, 4);
    const std::vector<float> zeros16(16), bias(10, 0.25F);
    // The normalisation multiplies by 2 / sqrt(4) = 1, so that folded weights have equal bits.
    const std::vector<float> two(8, 2), zeros8(8), four(8, 4);

    onnx::GraphMessage g;
    g.input("x", {1, 12, 12, 4}).output("y");
    g.weight("w1", w1.onnx_shape(), w1.channels_first()).weight("s", {8}, two);
    g.weight("o", {8}, offset.values).weight("m", {8}, zeros8).weight("v", {8}, four);
    g.weight("w2", w2.onnx_shape(), w2.channels_first()).weight("b2", {16}, zeros16);
    g.weight("w3", w3.onnx_shape(), w3.channels_first()).weight("b3", {10}, bias);
    const Messages padded{attribute("pads", kOnes)};
    g.add("Transpose", {"x"}, {"c"}, {attribute("perm", kFirst)})
        .add("Conv", {"c", "w1"}, {"c1"}, padded);
    g.add("BatchNormalization", {"c1", "s", "o", "m", "v"}, {"n1"}, {attribute("epsilon", 0.0)});
    g.add("Relu", {"n1"}, {"r1"});
    g.add("MaxPool", {"r1"}, {"p1"}, {attribute("kernel_shape", kTwo), attribute("strides", kTwo)});
    g.add("Conv", {"p1", "w2", "b2"}, {"c2"}, padded).add("Relu", {"c2"}, {"r2"});
    g.add("GlobalAveragePool", {"r2"}, {"p2"}).add("Conv", {"p2", "w3", "b3"}, {"c3"});
    g.add("Flatten", {"c3"}, {"y"});

    TfliteWriter t;
    constexpr auto kReal = Type::FLOAT32;
    const int x = t.tensor("x", kReal, {1, 12, 12, 4}), r1 = t.tensor("r1", kReal, {1, 12, 12, 8});
    const int p1 = t.tensor("p1", kReal, {1, 6, 6, 8}), r2 = t.tensor("r2", kReal, {1, 6, 6, 16});
    const int p2 = t.tensor("p2", kReal, {1, 1, 1, 16}), c3 = t.tensor("c3", kReal, {1, 1, 1, 10});
    const int y = t.tensor("y", kReal, {1, 10});
    const auto known = [&](const char* name, const std::vector<int>& shape, const auto& values) {
        return t.constant<float>(name, kReal, shape, values);
    };
    t.op(kConv2d, {x, known("w1", w1.dimensions(), w1.values), known("o", {8}, offset.values)},
         {r1}, convolution_options());
    t.op(kMaxPool2d, {r1}, {p1}, pool_options(2));
    t.op(kConv2d, {p1, known("w2", w2.dimensions(), w2.values), known("b2", {16}, zeros16)}, {r2},
         convolution_options());
    t.op(kAveragePool2d, {r2}, {p2}, pool_options(6));
    t.op(kConv2d, {p2, known("w3", w3.dimensions(), w3.values), known("b3", {10}, bias)}, {c3},
         convolution_options(wire::Activation::NONE));
    t.op(kReshape, {c3, t.constant<std::int32_t>("shape", Type::INT32, {2}, {1, 10})}, {y});
    t.ends({x}, {y});

    const auto input = random_weights<float>({1, 12, 12, 4}, -1, 1, 5);
    const auto bytes = std::as_bytes(std::span(input.values));
    check_forms(
        {{"net.onnx", bytes_of(onnx::model(g))}, {"net.tflite", t.bytes()}},
        graph::make_host_tensor(graph::DType::kFp32, input.shape, {bytes.begin(), bytes.end()}), 0);
}

TEST_CASE("a network of int8 is the same in each format", "[zoo]") {
    const auto w1 = random_weights<std::int8_t>({8, 3, 3, 4}, -100, 100, 1);
    const auto w2 = random_weights<std::int8_t>({10, 1, 1, 8}, -100, 100, 2);
    // Scales of powers of two, and sums of 36 and 8 products that stay within the range.
    constexpr float kX = 0.0625F, kW = 0.0078125F, kR = 0.125F, kY = 0.5F;
    const std::vector<std::int32_t> b1(8, 100), b2(10, -50);

    onnx::GraphMessage g;
    g.input("x", {1, 12, 12, 4}, onnx::kInt8).output("y", onnx::kInt8);
    const auto known = [&](const char* name, onnx::Type type, int size, const Shape& shape,
                           const auto& values) {
        g.weight(onnx::tensor(name, type, size, shape, {values.begin(), values.end()}));
    };
    const auto scale = [&](const std::string& name, float value, int zero) {
        g.weight(name, {}, std::vector<float>{value});
        g.weight(onnx::tensor(name + "z", onnx::kInt8, 1, {}, {zero}));
    };
    scale("sx", kX, 3);
    scale("sw", kW, 0);
    scale("sr", kR, -128);
    scale("sy", kY, 5);
    g.weight("sb1", {}, std::vector<float>{kX * kW}).weight("sb2", {}, std::vector<float>{kR * kW});
    known("w1", onnx::kInt8, 1, w1.onnx_shape(), w1.channels_first());
    known("b1", onnx::kInt32, 4, {8}, b1);
    known("b2", onnx::kInt32, 4, {10}, b2);
    known("w2", onnx::kInt8, 1, w2.onnx_shape(), w2.channels_first());
    const auto real = [&](const std::string& from, const std::string& s, const std::string& to) {
        g.add("DequantizeLinear",
              s[1] == 'b' ? std::vector{from, s} : std::vector{from, s, s + "z"}, {to});
    };
    const auto quantised = [&](const char* from, const std::string& s, const char* to) {
        g.add("QuantizeLinear", {from, s, s + "z"}, {to});
    };
    g.add("Transpose", {"x"}, {"c"}, {attribute("perm", kFirst)});
    real("c", "sx", "xr");
    real("w1", "sw", "w1r");
    real("b1", "sb1", "b1r");
    g.add("Conv", {"xr", "w1r", "b1r"}, {"c1"}, {attribute("pads", kOnes)})
        .add("Relu", {"c1"}, {"r1"});
    quantised("r1", "sr", "q1");
    g.add("MaxPool", {"q1"}, {"p1"}, {attribute("kernel_shape", kTwo), attribute("strides", kTwo)});
    real("p1", "sr", "pr");
    real("w2", "sw", "w2r");
    real("b2", "sb2", "b2r");
    g.add("Conv", {"pr", "w2r", "b2r"}, {"c2"});
    quantised("c2", "sy", "q2");
    g.add("Transpose", {"q2"}, {"y"}, {attribute("perm", kLast)});

    TfliteWriter t;
    const TfliteScales of_x{{kX}, {3}}, of_w{{kW}, {0}}, of_r{{kR}, {-128}}, of_y{{kY}, {5}};
    const int x = t.tensor("x", Type::INT8, {1, 12, 12, 4}, of_x);
    const int r1 = t.tensor("r1", Type::INT8, {1, 12, 12, 8}, of_r);
    const int p1 = t.tensor("p1", Type::INT8, {1, 6, 6, 8}, of_r);
    const int y = t.tensor("y", Type::INT8, {1, 6, 6, 10}, of_y);
    t.op(kConv2d,
         {x, t.constant("w1", Type::INT8, w1.dimensions(), w1.values, of_w),
          t.constant("b1", Type::INT32, {8}, b1, {{kX * kW}, {0}})},
         {r1}, convolution_options());
    t.op(kMaxPool2d, {r1}, {p1}, pool_options(2));
    t.op(kConv2d,
         {p1, t.constant("w2", Type::INT8, w2.dimensions(), w2.values, of_w),
          t.constant("b2", Type::INT32, {10}, b2, {{kR * kW}, {0}})},
         {y}, convolution_options(wire::Activation::NONE));
    t.ends({x}, {y});

    const auto input = random_weights<std::int8_t>({1, 12, 12, 4}, -128, 127, 5);
    const auto bytes = std::as_bytes(std::span(input.values));
    check_forms(
        {{"net.onnx", bytes_of(onnx::model(g))}, {"net.tflite", t.bytes()}},
        graph::make_host_tensor(graph::DType::kI8, input.shape, {bytes.begin(), bytes.end()}), 1);
}

}  // namespace okksim::tests
