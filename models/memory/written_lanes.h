// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "isa/tensors.h"
#include "models/memory/footprint.h"
#include "models/memory/local_memory.h"
#include "models/memory/poison_read.h"
#include "models/memory/sparse_bits.h"

namespace okksim::models {

/// What is made of reads of the words between a channel's data and the end of its vector.
enum class PaddingReads : std::uint8_t {
    kReported,
    /// Fine where a word of the same vector has been written: vector code rounds up.
    kTolerated,
};

/// Which 32-bit words of local memory have been written: a set of lanes per word.
class WrittenLanes {
 public:
    WrittenLanes(const isa::MachineShape& machine, PaddingReads padding);

    void mark(std::int32_t lane, std::int64_t offset, std::int64_t bytes);
    /// Notes a local tensor as written; `loops` are the runs of a channel, from `base` bytes behind
    /// its start on.
    void mark(const isa::TensorView& view, const RunLoops& loops, std::int64_t base);
    /// The first word of a local tensor that nobody has written. Words that hold anything but
    /// poison count as written, too, from now on.
    std::optional<PoisonRead> find_unwritten(const isa::TensorView& view, LocalMemory& local);

 private:
    /// A word of the vector around word `index` is written in the lane that `bit` stands for.
    bool is_padding(std::int64_t index, std::int64_t mask, std::uint64_t bit) const;

    isa::MachineShape machine_;
    PaddingReads padding_;
    std::int64_t mask_words_;  ///< 64-bit words of a set of lanes
    SparseBits masks_;
};

}  // namespace okksim::models
