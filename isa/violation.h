// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace okksim::isa {

/// A documented restriction that a command breaks.
struct Violation {
    std::string argument;  ///< e.g. "shape->c", "dst_addr"
    std::string value;
    std::string rule;             ///< the restriction in words, with the numbers that apply
    bool is_address = false;      ///< the extent leaves a memory (FaultCode::kBadAddress)
    bool is_unsupported = false;  ///< the machine lacks the instruction (FaultCode::kUnsupported)
};

/// Treatment of sizes beyond a limit of the API reference that the model does not need.
struct SizeLimits {
    bool are_rules = true;                ///< true: such a size is a violation
    std::optional<Violation> exceeded{};  ///< otherwise: the first such size of the command
};

}  // namespace okksim::isa
