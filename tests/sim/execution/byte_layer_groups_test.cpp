// SPDX-License-Identifier: Apache-2.0
// Layer groups on int8 give the same bits as separate kernels of their operators.
#include <algorithm>

#include "tests/sim/execution/layer_group_run.h"
#include "tests/support/random_byte_layers.h"

namespace {

using namespace okksim;

tests::LayerGroupRun check_networks(const std::vector<std::string>& settings,
                                    std::uint64_t first_seed, int cases) {
    return tests::check_networks<tests::RandomByteLayers>(
        settings, first_seed, cases,
        [](const auto& a, const auto& b) { return std::ranges::equal(a.data, b.data); });
}

/// Networks that end with a fully connected layer.
struct WithHead : tests::RandomByteLayers {
    explicit WithHead(std::uint64_t seed) : RandomByteLayers(seed, false, true) {}
};

template <typename Network>
tests::LayerGroupRun check_native_networks(const std::vector<std::string>& settings,
                                           std::uint64_t first_seed, int cases) {
    return tests::check_networks<Network>(
        settings, first_seed, cases,
        [](const auto& a, const auto& b) { return std::ranges::equal(a.data, b.data); },
        "okk-next");
}

}  // namespace

TEST_CASE("layer groups on int8 compute what kernels of their own compute") {
    const tests::LayerGroupRun all = check_networks({}, 1, 60);
    CHECK(all.groups > 40);
    CHECK(all.functions > 20);
}

TEST_CASE("layer groups on int8 compute the same where little fits") {
    CHECK(check_networks({"chip.lanes=8", "chip.local_memory_bytes=32768"}, 1000, 40).cut > 10);
    CHECK(check_networks({"chip.lanes=4", "chip.local_memory_bytes=16384"}, 2000, 20).cut > 2);
    check_networks({"chip.lanes=128", "chip.local_memory_bytes=1048576", "mcu.issue=lists"}, 3000,
                   20);
    check_networks({"chip.vector_words=16"}, 4000, 20);
}

TEST_CASE("layer groups on packed int8 compute what kernels of their own compute") {
    CHECK(check_native_networks<tests::RandomByteLayers>({}, 1, 40).groups > 20);
    const std::vector<std::string> small{"chip.lanes=8", "chip.local_memory_bytes=32768"};
    CHECK(check_native_networks<tests::RandomByteLayers>(small, 1000, 40).cut > 5);
}

TEST_CASE("a fully connected layer behind a map is a convolution with the map as its window") {
    CHECK(check_native_networks<WithHead>({}, 1, 40).whole_maps > 10);
    check_native_networks<WithHead>({"features.convert=false"}, 100, 20);
    check_native_networks<WithHead>({"chip.lanes=8", "chip.local_memory_bytes=131072"}, 200, 20);
}
