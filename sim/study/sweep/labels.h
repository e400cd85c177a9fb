// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/study/sweep/point_names.h"
#include "sim/study/sweep/sweep_spec.h"

namespace okksim::sim::sweep {

/// Returns a value for readers: "256KiB" for 262144 of a parameter in bytes.
std::string value_label(const std::string& parameter, const std::string& text);

/// Returns the value that the settings have on the axis: "64", or the name within a bundle. Returns
/// "" if they do not set the axis.
std::string axis_label(const Axis& axis, const PointSettings& settings);

/// Returns the settings of a machine by axis: "chip.lanes=64 dram=x2".
std::string machine_label(const SweepSpec& spec, const PointSettings& settings);

/// Returns a number of bytes with a sign: "+1.50 MiB".
std::string bytes_change_label(double bytes);

/// Returns a time by cause in words: "BDC waiting for commands" for "bdc_queue_us".
std::string cause_label(const std::string& name);

/// Returns a change in percent without a sign of zero: "4", "-30".
std::string percent_label(double percent);

}  // namespace okksim::sim::sweep
