// SPDX-License-Identifier: Apache-2.0
// Firmware of copies and fills.
#include "firmware/okk.h"
#include "isa/base/errors.h"
#include "kernels/moves/move_plan.h"
#include "kernels/transfer/element_copy.h"

namespace okksim::kernels {
namespace {

std::uint64_t advanced(std::uint64_t address, std::int64_t elements, int bytes) {
    return address + static_cast<std::uint64_t>(elements * bytes);
}

local_addr_t local_address(std::int64_t element, int bytes) {
    return static_cast<local_addr_t>(element * bytes);
}

void copy(const RepeatedCommand& move, std::uint64_t to, std::uint64_t from, int bytes) {
    const CopyCommand command = copy_command(bytes);
    for_each_point(move.loops, move.first_to, move.first_from,
                   [&](std::int64_t target, std::int64_t source) {
                       command(advanced(to, target, bytes), advanced(from, source, bytes),
                               &move.shape, &move.to, &move.from);
                   });
}

void transpose(const RepeatedCommand& move, std::uint64_t to, std::uint64_t from, int bytes) {
    for_each_point(
        move.loops, move.first_to, move.first_from, [&](std::int64_t target, std::int64_t source) {
            okk_gdma_transpose_S2S(advanced(to, target, bytes), advanced(from, source, bytes),
                                   &move.shape, &move.to, &move.from, moved_type(bytes));
        });
}

void load(const RepeatedCommand& move, std::uint64_t from, int bytes) {
    const LoadCommand command = load_command(bytes);
    for_each_point(move.loops, move.first_to, move.first_from,
                   [&](std::int64_t target, std::int64_t source) {
                       command(local_address(target, bytes), advanced(from, source, bytes),
                               &move.shape, &move.to, &move.from);
                   });
}

/// Rearranges elements, which are words.
void turn(const RepeatedCommand& move) {
    for_each_point(move.loops, move.first_to, move.first_from,
                   [&](std::int64_t target, std::int64_t source) {
                       okk_bdc_32bit_cpy(local_address(target, 4), local_address(source, 4),
                                         &move.shape, &move.to, &move.from);
                   });
}

void store(const RepeatedCommand& move, std::uint64_t to, int bytes) {
    const StoreCommand command = store_command(bytes);
    for_each_point(move.loops, move.first_to, move.first_from,
                   [&](std::int64_t target, std::int64_t source) {
                       command(advanced(to, target, bytes), local_address(source, bytes),
                               &move.shape, &move.to, &move.from);
                   });
}

void fill_command(std::uint64_t to, const RepeatedCommand& box, int bytes, std::uint32_t bits) {
    switch (bytes) {
        case 1: {
            x8 value;
            value.u8 = static_cast<unsigned char>(bits);
            okk_gdma_8bit_set_C_system(to, value, &box.shape, &box.to);
            return;
        }
        case 2: {
            x16 value;
            value.u16 = static_cast<unsigned short>(bits);
            okk_gdma_16bit_set_C_system(to, value, &box.shape, &box.to);
            return;
        }
        case 4: {
            x32 value;
            value.u32 = bits;
            okk_gdma_32bit_set_C_system(to, value, &box.shape, &box.to);
            return;
        }
        default: OKKSIM_CHECK(false);
    }
}

void fill(const FillPlan& plan, std::uint64_t to, std::uint32_t bits) {
    for (const RepeatedCommand& box : plan.boxes) {
        for_each_point(box.loops, box.first_to, 0, [&](std::int64_t target, std::int64_t) {
            fill_command(advanced(to, target, plan.element_bytes), box, plan.element_bytes, bits);
        });
    }
}

}  // namespace

void run_step(const MoveStep& step, int element_bytes, std::uint64_t from, std::uint64_t to) {
    switch (step.kind) {
        case MoveKind::kCopy: return copy(step.command, to, from, element_bytes);
        case MoveKind::kTranspose: return transpose(step.command, to, from, element_bytes);
        case MoveKind::kLoad: return load(step.command, from, element_bytes);
        case MoveKind::kTurn: return turn(step.command);
        case MoveKind::kStore: return store(step.command, to, element_bytes);
    }
}

void run_move(const MovePlan& plan, std::uint64_t from, std::uint64_t to) {
    const int bytes = plan.element_bytes;
    for (const MovePart& part : plan.parts) {
        for_each_point(part.tiles, part.to, part.from,
                       [&](std::int64_t target, std::int64_t source) {
                           for (const MoveStep& step : part.steps) {
                               run_step(step, bytes, advanced(from, source, bytes),
                                        advanced(to, target, bytes));
                           }
                       });
    }
}

void run_fill(const FillPlan& plan, std::uint64_t to, std::uint64_t bits) {
    fill(plan, to, static_cast<std::uint32_t>(bits));
    if (plan.in_halves) fill(plan, to + 4, static_cast<std::uint32_t>(bits >> 32));
}

void move_strided(const OperatorCall& call, const StridedRegion& from, const StridedRegion& to,
                  std::span<const std::int32_t> dims, int element_bytes) {
    const MovePlan& plan = call.decisions->take(
        "move", [&](Host& host) { return plan_move(from, to, dims, element_bytes, host); });
    run_move(plan, from.address, to.address);
}

void copy_tensor(const OperatorCall& call, const DeviceTensor& from, const DeviceTensor& to) {
    const MovePlan& plan =
        call.decisions->take("copy", [&](Host& host) { return plan_move(from, to, host); });
    run_move(plan, from.address, to.address);
}

}  // namespace okksim::kernels
