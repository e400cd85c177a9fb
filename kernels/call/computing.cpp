// SPDX-License-Identifier: Apache-2.0
#include "kernels/call/computing.h"

#include <array>

#include "firmware/okk_access.h"

namespace okksim::kernels {
namespace {

struct Charge {
    OwnWork work;
    const char* name;  ///< in reports
    std::uint64_t instructions;
};

// Measured as described in tests/kernels/computing/README.md.
constexpr std::array<Charge, static_cast<std::size_t>(OwnWork::kCount)> kCharges = {{
    {OwnWork::kCall, "operator set-up", 500},
    {OwnWork::kArgumentWord, "launch arguments", 9},
    {OwnWork::kCommand, "loops between commands", 38},
    {OwnWork::kConvolution, "convolution set-up", 100},
    {OwnWork::kRound, "convolution rounds", 940},
    {OwnWork::kStep, "convolution steps", 1420},
    {OwnWork::kOutputTile, "output tiles", 1350},
    {OwnWork::kWidening, "widening", 280},
    {OwnWork::kProducts, "products", 50},
    {OwnWork::kScaledTile, "scaled tiles", 50},
    {OwnWork::kTransfer, "block transfers", 390},
    {OwnWork::kTileLoops, "tile loops", 50},
    {OwnWork::kTile, "tiles", 680},
    {OwnWork::kTileOperand, "tile operands", 680},
    {OwnWork::kFollower, "followers", 350},
    {OwnWork::kReduction, "reduction loops", 3600},
    {OwnWork::kReductionStep, "reduction steps", 1000},
    {OwnWork::kCombination, "combinations", 270},
    {OwnWork::kWindowTiles, "window set-up", 150},
    {OwnWork::kWindowTile, "window tiles", 400},
    {OwnWork::kPool, "pool set-up", 1200},
    {OwnWork::kPoolStep, "pool steps", 3500},
    {OwnWork::kPoolWindows, "pool windows", 1500},
    {OwnWork::kResize, "resize loops", 10640},
    {OwnWork::kResizeTile, "resize tiles", 100},
    {OwnWork::kTransform, "transform set-up", 200},
    {OwnWork::kTransformTile, "transform tiles", 1170},
    {OwnWork::kRescale, "rescale set-up", 6320},
    {OwnWork::kScaleFactor, "scale factors", 1520},
    {OwnWork::kPhases, "phases of a transposed convolution", 1390},
    {OwnWork::kConstantValue, "rows of constants", 9},
    {OwnWork::kRowMoves, "rows", 350},
    {OwnWork::kRowIndex, "row indices", 130},
    {OwnWork::kViolationOfLane, "violations", 6},
    {OwnWork::kLayers, "layer group set-up", 700},
    {OwnWork::kLayerWork, "layers", 300},
    {OwnWork::kLayerTap, "rows of windows, broadcasts", 200},
    {OwnWork::kRowCommand, "commands of rows", 300},
}};

constexpr bool in_order() {
    for (std::size_t i = 0; i < kCharges.size(); ++i) {
        if (static_cast<std::size_t>(kCharges[i].work) != i) return false;
    }
    return true;
}
static_assert(in_order(), "kCharges has one row per OwnWork, in its order");

const Charge& charge_of(OwnWork work) { return kCharges[static_cast<std::size_t>(work)]; }

/// Words of address, type and rank, and of a dimension and a stride (two words) for every axis.
std::uint64_t words_of(const DeviceTensor& tensor) {
    return 4 + 3 * static_cast<std::uint64_t>(tensor.rank);
}

std::uint64_t words_of(std::span<const DeviceTensor> tensors) {
    std::uint64_t words = 0;
    for (const DeviceTensor& tensor : tensors) words += words_of(tensor);
    return words;
}

}  // namespace

std::uint64_t instructions(OwnWork work) { return charge_of(work).instructions; }

void charge(OwnWork work, std::uint64_t count) {
    const Charge& row = charge_of(work);
    okk_compute(row.name, OKK_INTEGER_OPERATIONS, row.instructions * count);
}

void charge_commands() {
    const Charge& row = charge_of(OwnWork::kCommand);
    okk_compute_per_command(row.name, OKK_INTEGER_OPERATIONS, row.instructions);
}

void end_charging_commands() {
    okk_compute_per_command(charge_of(OwnWork::kCommand).name, OKK_INTEGER_OPERATIONS, 0);
}

void charge_call(const OperatorCall& call) {
    std::uint64_t words = words_of(call.inputs) + words_of(call.outputs);
    for (const Follower& follower : call.followers) {
        words += words_of(follower.inputs) + words_of(follower.output);
    }
    charge(OwnWork::kCall);
    charge(OwnWork::kArgumentWord, words);
    charge(OwnWork::kFollower, call.followers.size());
}

}  // namespace okksim::kernels
