// SPDX-License-Identifier: Apache-2.0
#include "isa/finding.h"

namespace okksim {

std::string_view finding_kind_name(FindingKind kind) {
    switch (kind) {
        case FindingKind::kUnwrittenRead: return "unwritten_read";
        case FindingKind::kHazard: return "hazard";
    }
    return "unknown";
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
    }
    return text;
}

}  // namespace okksim
