// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite files: container, lowering of operators against numbers derived by hand.
#include "tests/sim/graph/tflite_support.h"
#include "tests/support/catch.h"

namespace okksim::tests::tflite_files {
namespace {

using Catch::Contains;

constexpr int kAdd = 0, kAveragePool = 1, kConcatenation = 2, kConv2d = 3, kDepthwise = 4,
              kDequantize = 6, kFullyConnected = 9, kLogistic = 14, kRelu = 19, kReshape = 22,
              kCustom = 32, kPad = 34, kMean = 40, kStridedSlice = 45, kLess = 58, kShape = 77,
              kPack = 83, kLeakyRelu = 98, kQuantize = 114, kIf = 118, kWhile = 119,
              kCallOnce = 129, kVarHandle = 142, kReadVariable = 143, kAssignVariable = 144;

/// An operator on one operand.
template <typename Options>
TfliteWriter unary(int number, Type type, const std::vector<int>& shape, const TfliteScales& in,
                   const TfliteScales& out, const std::vector<int>& result, Options options) {
    TfliteWriter file;
    const int x = file.tensor("x", type, shape, in), y = file.tensor("y", type, result, out);
    file.op(number, {x}, {y}, options);
    file.ends({x}, {y});
    return file;
}

/// x + t for float32 [2], with an activation.
TfliteWriter float_add(wire::Activation activation = wire::Activation::NONE) {
    TfliteWriter file;
    const int x = file.tensor("x", Type::FLOAT32, {2});
    const int t = file.constant<float>("t", Type::FLOAT32, {2}, {1.0F, -5.0F});
    const int y = file.tensor("y", Type::FLOAT32, {2});
    wire::AddOptionsT options;
    options.activation = activation;
    file.op(kAdd, {x, t}, {y}, options);
    file.ends({x}, {y});
    return file;
}

}  // namespace

TEST_CASE("a float ADD of a TFLite file runs", "[graph][tflite]") {
    const Graph graph = read(float_add().bytes());
    CHECK(graph.format == "TensorFlow Lite");
    CHECK(graph.main().tensors[graph.main().inputs[0]].name == "x");
    CHECK(graph.main().tensors[graph.main().outputs[0]].name == "y");
    CHECK(reals(float_add(), {{3, 4}}) == std::vector<double>{4, -1});
    CHECK(reals(float_add(wire::Activation::RELU), {{3, 4}}) == std::vector<double>{4, 0});
    CHECK(reals(float_add(wire::Activation::RELU6), {{30, 4}}) == std::vector<double>{6, 0});
}

TEST_CASE("every truncation of a TFLite file is refused", "[graph][tflite]") {
    const std::vector<std::uint8_t> file = float_add().bytes();
    for (std::size_t size = 0; size < file.size(); ++size) {
        CAPTURE(size);
        const std::vector<std::uint8_t> part(file.begin(),
                                             file.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK_THROWS_AS(read(part), ConfigError);
    }
}

TEST_CASE("damaged indices of TFLite files are named", "[graph][tflite]") {
    TfliteWriter file = float_add();
    file.last_tensor().buffer = 50;
    CHECK_THAT(refusal(file), Contains("tensors[2].buffer") && Contains("buffer 50") &&
                                  Contains("the model has 2"));
    TfliteWriter tensors;
    tensors.op(kRelu, {99}, {98});
    tensors.ends({}, {98});
    CHECK_THAT(refusal(tensors), Contains("tensor 98") && Contains("the subgraph has 0"));
    TfliteWriter version = float_add();
    version.version = 2;
    CHECK_THAT(refusal(version), Contains("version") && Contains("version 3 is supported"));
    TfliteWriter outputs = float_add();
    outputs.ends({0}, {});
    CHECK_THAT(refusal(outputs), Contains("no output"));
    TfliteWriter few = float_add();
    few.constant<std::uint8_t>("few", Type::FLOAT32, {3}, {1, 2, 3, 4, 5, 6, 7});
    CHECK_THAT(refusal(few), Contains("7 bytes") && Contains("FLOAT32 [3]") && Contains("12"));
    TfliteWriter cycle;
    const int a = cycle.tensor("a", Type::FLOAT32, {1}), b = cycle.tensor("b", Type::FLOAT32, {1});
    cycle.op(kRelu, {a}, {b});
    cycle.op(kRelu, {b}, {a});
    cycle.ends({}, {b});
    CHECK_THAT(refusal(cycle), Contains("cycle"));
}

TEST_CASE("all unsupported parts of a TFLite file are listed at once", "[graph][tflite]") {
    TfliteWriter file;
    const int x = file.tensor("x", Type::FLOAT32, {2}), y = file.tensor("y", Type::FLOAT32, {2}),
              z = file.tensor("z", Type::FLOAT32, {2});
    file.custom = "FlexFoo";
    file.op(kCustom, {x}, {y});
    file.op(5000, {x}, {z});
    file.ends({x}, {y, z});
    try {
        read(file.bytes());
        FAIL("accepted");
    } catch (const GraphFileError& error) {
        CHECK(error.problem() == FileProblem::kUnsupported);
        REQUIRE(error.unread().size() == 2);
        CHECK_THAT(error.unread()[0].what, Contains("FlexFoo") && Contains("TensorFlow"));
        CHECK_THAT(error.unread()[1].what, Contains("5000"));
    }
}

TEST_CASE("names of TFLite ends are unique", "[graph][tflite]") {
    TfliteWriter file;
    const int x = file.tensor("", Type::FLOAT32, {1}), y = file.tensor("", Type::FLOAT32, {1}),
              z = file.tensor("s", Type::FLOAT32, {1});
    file.op(kAdd, {x, y}, {z}, wire::AddOptionsT{});
    file.ends({x, y}, {z, z, x});
    const Graph graph = read(file.bytes());
    const Block& main = graph.main();
    CHECK(main.tensors[main.inputs[0]].name == "input0");
    CHECK(main.tensors[main.inputs[1]].name == "input1");
    CHECK(main.tensors[main.outputs[0]].name == "s");
    CHECK(main.tensors[main.outputs[1]].name == "s_2");
    CHECK(main.tensors[main.outputs[2]].name == "output2");
}

TEST_CASE("operators of a TFLite file may be unsorted", "[graph][tflite]") {
    TfliteWriter file;
    const int x = file.tensor("x", Type::FLOAT32, {1}), y = file.tensor("y", Type::FLOAT32, {1}),
              z = file.tensor("z", Type::FLOAT32, {1});
    file.op(kAdd, {y, y}, {z}, wire::AddOptionsT{});
    file.op(kRelu, {x}, {y});
    file.ends({x}, {z});
    CHECK(reals(file, {{3}}) == std::vector<double>{6});
}

TEST_CASE("quantised ADD rescales both operands and the sum", "[graph][tflite]") {
    // Steps of 0.5 from 3. First sum: (10 - 1) + (4 + 2) / 2 + 3 = 15. Second sum: (0 - 1) + (3 +
    // 2) / 2 is 1.5, which rounds away from zero to 2, and 2 + 3 = 5. The third sum saturates.
    TfliteWriter file;
    const int x = file.tensor("x", Type::INT8, {3}, {{0.5F}, {1}}),
              y = file.tensor("y", Type::INT8, {3}, {{0.25F}, {-2}}),
              z = file.tensor("z", Type::INT8, {3}, {{0.5F}, {3}});
    file.op(kAdd, {x, y}, {z}, wire::AddOptionsT{});
    file.ends({x, y}, {z});
    CHECK(integers(file, {{10, 0, 127}, {4, 3, 127}}) == Integers{15, 5, 127});
}

TEST_CASE("uint8 values of TFLite files stay uint8 outside", "[graph][tflite]") {
    // RELU with zero point 100: numbers below 100 become 100.
    const auto file =
        unary(kRelu, Type::UINT8, {3}, {{1.0F}, {100}}, {{1.0F}, {100}}, {3}, wire::AddOptionsT{});
    const Graph graph = read(file.bytes());
    CHECK(graph.main().tensors[graph.main().inputs[0]].is_unsigned);
    CHECK(graph.main().tensors[graph.main().outputs[0]].is_unsigned);
    // The reference reads int8: 255 is -1 and 200 is -56.
    CHECK(integers(file, {{-1, 10, -56}}) == Integers{-1, 100, -56});
}

TEST_CASE("quantised convolutions rescale per channel", "[graph][tflite]") {
    // 1x1, one input channel, x = q - 2; channel 0: (3 x - 1) / 4, channel 1: -2 x.
    TfliteWriter file;
    const int x = file.tensor("x", Type::INT8, {1, 1, 2, 1}, {{1.0F}, {2}});
    const int w = file.constant<std::int8_t>("w", Type::INT8, {2, 1, 1, 1}, {3, -1},
                                             {{0.25F, 2.0F}, {0, 0}, 0});
    const int b = file.constant<std::int32_t>("b", Type::INT32, {2}, {-1, 0});
    const int y = file.tensor("y", Type::INT8, {1, 1, 2, 2}, {{1.0F}, {-1}});
    wire::Conv2DOptionsT options;
    options.stride_w = options.stride_h = 1;
    file.op(kConv2d, {x, w, b}, {y}, options);
    file.ends({x}, {y});
    // x = 5: 14 / 4 = 3.5 -> 4 - 1; -10 - 1. x = -3: -10 / 4 = -2.5 -> -3 - 1; 6 - 1.
    CHECK(integers(file, {{7, -1}}) == Integers{3, -11, -4, 5});
    ReadOptions single;
    single.rounding = Rounding::kSingle;  // halves round up: -2.5 -> -2
    CHECK(run(read(file.bytes(), single), {{7, -1}})[0].integer == Integers{3, -11, -3, 5});
}

TEST_CASE("a convolution refuses weights that do not fit", "[graph][tflite]") {
    const auto conv = [](const std::vector<int>& shape, const TfliteScales& scales) {
        TfliteWriter file;
        const int x = file.tensor("x", Type::INT8, {1, 6, 6, 2}, {{1.0F}, {0}});
        std::size_t count = 1;
        for (const int size : shape) count *= static_cast<std::size_t>(size);
        const int w =
            file.constant("w", Type::INT8, shape, std::vector<std::int8_t>(count), scales);
        const int y = file.tensor("y", Type::INT8, {1, 6, 6, 4}, {{1.0F}, {0}});
        wire::Conv2DOptionsT options;
        options.stride_w = options.stride_h = 1;
        file.op(kConv2d, {x, w}, {y}, options);
        file.ends({x}, {y});
        return refusal(file);
    };
    CHECK(conv({4, 3, 3, 2}, {{1.0F}, {0}}) == "accepted");
    CHECK_THAT(conv({4, 3, 3, 5}, {{1.0F}, {0}}), Contains("5 channels for 2 input channels"));
    CHECK_THAT(conv({4, 3, 3, 2}, {{1.0F, 1.0F, 1.0F}, {0, 0, 0}}),
               Contains("3 scales for dimension 0 of [4,3,3,2]"));
    CHECK_THAT(conv({4, 3, 3, 2}, {{0.0F}, {0}}), Contains("scale") && Contains("0.0"));
}

TEST_CASE("depthwise and INT16 convolutions", "[graph][tflite]") {
    // Channel multiplier 2: outputs c * 2 + j. INT16 with a bias of INT64: 3 * 1000 + 5, times 1.
    TfliteWriter file;
    const int x = file.tensor("x", Type::INT16, {1, 1, 1, 2}, {{1.0F}, {0}});
    const int w =
        file.constant<std::int8_t>("w", Type::INT8, {1, 1, 1, 4}, {3, 2, 1, -1}, {{1.0F}, {0}});
    const int b = file.constant<std::int64_t>("b", Type::INT64, {4}, {5, 0, 0, 0});
    const int y = file.tensor("y", Type::INT16, {1, 1, 1, 4}, {{1.0F}, {0}});
    wire::DepthwiseConv2DOptionsT options;
    options.stride_w = options.stride_h = options.depth_multiplier = 1;
    file.op(kDepthwise, {x, w, b}, {y}, options);
    file.ends({x}, {y});
    CHECK(integers(file, {{1000, -7}}) == Integers{3005, 2000, -7, 7});
}

TEST_CASE("FULLY_CONNECTED unpacks INT4 weights", "[graph][tflite]") {
    // Low nibble first: 0x2F is -1, 2.
    TfliteWriter file;
    const int x = file.tensor("x", Type::INT8, {1, 2}, {{1.0F}, {0}});
    const int w = file.constant<std::uint8_t>("w", Type::INT4, {1, 2}, {0x2F}, {{1.0F}, {0}});
    const int y = file.tensor("y", Type::INT8, {1, 1}, {{1.0F}, {0}});
    file.op(kFullyConnected, {x, w}, {y}, wire::FullyConnectedOptionsT{});
    file.ends({x}, {y});
    CHECK(integers(file, {{5, 10}}) == Integers{15});
}

TEST_CASE("AVERAGE_POOL_2D rounds stored halves away from zero", "[graph][tflite]") {
    wire::Pool2DOptionsT options;
    options.padding = wire::Padding::VALID;
    options.stride_w = options.stride_h = options.filter_height = 1;
    options.filter_width = 2;
    const auto mean = [&](Type type, const Integers& x) {
        return integers(unary(kAveragePool, type, {1, 1, 2, 1}, {{1.0F}, {0}}, {{1.0F}, {0}},
                              {1, 1, 1, 1}, options),
                        {x});
    };
    CHECK(mean(Type::INT8, {-1, -2}) == Integers{-2});  // -1.5
    CHECK(mean(Type::INT8, {1, 2}) == Integers{2});
    CHECK(mean(Type::UINT8, {-1, -2}) == Integers{-1});  // 255 and 254: 254.5
}

TEST_CASE("MEAN and LEAKY_RELU of integers", "[graph][tflite]") {
    TfliteWriter file;
    const int x = file.tensor("x", Type::INT8, {1, 4}, {{0.5F}, {10}});
    const int axis = file.constant<std::int32_t>("axis", Type::INT32, {1}, {-1});
    const int y = file.tensor("y", Type::INT8, {1}, {{0.25F}, {0}});
    file.op(kMean, {x, axis}, {y}, wire::ReducerOptionsT{});
    file.ends({x}, {y});
    // (1 + 2 + 3 + 5) 0.5 / 4 = 1.375 is 5.5 steps of 0.25.
    CHECK(integers(file, {{11, 12, 13, 15}}) == Integers{6});
    wire::LeakyReluOptionsT options;
    options.alpha = 0.25F;
    CHECK(integers(unary(kLeakyRelu, Type::INT8, {2}, {{1.0F}, {1}}, {{1.0F}, {1}}, {2}, options),
                   {{9, -8}}) == Integers{9, -1});  // -9 / 4 = -2.25, + 1
}

TEST_CASE("LOGISTIC of INT8 is a table", "[graph][tflite]") {
    // 256 / (1 + e^0) - 128 = 0; 256 / (1 + e^-2) = 225.49.
    CHECK(integers(unary(kLogistic, Type::INT8, {2}, {{0.5F}, {0}}, {{1.0F / 256}, {-128}}, {2},
                         wire::AddOptionsT{}),
                   {{0, 4}}) == Integers{0, 97});
}

TEST_CASE("QUANTIZE rounds halves away from zero", "[graph][tflite]") {
    TfliteWriter file;
    const int x = file.tensor("x", Type::FLOAT32, {4}),
              y = file.tensor("y", Type::INT8, {4}, {{2.0F}, {3}});
    file.op(kQuantize, {x}, {y});
    file.ends({x}, {y});
    CHECK(integers(file, {{1, -1, 5, 1000}}) == Integers{4, 2, 6, 127});
}

TEST_CASE("comparisons of INT8 use the real numbers", "[graph][tflite]") {
    TfliteWriter file;
    const int x = file.tensor("x", Type::INT8, {2}, {{0.5F}, {0}}),
              y = file.tensor("y", Type::INT8, {2}, {{0.25F}, {0}}),
              z = file.tensor("z", Type::BOOL, {2});
    file.op(kLess, {x, y}, {z});
    file.ends({x, y}, {z});
    CHECK(integers(file, {{2, 2}, {5, 4}}) == Integers{1, 0});  // 1 < 1.25, 1 < 1
}

TEST_CASE("PAD pads with the zero point", "[graph][tflite]") {
    TfliteWriter file;
    const int x = file.tensor("x", Type::INT8, {2}, {{1.0F}, {7}});
    const int p = file.constant<std::int32_t>("p", Type::INT32, {1, 2}, {1, 2});
    const int y = file.tensor("y", Type::INT8, {5}, {{1.0F}, {7}});
    file.op(kPad, {x, p}, {y});
    file.ends({x}, {y});
    CHECK(integers(file, {{1, 2}}) == Integers{7, 1, 2, 7, 7});
}

TEST_CASE("shapes that are computed in the file are folded", "[graph][tflite]") {
    TfliteWriter file;
    const int x = file.tensor("x", Type::FLOAT32, {1, 2, 3});
    file.last_tensor().shape_signature = {-1, 2, 3};
    const int shape = file.tensor("shape", Type::INT32, {3});
    const int zero = file.constant<std::int32_t>("zero", Type::INT32, {1}, {0});
    const int one = file.constant<std::int32_t>("one", Type::INT32, {1}, {1});
    const int batch = file.tensor("batch", Type::INT32, {});
    const int rest = file.constant<std::int32_t>("rest", Type::INT32, {}, {-1});
    const int wanted = file.tensor("wanted", Type::INT32, {2});
    const int y = file.tensor("y", Type::FLOAT32, {1, 6});
    wire::StridedSliceOptionsT first;
    first.shrink_axis_mask = 1;
    wire::PackOptionsT pack;
    pack.values_count = 2;
    file.op(kShape, {x}, {shape}, wire::ShapeOptionsT{});
    file.op(kStridedSlice, {shape, zero, one, one}, {batch}, first);
    file.op(kPack, {batch, rest}, {wanted}, pack);
    file.op(kReshape, {x, wanted}, {y});
    file.ends({x}, {y});
    const Graph once = read(file.bytes());
    CHECK(once.main().tensors[once.main().outputs[0]].shape == Shape{1, 6});
    ReadOptions options;
    options.input_shape = [](const std::string&) { return Shape{4, 2, 3}; };
    const Graph four = read(file.bytes(), options);
    CHECK(four.main().tensors[four.main().outputs[0]].shape == Shape{4, 6});
}

TEST_CASE("IF and WHILE run subgraphs", "[graph][tflite]") {
    TfliteWriter file;
    const int c = file.tensor("c", Type::BOOL, {}), x = file.tensor("x", Type::INT32, {1}),
              y = file.tensor("y", Type::INT32, {1});
    wire::IfOptionsT branches;
    branches.then_subgraph_index = 1;
    branches.else_subgraph_index = 2;
    file.op(kIf, {c, x}, {y}, branches);
    file.ends({c, x}, {y});
    for (const int number : {1, 2}) {  // twice x, or x + 10
        file.begin_subgraph();
        const int a = file.tensor("a", Type::INT32, {1}), r = file.tensor("r", Type::INT32, {1});
        const int ten = file.constant<std::int32_t>("ten", Type::INT32, {1}, {10});
        file.op(kAdd, {a, number == 1 ? a : ten}, {r}, wire::AddOptionsT{});
        file.ends({a}, {r});
    }
    CHECK(integers(file, {{1}, {7}}) == Integers{14});
    CHECK(integers(file, {{0}, {7}}) == Integers{17});
    TfliteWriter loop;
    const int n = loop.tensor("n", Type::INT32, {1}), m = loop.tensor("m", Type::INT32, {1});
    wire::WhileOptionsT parts;
    parts.cond_subgraph_index = 1;
    parts.body_subgraph_index = 2;
    loop.op(kWhile, {n}, {m}, parts);
    loop.ends({n}, {m});
    loop.begin_subgraph();
    const int a = loop.tensor("a", Type::INT32, {1}), t = loop.tensor("t", Type::BOOL, {1});
    const int limit = loop.constant<std::int32_t>("limit", Type::INT32, {1}, {50});
    loop.op(kLess, {a, limit}, {t});
    loop.ends({a}, {t});
    loop.begin_subgraph();
    const int b = loop.tensor("b", Type::INT32, {1}), r = loop.tensor("r", Type::INT32, {1});
    loop.op(kAdd, {b, b}, {r}, wire::AddOptionsT{});
    loop.ends({b}, {r});
    CHECK(integers(loop, {{3}}) == Integers{96});  // 3, 6, 12, 24, 48, 96
    TfliteWriter missing;
    const int d = missing.tensor("d", Type::BOOL, {}), e = missing.tensor("e", Type::BOOL, {});
    branches.then_subgraph_index = 5;
    missing.op(kIf, {d}, {e}, branches);
    missing.ends({d}, {e});
    CHECK_THAT(refusal(missing), Contains("subgraph 5") && Contains("the model has 1"));
}

TEST_CASE("variables of TFLite files keep their values", "[graph][tflite]") {
    TfliteWriter file;
    const int x = file.tensor("x", Type::FLOAT32, {2}), h = file.tensor("h", Type::RESOURCE, {}),
              old = file.tensor("old", Type::FLOAT32, {2}),
              sum = file.tensor("sum", Type::FLOAT32, {2});
    wire::VarHandleOptionsT variable;
    variable.shared_name = "v";
    wire::CallOnceOptionsT once;
    once.init_subgraph_index = 1;
    file.op(kCallOnce, {}, {}, once);
    file.op(kVarHandle, {}, {h}, variable);
    file.op(kReadVariable, {h}, {old});
    file.op(kAdd, {x, old}, {sum}, wire::AddOptionsT{});
    file.op(kAssignVariable, {h, sum}, {});
    file.ends({x}, {sum});
    file.begin_subgraph();
    const int g = file.tensor("g", Type::RESOURCE, {});
    const int start = file.constant<float>("start", Type::FLOAT32, {2}, {10.0F, 20.0F});
    file.op(kVarHandle, {}, {g}, variable);
    file.op(kAssignVariable, {g, start}, {});
    file.ends({}, {});
    CHECK(reals(file, {{1, 2}}) == std::vector<double>{11, 22});
    CHECK(read(file.bytes()).variables.size() == 1);
}

TEST_CASE("float16 weights become float32 constants", "[graph][tflite]") {
    TfliteWriter file;
    const int x = file.tensor("x", Type::FLOAT32, {1, 2});
    const int half = file.constant<std::uint16_t>("half", Type::FLOAT16, {1, 2}, {0x3C00, 0x4000});
    const int w = file.tensor("w", Type::FLOAT32, {1, 2}),
              y = file.tensor("y", Type::FLOAT32, {1, 1});
    file.op(kDequantize, {half}, {w});
    file.op(kFullyConnected, {x, w}, {y}, wire::FullyConnectedOptionsT{});
    file.ends({x}, {y});
    CHECK(reals(file, {{3, 4}}) == std::vector<double>{11});
    for (const Operator& op : read(file.bytes()).main().operators) CHECK(op.op != OpCode::kCast);
}

TEST_CASE("64-bit ends of TFLite files are pairs of words", "[graph][tflite]") {
    const auto file = unary(kReshape, Type::INT64, {1, 2}, {}, {}, {2}, wire::ReshapeOptionsT{});
    const Graph graph = read(file.bytes());
    CHECK(graph.main().tensors[graph.main().inputs[0]].words == FileWords::kInt64);
    CHECK(run(graph, {{5, 0, -7, -1}})[0].integer == Integers{5, 0, -7, -1});
}

TEST_CASE("sparse constants are decoded", "[graph][tflite]") {
    // [2,3] with compressed rows: row 0 has 5 in column 1, row 1 has 7 in column 0 and 9 in 2.
    TfliteWriter file;
    const int x = file.tensor("x", Type::FLOAT32, {2, 3});
    const int w = file.constant<float>("w", Type::FLOAT32, {2, 3}, {5.0F, 7.0F, 9.0F});
    auto sparsity = std::make_unique<wire::SparsityParametersT>();
    sparsity->traversal_order = {0, 1};
    auto rows = std::make_unique<wire::DimensionMetadataT>();
    rows->dense_size = 2;
    auto columns = std::make_unique<wire::DimensionMetadataT>();
    columns->format = wire::DimensionType::SPARSE_CSR;
    wire::Uint8VectorT segments, indices;
    segments.values = {0, 1, 3};
    indices.values = {1, 0, 2};
    columns->array_segments.Set(segments);
    columns->array_indices.Set(indices);
    sparsity->dim_metadata.push_back(std::move(rows));
    sparsity->dim_metadata.push_back(std::move(columns));
    file.last_tensor().sparsity = std::move(sparsity);
    const int dense = file.tensor("dense", Type::FLOAT32, {2, 3});
    const int y = file.tensor("y", Type::FLOAT32, {2, 3});
    constexpr int kDensify = 124;
    file.op(kDensify, {w}, {dense});
    file.op(kAdd, {x, dense}, {y}, wire::AddOptionsT{});
    file.ends({x}, {y});
    CHECK(reals(file, {{0, 0, 0, 0, 0, 0}}) == std::vector<double>{0, 5, 0, 7, 0, 9});
}

}  // namespace okksim::tests::tflite_files
