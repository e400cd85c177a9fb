// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "isa/types.h"
#include "kernels/tosa/tosa_types.h"
#include "models/sequencer/command_observer.h"
#include "sim/trace/account_cutter.h"

namespace okksim::sim::execution {

/// The commands of one step on one engine.
struct EngineUse {
    std::string name;  ///< of the engine
    std::uint64_t commands = 0;
    models::Picoseconds busy;
};

/// The cost of one executed step.
struct OperatorRecord {
    std::string block;
    std::uint32_t op_index = 0;  ///< position in the file's operator list
    tosa::OpCode op = tosa::OpCode::kIdentity;
    std::vector<tosa::OpCode> followers;  ///< run in the same kernel
    std::size_t layers = 0;               ///< operators of a layer group; `op` is the first
    bool is_layer = false;                ///< a layer of the preceding layer group
    bool is_reorder = false;              ///< a reordering copy that the planner added
    std::string output;                   ///< name of the first output (of the last operator)
    std::string origin;                   ///< Operator::origin of all of its operators
    models::Picoseconds start;            ///< the control processor starts the step
    models::Picoseconds end;              ///< the last command, or the processor's own work, is
                                          ///< complete
    std::vector<EngineUse> engines;       ///< engines that take commands, in the machine's order
    std::uint64_t bytes_moved = 0;        ///< payload of the GDMA
    /// Bytes of system memory accessed by the control processor's own loads and stores.
    std::uint64_t mcu_bytes = 0;
    /// Operations by the operator's definition. Without a value, those of its commands count.
    std::optional<double> operations;
    /// Share of the run's time. Each moment belongs to at most one step: see trace::AccountCutter.
    /// Empty if the run did not end properly.
    trace::AccountSlice share;
};

/// Start and end of the commands of a layer group's section.
struct SectionRun {
    std::size_t record = 0;  ///< of the group
    models::Picoseconds begin, end;
};

/// Returns "CONV2D", "CONV2D+CLAMP", or "(reorder)" for a copy that the planner added.
std::string operator_kind(const OperatorRecord& record);
/// Returns operator, output, and origin if known: "CONV2D features (net.mlir:12:5)", "reorder
/// features".
std::string operator_label(const OperatorRecord& record);

/// Attributes commands, accesses of the control processor and time to the step that issued them.
/// Steps follow each other on the control processor, or are nested in a control-flow operator. A
/// command belongs to the innermost step that is open when it is submitted, even if it retires
/// later.
class OperatorProfile : public models::CommandObserver {
 public:
    explicit OperatorProfile(const models::MachineParams& machine)
        : shape_(machine.shape()),
          engines_(machine),
          command_sections_(engines_.processor()),
          cutter_(engines_) {}

    /// Opens a step within the open ones and returns its position in records(). Steps beyond
    /// kMostRecords, in long loops, count for the step that contains them.
    static constexpr std::size_t kMostRecords = 10000;
    std::size_t begin(OperatorRecord record);
    /// Opens a step again within the open ones. `position` is from begin().
    void resume(std::size_t position, models::Picoseconds now);
    /// Closes the innermost step at simulated time `now`. `position` is from begin().
    void finish(std::size_t position, models::Picoseconds now);

    /// Returns the step of the command that completed last, or nullptr for start-up code.
    const OperatorRecord* last_retired() const {
        const std::size_t owner = cutter_.last_retired();
        return owner < records_.size() ? &records_[owner] : nullptr;
    }
    /// Returns the innermost open step, or nullptr.
    const OperatorRecord* current() const {
        return open_.empty() || open_.back() >= records_.size() ? nullptr : &records_[open_.back()];
    }
    const std::vector<OperatorRecord>& records() const { return records_; }
    /// Clears the records. The next launch begins another run.
    void clear();

    /// Returns the records with every step's share of the launch. Call it after the launch has
    /// ended.
    std::vector<OperatorRecord> records_with_shares() const;
    /// Divides the launch's time. Make it a listener of the launch's accountant. Add the accountant
    /// to the machine's observers after the profile.
    trace::AccountCutter& cutter() { return cutter_; }

    /// Returns the sections of all layer groups, in order.
    const std::vector<SectionRun>& sections() const { return sections_; }

    void launch_started(models::Picoseconds time) override { cutter_.start(time); }
    void charged(isa::FirmwareCall call, std::uint64_t count) override;
    void accessed(const isa::ProcessorAccess& access) override;
    void submitted(const isa::Command& command) override;
    void retired(const isa::Command& command, const models::CommandTimes& times) override;

 private:
    void end_in_section(std::size_t engine, const models::CommandTimes& times);

    isa::MachineShape shape_;
    trace::EngineList engines_;
    std::vector<OperatorRecord> records_;
    std::vector<std::size_t> open_;  ///< positions of open steps, innermost last
    std::vector<SectionRun> sections_;
    /// For each engine, the sections of its incomplete commands: the section's position plus one,
    /// or 0 if a command is in none.
    std::vector<std::deque<std::size_t>> command_sections_;
    bool in_section_ = false;
    trace::AccountCutter cutter_;
};

}  // namespace okksim::sim::execution
