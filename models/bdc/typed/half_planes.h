// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <memory>

#include "isa/base/errors.h"
#include "models/bdc/typed/float_elements.h"
#include "models/bdc/typed/int_planes.h"

namespace okksim::models {

/// Converts fp32 to contiguous elements of the row's type, of 16 or 32 bits.
inline void narrow_row(const float* from, std::int64_t count, const IntegerRow& to) {
    if (to.type != isa::ElementType::kFp32) return narrow_halves(to.type, from, count, to.data);
    std::memcpy(to.data, from, static_cast<std::size_t>(count) * sizeof(float));
}
/// Converts contiguous elements of the row's type to fp32.
inline void widen_row(const IntegerRow& from, std::int64_t count, float* to) {
    if (from.type != isa::ElementType::kFp32) return widen_halves(from.type, from.data, count, to);
    std::memcpy(to, from.data, static_cast<std::size_t>(count) * sizeof(float));
}

/// Additional local memory with fp32 copies of a command's operands. Allocations are consecutive,
/// each in the same lane as in the machine.
class WideOperands {
 public:
    /// Provides `lane_bytes` bytes in every lane.
    WideOperands(const LocalMemory& of, std::int64_t lane_bytes)
        : of_(of),
          memory_(memory_of(of, lane_bytes + std::int64_t{kMostPlaces} * of.line_bytes())) {}

    LocalMemory& memory() { return memory_; }
    std::int32_t lane_of(isa::LocalAddr addr) const {
        return static_cast<std::int32_t>(addr.value / memory_.bytes_per_lane());
    }
    isa::LocalAddr take(isa::LocalAddr like, std::int64_t lane_bytes) {
        const auto lane = static_cast<std::int64_t>(like.value / of_.bytes_per_lane());
        const std::int64_t address = lane * memory_.bytes_per_lane() + next_;
        next_ += isa::align_up(lane_bytes, of_.line_bytes());
        OKKSIM_CHECK(next_ <= memory_.bytes_per_lane());
        return isa::LocalAddr{static_cast<std::uint32_t>(address)};
    }

 private:
    /// Allocations of a command; each begins on a line.
    static constexpr int kMostPlaces = 4;

    /// Returns the memory of this thread, which grows on demand.
    static LocalMemory& memory_of(const LocalMemory& of, std::int64_t lane_bytes) {
        static thread_local std::unique_ptr<LocalMemory> memory;
        const bool fits = memory && memory->lanes() == of.lanes() &&
                          memory->line_bytes() == of.line_bytes() &&
                          memory->bytes_per_lane() >= lane_bytes;
        if (!fits) {
            isa::MachineShape shape;
            shape.lanes = of.lanes();
            shape.vector_words = of.line_bytes() / isa::kWordBytes;
            shape.local_bytes = isa::align_up(lane_bytes, of.line_bytes());
            OKKSIM_CHECK(shape.local_bytes * shape.lanes <= std::int64_t{1} << 32);
            memory.reset();
            memory = std::make_unique<LocalMemory>(shape, std::byte{0});
        }
        return *memory;
    }

    const LocalMemory& of_;
    LocalMemory& memory_;
    std::int64_t next_ = 0;
};

}  // namespace okksim::models
