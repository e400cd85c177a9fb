// SPDX-License-Identifier: Apache-2.0
#include "isa/base/finding.h"

namespace okksim {

std::string_view finding_kind_name(FindingKind kind) {
    switch (kind) {
        case FindingKind::kUnwrittenRead: return "unwritten_read";
        case FindingKind::kHazard: return "hazard";
        case FindingKind::kBuffer: return "buffer";
        case FindingKind::kOrder: return "order";
        case FindingKind::kRule: return "rule";
        case FindingKind::kLimit: return "limit";
        case FindingKind::kVendor: return "vendor";
    }
    return "unknown";
}

bool is_mistake(const Finding& finding) {
    return finding.kind != FindingKind::kLimit && finding.kind != FindingKind::kVendor;
}

std::string findings_text(const std::vector<Finding>& findings, std::string_view indent) {
    std::string text;
    const auto add_line = [&](const std::string& line) {
        text.append(indent).append(line).append("\n");
    };
    for (const Finding& finding : findings) {
        add_line("warning (" + std::string(finding_kind_name(finding.kind)) +
                 "): " + finding.message);
        for (const std::string& command : finding.commands) add_line("    " + command);
        for (const std::string& frame : finding.call_stack) add_line("    at " + frame);
    }
    return text;
}

}  // namespace okksim
