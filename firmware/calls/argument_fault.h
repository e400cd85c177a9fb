// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "isa/base/fault.h"

namespace okksim::firmware {

/// Throws the fault of a bad argument that no instruction's rules cover.
[[noreturn]] inline void throw_argument_fault(FaultCode code, const char* argument,
                                              std::string value, std::string rule,
                                              std::string advice) {
    FaultRecord record;
    record.code = code;
    record.argument = argument;
    record.value = std::move(value);
    record.rule = std::move(rule);
    record.advice = std::move(advice);
    record.unit = "firmware";
    throw ProgramFault(std::move(record));
}

}  // namespace okksim::firmware
