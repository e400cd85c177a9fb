// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/layer_check.h"

#include <algorithm>
#include <functional>

#include "isa/base/errors.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "tests/support/catch.h"
#include "tests/support/random_byte_layers.h"
#include "tests/support/random_layers.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using namespace okksim::kernels::layers;

/// Makes a plan wrong; returns false if the mistake is impossible in this plan.
using Mistake = std::function<bool(LayerPlan&)>;

/// Removes transfer `index`, and inserts it into another section unless `to` is empty.
LayerTransfer move_transfer(LayerPlan& plan, std::size_t index, std::optional<std::size_t> to) {
    std::size_t at = index;
    std::size_t section = 0;
    while (at >= static_cast<std::size_t>(plan.sections[section].transfers)) {
        at -= static_cast<std::size_t>(plan.sections[section++].transfers);
    }
    const LayerTransfer transfer = plan.transfers[index];
    plan.transfers.erase(plan.transfers.begin() + static_cast<long>(index));
    --plan.sections[section].transfers;
    if (!to) return transfer;
    std::size_t place = 0;
    for (std::size_t i = 0; i < *to; ++i) {
        place += static_cast<std::size_t>(plan.sections[i].transfers);
    }
    plan.transfers.insert(plan.transfers.begin() + static_cast<long>(place), transfer);
    ++plan.sections[*to].transfers;
    return transfer;
}

std::optional<std::size_t> first_of(const LayerPlan& plan, TransferKind kind) {
    for (std::size_t i = 0; i < plan.transfers.size(); ++i) {
        if (plan.transfers[i].kind == kind) return i;
    }
    return std::nullopt;
}

/// Section of the first work of a transfer's layer; for weights, the first work that reads them.
std::size_t section_of(const LayerPlan& plan, const LayerTransfer& transfer) {
    const bool any = transfer.kind != TransferKind::kLoadWeights;
    const std::int32_t first = transfer.channels.begin;
    std::size_t at = 0;
    for (std::size_t i = 0; i < plan.sections.size(); ++i) {
        for (int k = 0; k < plan.sections[i].works; ++k, ++at) {
            const LayerWork& work = plan.works[at];
            const bool reads = work.channels.begin <= first && first < work.channels.end;
            if (work.layer == transfer.layer && (any || reads)) return i;
        }
    }
    return 0;
}

Mistake drop(TransferKind kind) {
    return [kind](LayerPlan& plan) {
        const auto index = first_of(plan, kind);
        if (index) move_transfer(plan, *index, std::nullopt);
        return index.has_value();
    };
}

/// Moves loads to the section that reads, and stores to the section that writes.
Mistake too_late_or_early(TransferKind kind) {
    return [kind](LayerPlan& plan) {
        const auto index = first_of(plan, kind);
        if (index) move_transfer(plan, *index, section_of(plan, plan.transfers[*index]));
        return index.has_value();
    };
}

bool shift_weights(LayerPlan& plan) {
    for (LayerWork& work : plan.works) {
        if (work.weights == 0) continue;
        work.weights += static_cast<local_addr_t>(plan.lanes.line_bytes());
        return true;
    }
    return false;
}

bool swap_first_works(LayerPlan& plan) {
    // The second layer reads the output of the first one.
    if (plan.works.size() < 2 || plan.works[0].layer == plan.works[1].layer) return false;
    const auto& maps = plan.layers[static_cast<std::size_t>(plan.works[1].layer)].maps;
    const int made = plan.layers[static_cast<std::size_t>(plan.works[0].layer)].output;
    if (std::find(maps.begin(), maps.end(), made) == maps.end()) return false;
    std::swap(plan.works[0], plan.works[1]);
    return true;
}

/// Moves one slice's part up by a row.
bool shift_rows(LayerPlan& plan) {
    for (MapPart& part : plan.parts) {
        if (part.rows.begin == 0) continue;
        --part.rows.begin;
        --part.rows.end;
        return true;
    }
    return false;
}

/// Adds a row of padding to the input of a slice.
bool pad_rows(LayerPlan& plan) {
    if (plan.slices.is_whole()) return false;
    for (Layer& layer : plan.layers) {
        if (plan.parts[static_cast<std::size_t>(layer.output)].copy) continue;
        // Conversions have no padding.
        if (layer.kind == LayerKind::kWiden || layer.kind == LayerKind::kNarrow) continue;
        ++layer.zeros.top;
        return true;
    }
    return false;
}

/// Random networks in which a mistake is made. Few networks permit some of the mistakes.
constexpr std::uint64_t kNetworks = 40, kManyNetworks = 160;

template <typename Network>
std::size_t caught_in(const Mistake& mistake, const std::vector<std::string>& settings,
                      const std::string& name = "bm1684", std::uint64_t networks = kNetworks) {
    const Machine machine = load_machine(name, settings);
    std::size_t made = 0;
    for (std::uint64_t seed = 1; seed <= networks; ++seed) {
        CAPTURE(seed);
        Network network(seed);
        const graph::Graph graph = network.make();
        graph::validate_graph(graph);
        const auto plan = planning::plan_for_machine(graph, machine);
        const planning::BlockPlan& block = plan.block(graph.entry);
        for (const planning::Step& step : block.steps) {
            if (step.kind != planning::StepKind::kLayers) continue;
            const auto bound = planning::bind_layers(graph.main(), step, block.slots);
            LayerPlan own = step.decisions.at<LayerPlan>(0, "layers");
            const isa::MachineShape shape = machine.params.shape();
            REQUIRE_NOTHROW(planning::check_layers(bound.call(), own, shape));
            if (!mistake(own)) continue;
            ++made;
            CHECK_THROWS_AS(planning::check_layers(bound.call(), own, shape), InternalError);
        }
    }
    return made;
}

/// Networks whose activations stay packed, on a machine with commands for them.
struct HalfLayers : tests::RandomLayers {
    explicit HalfLayers(std::uint64_t seed) : RandomLayers(seed, false, tosa::DType::kFp16) {}
};
std::size_t caught_in_halves(const Mistake& mistake, const std::vector<std::string>& settings,
                             std::uint64_t networks = kNetworks) {
    return caught_in<HalfLayers>(mistake, settings, "okk-next", networks);
}

/// Counts the mistakes that are detected in networks of fp32 and of int8.
std::size_t caught(const Mistake& mistake, const std::vector<std::string>& settings) {
    return caught_in<tests::RandomLayers>(mistake, settings) +
           caught_in<tests::RandomByteLayers>(mistake, settings);
}

/// Treats a packed feature map as words in GDMA transfers and layers.
bool swap_form(LayerPlan& plan) {
    for (const Layer& layer : plan.layers) {
        MapPart& part = plan.parts[static_cast<std::size_t>(layer.maps[0])];
        if (!part.is_packed()) continue;
        part.element_bytes = 4;
        return true;
    }
    return false;
}

/// Moves the rows of factors past the end of the packed constants.
bool shift_factors(LayerPlan& plan) {
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
        if (plan.layers[i].rows == 0) continue;
        plan.places[i].rows = plan.packed_bytes;
        return true;
    }
    return false;
}

/// Unfolds a feature map one row too far down.
bool shift_unfolding(LayerPlan& plan) {
    for (MapPart& part : plan.parts) {
        if (part.unfolding.taps == 1) continue;
        ++part.unfolding.zeros_above;
        return true;
    }
    return false;
}

/// Lets constants arrive while the first work reads them.
bool delay_constants(LayerPlan& plan) {
    if (plan.works.empty()) return false;
    const Layer& layer = plan.layers[static_cast<std::size_t>(plan.works.front().layer)];
    const auto& places = plan.places[static_cast<std::size_t>(plan.works.front().layer)];
    if (!layer.has_constants() || !places.packed_weights) return false;
    plan.packed_first = 0;
    return true;
}

}  // namespace

TEST_CASE("a plan that loses, delays or misplaces something is found out") {
    const std::vector<std::string> small{"chip.lanes=8", "chip.local_memory_bytes=65536"};
    for (const auto& settings : {std::vector<std::string>{}, small}) {
        CHECK(caught(drop(TransferKind::kLoadMap), settings) > 10);
        CHECK(caught(drop(TransferKind::kStoreMap), settings) > 10);
        CHECK(caught(too_late_or_early(TransferKind::kLoadMap), settings) > 10);
        CHECK(caught(too_late_or_early(TransferKind::kStoreMap), settings) > 10);
        CHECK(caught(swap_first_works, settings) > 3);
        const bool cuts = settings == small;
        CHECK(caught(shift_rows, settings) > (cuts ? 3 : 0));
        CHECK(caught(pad_rows, settings) > (cuts ? 3 : 0));
        CHECK(caught_in<tests::RandomByteLayers>(swap_form, settings) > 10);
        CHECK(caught_in<tests::RandomByteLayers>(shift_factors, settings) > 10);
    }
    CHECK(caught_in<tests::RandomLayers>(delay_constants, small, "bm1684", kManyNetworks) +
              caught_in<tests::RandomByteLayers>(delay_constants, {}) >
          0);
    CHECK(caught_in<tests::RandomLayers>(shift_unfolding, {"bdc.convolution_fetch_cycles=1000"}) >
          0);
    CHECK(caught_in_halves(swap_first_works, {}) > 3);
    CHECK(caught_in_halves(swap_form, {}) > 10);
    // Half-precision values take half the space.
    CHECK(caught_in_halves(pad_rows, {"chip.lanes=8", "chip.local_memory_bytes=32768"},
                           kManyNetworks) > 3);
    CHECK(caught_in_halves(drop(TransferKind::kLoadWeights), small) > 3);
    CHECK(caught_in_halves(too_late_or_early(TransferKind::kLoadWeights), small) > 3);
    CHECK(caught(drop(TransferKind::kLoadWeights), small) > 3);
    CHECK(caught(too_late_or_early(TransferKind::kLoadWeights), small) > 3);
    CHECK(caught(shift_weights, small) > 3);
}
