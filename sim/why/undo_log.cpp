// SPDX-License-Identifier: Apache-2.0
#include "sim/why/undo_log.h"

#include <algorithm>
#include <cstring>

#include "isa/tensors.h"

namespace okksim::sim::why {

void UndoLog::keep(std::byte* at, std::size_t bytes) {
    if (at == nullptr || is_full_) return;
    if (bytes > most_bytes_ - bytes_.size()) {
        is_full_ = true;
        return;
    }
    pieces_.push_back({at, bytes_.size(), bytes});
    bytes_.insert(bytes_.end(), at, at + bytes);
}

void UndoLog::keep_local(std::int32_t lane, std::int64_t offset, std::int64_t bytes) {
    models::LocalMemory& local = port_.local_memory();
    const std::int64_t low = std::max<std::int64_t>(offset, 0);
    const std::int64_t high = std::min(offset + bytes, local.bytes_per_lane());
    if (low < high) keep(local.at(lane, low), static_cast<std::size_t>(high - low));
}

void UndoLog::keep_system(std::uint64_t address, std::uint64_t bytes) {
    // A write outside all memories is a fault, so there is nothing to keep.
    keep(port_.system_memory().pointer(address, bytes), static_cast<std::size_t>(bytes));
}

void UndoLog::keep(const isa::Command& command) {
    const isa::MachineShape& machine = port_.machine();
    for (const isa::TensorView& view : isa::tensor_views(command, machine)) {
        if (view.access == isa::Access::kRead || view.access == isa::Access::kNone) continue;
        const isa::ByteInterval touched = isa::touched_bytes(view, machine);
        if (!view.local) {
            keep_system(static_cast<std::uint64_t>(touched.low),
                        static_cast<std::uint64_t>(touched.high - touched.low));
            continue;
        }
        const std::int32_t first = machine.lane_of(view.local_addr);
        for (std::int32_t i = 0; i < std::min(view.shape.c, machine.lanes); ++i) {
            keep_local((first + i) % machine.lanes, touched.low, touched.high - touched.low);
        }
    }
}

bool UndoLog::undo() {
    // Restore in reverse order.
    for (auto piece = pieces_.rbegin(); piece != pieces_.rend(); ++piece) {
        std::memcpy(piece->at, bytes_.data() + piece->kept, piece->bytes);
    }
    pieces_.clear();
    bytes_.clear();
    const bool was_full = is_full_;
    is_full_ = false;
    return !was_full;
}

}  // namespace okksim::sim::why
