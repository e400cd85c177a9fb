// SPDX-License-Identifier: Apache-2.0
#include "models/mcu/clockwork.h"

#include <algorithm>

#include "models/common/npu_module.h"

namespace okksim::models {

void Clockwork::wake(std::size_t engine, Picoseconds time) {
    turns_[engine].notify(to_sc_time(std::max(time, now()) - now()));
}

void Clockwork::wait_for_retirement() {
    is_awaited_ = true;
    sc_core::wait(retirement_);
}

void Clockwork::submitted(std::size_t engine) {
    const auto time = sequencer_.next_time(engine);
    if (time && *time <= now()) turns_[engine].notify(sc_core::SC_ZERO_TIME);
}

void Clockwork::retired(std::size_t engine) {
    if (is_awaited_) retirement_.notify(sc_core::SC_ZERO_TIME);
    is_awaited_ = false;
    for (std::size_t other = 0; other < turns_.size(); ++other) {
        if (other != engine) submitted(other);
    }
}

}  // namespace okksim::models
