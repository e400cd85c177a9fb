// SPDX-License-Identifier: Apache-2.0
#include "models/memory/written_map.h"

#include "models/memory/footprint.h"
#include "models/memory/listed_rows.h"

namespace okksim::models {

WrittenMap::WrittenMap(const isa::MachineShape& machine, PaddingReads padding,
                       std::uint64_t granule_bytes)
    : machine_(machine), lanes_(machine, padding), system_(machine, granule_bytes) {}

std::optional<PoisonRead> WrittenMap::find_unwritten(const isa::Command& command,
                                                     const isa::TensorViews& views,
                                                     LocalMemory& local, SystemMemory& system) {
    std::optional<PoisonRead> found;
    if (gathers_rows(command)) {
        for_each_listed_row(views[2], views[1].shape.c, system, machine_,
                            [&](std::int32_t n, std::int32_t, std::int32_t row) {
                                if (found) return;
                                found = system_.find_unwritten(row_of(views[1], n, row, machine_),
                                                               system);
                            });
    }
    for (const isa::TensorView& view : views) {
        if (view.access == isa::Access::kWrite) continue;
        // A copy by a list reads only the rows that the list names; the other rows stay unchanged.
        if (gathers_rows(command) && &view == &views[1]) continue;
        if (scatters_rows(command) && &view == &views[0]) continue;
        for_each_part(command, view, machine_, [&](const isa::TensorView& part) {
            if (found || (part.local && lanes_.is_whole(part))) return;
            found = part.local ? lanes_.find_unwritten(part, local)
                               : system_.find_unwritten(part, system);
        });
    }
    if (scatters_rows(command) && !found) found = system_.find_unwritten(views[0], system);
    return found;
}

void WrittenMap::mark_results(const isa::Command& command, const isa::TensorViews& views) {
    for (const isa::TensorView& view : views) {
        if (view.access == isa::Access::kRead) continue;
        for_each_written_part(command, view, machine_,
                              [&](const isa::TensorView& part) { mark(part); });
    }
}

void WrittenMap::mark(const isa::TensorView& view) {
    if (view.local && lanes_.is_whole(view)) return;
    RunLoops loops = run_loops(view);
    std::int64_t base = 0;
    if (loops.count() > kMaxFootprintRuns) {
        // Too many pieces: all bytes between the first and the last count as written.
        isa::TensorView channel = view;
        channel.shape.c = 1;
        const isa::ByteInterval touched = isa::touched_bytes(channel, machine_);
        base = touched.low - (view.local ? machine_.offset_of(view.local_addr)
                                         : static_cast<std::int64_t>(view.system_addr.value()));
        loops = {};
        loops.run_bytes = touched.high - touched.low;
    }
    if (view.local) return lanes_.mark(view, loops, base);
    const std::int64_t step = std::int64_t{view.stride.c} * view.element_bytes;
    const std::uint64_t address = view.system_addr.value() + static_cast<std::uint64_t>(base);
    if (view.shape.c > 1 && step == loops.run_bytes && loops.count() == 1) {
        return mark_system(address, static_cast<std::uint64_t>(view.shape.c * step));
    }
    for (std::int64_t c = 0; c < view.shape.c; ++c) {
        loops.for_each([&](std::int64_t offset) {
            mark_system(address + static_cast<std::uint64_t>(c * step + offset),
                        static_cast<std::uint64_t>(loops.run_bytes));
            return true;
        });
    }
}

}  // namespace okksim::models
