// SPDX-License-Identifier: Apache-2.0
// Layer groups give the same results as separate kernels of their operators.
#include <algorithm>
#include <cstring>

#include "sim/graph/builder.h"
#include "tests/sim/execution/layer_group_run.h"
#include "tests/support/half_numbers.h"
#include "tests/support/random_layers.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using graph::HostTensor;
using tests::RandomLayers;
using tests::run_in_groups;
using Outcome = tests::LayerGroupRun;

/// Compares as numbers: zeros of both signs are equal.
bool are_equal(const HostTensor& a, const HostTensor& b) {
    const auto numbers = [](const HostTensor& tensor) {
        std::vector<float> values(tensor.data.size() / sizeof(float));
        std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
        return values;
    };
    return numbers(a) == numbers(b);
}

bool are_equal(const Outcome& a, const Outcome& b) {
    return std::ranges::equal(a.outputs, b.outputs, [](const HostTensor& x, const HostTensor& y) {
        return are_equal(x, y);
    });
}

/// Networks that end with fully connected layers.
template <tosa::DType kType>
struct WithHead : RandomLayers {
    explicit WithHead(std::uint64_t seed) : RandomLayers(seed, false, kType, true) {}
};

/// A machine with half-precision products gives the same bits.
template <tosa::DType kType>
struct HalfLayers : RandomLayers {
    explicit HalfLayers(std::uint64_t seed) : RandomLayers(seed, false, kType) {}
};
template <tosa::DType kType>
Outcome check_half_networks(const std::vector<std::string>& settings, std::uint64_t first_seed,
                            int cases) {
    return tests::check_networks<HalfLayers<kType>>(
        settings, first_seed, cases,
        [](const HostTensor& a, const HostTensor& b) { return std::ranges::equal(a.data, b.data); },
        "okk-next");
}

template <typename Network = RandomLayers>
Outcome check_networks(const std::vector<std::string>& settings, std::uint64_t first_seed,
                       int cases) {
    return tests::check_networks<Network>(
        settings, first_seed, cases,
        [](const HostTensor& a, const HostTensor& b) { return are_equal(a, b); });
}

}  // namespace

TEST_CASE("layer groups compute what kernels of their own compute") {
    CHECK(check_networks({}, 1, 60).groups > 40);
}

TEST_CASE("parts of a channel slot whose results do not end with a line") {
    // 56 x 56 words are 98 lines and 28 x 28 words are 24.5; fp16 takes half of that. The scratch
    // of a pool's slot, two planes of words and more, exceeds half of 32 KiB. The fp32 pool is
    // therefore cut by rows, and the clamp by words. The fp16 clamp takes a plane of words, more
    // than half of 16 KiB.
    using tosa::DType;
    const bool is_half = GENERATE(false, true);
    const DType type = is_half ? DType::kFp16 : DType::kFp32;
    const graph::Shape shape{1, 56, 56, 4}, half{1, 28, 28, 4};
    graph::GraphBuilder b;
    const auto x = b.input(type, shape);
    tosa::ClampAttributes limits;
    limits.min_val = tests::float_element(type, -1);
    limits.max_val = tests::float_element(type, 1);
    const auto clamped = b.add(tosa::OpCode::kClamp, limits, {x}, type, shape);
    auto last = b.add(tosa::OpCode::kAdd, tosa::NoAttributes{}, {clamped, clamped}, type, shape);
    if (!is_half) {
        last = b.add(tosa::OpCode::kMaxPool2d, tosa::MaxPool2dAttributes{{2, 2}, {2, 2}, {}, {}},
                     {clamped}, type, half);
        last = b.add(tosa::OpCode::kAdd, tosa::NoAttributes{}, {last, last}, type, half);
    }
    b.output(last);
    const graph::Graph graph = b.finish();
    graph::validate_graph(graph);
    std::vector<float> values(56 * 56 * 4);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) - 3;
    const std::vector<HostTensor> inputs{
        graph::make_host_tensor(type, shape, tests::float_bytes(type, values))};
    const std::string memory = is_half ? "16384" : "32768";
    const Machine machine = load_machine(is_half ? "okk-next" : "bm1684",
                                         {"chip.lanes=4", "chip.local_memory_bytes=" + memory});
    const Outcome resident = run_in_groups(graph, inputs, machine, true);
    CHECK(resident.groups == 1);
    const Outcome stored = run_in_groups(graph, inputs, machine, false);
    CHECK(std::ranges::equal(resident.outputs[0].data, stored.outputs[0].data));
}

TEST_CASE("channels that are put together go to other lanes") {
    // On 4 lanes, the second operand begins in lane 3. It has two slots of channels but touches
    // three slots of the result. The third operand begins in slot 2, lane 1.
    using tosa::DType;
    const graph::Shape few{2, 5, 7, 3}, more{2, 5, 7, 6}, all{2, 5, 7, 12};
    graph::GraphBuilder b;
    const auto x = b.input(DType::kFp32, few), y = b.input(DType::kFp32, more);
    const auto twice = [&](graph::TensorIndex of, const graph::Shape& shape) {
        return b.add(tosa::OpCode::kAdd, tosa::NoAttributes{}, {of, of}, DType::kFp32, shape);
    };
    const auto first = twice(x, few), second = twice(y, more);
    const auto joined = b.add(tosa::OpCode::kConcat, tosa::ConcatAttributes{3},
                              {first, second, first}, DType::kFp32, all);
    b.output(twice(joined, all));
    const graph::Graph graph = b.finish();
    graph::validate_graph(graph);
    const auto numbers = [](const graph::Shape& shape, float from) {
        std::vector<float> values(graph::element_count(shape).value());
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = from + static_cast<float>(i);
        return graph::make_host_tensor(DType::kFp32, shape,
                                       tests::float_bytes(DType::kFp32, values));
    };
    const std::vector<HostTensor> inputs{numbers(few, 1), numbers(more, 1000)};
    const Machine machine = load_machine("bm1684", {"chip.lanes=4"});
    const Outcome resident = run_in_groups(graph, inputs, machine, true);
    CHECK(resident.groups == 1);
    const Outcome stored = run_in_groups(graph, inputs, machine, false);
    CHECK(std::ranges::equal(resident.outputs[0].data, stored.outputs[0].data));
}

TEST_CASE("lists change times, not results") {
    RandomLayers network(7);
    const graph::Graph graph = network.make();
    graph::validate_graph(graph);
    const Outcome calls = run_in_groups(graph, network.inputs(), load_machine("bm1684"), true);
    const Outcome lists =
        run_in_groups(graph, network.inputs(), load_machine("bm1684", {"mcu.issue=lists"}), true);
    CHECK(are_equal(lists, calls));
    CHECK(lists.microseconds < calls.microseconds);
}

TEST_CASE("layer groups compute the same where little fits") {
    CHECK(check_networks({"chip.lanes=8", "chip.local_memory_bytes=32768"}, 1000, 60).cut > 10);
    CHECK(check_networks({"chip.lanes=4", "chip.local_memory_bytes=16384"}, 2000, 30).cut > 5);
    check_networks({"chip.lanes=128", "chip.local_memory_bytes=1048576"}, 3000, 20);
    check_networks({"chip.vector_words=16"}, 4000, 20);
}

TEST_CASE("rows of windows become channels of maps that have few") {
    // Pixels of few channels are so slow to fetch that loading more channels always pays.
    const std::string slow = "bdc.convolution_fetch_cycles=1000";
    // Most inputs come from the previous layer, including CONCAT.
    CHECK(check_networks({slow}, 1, 130).unfolded > 3);
    CHECK(check_networks({slow, "mcu.issue=lists", "chip.lanes=8", "chip.local_memory_bytes=32768"},
                         1000, 60)
              .unfolded > 5);
    check_networks({slow, "chip.lanes=4", "chip.local_memory_bytes=16384"}, 2000, 30);
}

TEST_CASE("a fully connected layer of floats behind a map takes the map as its window") {
    using tosa::DType;
    using Words = WithHead<DType::kFp32>;
    CHECK(check_networks<Words>({}, 1, 40).whole_maps > 10);
    check_networks<Words>({"chip.lanes=8", "chip.local_memory_bytes=131072"}, 200, 20);
    check_networks<Words>({"chip.lanes=4", "chip.local_memory_bytes=32768"}, 300, 20);
    check_networks<Words>({"chip.lanes=128", "mcu.issue=lists"}, 400, 10);
    const auto halves = tests::check_networks<WithHead<DType::kFp16>>(
        {}, 1, 20,
        [](const HostTensor& a, const HostTensor& b) { return std::ranges::equal(a.data, b.data); },
        "okk-next");
    CHECK(halves.whole_maps > 5);
}

TEST_CASE("layer groups on fp16 and bf16 compute what kernels of their own compute") {
    using tosa::DType;
    CHECK(check_half_networks<DType::kFp16>({}, 1, 60).groups > 40);
    CHECK(check_half_networks<DType::kBf16>({"mcu.issue=lists"}, 100, 40).groups > 25);
    const std::vector<std::string> small{"chip.lanes=8", "chip.local_memory_bytes=32768"};
    CHECK(check_half_networks<DType::kFp16>(small, 1000, 60).cut > 10);
    const std::vector<std::string> tiny{"chip.lanes=4", "chip.local_memory_bytes=16384"};
    check_half_networks<DType::kBf16>(tiny, 2000, 30);
}

TEST_CASE("halves stay in kernels of their own where a machine cannot multiply or convert them") {
    for (const char* lacks : {"features.half_mac=false", "features.convert=false"}) {
        CHECK(check_half_networks<tosa::DType::kFp16>({lacks}, 1, 10).groups == 0);
    }
}
