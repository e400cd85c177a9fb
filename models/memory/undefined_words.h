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

/// Bytes whose values derive from uninitialised memory. Commands may propagate them: this is no
/// mistake until the values are used. GDMA commands copy them. A command of the compute engine is
/// tried with different values in the undefined bytes; results that change are undefined.
class UndefinedWords {
 public:
    /// Carries out a command on the memories that carry() receives.
    using Effect = std::function<void(const isa::Command&)>;

    UndefinedWords(const isa::MachineShape& machine, Effect effect);

    /// Starts a launch with a new budget for trials. Results beyond the budget count as defined, so
    /// that an endless loop comes to its end.
    void launch_started() { tried_words_ = 0; }

    /// True if no byte is undefined.
    bool empty() const { return high_ == 0 && ranges_.empty(); }
    /// True if settle() has nothing to do.
    bool is_settled() const {
        return empty() && gaps_.empty() && carried_.empty() && carried_bytes_.empty();
    }
    /// True if a command with these tensors reads an undefined byte.
    bool reads(const isa::Command& command, const isa::TensorViews& views) const;

    /// True if the word at a byte of a lane has an undefined byte.
    bool holds(std::int32_t lane, std::int64_t offset) const {
        return offset >= low_ && offset < high_ && test({lane, offset});
    }

    /// Determines which results of a command will be undefined. Call it for a command that reads
    /// unwritten memory or undefined words, before the command takes effect and before its results
    /// count as written. `number` identifies the command in blame reports. Leaves the memories
    /// unchanged.
    void carry(const isa::Command& command, const isa::TensorViews& views,
               const WrittenMap& written, LocalMemory& local, SystemMemory& system,
               std::uint32_t number);
    /// Call before the results of any command count as written. A narrow result may leave bytes of
    /// a fresh word unwritten; these bytes become undefined.
    void note_gaps(const isa::Command& command, const isa::TensorViews& views,
                   const WrittenMap& written, const LocalMemory& local);
    /// Notes the dummy elements of a packed result, which a command does not write. Commands may
    /// copy and read them as part of their words; as elements they are undefined.
    void note_dummies(const isa::TensorView& result, const WrittenMap& written,
                      const LocalMemory& local);
    /// Notes the columns of a product's last channel that it computes from unused memory.
    /// `number` returns the number of the command to blame for a read.
    void note_free_columns(const isa::TensorViews& views, const WrittenMap& written,
                           const LocalMemory& local,
                           const std::function<std::uint32_t(PoisonRead)>& number);
    /// Returns the commands to blame for the first undefined result in system memory that carry()
    /// has found.
    std::optional<UndefinedSource> first_carried() const;
    /// The command has written its results: the results that carry() found are undefined, all
    /// others are defined.
    void settle(const isa::Command& command, const isa::TensorViews& views);

    /// Returns the first undefined byte of a range of system memory.
    std::optional<UndefinedRanges::Found> find(std::uint64_t address, std::uint64_t bytes) const;
    /// Returns the command to blame for a word of local memory, if the word is undefined.
    std::optional<std::uint32_t> reader_of(std::int32_t lane, std::int64_t offset) const;
    /// Another writer may have changed these bytes, so they count as defined.
    void forget_local(std::int32_t lane, std::int64_t offset, std::int64_t bytes);
    void forget_system(std::uint64_t address, std::uint64_t bytes) {
        ranges_.clear(address, address + bytes);
    }

 private:
    /// Value instead of a command number: blame the first command that reads the bytes.
    static constexpr unsigned kReaderBits = 28;
    static constexpr std::uint32_t kReaderMask = (std::uint32_t{1} << kReaderBits) - 1;
    static constexpr std::uint32_t kNobody = kReaderMask;
    /// Value for dummies of a packed tensor: blame the first command that reads them as elements.
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
    /// Undefined bytes of an element, and the command to blame.
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
    /// For a copy by a list: handles the rows of one tensor that the list's entries name.
    void move_rows(bool gathers, const isa::TensorViews& views, const WrittenMap& written,
                   const LocalMemory& local, SystemMemory& system, std::uint32_t number);
    void move_element(const Blamed& blamed, const isa::TensorView& result, const isa::Dim4& index,
                      std::uint32_t number);
    Blamed blame(const isa::TensorView& source, const isa::Dim4& index, const WrittenMap& written,
                 const LocalMemory& local, SystemMemory& system, std::uint32_t number) const;
    /// Returns the undefined bytes of a word as a command reads it.
    Blamed blame(const Word& word, const WrittenMap& written, const LocalMemory& local,
                 std::uint32_t number) const;
    void try_out(const isa::Command& command, const isa::TensorViews& views,
                 const WrittenMap& written, LocalMemory& local, std::uint32_t number);
    /// Removes the dummies of a packed result, which are not written.
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
    /// For words with undefined bytes, 32 bits each: the command to blame, and above it the byte
    /// mask.
    SparseBits entries_;
    std::int64_t low_ = 0, high_ = 0;  ///< bytes of a lane that hold any
    UndefinedRanges ranges_;
    std::uint64_t tried_words_ = 0;  ///< of sources and results, in this launch
    std::vector<CarriedWord> carried_;
    std::vector<CarriedBytes> carried_bytes_;
    std::optional<std::size_t> kept_from_;  ///< first of `carried_bytes_` in rows that stay
    std::vector<CarriedWord> gaps_;
};

}  // namespace okksim::models
