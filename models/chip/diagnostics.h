// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isa/base/finding.h"
#include "models/chip/order_check.h"
#include "models/memory/undefined_words.h"
#include "models/memory/written_map.h"
#include "models/sequencer/command_observer.h"

namespace okksim::models {

/// Finds mistakes without effect on the simulation: reads of uninitialised memory, and data races
/// between the engines.
class Diagnostics : public CommandObserver {
 public:
    /// `engines`: number of engines that take commands. `effect` carries a command out on the
    /// memories. `exact_bytes`: ChipOptions::exact_bytes.
    Diagnostics(const isa::MachineShape& machine, std::size_t engines, LocalMemory& local,
                SystemMemory& system, UndefinedWords::Effect effect, bool exact_bytes);

    void launch_started(Picoseconds time) override;
    void submitted(const isa::Command& command) override;
    /// Call right before the command takes effect.
    void take_effect(const isa::Command& command);
    /// Marks bytes that the host has written.
    void host_wrote(std::uint64_t address, std::uint64_t bytes) {
        written_.mark_system(address, bytes);
        undefined_.forget_system(address, bytes);
    }
    /// Call before the host copies bytes within system memory. Uninitialised bytes stay
    /// uninitialised, which is no mistake until they are used.
    void host_copies(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
    /// See Chip::forget_memory().
    void host_forgets(std::uint64_t address, std::uint64_t bytes);
    /// See Chip::watch_results(), host_reads() and processor_looks().
    void watch_results() { results_are_watched_ = true; }
    std::optional<Finding> host_reads(std::uint64_t address, std::uint64_t bytes);
    std::optional<std::string> processor_looks(std::uint64_t address, std::uint64_t bytes,
                                               bool loads);
    std::optional<std::string> processor_looks(isa::LocalAddr address);
    /// See Chip::processor_loads(), processor_stored() and processor_copied().
    std::optional<std::string> processor_loads(isa::LocalAddr address, std::uint64_t bytes);
    void processor_stored(isa::LocalAddr address, std::uint64_t bytes);
    void processor_copied(std::uint64_t address, std::uint64_t bytes, const void* site);

    /// Treats commands as those of user kernels. Findings name the calling code, and values and
    /// overlaps that only such kernels get wrong are checked. `issuing` returns the return address
    /// of the current call, `describe` the source location of an address.
    void watch_users(std::function<const void*()> issuing,
                     std::function<std::string(const void*)> describe);

    /// Accepts reads of local memory that only an earlier launch has written.
    void keep_local_memory() { keeps_local_ = true; }

    /// Returns the findings since the last call. Each kind of mistake (same instructions and
    /// operands) occurs once.
    std::vector<Finding> take();

 private:
    /// A kind of mistake: instructions and operands.
    struct Key {
        FindingKind kind;
        std::array<isa::Opcode, 2> opcodes;
        std::array<const char*, 2> operands;
        auto operator<=>(const Key&) const = default;
    };

    /// A command that has read or propagated uninitialised values.
    struct Carrier {
        isa::Command command;
        const void* site = nullptr;
        std::optional<PoisonRead> read;  ///< when it has read uninitialised memory
    };
    /// A command that has stored into system memory, and the address range of its stores.
    struct SystemStore {
        isa::Command command;
        const void* site = nullptr;
        std::uint64_t begin = 0, end = 0;
    };
    /// Uninitialised bytes that the control processor has copied.
    struct UndefinedCopy {
        std::uint64_t begin = 0, end = 0;
        const void* site = nullptr;
    };
    static constexpr std::size_t kMostCopies = 256;
    static constexpr std::size_t kMostStores = 4096;
    /// Limit of carriers; further ones share the last number.
    static constexpr std::size_t kMostCarriers = std::size_t{1} << 16;

    void note_stores(const isa::Command& command, const isa::TensorViews& views);
    /// Describes the command whose stores left a gap in a range, or the nearest store to it.
    /// Returns an empty string if no command has stored there.
    std::string neighbour_of(std::uint64_t gap, std::uint64_t address, std::uint64_t bytes) const;
    std::uint32_t number_of(const isa::Command& command, std::optional<PoisonRead> read);
    /// Text such as: "bdc.neg ... in line: src_addr reads ..., which is uninitialised".
    std::string text_of(std::uint32_t carrier) const;
    std::string text_of(const isa::Command& command, const void* site) const;
    const void* site_of(const isa::Command& command) const;
    void add_undefined_store(const isa::Command& command, std::uint32_t number,
                             const UndefinedSource& source);

    /// Follows uninitialised values until they are used.
    void follow_undefined(const isa::Command& command, const isa::TensorViews& views);
    /// Returns the command with the code that has issued it, if known.
    std::string text_of(const isa::Command& command) const;
    /// True if no mistake of this kind has been found yet.
    bool may_add(const Key& key) const { return seen_.empty() || !seen_.contains(key); }
    /// Reports the result of `check` for a command, once per instruction.
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
    bool keeps_local_ = false;
    OrderCheck order_;
    isa::Command converted_;              ///< the last compute command, if it converts for tables
    const void* beyond_table_ = nullptr;  ///< caller of the last command with values beyond a table
    const void* overlapping_ = nullptr;   ///< likewise, with tensors that overlap in part
    std::vector<Finding> found_;
    std::set<Key> seen_;
    std::function<const void*()> issuing_;  ///< unset: user watching is off
    std::function<std::string(const void*)> describe_;
    /// Issuing addresses by kind of engine and command id.
    std::array<std::vector<const void*>, isa::kEngineKinds> sites_;
};

}  // namespace okksim::models
