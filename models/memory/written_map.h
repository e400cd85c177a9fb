// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "isa/tensors.h"
#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"

namespace okksim::models {

/// A read of memory that nobody has written: the first such place of a command.
struct PoisonRead {
    const char* operand = nullptr;  ///< API name of the address operand
    bool local = true;
    std::int32_t lane = 0;      ///< when local
    std::int64_t offset = 0;    ///< when local: byte in the lane
    std::uint64_t address = 0;  ///< when not local

    /// "src0_addr reads lane 3, byte 0x40, which nobody has written".
    std::string message() const;
};

/// Zeroed pages that cost the host nothing until they are touched.
class SparseBits {
 public:
    explicit SparseBits(std::uint64_t words);
    ~SparseBits();
    SparseBits(const SparseBits&) = delete;
    SparseBits& operator=(const SparseBits&) = delete;
    std::uint64_t* words() { return words_; }

 private:
    std::uint64_t count_;
    std::uint64_t* words_;
};

/// What is made of reads of the words between a channel's data and the end of its vector.
enum class PaddingReads : std::uint8_t {
    kReported,
    /// Fine where a word of the same vector has been written: vector code rounds up.
    kTolerated,
};

/// Remembers which memory has been written: local memory by 32-bit word and lane, system memory by
/// granules of 64 bytes. Memory that holds anything but LocalMemory::kPoisonByte counts as written
/// too, so stores through host pointers need no report of their own. Misses some unwritten reads
/// (granules written in part, commands with very many short pieces) and never reports a written
/// one, save one whose bytes are all equal to the poison and were stored through a host pointer.
class WrittenMap {
 public:
    explicit WrittenMap(const isa::MachineShape& machine,
                        PaddingReads padding = PaddingReads::kReported);

    /// To be called right before a checked command takes effect: looks for unwritten sources, then
    /// notes the destination as written. Operands count as a whole, whatever the command skips.
    std::optional<PoisonRead> track_command(const isa::Command& command, LocalMemory& local,
                                            SystemMemory& system);

    /// Notes bytes as written: copies by the host.
    void mark_local(std::int32_t lane, std::int64_t offset, std::int64_t bytes);
    void mark_system(std::uint64_t address, std::uint64_t bytes);

 private:
    struct Bits {
        std::uint64_t* words;
        std::uint64_t start;
        std::uint64_t bytes;
    };

    void mark(const isa::TensorView& view);
    std::optional<PoisonRead> find_unwritten(const isa::TensorView& view, LocalMemory& local,
                                             SystemMemory& system);
    std::optional<PoisonRead> find_unwritten_local(const isa::TensorView& view, LocalMemory& local);
    std::optional<PoisonRead> find_unwritten_system(const isa::TensorView& view,
                                                    SystemMemory& system);
    void mark_granules(std::uint64_t first, std::uint64_t last, const Bits& bits);
    const Bits* bits_of(std::uint64_t address) const;

    /// A word of the vector around word `index` is written in the lane that `bit` stands for.
    bool is_padding(std::int64_t index, std::int64_t mask, std::uint64_t bit);

    isa::MachineShape machine_;
    PaddingReads padding_;
    std::int64_t mask_words_;  ///< 64-bit words of a set of lanes
    SparseBits local_;
    SparseBits global_bits_;
    SparseBits l2_bits_;
    SparseBits dtcm_bits_;
    Bits spaces_[3];
};

}  // namespace okksim::models
