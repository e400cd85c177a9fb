// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace okksim {

/// What a finding is about.
enum class FindingKind : std::uint8_t {
    kUnwrittenRead,  ///< a command reads memory that nobody has written
    kHazard,         ///< two commands that nothing orders touch the same memory
};

/// Stable lower-case name of a kind, used in messages and JSON records.
std::string_view finding_kind_name(FindingKind kind);

/// A probable mistake of the firmware that does not stop it.
struct Finding {
    FindingKind kind = FindingKind::kUnwrittenRead;
    std::string message;                ///< what, where, and what to do
    std::vector<std::string> commands;  ///< disassembly with ids, in program order
};

/// Each finding with the commands it is about, every line behind `indent`.
std::string findings_text(const std::vector<Finding>& findings, std::string_view indent);

}  // namespace okksim
