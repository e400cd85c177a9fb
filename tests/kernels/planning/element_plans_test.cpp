// SPDX-License-Identifier: Apache-2.0
// Choices of the planners for element-wise operators and copies, compared with the times of all
// alternatives.
#include <fmt/format.h>

#include <array>
#include <numeric>
#include <string>

#include "kernels/moves/move_plan.h"
#include "kernels/pointwise/pointwise_planner.h"
#include "kernels/pointwise/pointwise_run.h"
#include "kernels/prim/raw.h"
#include "sim/machine/machine.h"
#include "sim/pricing/machine_host.h"
#include "tests/support/catch.h"
#include "tests/support/plan_ratio.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_source.h"
#include "tests/support/stored_tensor.h"

namespace okksim::kernels {
namespace {

using tests::RandomSource;
using tosa::DType;

constexpr std::uint64_t kApart = 64 << 20;

/// An element-wise operator on tiles; `length` gives the number of commands per tile.
PointwiseOperator operator_of(const std::vector<DeviceTensor>& inputs, const DeviceTensor& output,
                              int length) {
    PointwiseOperator op;
    for (const DeviceTensor& input : inputs) op.inputs.push_back({input});
    op.output = output;
    op.planes = 1;
    op.body = [length](const PointwiseTile& tile) {
        prim::raw::copy(tile.output, tile.inputs[0]);
        for (int i = 1; i < length; ++i) {
            prim::raw::add(tile.output, tile.output, tile.inputs.back());
        }
    };
    return op;
}

std::vector<int> random_order(RandomSource& random, std::size_t rank) {
    std::vector<int> order(rank);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = rank; i > 1 && random.one_in(2); --i) {
        std::swap(order[i - 1],
                  order[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
    }
    return order;
}

std::vector<std::int32_t> random_dims(RandomSource& random, std::int64_t elements) {
    std::vector<std::int32_t> dims(static_cast<std::size_t>(random.between(1, 4)), 1);
    while (elements > 1) {
        auto& dim =
            dims[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(dims.size())))];
        const std::int64_t factor = std::min(elements, random.between(2, 12));
        dim *= static_cast<std::int32_t>(factor);
        elements /= factor;
    }
    return dims;
}

std::int64_t random_size(RandomSource& random) { return std::int64_t{1} << random.between(4, 21); }

PointwiseOperator random_operator(RandomSource& random, std::uint64_t memory) {
    constexpr std::array kTypes{DType::kFp32, DType::kI8, DType::kI16, DType::kFp16, DType::kI32};
    const std::vector<std::int32_t> dims = random_dims(random, random_size(random));
    std::vector<DeviceTensor> inputs;
    const std::int64_t count = random.between(1, 2);
    for (std::int64_t i = 0; i < count; ++i) {
        std::vector<std::int32_t> own = dims;
        if (i > 0 && random.one_in(3)) own[0] = 1;
        inputs.push_back(tests::stored_tensor(random.element(kTypes), own,
                                              random_order(random, own.size()), memory));
        memory += kApart;
    }
    const DeviceTensor output = tests::stored_tensor(random.element(kTypes), dims,
                                                     random_order(random, dims.size()), memory);
    return operator_of(inputs, output, static_cast<int>(random.pick({1, 2, 8, 30})));
}

TEST_CASE("element-wise operators are within 3 percent of the best of all plans on 1000 machines") {
    RandomSource random(7);
    const models::MachineParams reference = sim::load_machine("bm1684").params;
    for (int i = 0; i < 1000; ++i) {
        const models::MachineParams params = tests::with_random_rates(reference, random);
        const sim::pricing::KnownMemory known;
        sim::pricing::MachineHost host(params, {}, known);
        const PointwiseOperator op = random_operator(random, params.shape().global_start);
        const double ratio = tests::ratio_to_best(
            plan_pointwise(op, host), pointwise_candidates(op, host.machine()), host,
            [&](const PointwisePlan& plan) { run_tiles(op, plan, INT64_MAX); });
        INFO(fmt::format("machine {}: {} elements", i, op.output.count()));
        CHECK(ratio <= 1.03);
    }
}

/// A transposition.
struct Move {
    StridedRegion from, to;
    std::vector<std::int32_t> dims;
    int bytes = 4;
};

Move random_move(RandomSource& random, std::uint64_t memory) {
    Move move;
    move.dims = random_dims(random, random_size(random));
    move.bytes = static_cast<int>(random.pick({1, 2, 4, 4, 8}));
    move.from = {memory, strides_in_order(move.dims, random_order(random, move.dims.size()))};
    move.to = {memory + kApart,
               strides_in_order(move.dims, random_order(random, move.dims.size()))};
    return move;
}

TEST_CASE("moves are within 3 percent of the best of all plans on 1000 machines") {
    RandomSource random(8);
    const models::MachineParams reference = sim::load_machine("bm1684").params;
    for (int i = 0; i < 1000; ++i) {
        const models::MachineParams params = tests::with_random_rates(reference, random);
        const sim::pricing::KnownMemory known;
        sim::pricing::MachineHost host(params, {}, known);
        const Move move = random_move(random, params.shape().global_start);
        const double ratio = tests::ratio_to_best(
            plan_move(move.from, move.to, move.dims, move.bytes, host),
            move_candidates(move.from, move.to, move.dims, move.bytes, host), host,
            [&](const MovePlan& plan) { run_move(plan, move.from.address, move.to.address); });
        INFO(fmt::format("machine {}: {} bytes each", i, move.bytes));
        CHECK(ratio <= 1.03);
    }
}

/// Returns the choices for some problems as text.
std::string choices(const models::MachineParams& params) {
    const sim::pricing::KnownMemory known;
    sim::pricing::MachineHost host(params, {}, known);
    RandomSource random(9);
    std::string text;
    for (int i = 0; i < 60; ++i) {
        const PointwiseOperator op = random_operator(random, params.shape().global_start);
        const PointwisePlan plan = plan_pointwise(op, host);
        text += fmt::format("{} tiles", plan.tiling.tiles());
        for (const PointwiseRegion& input : plan.inputs) text += input.spread ? " s" : " p";
        text += plan.output.spread ? " s\n" : " p\n";
        const Move move = random_move(random, params.shape().global_start);
        for (const MovePart& part :
             plan_move(move.from, move.to, move.dims, move.bytes, host).parts) {
            text += fmt::format("{} tiles", point_count(part.tiles));
            for (const MoveStep& step : part.steps) {
                text += fmt::format(" {} {}", static_cast<int>(step.kind), step.command.shape.c);
            }
            text += "\n";
        }
    }
    return text;
}

TEST_CASE("a rate ten times as high or as low changes plans") {
    const models::MachineParams reference = sim::load_machine("bm1684").params;
    const std::string usual = choices(reference);
    CHECK(choices(reference) == usual);
    for (const std::string matters : {"mcu.clock_mhz",
                                      "mcu.command_cycles",
                                      "mcu.queue_depth",
                                      "bdc.clock_mhz",
                                      "bdc.execution_units",
                                      "bdc.startup_cycles",
                                      "bdc.copy_cycles",
                                      "bdc.constant_cycles",
                                      "bdc.tensor_cycles",
                                      "gdma.clock_mhz",
                                      "gdma.setup_cycles",
                                      "gdma.piece_cycles",
                                      "gdma.plane_bytes_per_cycle",
                                      "gdma.local_bytes_per_cycle",
                                      "gdma.realign_cycles_per_beat",
                                      "gdma.system_copy_piece_cycles",
                                      "dram.read_bytes_per_nanosecond",
                                      "dram.write_bytes_per_nanosecond",
                                      "dram.read_latency_nanoseconds",
                                      "dram.row_miss_nanoseconds"}) {
        bool changes = false;
        for (const double factor : {0.1, 10.0}) {
            models::MachineParams params = reference;
            tests::for_each_timing_parameter(
                params, [&](const std::string& section, const std::string& key, auto& field,
                            const models::ParameterInfo& info) {
                    if (section + "." + key == matters) {
                        tests::scale_parameter(field, factor, info);
                    }
                });
            changes = changes || choices(params) != usual;
        }
        INFO(matters);
        CHECK(changes);
    }
}

}  // namespace
}  // namespace okksim::kernels
