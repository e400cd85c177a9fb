// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isa/finding.h"
#include "models/chip/order_check.h"
#include "models/memory/undefined_words.h"
#include "models/memory/written_map.h"
#include "models/sequencer/command_observer.h"

namespace okksim::models {

/// Looks for mistakes that have no effect on the simulation: reads of memory that nobody has
/// written, and races between the engines.
class Diagnostics : public CommandObserver {
 public:
    /// `engines`: how many of them take commands. `effect` carries a command out on the memories.
    /// `exact_bytes`: ChipOptions::exact_bytes.
    Diagnostics(const isa::MachineShape& machine, std::size_t engines, LocalMemory& local,
                SystemMemory& system, UndefinedWords::Effect effect, bool exact_bytes);

    void launch_started(Picoseconds time) override;
    void submitted(const isa::Command& command) override;
    /// The command is about to take effect.
    void take_effect(const isa::Command& command);
    /// Notes what the host has written.
    void host_wrote(std::uint64_t address, std::uint64_t bytes) {
        written_.mark_system(address, bytes);
        undefined_.forget_system(address, bytes);
    }
    /// Notes that the host is about to have bytes copied within system memory: what nobody has
    /// written stays so, and is nobody's mistake while nobody looks at it.
    void host_copies(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
    /// Chip::forget_memory().
    void host_forgets(std::uint64_t address, std::uint64_t bytes);
    /// Chip::watch_results(), host_reads(), processor_looks().
    void watch_results() { results_are_watched_ = true; }
    std::optional<Finding> host_reads(std::uint64_t address, std::uint64_t bytes);
    std::optional<std::string> processor_looks(std::uint64_t address, std::uint64_t bytes,
                                               bool loads);
    std::optional<std::string> processor_looks(isa::LocalAddr address);
    /// Chip::processor_loads(), processor_stored(), processor_copied().
    std::optional<std::string> processor_loads(isa::LocalAddr address, std::uint64_t bytes);
    void processor_stored(isa::LocalAddr address, std::uint64_t bytes);
    void processor_copied(std::uint64_t address, std::uint64_t bytes, const void* site);

    /// Commands come from kernels of users: what issues them is named in findings, and values and
    /// places that only such kernels get wrong are looked at too. `issuing` gives the address
    /// behind the call that is issuing a command now, `describe` what stands there.
    void watch_users(std::function<const void*()> issuing,
                     std::function<std::string(const void*)> describe);

    /// Hands out what was found since the last call: each kind of mistake (same instructions and
    /// operands) once.
    std::vector<Finding> take();

 private:
    /// A kind of mistake: instructions and operands.
    struct Key {
        FindingKind kind;
        std::array<isa::Opcode, 2> opcodes;
        std::array<const char*, 2> operands;
        auto operator<=>(const Key&) const = default;
    };

    /// A command that has read or carried on values that nobody has written.
    struct Carrier {
        isa::Command command;
        const void* site = nullptr;
        std::optional<PoisonRead> read;  ///< when it has read what nobody had written
    };
    /// A command that has stored into system memory, and between which addresses.
    struct SystemStore {
        isa::Command command;
        const void* site = nullptr;
        std::uint64_t begin = 0, end = 0;
    };
    /// Bytes that nobody had written, copied by the control processor.
    struct UndefinedCopy {
        std::uint64_t begin = 0, end = 0;
        const void* site = nullptr;
    };
    static constexpr std::size_t kMostCopies = 256;
    static constexpr std::size_t kMostStores = 4096;
    /// More of them share the last number.
    static constexpr std::size_t kMostCarriers = std::size_t{1} << 16;

    void note_stores(const isa::Command& command, const isa::TensorViews& views);
    /// The command that has left a byte of a range out between what it has stored, or that has
    /// stored nearest to it, in words; empty: none has stored there.
    std::string neighbour_of(std::uint64_t gap, std::uint64_t address, std::uint64_t bytes) const;
    std::uint32_t number_of(const isa::Command& command, std::optional<PoisonRead> read);
    /// "bdc.neg ... in line: src_addr reads ..., which nobody has written".
    std::string text_of(std::uint32_t carrier) const;
    std::string text_of(const isa::Command& command, const void* site) const;
    const void* site_of(const isa::Command& command) const;
    void add_undefined_store(const isa::Command& command, std::uint32_t number,
                             const UndefinedSource& source);

    /// Follows values that nobody has written until somebody looks at them.
    void follow_undefined(const isa::Command& command, const isa::TensorViews& views);
    /// The command with what has issued it, when that is known.
    std::string text_of(const isa::Command& command) const;
    /// Whether no mistake of a kind has been found yet.
    bool may_add(const Key& key) const { return seen_.empty() || !seen_.contains(key); }
    /// Tells what `check` says of a command, once for its instruction.
    template <typename Check>
    void check_rule(const char* rule, const isa::Command& command, const Check& check);
    void check_values(const isa::Command& command, const isa::TensorViews& views);
    void check_overlap(const isa::Command& command, const isa::TensorViews& views);
    void add(Key key, std::string message, std::vector<std::string> commands);

    isa::MachineShape machine_;
    LocalMemory& local_;
    SystemMemory& system_;
    WrittenMap written_;
    UndefinedWords undefined_;
    std::vector<Carrier> carriers_;
    std::vector<SystemStore> stores_;  ///< the latest ones: a ring when it is full
    std::size_t next_store_ = 0;
    std::vector<UndefinedCopy> copies_;  ///< the latest ones: a ring when it is full
    std::size_t next_copy_ = 0;
    bool results_are_watched_ = false;
    bool exact_bytes_;
    OrderCheck order_;
    isa::Command converted_;              ///< the last compute command, if it converts for tables
    const void* beyond_table_ = nullptr;  ///< what issued the last one with values beyond a table
    const void* overlapping_ = nullptr;   ///< likewise, with tensors that overlap in part
    std::vector<Finding> found_;
    std::set<Key> seen_;
    std::function<const void*()> issuing_;  ///< unset: nobody watches
    std::function<std::string(const void*)> describe_;
    /// By kind of engine and command id.
    std::array<std::vector<const void*>, isa::kEngineKinds> sites_;
};

}  // namespace okksim::models
