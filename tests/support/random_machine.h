// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "models/chip/machine_description.h"
#include "models/chip/machine_params.h"
#include "tests/support/random_source.h"

namespace okksim::tests {

/// True if a parameter is a duration or a rate, and no size, address or memory layout. Parameters
/// of command lists do not count, because these machines issue every command by a call.
inline bool is_timing_parameter(const std::string& section, const std::string& key) {
    if (section == "mcu" && (key == "issue" || key.starts_with("list_"))) return false;
    for (const char* untimed : {"l2", "dtcm", "global", "compat", "energy", "area"}) {
        if (section == untimed) return false;
    }
    return section != "chip" || key == "bank_interference";
}

template <typename Change>
struct TimingParameterVisitor {
    const Change& change;
    std::string section_name;

    void section(const char* name, const char*) { section_name = name; }
    template <typename Field>
    void operator()(Field& field, const char* key, const models::ParameterInfo& info) {
        if constexpr (!std::is_same_v<Field, bool>) {
            // Parameters of instruction groups that the reference machine lacks.
            const bool is_of_group = info.group != nullptr;
            if (is_of_group || !is_timing_parameter(section_name, key)) return;
            change(section_name, key, field, info);
        }
    }
};

/// Calls `change(section, key, field, info)` for every timing parameter of a machine.
template <typename Change>
void for_each_timing_parameter(models::MachineParams& params, const Change& change) {
    TimingParameterVisitor<Change> visitor{change, {}};
    models::describe_machine(params, visitor);
}

/// The value times the factor, in the parameter's range.
template <typename Field>
void scale_parameter(Field& field, double factor, const models::ParameterInfo& info) {
    const double scaled = std::clamp(static_cast<double>(field) * factor, info.low, info.high);
    if constexpr (std::is_floating_point_v<Field>) {
        field = scaled;
    } else {
        field = static_cast<Field>(std::llround(scaled));
    }
}

/// A machine whose rates and latencies are the given ones, each with a separate random factor from
/// 0.1 to 10. Sizes of rows, bursts and channels stay, because they are related powers of two. The
/// GDMA's alignment becomes another power of two, up to 8 times or an eighth.
inline models::MachineParams with_random_rates(models::MachineParams params, RandomSource& random) {
    for_each_timing_parameter(params, [&](const std::string& section, const std::string& key,
                                          auto& field, const models::ParameterInfo& info) {
        if (section == "dram" && info.unit == std::string("bytes")) return;
        if (key == "channels" || key == "line_bytes") return;
        if (key == "alignment_bytes") {
            scale_parameter(field, std::exp2(static_cast<double>(random.between(-3, 3))), info);
            return;
        }
        const double exponent = static_cast<double>(random.between(-1000, 1000)) / 1000.0;
        scale_parameter(field, std::pow(10.0, exponent), info);
    });
    return params;
}

}  // namespace okksim::tests
