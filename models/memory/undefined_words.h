// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "isa/tensors.h"
#include "models/memory/footprint.h"
#include "models/memory/undefined_ranges.h"
#include "models/memory/written_map.h"

namespace okksim::models {

/// Bytes whose values come from memory that nobody has written. Commands carry them on: that is no
/// mistake while nobody looks at them. The data mover moves them; commands of the compute engine
/// are tried out with different values in the undefined bytes, and what comes out different is
/// undefined.
class UndefinedWords {
 public:
    /// Carries a command out on the memories that carry() is given.
    using Effect = std::function<void(const isa::Command&)>;

    UndefinedWords(const isa::MachineShape& machine, Effect effect);

    /// A launch begins, with a new budget for trying commands out. Beyond it their results count as
    /// defined: an endless loop must come to its end.
    void launch_started() { tried_words_ = 0; }

    /// Whether there are none.
    bool empty() const { return high_ == 0 && ranges_.empty(); }
    /// Whether settle() has nothing to do.
    bool is_settled() const {
        return empty() && gaps_.empty() && carried_.empty() && carried_bytes_.empty();
    }
    /// Whether a command with these tensors reads one of them.
    bool reads(const isa::Command& command, const isa::TensorViews& views) const;

    /// Whether one of these bytes lies in the word at a byte of a lane.
    bool holds(std::int32_t lane, std::int64_t offset) const {
        return offset >= low_ && offset < high_ && test({lane, offset});
    }

    /// To be called before a command that reads unwritten memory, or one of these words, takes
    /// effect and before its results count as written: works out which of its results will be
    /// undefined. `number`: what it is called when it is to blame. Leaves the memories as they
    /// were.
    void carry(const isa::Command& command, const isa::TensorViews& views,
               const WrittenMap& written, LocalMemory& local, SystemMemory& system,
               std::uint32_t number);
    /// To be called before any command's results count as written: bytes that a narrow result
    /// leaves unwritten in words of which nobody has written anything are undefined.
    void note_gaps(const isa::Command& command, const isa::TensorViews& views,
                   const WrittenMap& written, const LocalMemory& local);
    /// Likewise: the dummy elements of a packed result, which a command does not write. They may be
    /// moved with their words, and be looked at so: undefined they are as elements.
    void note_dummies(const isa::TensorView& result, const WrittenMap& written,
                      const LocalMemory& local);
    /// Likewise, of a product: the columns of its last channel that it computes of what memory
    /// happens to hold. `number` gives what the command is called when it is to blame for a read.
    void note_free_columns(const isa::TensorViews& views, const WrittenMap& written,
                           const LocalMemory& local,
                           const std::function<std::uint32_t(PoisonRead)>& number);
    /// Who is to blame for the first undefined result in system memory that carry() has found.
    std::optional<UndefinedSource> first_carried() const;
    /// The command has written its results: those of carry() are undefined, the others are not.
    void settle(const isa::Command& command, const isa::TensorViews& views);

    /// The first undefined byte of a range of system memory.
    std::optional<UndefinedRanges::Found> find(std::uint64_t address, std::uint64_t bytes) const;
    /// Who is to blame for a word of local memory, if it is undefined.
    std::optional<std::uint32_t> reader_of(std::int32_t lane, std::int64_t offset) const;
    /// Somebody else may have written these bytes.
    void forget_local(std::int32_t lane, std::int64_t offset, std::int64_t bytes);
    void forget_system(std::uint64_t address, std::uint64_t bytes) {
        ranges_.clear(address, address + bytes);
    }

 private:
    /// In place of the number of who is to blame: whoever reads the bytes first.
    static constexpr unsigned kReaderBits = 28;
    static constexpr std::uint32_t kReaderMask = (std::uint32_t{1} << kReaderBits) - 1;
    static constexpr std::uint32_t kNobody = kReaderMask;
    /// Likewise, whoever reads them as elements: they are dummies of a packed tensor.
    static constexpr std::uint32_t kDummies = kReaderMask - 1;
    static constexpr unsigned kAllBytes = 0xF;

    struct Word {
        std::int32_t lane = 0;
        std::int64_t offset = 0;
    };

    /// A word of local memory and what it held.
    struct Saved {
        Word word;
        std::uint32_t value = 0;
        unsigned undefined = 0;  ///< bit i: byte i
        unsigned written = 0;    ///< likewise, of a result
    };
    struct CarriedWord {
        Word word;
        std::uint32_t reader = 0;
        unsigned undefined = 0;  ///< bit i: byte i
    };
    /// Undefined bytes of an element, and who is to blame.
    struct Blamed {
        std::uint32_t reader = 0;
        unsigned undefined = 0;
    };
    struct CarriedBytes {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        UndefinedSource source;
    };

    bool in_bounds(const isa::TensorView& view) const;
    void move_elements(const isa::TensorViews& views, const WrittenMap& written,
                       const LocalMemory& local, SystemMemory& system, std::uint32_t number);
    /// Of a move by a list: rows of the one tensor that entries of the other name.
    void move_rows(bool gathers, const isa::TensorViews& views, const WrittenMap& written,
                   const LocalMemory& local, SystemMemory& system, std::uint32_t number);
    void move_element(const Blamed& blamed, const isa::TensorView& result, const isa::Dim4& index,
                      std::uint32_t number);
    Blamed blame(const isa::TensorView& source, const isa::Dim4& index, const WrittenMap& written,
                 const LocalMemory& local, SystemMemory& system, std::uint32_t number) const;
    /// Undefined bytes of a word as it is read by a command.
    Blamed blame(const Word& word, const WrittenMap& written, const LocalMemory& local,
                 std::uint32_t number) const;
    void try_out(const isa::Command& command, const isa::TensorViews& views,
                 const WrittenMap& written, LocalMemory& local, std::uint32_t number);
    /// A packed result's dummies are not written.
    void leave_out_dummies(const isa::TensorView& result, std::vector<Saved>& results) const;
    void clear(const isa::TensorView& view);
    void clear_local(const isa::TensorView& view, const RunLoops& loops, std::int64_t base);
    void clear(const Word& word, unsigned bytes);
    std::uint32_t& entry(const Word& word) const;
    bool test(const Word& word) const;
    void set(const CarriedWord& carried);

    isa::MachineShape machine_;
    Effect effect_;
    std::int64_t mask_words_;  ///< 64-bit words of a set of lanes
    SparseBits masks_;
    /// Of words that have undefined bytes, 32 bits each: who is to blame, and above that the bytes.
    SparseBits entries_;
    std::int64_t low_ = 0, high_ = 0;  ///< bytes of a lane that hold any
    UndefinedRanges ranges_;
    std::uint64_t tried_words_ = 0;  ///< of sources and results, in this launch
    std::vector<CarriedWord> carried_;
    std::vector<CarriedBytes> carried_bytes_;
    std::optional<std::size_t> kept_from_;  ///< of them those from here on have stayed in place
    std::vector<CarriedWord> gaps_;
};

}  // namespace okksim::models
