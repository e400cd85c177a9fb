// SPDX-License-Identifier: Apache-2.0
// int16 convolutions and the scaling of their 48-bit sums give the same bits with special commands
// (groups int16_mac and requantise) and without.
#include <cstring>

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

/// A convolution of int16 with weights of int8, in most cases followed by a RESCALE of its sums.
class RandomConvolution {
 public:
    explicit RandomConvolution(std::uint64_t seed) : random_(seed) {}

    graph::Graph make() {
        const bool is_depthwise = random_.one_in(3);
        const Shape map = {random_.pick({1, 1, 2}), random_.between(3, 14), random_.between(3, 14),
                           random_.pick({1, 3, 4, 6, 64, 70})};
        const std::int64_t k = random_.between(1, 3);
        const auto pad = static_cast<std::int32_t>(random_.below(2));
        const std::int64_t multiplier = random_.pick({1, 1, 2});
        const std::int64_t outputs =
            is_depthwise ? map[3] * multiplier : random_.pick({1, 5, 64, 65});
        const std::int64_t rest = 2 * pad - k + 1;
        const Shape shape{map[0], map[1] + rest, map[2] + rest, outputs};
        const Conv2dAttributes full{{pad, pad, pad, pad}, {1, 1}, {1, 1}, false, DType::kI48};
        const DepthwiseConv2dAttributes own{full.pad, full.stride, full.dilation, false,
                                            DType::kI48};
        const Shape kernel =
            is_depthwise ? Shape{k, k, map[3], multiplier} : Shape{outputs, k, k, map[3]};
        // Commands take 32-bit biases.
        const std::int64_t bias = random_.one_in(4) ? std::int64_t{1} << 44 : (1LL << 31) - 1;
        const std::vector<TensorIndex> operands{
            input(map), builder_.constant(DType::kI8, kernel, numbers(kernel, -128, 127)),
            builder_.constant(DType::kI48, {outputs}, numbers({outputs}, -bias, bias)),
            builder_.constant(DType::kI16, {1}, {0}), builder_.constant(DType::kI8, {1}, {0})};
        TensorIndex value =
            is_depthwise ? builder_.add(OpCode::kDepthwiseConv2d, own, operands, DType::kI48, shape)
                         : builder_.add(OpCode::kConv2d, full, operands, DType::kI48, shape);
        if (!random_.one_in(4)) value = rescaled(value, shape);
        builder_.output(value);
        return builder_.finish();
    }
    const std::vector<HostTensor>& inputs() const { return inputs_; }

 private:
    std::vector<std::int64_t> numbers(const Shape& shape, std::int64_t low, std::int64_t high) {
        std::vector<std::int64_t> values(*graph::element_count(shape));
        for (std::int64_t& value : values) {
            value = random_.one_in(8) ? random_.pick({low, high}) : random_.between(low, high);
        }
        return values;
    }
    TensorIndex input(const Shape& shape) {
        std::vector<std::byte> bytes;
        for (const std::int64_t value : numbers(shape, -32768, 32767)) {
            const auto word = static_cast<std::int16_t>(value);
            const auto* begin = reinterpret_cast<const std::byte*>(&word);
            bytes.insert(bytes.end(), begin, begin + sizeof word);
        }
        inputs_.push_back(graph::make_host_tensor(DType::kI16, shape, std::move(bytes)));
        return builder_.input(DType::kI16, shape);
    }
    TensorIndex rescaled(TensorIndex sums, const Shape& shape) {
        const bool per_channel = random_.one_in(2);
        const Shape count{per_channel ? shape[3] : 1};
        const DType type = random_.one_in(3) ? DType::kI8 : DType::kI16;
        const RescaleAttributes attributes{false, RoundingMode::kSingleRound, per_channel};
        return builder_.add(
            OpCode::kRescale, attributes,
            {sums, builder_.constant(DType::kI16, count, numbers(count, 1 << 14, 32767)),
             builder_.constant(DType::kI8, count, numbers(count, 16, 40)),
             builder_.constant(DType::kI48, {1}, {0}),
             builder_.constant(type, {1}, {type == DType::kI8 ? random_.between(-128, 127) : 0})},
            type, shape);
    }

    RandomSource random_;
    GraphBuilder builder_;
    std::vector<HostTensor> inputs_;
};

void check_convolutions(const std::vector<std::string>& settings, std::uint64_t first,
                        std::uint64_t cases) {
    const auto machine = [&](const char* name, std::vector<std::string> more) {
        more.insert(more.end(), settings.begin(), settings.end());
        return load_machine(name, more);
    };
    const Machine base = machine("bm1684", {});
    const Machine others[] = {
        machine("okk-next", {}), machine("okk-next", {"features.int16_mac=false"}),
        machine("okk-next", {"features.requantise=false", "features.fused_rescale=false"}),
        machine("okk-next", {"features.convert=false", "features.dma_layout=false"})};
    std::uint64_t finished = 0;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        RandomConvolution random(seed);
        const graph::Graph graph = random.make();
        CAPTURE(seed);
        graph::validate_graph(graph);
        const GroupRun expected = run_planned(graph, random.inputs(), base, {});
        if (!expected.fault) ++finished;
        for (const Machine& other : others) {
            INFO(other.label());
            const GroupRun run = run_planned(graph, random.inputs(), other, {});
            // Every machine reports scaled values that do not fit int32.
            REQUIRE(run.fault == expected.fault);
            if (!expected.fault) CHECK(run.output == expected.output);
        }
    }
    CHECK(finished > cases / 2);
}

}  // namespace

TEST_CASE("convolutions of int16 give the same bits with and without commands of their own") {
    check_convolutions({}, 1, 40);
}

TEST_CASE("convolutions of int16 in many tiles give the same bits") {
    check_convolutions({"chip.lanes=8", "chip.local_memory_bytes=16384"}, 100, 20);
}

TEST_CASE("convolutions of int16 take a fraction of the time with commands of their own") {
    GraphBuilder builder;
    const Shape map{1, 28, 28, 128}, kernel{128, 3, 3, 128};
    const std::vector<std::int64_t> ones(128 * 9 * 128, 1), biases(128, 7);
    const Conv2dAttributes attributes{{1, 1, 1, 1}, {1, 1}, {1, 1}, false, DType::kI48};
    builder.output(builder.add(
        OpCode::kConv2d, attributes,
        {builder.input(DType::kI16, map), builder.constant(DType::kI8, kernel, ones),
         builder.constant(DType::kI48, {128}, biases), builder.constant(DType::kI16, {1}, {0}),
         builder.constant(DType::kI8, {1}, {0})},
        DType::kI48, map));
    const graph::Graph graph = builder.finish();
    const std::vector<HostTensor> inputs{graph::make_host_tensor(
        DType::kI16, map, std::vector<std::byte>(std::size_t{2} * 28 * 28 * 128))};
    const auto time = [&](const std::vector<std::string>& settings) {
        return run_planned(graph, inputs, load_machine("okk-next", settings), {}).microseconds;
    };
    // 784 pixels in 13 groups of 64, 2 slots, twice 9 * 32 + 10 cycles at 550 MHz take 28 us. The
    // 0.8 MB of sums take 36 us to DRAM. The fp32 version has two limbs, each 49 * 2 * (9 * 64 +
    // 5).
    CHECK(time({}) < 0.35 * time({"features.int16_mac=false"}));
}
