// SPDX-License-Identifier: Apache-2.0
// Products of matrices whose operands are strided views of other values, and whose results are
// stored as the next feature maps. They give the same bits as with copies.
#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "tests/support/catch.h"
#include "tests/support/group_run.h"
#include "tests/support/random_source.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using namespace okksim::tosa;
using graph::GraphBuilder;
using graph::HostTensor;
using graph::Shape;
using graph::TensorIndex;
using tests::GroupRun;
using tests::RandomSource;
using tests::run_planned;

/// Attention on random shapes: three convolutions, split into heads, two products, merged heads, a
/// convolution. Sums are exact in any order, because their terms are small. Convolutions have at
/// most 4 terms; later sums reach 5 (with the bias), 8 * 5 * 5, 33 * 200 * 5 and 4 * 33000 + 1.
class RandomAttention {
 public:
    explicit RandomAttention(std::uint64_t seed)
        : random_(seed),
          type_(random_.one_in(2) ? DType::kI8 : DType::kFp32),
          images_(random_.between(1, 3)),
          width_(random_.pick({1, 5, 16, 33})),
          heads_(random_.pick({1, 2, 4})),
          depth_(random_.pick({1, 3, 8})) {}

    graph::Graph make() {
        const std::int64_t channels = heads_ * depth_;
        const Shape map{images_, 1, width_, channels};
        const TensorIndex x = input(map);
        const Shape rows{images_ * heads_, width_, depth_};
        const Shape columns{images_ * heads_, depth_, width_};
        const TensorIndex query = reshape(heads(convolution(x, map), {0, 2, 1, 3}), rows);
        const TensorIndex key = reshape(heads(convolution(x, map), {0, 2, 3, 1}), columns);
        const TensorIndex value = reshape(heads(convolution(x, map), {0, 2, 1, 3}), rows);
        const TensorIndex scores = product(query, key, {images_ * heads_, width_, width_});
        const TensorIndex mixed = product(scores, value, rows);
        const TensorIndex parted = reshape(mixed, {images_, heads_, width_, depth_});
        const TensorIndex turned =
            builder_.add(OpCode::kTranspose, TransposeAttributes{{0, 2, 1, 3}}, {parted}, type_,
                         {images_, width_, heads_, depth_});
        builder_.output(convolution(reshape(turned, map), map));
        return builder_.finish();
    }

    const std::vector<HostTensor>& inputs() const { return inputs_; }

 private:
    bool is_bytes() const { return type_ == DType::kI8; }

    std::vector<std::int64_t> short_numbers(std::int64_t count) {
        std::vector<std::int64_t> numbers;
        for (std::int64_t i = 0; i < count; ++i) numbers.push_back(random_.between(-1, 1));
        return numbers;
    }

    TensorIndex numbers(const Shape& shape, const std::vector<std::int64_t>& values) {
        if (is_bytes()) return builder_.constant(type_, shape, values);
        return builder_.constant(shape, std::vector<float>(values.begin(), values.end()));
    }

    TensorIndex input(const Shape& shape) {
        const auto values = short_numbers(static_cast<std::int64_t>(*graph::element_count(shape)));
        std::vector<std::byte> bytes;
        for (const std::int64_t value : values) {
            const auto number = static_cast<float>(value);
            const auto* data = is_bytes() ? reinterpret_cast<const std::byte*>(&value)
                                          : reinterpret_cast<const std::byte*>(&number);
            bytes.insert(bytes.end(), data, data + kernels::stored_bytes(type_));
        }
        inputs_.push_back(graph::make_host_tensor(type_, shape, bytes));
        return builder_.input(type_, shape);
    }

    /// int8 sums are scaled by a quarter.
    TensorIndex scaled(TensorIndex sums, const Shape& shape) {
        if (!is_bytes()) return sums;
        const RescaleAttributes attributes{true, RoundingMode::kSingleRound, false};
        return builder_.add(
            OpCode::kRescale, attributes,
            {sums, builder_.constant(DType::kI32, {1}, {1 << 30}),
             builder_.constant(DType::kI8, {1}, {32}), builder_.constant(DType::kI32, {1}, {0}),
             builder_.constant(DType::kI8, {1}, {0})},
            DType::kI8, shape);
    }

    DType sum_type() const { return is_bytes() ? DType::kI32 : DType::kFp32; }

    TensorIndex zero() { return numbers({1}, {0}); }

    TensorIndex convolution(TensorIndex x, const Shape& map) {
        const std::int64_t channels = map[3];
        std::vector<std::int64_t> taps = short_numbers(channels * channels);
        for (std::int64_t i = 0; i < channels * channels; ++i) {
            if ((i / channels + i) % 8 != 0) taps[static_cast<std::size_t>(i)] = 0;
        }
        const TensorIndex weights = numbers({channels, 1, 1, channels}, taps);
        const TensorIndex bias =
            is_bytes() ? builder_.constant(DType::kI32, {channels}, short_numbers(channels))
                       : numbers({channels}, short_numbers(channels));
        const Conv2dAttributes attributes{{}, {1, 1}, {1, 1}, false, sum_type()};
        return scaled(builder_.add(OpCode::kConv2d, attributes, {x, weights, bias, zero(), zero()},
                                   sum_type(), map),
                      map);
    }

    TensorIndex product(TensorIndex left, TensorIndex right, const Shape& shape) {
        return scaled(builder_.add(OpCode::kMatmul, NoAttributes{}, {left, right, zero(), zero()},
                                   sum_type(), shape),
                      shape);
    }

    TensorIndex reshape(TensorIndex x, const Shape& shape) {
        const TensorIndex to =
            builder_.constant(DType::kShape, {static_cast<std::int64_t>(shape.size())}, shape);
        return builder_.add(OpCode::kReshape, NoAttributes{}, {x, to}, type_, shape);
    }

    TensorIndex heads(TensorIndex map, const std::vector<std::int32_t>& perms) {
        const Shape cut{images_, width_, heads_, depth_};
        Shape turned;
        for (const std::int32_t dim : perms) turned.push_back(cut[static_cast<std::size_t>(dim)]);
        return builder_.add(OpCode::kTranspose, TransposeAttributes{perms}, {reshape(map, cut)},
                            type_, turned);
    }

    RandomSource random_;
    DType type_;
    std::int64_t images_, width_, heads_, depth_;
    GraphBuilder builder_;
    std::vector<HostTensor> inputs_;
};

/// A feature map passes through random RESHAPE and TRANSPOSE operators to a product with its own
/// transposition. Some intermediate values have other readers, too.
class RandomChain {
 public:
    explicit RandomChain(std::uint64_t seed) : random_(seed) {}

    graph::Graph make() {
        shape_ = {random_.pick({1, 2}), random_.pick({1, 3}), random_.pick({4, 6}),
                  random_.pick({4, 10})};
        value_ = map();
        for (std::int64_t i = random_.between(1, 6); i > 0; --i) {
            random_.one_in(2) ? transpose(random_order()) : reshape(random_shape());
            if (random_.one_in(8)) {
                builder_.output(
                    builder_.add(OpCode::kAbs, NoAttributes{}, {value_}, DType::kFp32, shape_));
            }
        }
        const std::int64_t count = *graph::element_count(shape_);
        reshape({2, count / 4, 2});
        const TensorIndex left = value_;
        transpose({0, 2, 1});
        const TensorIndex zero = builder_.constant({1}, {0.0F});
        builder_.output(builder_.add(OpCode::kMatmul, NoAttributes{}, {left, value_, zero, zero},
                                     DType::kFp32, {2, count / 4, count / 4}));
        return builder_.finish();
    }

    const std::vector<HostTensor>& inputs() const { return inputs_; }

 private:
    /// Returns an input after a pool of one element, which stores it unchanged, channel first.
    TensorIndex map() {
        std::vector<std::byte> bytes;
        for (std::uint64_t i = 0; i < *graph::element_count(shape_); ++i) {
            const auto number = static_cast<float>(random_.between(-100, 100));
            const auto* data = reinterpret_cast<const std::byte*>(&number);
            bytes.insert(bytes.end(), data, data + sizeof number);
        }
        inputs_.push_back(graph::make_host_tensor(DType::kFp32, shape_, bytes));
        const TensorIndex x = builder_.input(DType::kFp32, shape_);
        return builder_.add(OpCode::kMaxPool2d,
                            MaxPool2dAttributes{{1, 1}, {1, 1}, {}, NanPropagationMode::kPropagate},
                            {x}, DType::kFp32, shape_);
    }

    void transpose(const std::vector<std::int32_t>& perms) {
        Shape turned;
        for (const std::int32_t dim : perms)
            turned.push_back(shape_[static_cast<std::size_t>(dim)]);
        shape_ = turned;
        value_ = builder_.add(OpCode::kTranspose, TransposeAttributes{perms}, {value_},
                              DType::kFp32, shape_);
    }

    void reshape(const Shape& shape) {
        const TensorIndex to =
            builder_.constant(DType::kShape, {static_cast<std::int64_t>(shape.size())}, shape);
        shape_ = shape;
        value_ = builder_.add(OpCode::kReshape, NoAttributes{}, {value_, to}, DType::kFp32, shape);
    }

    std::vector<std::int32_t> random_order() {
        std::vector<std::int32_t> order;
        for (std::size_t i = 0; i < shape_.size(); ++i) {
            order.insert(order.begin() + random_.below(std::ssize(order) + 1),
                         static_cast<std::int32_t>(i));
        }
        return order;
    }

    /// Returns a shape with the same elements: two neighbouring dimensions merge, or one is split.
    Shape random_shape() {
        Shape shape = shape_;
        const auto at = random_.below(std::ssize(shape));
        const std::int64_t extent = shape[static_cast<std::size_t>(at)];
        if (random_.one_in(2) && at + 1 < std::ssize(shape)) {
            shape[static_cast<std::size_t>(at)] *= shape[static_cast<std::size_t>(at) + 1];
            shape.erase(shape.begin() + at + 1);
        } else if (shape.size() < kernels::kMaxRank) {
            const std::int64_t part = extent % 2 == 0 ? 2 : 1;
            shape[static_cast<std::size_t>(at)] = extent / part;
            shape.insert(shape.begin() + at + random_.below(2), part);
        }
        return shape;
    }

    RandomSource random_;
    Shape shape_;
    TensorIndex value_ = 0;
    GraphBuilder builder_;
    std::vector<HostTensor> inputs_;
};

/// All outputs of a run.
std::vector<std::vector<std::byte>> outputs(const graph::Graph& graph,
                                            const std::vector<HostTensor>& inputs,
                                            const Machine& machine,
                                            const planning::PlanOptions& options) {
    const auto plan = planning::plan_for_machine(graph, machine, options);
    Simulation simulation(machine, {});
    execution::GraphExecutor executor(graph, plan, simulation);
    for (std::size_t i = 0; i < inputs.size(); ++i) executor.set_input(i, inputs[i]);
    REQUIRE_FALSE(executor.run().fault);
    std::vector<std::vector<std::byte>> all;
    for (std::size_t i = 0; i < graph.main().outputs.size(); ++i) {
        const HostTensor output = executor.output(i);
        all.emplace_back(output.data.begin(), output.data.end());
    }
    return all;
}

}  // namespace

TEST_CASE("chains of RESHAPE and TRANSPOSE are the same elements as strides and as copies") {
    const Machine machines[] = {load_machine("bm1684", {}), load_machine("okk-next", {})};
    std::size_t views = 0;
    for (std::uint64_t seed = 100; seed < 250; ++seed) {
        CAPTURE(seed);
        RandomChain chain(seed);
        const graph::Graph graph = chain.make();
        graph::validate_graph(graph);
        const Machine& machine = machines[seed % 2];
        const planning::PlanOptions strided{.fuse = false, .strided = {&graph.main()}};
        CHECK(outputs(graph, chain.inputs(), machine, strided) ==
              outputs(graph, chain.inputs(), machine, {.fuse = false}));
        const auto count = [&](const planning::PlanOptions& options) {
            return planning::plan_for_machine(graph, machine, options)
                .block(graph.entry)
                .views.size();
        };
        views += count(strided) - count({.fuse = false});
    }
    CHECK(views > 150);
}

TEST_CASE("strided operands and results of products change no bit") {
    const Machine reference = load_machine("bm1684", {});
    const Machine next = load_machine("okk-next", {});
    const Machine small =
        load_machine("okk-next", {"chip.lanes=8", "chip.local_memory_bytes=32768"});
    std::size_t spared = 0;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        CAPTURE(seed);
        RandomAttention attention(seed);
        const graph::Graph graph = attention.make();
        graph::validate_graph(graph);
        const auto& inputs = attention.inputs();
        const GroupRun copied = run_planned(graph, inputs, reference, {.fuse = false});
        REQUIRE_FALSE(copied.fault);
        for (const Machine* machine : {&reference, &next, &small}) {
            for (const bool fuse : {false, true}) {
                CAPTURE(machine->label(), fuse);
                const GroupRun apart = run_planned(graph, inputs, *machine, {.fuse = fuse});
                const GroupRun strided = run_planned(graph, inputs, *machine,
                                                     {.fuse = fuse, .strided = {&graph.main()}});
                CHECK(strided.output == copied.output);
                CHECK(strided.kernels <= apart.kernels);
                spared += apart.kernels - strided.kernels;
            }
        }
    }
    // Each graph saves three RESHAPE and four TRANSPOSE, except those with one element along an
    // axis.
    CHECK(spared > 24 * 6 * 4);
}
