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

/// Commands of one step on one engine.
struct EngineUse {
    std::string name;  ///< of the engine
    std::uint64_t commands = 0;
    models::Picoseconds busy;
};

/// What one executed step cost the machine.
struct OperatorRecord {
    std::string block;
    std::uint32_t op_index = 0;  ///< position in the file's operator list
    tosa::OpCode op = tosa::OpCode::kIdentity;
    std::vector<tosa::OpCode> followers;  ///< carried out in the same kernel
    std::size_t layers = 0;               ///< operators of a layer group; `op` is the first
    bool is_layer = false;                ///< one of the layer group's before it
    bool is_reorder = false;              ///< a copy into another storage order that the plan added
    std::string output;                   ///< name of the (last one's) first output
    std::string origin;                   ///< Operator::origin of all that it carries out
    models::Picoseconds start;            ///< the control processor began the step
    models::Picoseconds end;              ///< its last command was complete (or its own work done)
    std::vector<EngineUse> engines;  ///< that take commands, in the order of the machine's list
    std::uint64_t bytes_moved = 0;   ///< payload of the data mover
    /// Of system memory that the control processor's own loads and stores touch.
    std::uint64_t mcu_bytes = 0;
    /// Operations that its definition asks for; nothing: take those of its commands.
    std::optional<double> operations;
    /// Its share of the run's time, of which every moment belongs to one step or to nobody: see
    /// trace::AccountCutter. Empty when the run did not end properly.
    trace::AccountSlice share;
};

/// When the commands of a layer group's section ran.
struct SectionRun {
    std::size_t record = 0;  ///< of the group
    models::Picoseconds begin, end;
};

/// "CONV2D", "CONV2D+CLAMP", or "(reorder)" for a copy that the plan added.
std::string operator_kind(const OperatorRecord& record);
/// "CONV2D features (net.mlir:12:5)", "reorder features": operator, output, and origin where known.
std::string operator_label(const OperatorRecord& record);

/// Attributes commands and time to the step that issued them. Steps follow each other on the
/// control processor, or lie within a control-flow operator, so a command belongs to the innermost
/// step that is open when it is submitted, whenever it retires; so does what the control processor
/// loads and stores.
class OperatorProfile : public models::CommandObserver {
 public:
    explicit OperatorProfile(const models::MachineParams& machine)
        : shape_(machine.shape()),
          engines_(machine),
          command_sections_(engines_.processor()),
          cutter_(engines_) {}

    /// Opens a step within the open ones and gives its position in records(). Steps beyond
    /// kMostRecords (of long loops) count for the one that contains them.
    static constexpr std::size_t kMostRecords = 10000;
    std::size_t begin(OperatorRecord record);
    /// Opens a step again, which begin() gave, within the open ones.
    void resume(std::size_t position, models::Picoseconds now);
    /// Closes the innermost step, which begin() gave, at simulated time `now`.
    void finish(std::size_t position, models::Picoseconds now);

    /// Step of the command that was completed last; nullptr: start-up code.
    const OperatorRecord* last_retired() const {
        const std::size_t owner = cutter_.last_retired();
        return owner < records_.size() ? &records_[owner] : nullptr;
    }
    /// The innermost step that is open; nullptr: none is.
    const OperatorRecord* current() const {
        return open_.empty() || open_.back() >= records_.size() ? nullptr : &records_[open_.back()];
    }
    const std::vector<OperatorRecord>& records() const { return records_; }
    /// Forgets the records: another run begins with the next launch.
    void clear();

    /// The same with every step's share of the launch. Call it when the launch has ended.
    std::vector<OperatorRecord> records_with_shares() const;
    /// Divides the launch's time; make it a listener of the launch's accountant, and add that to
    /// the machine's observers after the profile.
    trace::AccountCutter& cutter() { return cutter_; }

    /// Of all layer groups, in order.
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
    std::vector<std::size_t> open_;  ///< positions of the open steps, innermost last
    std::vector<SectionRun> sections_;
    /// Of the commands that each engine has not completed: one more than their section's position;
    /// 0: in none.
    std::vector<std::deque<std::size_t>> command_sections_;
    bool in_section_ = false;
    trace::AccountCutter cutter_;
};

}  // namespace okksim::sim::execution
