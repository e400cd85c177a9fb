// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/operator_profile.h"

#include <algorithm>

#include "isa/base/errors.h"
#include "isa/tensors.h"
#include "sim/planning/operator_groups.h"
#include "sim/planning/plan.h"

namespace okksim::sim::execution {

std::string operator_kind(const OperatorRecord& record) {
    if (record.layers > 0) return planning::layers_name(record.layers);
    return record.is_reorder ? planning::kReorder
                             : planning::group_name(record.op, record.followers);
}

std::string operator_label(const OperatorRecord& record) {
    std::string label = record.is_reorder ? "reorder" : operator_kind(record);
    if (!record.output.empty()) label += " " + record.output;
    if (!record.origin.empty()) label += " (" + record.origin + ")";
    return label;
}

std::size_t OperatorProfile::begin(OperatorRecord record) {
    const models::Picoseconds now = record.start;
    if (records_.size() == kMostRecords) {
        open_.push_back(open_.empty() ? records_.size() - 1 : open_.back());
    } else {
        open_.push_back(records_.size());
        records_.push_back(std::move(record));
        for (std::size_t engine = 0; engine < engines_.processor(); ++engine) {
            records_.back().engines.push_back({engines_[engine].name, 0, {}});
        }
        records_.back().share.account = trace::Account(engines_);
    }
    cutter_.turn(open_.back(), now);
    return open_.back();
}

void OperatorProfile::resume(std::size_t position, models::Picoseconds now) {
    open_.push_back(position);
    cutter_.turn(position, now);
}

void OperatorProfile::accessed(const isa::ProcessorAccess& access) {
    if (!open_.empty()) records_[open_.back()].mcu_bytes += access.bytes;
}

void OperatorProfile::finish(std::size_t position, models::Picoseconds now) {
    OKKSIM_CHECK(!open_.empty() && open_.back() == position);
    open_.pop_back();
    OperatorRecord& record = records_[position];
    record.end = std::max(record.end, now);
    cutter_.turn(open_.empty() ? trace::AccountCutter::kNobody : open_.back(), now);
}

void OperatorProfile::clear() {
    records_.clear();
    open_.clear();
    sections_.clear();
    in_section_ = false;
    for (std::deque<std::size_t>& commands : command_sections_) commands.clear();
}

std::vector<OperatorRecord> OperatorProfile::records_with_shares() const {
    std::vector<OperatorRecord> records = records_;
    const auto& slices = cutter_.slices();
    for (std::size_t i = 0; i < std::min(records.size(), slices.size()); ++i) {
        records[i].share = slices[i];
    }
    return records;
}

void OperatorProfile::charged(isa::FirmwareCall call, std::uint64_t) {
    if (call == isa::FirmwareCall::kParallelEnd) in_section_ = false;
    if (call != isa::FirmwareCall::kParallelStart) return;
    const auto group = std::find_if(open_.rbegin(), open_.rend(), [&](std::size_t position) {
        return position < records_.size() && records_[position].layers > 0;
    });
    if (group == open_.rend()) return;
    sections_.push_back({*group, {}, {}});
    in_section_ = true;
}

void OperatorProfile::submitted(const isa::Command& command) {
    const std::size_t engine = engines_.of(command);
    cutter_.submitted(engine);
    command_sections_[engine].push_back(in_section_ ? sections_.size() : 0);
}

void OperatorProfile::end_in_section(std::size_t engine, const models::CommandTimes& times) {
    const std::size_t number = command_sections_[engine].front();
    command_sections_[engine].pop_front();
    if (number == 0) return;
    SectionRun& section = sections_[number - 1];
    const bool is_first = section.end.value == 0;
    section.begin = is_first ? times.start : std::min(section.begin, times.start);
    section.end = std::max(section.end, times.end);
}

void OperatorProfile::retired(const isa::Command& command, const models::CommandTimes& times) {
    const std::size_t engine = engines_.of(command);
    end_in_section(engine, times);
    const std::size_t owner = cutter_.retired(engine, times.end);
    if (owner >= records_.size()) return;  // start-up code
    OperatorRecord& record = records_[owner];
    record.end = std::max(record.end, times.end);
    EngineUse& use = record.engines[engine];
    ++use.commands;
    use.busy += times.end - times.start;
    if (command.info().engine == isa::Engine::kGdma) {
        const auto views = isa::tensor_views(command, shape_);
        record.bytes_moved +=
            views[0].element_count() * static_cast<std::uint64_t>(views[0].element_bytes);
    }
}

}  // namespace okksim::sim::execution
