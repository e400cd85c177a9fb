// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/call/tensor.h"
#include "kernels/moves/repeated_command.h"
#include "kernels/planning/decisions.h"
#include "kernels/tiling/nd_tiles.h"

/// Copies and fills of system memory: decisions before a launch, and the firmware that runs them.
namespace okksim::kernels {

/// A region of system memory with element strides over some dimensions. The address is that of the
/// element with all indices 0.
struct StridedRegion {
    std::uint64_t address = 0;
    NdStrides strides{};
};

enum class MoveKind : std::uint8_t {
    kCopy,       ///< within system memory
    kTranspose,  ///< a copy with arbitrary strides, by a command of the group dma_layout
    kLoad,       ///< system memory to local memory
    kTurn,       ///< the compute engine rearranges each lane's elements, which are words
    kStore,      ///< local memory to system memory
};

/// One of the steps that move a tile. Local elements count from the start of local memory.
struct MoveStep {
    MoveKind kind = MoveKind::kCopy;
    RepeatedCommand command;

    std::uint64_t argument_words() const { return 1 + command.argument_words(); }
};

/// A box of the moved space, tile by tile: within system memory, or through local memory.
struct MovePart {
    std::int64_t to = 0;  ///< elements from the region's first one
    std::int64_t from = 0;
    std::vector<CommandLoop> tiles;  ///< innermost first
    std::vector<MoveStep> steps;

    std::uint64_t argument_words() const {
        return 3 + 3 * tiles.size() + kernels::argument_words(steps);
    }
};

struct MovePlan {
    int element_bytes = 4;  ///< of the commands: 1, 2 or 4
    std::vector<MovePart> parts;

    /// Returns the move between regions that begin `from_bytes` and `to_bytes` later.
    MovePlan shifted(std::int64_t from_bytes, std::int64_t to_bytes) const;
    std::uint64_t argument_words() const { return 1 + kernels::argument_words(parts); }
};

/// Planner: the fastest way to copy elements of `element_bytes` (1, 2, 4 or 8) to a region that
/// does not overlap the source. It may use all local memory. Strides of the source may be zero (the
/// element is repeated) or negative.
MovePlan plan_move(const StridedRegion& from, const StridedRegion& to,
                   std::span<const std::int32_t> dims, int element_bytes, Host& host);
/// All plans that plan_move() chooses from.
std::vector<MovePlan> move_candidates(const StridedRegion& from, const StridedRegion& to,
                                      std::span<const std::int32_t> dims, int element_bytes,
                                      Host& host);
/// Planner: plans a copy of a whole tensor, for all storage orders.
MovePlan plan_move(const DeviceTensor& from, const DeviceTensor& to, Host& host);
/// A space of 8-byte elements as one of 4-byte elements.
std::vector<NdAxis> halves(std::vector<NdAxis> axes, std::size_t operands);
/// A copy within system memory over axes in any order and number, with the fewest GDMA commands
/// that the strides allow. strides[0] are the source's, strides[1] the destination's.
MovePlan plan_copy(std::vector<NdAxis> axes, int element_bytes);
/// A copy by commands with arbitrary strides, for elements of 1, 2 or 4 bytes.
MovePlan plan_transpose(std::vector<NdAxis> axes, int element_bytes);
/// Planner: time of the commands of a plan, one after the other.
Duration move_time(const MovePlan& plan, std::uint64_t from, std::uint64_t to, Host& host);

/// Firmware: one step of a tile that begins at these addresses.
void run_step(const MoveStep& step, int element_bytes, std::uint64_t from, std::uint64_t to);
/// Firmware: moves the region at `from`, in serial mode before and after.
void run_move(const MovePlan& plan, std::uint64_t from, std::uint64_t to);

/// Boxes of a tensor that are filled with one element.
struct FillPlan {
    int element_bytes = 4;
    bool in_halves = false;  ///< elements of 8 bytes: lower halves, then upper halves
    std::vector<RepeatedCommand> boxes;

    std::uint64_t argument_words() const { return 2 + kernels::argument_words(boxes); }
};
/// Adds a box of `dims` elements under the strides, `first` elements from the tensor's start.
void add_box(FillPlan& plan, std::int64_t first, NdStrides strides,
             std::span<const std::int32_t> dims);
/// A plan without boxes for elements of 1, 2, 4 or 8 bytes.
FillPlan fill_plan(int element_bytes);
/// Planner: time of the plan's commands, one after the other.
Duration fill_time(const FillPlan& plan, std::uint64_t to, Host& host);
/// Firmware: fills with an element's bit pattern.
void run_fill(const FillPlan& plan, std::uint64_t to, std::uint64_t bits);

/// Both halves of a kernel's move: decision "move".
void move_strided(const OperatorCall& call, const StridedRegion& from, const StridedRegion& to,
                  std::span<const std::int32_t> dims, int element_bytes);
/// Copies a whole tensor, for all storage orders.
void copy_tensor(const OperatorCall& call, const DeviceTensor& from, const DeviceTensor& to);

}  // namespace okksim::kernels
