// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "isa/tensors.h"
#include "models/memory/written_map.h"

namespace okksim::models {

/// Words of local memory whose values come from memory that nobody has written. Commands carry them
/// on: that is no mistake while no result depends on them. Element by element where a command works
/// so; other commands of the compute engine are tried out with different values in the undefined
/// words, and what comes out different is undefined.
class UndefinedWords {
 public:
    /// Carries a command out on the memories that carry() is given.
    using Effect = std::function<void(const isa::Command&)>;

    UndefinedWords(const isa::MachineShape& machine, Effect effect);

    /// Whether a command reads one of them.
    bool reads(const isa::Command& command) const;

    /// To be called before a command that reads unwritten memory, or one of these words, takes
    /// effect and before its results count as written: works out which of its results will be
    /// undefined. False when it cannot follow them: results leave local memory, or elements come
    /// from system memory in another order. Leaves the memories as they were.
    bool carry(const isa::Command& command, const WrittenMap& written, LocalMemory& local,
               SystemMemory& system);
    /// The command has written its results: those of carry() are undefined, the others are not.
    void settle(const isa::Command& command);

 private:
    struct Word {
        std::int32_t lane = 0;
        std::int64_t offset = 0;
    };

    /// A word of local memory and what it held.
    struct Saved {
        Word word;
        std::uint32_t value = 0;
    };

    bool in_bounds(const isa::TensorView& view) const;
    void carry_elements(const isa::TensorViews& views, const WrittenMap& written,
                        const LocalMemory& local, SystemMemory& system);
    void try_out(const isa::Command& command, const isa::TensorViews& views,
                 const WrittenMap& written, LocalMemory& local);
    bool test(const Word& word) const;
    void set(const Word& word);

    isa::MachineShape machine_;
    Effect effect_;
    std::int64_t mask_words_;  ///< 64-bit words of a set of lanes
    SparseBits masks_;
    std::int64_t low_ = 0, high_ = 0;  ///< bytes of a lane that hold any
    std::vector<Word> carried_;
};

}  // namespace okksim::models
