// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace okksim {

/// Subject of a finding.
enum class FindingKind : std::uint8_t {
    kUnwrittenRead,  ///< a command reads uninitialised memory
    kHazard,         ///< data race: two unordered commands touch the same memory
    kBuffer,         ///< global memory outside every live allocation is touched
    kOrder,          ///< the kernel or the host continues before the engines are done
    kRule,           ///< a rule of the API reference that is broken without a fault
    kLimit,          ///< a size beyond the API reference that the vendor's models accept
    kVendor,         ///< the vendor's kit deviates from the API reference for this call
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

/// True if strict runs fail because of the finding: every kind except kLimit and kVendor.
bool is_mistake(const Finding& finding);

/// Returns each finding with its commands; every line starts with `indent`.
std::string findings_text(const std::vector<Finding>& findings, std::string_view indent);

}  // namespace okksim
