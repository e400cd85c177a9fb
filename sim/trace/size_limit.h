// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "isa/base/errors.h"

namespace okksim::sim::trace {

/// The error for a file that cannot hold the whole run; `holds` describes its contents.
inline ConfigError beyond_limit(const std::string& path, const std::string& what,
                                const std::string& holds, std::uint64_t most_bytes) {
    return ConfigError(
        path, "the " + what + " is larger than " + std::to_string(most_bytes) + " bytes and " +
                  holds +
                  "; record less of the run, or raise --record-limit of okksim run or kernel");
}

}  // namespace okksim::sim::trace
