// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiling/lane_move_cost.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace okksim::kernels {
namespace {

constexpr std::size_t kSource = 0;
constexpr std::size_t kDestination = 1;

// Rough prices after sim/machines/bm1684.toml.
constexpr double kIssue = 3600;           ///< the control processor, per command
constexpr double kSetup = 1230;           ///< the data mover, per command
constexpr double kTurnSetup = 2600;       ///< the compute engine, per command
constexpr double kPiece = 0.15;           ///< a contiguous run between the memories
constexpr double kSystemPiece = 2.24;     ///< a contiguous run within system memory
constexpr double kMisalignedByte = 0.04;  ///< up to kMisalignedBytes of a piece
constexpr double kMisalignedBytes = 256;
constexpr double kByte = 0.04;
constexpr double kBurstBytes = 64;
constexpr double kJump = 17.3;

/// A contiguous stretch and the distance to the next.
struct Stretch {
    std::int64_t run = 1;
    std::int64_t pitch = 0;
    void step(std::int64_t extent, std::int64_t stride) {
        if (extent == 1 || pitch != 0) return;
        if (stride == run) {
            run *= extent;
        } else {
            pitch = std::abs(stride);
        }
    }
};

double memory_cost(const Stretch& stretch, double elements, int bytes) {
    const double runs = elements / static_cast<double>(stretch.run);
    const auto run_bytes = static_cast<double>(stretch.run * bytes);
    const auto pitch = static_cast<double>(stretch.pitch * bytes);
    if (pitch <= run_bytes) return runs * run_bytes * kByte;
    const double fetched = std::max(run_bytes, std::min(pitch, kBurstBytes));
    const double jump = std::min(kJump, std::min(run_bytes, pitch - run_bytes) * kByte);
    return runs * (fetched * kByte + jump);
}

}  // namespace

double LaneMoveCost::total() const {
    return std::max(kIssue * commands, kSetup * commands + nanoseconds);
}

double issue_cost() { return kIssue; }

double turn_cost() { return kTurnSetup; }

LaneMoveCost side_cost(const LaneMoveCommands& side, int bytes) {
    LaneMoveCost cost{1, 0};
    double elements = 1;
    Stretch system;
    Stretch piece;
    bool in_piece = true;
    for (std::size_t d = 0; d < side.inner.size(); ++d) {
        const LaneMoveAxis& axis = side.inner[d];
        elements *= static_cast<double>(axis.extent);
        system.step(axis.extent, axis.system);
        if (axis.extent == 1) continue;
        in_piece = in_piece && d < 2 && axis.system == piece.run && axis.local == piece.run;
        if (in_piece) piece.run *= axis.extent;
    }
    for (const LaneMoveAxis& axis : side.loops) cost.commands *= static_cast<double>(axis.extent);
    const auto piece_bytes = static_cast<double>(piece.run * bytes);
    double per_piece = kPiece;
    if (std::fmod(piece_bytes, kBurstBytes) != 0) {
        per_piece += std::min(piece_bytes, kMisalignedBytes) * kMisalignedByte;
    }
    const double work = memory_cost(system, elements, bytes) +
                        elements / static_cast<double>(piece.run) * per_piece;
    cost.nanoseconds = cost.commands * work;
    return cost;
}

double system_copy_cost(const std::vector<NdAxis>& axes, int bytes) {
    Stretch from;
    Stretch to;
    double elements = 1;
    std::int64_t piece = 1;
    bool in_piece = true;
    for (const NdAxis& axis : axes) {
        from.step(axis.extent, axis.strides[kSource]);
        to.step(axis.extent, axis.strides[kDestination]);
        in_piece =
            in_piece && axis.strides[kSource] == piece && axis.strides[kDestination] == piece;
        if (in_piece) piece *= axis.extent;
        elements *= static_cast<double>(axis.extent);
    }
    const double pieces = elements / static_cast<double>(piece);
    const LaneMoveCost cost{1, memory_cost(from, elements, bytes) +
                                   memory_cost(to, elements, bytes) + pieces * kSystemPiece};
    return cost.total();
}

}  // namespace okksim::kernels
