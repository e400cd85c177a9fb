// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/operator_profile.h"

#include <algorithm>

#include "isa/errors.h"
#include "isa/tensors.h"

namespace okksim::sim::execution {

std::size_t OperatorProfile::begin(OperatorRecord record) {
    if (records_.size() == kMostRecords) {
        open_.push_back(open_.empty() ? records_.size() - 1 : open_.back());
    } else {
        open_.push_back(records_.size());
        records_.push_back(std::move(record));
    }
    return open_.back();
}

void OperatorProfile::count_mcu_bytes(std::uint64_t total) {
    if (!open_.empty()) records_[open_.back()].mcu_bytes += total - mcu_bytes_;
    mcu_bytes_ = total;
}

void OperatorProfile::finish(std::size_t position, models::Picoseconds now) {
    OKKSIM_CHECK(!open_.empty() && open_.back() == position);
    open_.pop_back();
    OperatorRecord& record = records_[position];
    record.end = std::max(record.end, now);
}

void OperatorProfile::submitted(const isa::Command& command) {
    const auto engine = static_cast<std::size_t>(command.info().engine);
    // Commands outside all steps (start-up code) belong to nobody.
    owners_[engine].push_back(open_.empty() ? SIZE_MAX : open_.back());
}

void OperatorProfile::retired(const isa::Command& command, const models::CommandTimes& times) {
    const isa::Engine engine = command.info().engine;
    auto& owners = owners_[static_cast<std::size_t>(engine)];
    const std::size_t owner = owners.front();
    owners.pop_front();
    if (owner >= records_.size()) return;
    OperatorRecord& record = records_[owner];
    record.end = std::max(record.end, times.end);
    if (engine == isa::Engine::kGdma) {
        ++record.gdma_commands;
        record.gdma_busy += times.end - times.start;
        const auto views = isa::tensor_views(command, shape_);
        record.bytes_moved +=
            views[0].element_count() * static_cast<std::uint64_t>(views[0].element_bytes);
    } else {
        ++record.bdc_commands;
        record.bdc_busy += times.end - times.start;
    }
}

}  // namespace okksim::sim::execution
