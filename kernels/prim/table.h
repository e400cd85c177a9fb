// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/prim/local_tensor.h"

/// Table lookup (TOSA 1.0.1, 2.5.17). The machine has no gather: a table becomes a chain of
/// comparisons of the index with constants, each selecting one word of the table. Four int8
/// entries, or one int16 entry and its slope, share a word; words that repeat cost nothing.
namespace okksim::kernels::prim {

/// Selects constant words by an integer key.
class WordTable {
 public:
    /// words[k] for key k.
    explicit WordTable(std::span<const std::uint32_t> words);

    /// Words of a launch's arguments that contain the plan of run().
    std::uint64_t argument_words() const { return 3 + 2 * steps_.size(); }
    /// dst = words[key]; keys are words. Destroys key.
    void run(const LocalTensor& dst, const LocalTensor& key, Scratch& scratch) const;

 private:
    struct Step {
        std::uint32_t key;
        std::uint32_t bits;  ///< differing from the table's first word or from the word before
    };

    std::uint32_t base_ = 0;
    bool by_threshold_ = false;  ///< steps apply from their key on, else at their key only
    std::vector<Step> steps_;
};

/// int8 to int8: 256 entries, entry v + 128 for value v. At most 138 commands.
class ByteTable {
 public:
    using Entry = std::int8_t;
    explicit ByteTable(std::span<const Entry> entries);
    static constexpr int kPlanes = 4;
    std::uint64_t argument_words() const { return words_.argument_words(); }
    /// Uses the command of the group lookup. The table is at address `table` in every lane.
    static void look_up(const LocalTensor& dst, const LocalTensor& a, local_addr_t table);
    /// dst: words; a: words, of which the low 8 bits are used.
    void run(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) const;

 private:
    WordTable words_;
};

/// int16 to int32 with interpolation: 513 entries (TOSA 1.0.1, 1.12.5 apply_lookup_s). At most 1040
/// commands.
class InterpolatedTable {
 public:
    using Entry = std::int16_t;
    explicit InterpolatedTable(std::span<const Entry> entries);
    static constexpr int kPlanes = 5;
    std::uint64_t argument_words() const {
        return words_.argument_words() + (steep_ ? steep_->argument_words() : 0);
    }
    /// True if a difference of neighbouring entries does not fit int16. Inputs must not meet it
    /// (TOSA 1.0.1, 1.12.5).
    bool has_steep_slope() const { return steep_.has_value(); }
    /// Sets the sign bit of `hit` where the input meets a steep slope, and clears its other bits.
    void find_steep(const LocalTensor& hit, const LocalTensor& a, Scratch& scratch) const;
    /// Uses the command of the group lookup. The table is at address `table` in every lane.
    static void look_up(const LocalTensor& dst, const LocalTensor& a, local_addr_t table);
    /// dst: words; a: words, of which the low 16 bits are used.
    void run(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) const;

 private:
    WordTable words_;
    std::optional<WordTable> steep_;  ///< the sign bit for each index with a steep slope
};

}  // namespace okksim::kernels::prim
