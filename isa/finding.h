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
    kBuffer,         ///< global memory outside every live allocation is touched
    kOrder,          ///< the kernel or the host goes on before the engines are done
    kRule,           ///< a rule of the API reference that is broken without a fault
    kLimit,          ///< a size beyond the API reference that the vendor's models accept
};

/// Stable lower-case name of a kind, used in messages and JSON records.
std::string_view finding_kind_name(FindingKind kind);

/// A probable mistake of the firmware that does not stop it.
struct Finding {
    FindingKind kind = FindingKind::kUnwrittenRead;
    std::string message;                    ///< what, where, and what to do
    std::vector<std::string> commands;      ///< disassembly with ids, in program order
    std::vector<std::string> call_stack{};  ///< firmware frames, innermost first
};

/// Whether strict runs fail because of it: anything but a size that works.
bool is_mistake(const Finding& finding);

/// Each finding with the commands it is about, every line behind `indent`.
std::string findings_text(const std::vector<Finding>& findings, std::string_view indent);

}  // namespace okksim
