// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/common/units.h"

namespace okksim::models {

inline sc_core::sc_time to_sc_time(Picoseconds time) {
    return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time.value));
}
inline Picoseconds from_sc_time(const sc_core::sc_time& time) {
    return {static_cast<std::int64_t>(time.value())};
}
/// Present simulated time.
inline Picoseconds now() { return from_sc_time(sc_core::sc_time_stamp()); }

}  // namespace okksim::models
