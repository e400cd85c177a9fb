// SPDX-License-Identifier: Apache-2.0
#include "isa/base/fault.h"

namespace okksim {

const char* fault_code_name(FaultCode code) {
    switch (code) {
        case FaultCode::kBadArgument: return "bad-argument";
        case FaultCode::kBadAddress: return "bad-address";
        case FaultCode::kBadState: return "bad-state";
        case FaultCode::kUnknownKernel: return "unknown-kernel";
        case FaultCode::kAssertion: return "assertion";
        case FaultCode::kHostSignal: return "host-signal";
        case FaultCode::kBudget: return "budget";
        case FaultCode::kOutOfMemory: return "out-of-memory";
        case FaultCode::kBadHandle: return "bad-handle";
        case FaultCode::kIllegalGraph: return "illegal-graph";
        case FaultCode::kUnpredictable: return "unpredictable";
        case FaultCode::kUnsupported: return "unsupported";
    }
    return "unknown";
}

std::string FaultRecord::message() const {
    std::string text;
    if (!function.empty()) text += function + ": ";
    if (!argument.empty()) {
        text += argument + (value.empty() ? "; " : " = " + value + "; ");
    } else if (!value.empty()) {
        text += value + "; ";
    }
    text += "rule: " + rule;
    if (!advice.empty()) text += "; " + advice;
    return text;
}

}  // namespace okksim
