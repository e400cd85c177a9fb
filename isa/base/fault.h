// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace okksim {

/// Kind of mistake of a guest program (firmware kernel, host program or graph).
enum class FaultCode {
    kBadArgument,    ///< an argument breaks a documented restriction
    kBadAddress,     ///< an address or extent is outside its memory
    kBadState,       ///< a call is not allowed in the present state (parallel mode, ...)
    kUnknownKernel,  ///< no kernel registered under the name
    kAssertion,      ///< OKKERNEL_ASSERT failed
    kHostSignal,     ///< firmware code raised a host signal (null dereference, divide by zero, ...)
    kBudget,         ///< the command or time budget was used up
    kOutOfMemory,    ///< device memory exhausted
    kBadHandle,      ///< freed or foreign device memory or handle
    kIllegalGraph,   ///< a graph breaks a rule of the TOSA specification
    kUnpredictable,  ///< a REQUIRE condition of the TOSA specification does not hold
    kUnsupported,    ///< a legal request that the machine cannot carry out
};

/// Stable lower-case name of a fault code, used in messages and JSON records.
const char* fault_code_name(FaultCode code);

/// The guest's mistake as data: the function, the argument, its value, and the broken rule. Strings
/// that do not apply are empty.
struct FaultRecord {
    FaultCode code = FaultCode::kBadArgument;
    std::string function;                 ///< e.g. "okk_bdc_add" or a TOSA operator
    std::string argument;                 ///< e.g. "shape->c" or a tensor name
    std::string value;                    ///< offending value, printed
    std::string rule;                     ///< the rule, with its source
    std::string advice;                   ///< what to do
    std::string unit;                     ///< hardware unit or "firmware", "host", "graph"
    std::vector<std::string> call_stack;  ///< firmware frames, innermost first

    /// One sentence naming all of the above except the call stack.
    std::string message() const;
};

/// Thrown when a guest program does something the machine or a specification forbids.
class ProgramFault : public std::runtime_error {
 public:
    explicit ProgramFault(FaultRecord record)
        : std::runtime_error(record.message()), record_(std::move(record)) {}
    const FaultRecord& record() const { return record_; }

 private:
    FaultRecord record_;
};

}  // namespace okksim
