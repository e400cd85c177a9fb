// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/launch/null_arguments.h"
#include "isa/command.h"
#include "isa/instructions.h"

namespace okksim::firmware {

/// A function for which the vendor's kit contradicts the API reference.
struct SdkQuirk {
    isa::Opcode opcode;
    const char* deviation;  ///< what the kit does
    const char* advice;     ///< arguments that have the same meaning in both
    bool fills_words;       ///< a NULL stride is the layout of 32-bit elements
};

/// Returns nullptr for functions that follow the API reference.
const SdkQuirk* find_sdk_quirk(isa::Opcode opcode);

/// Changes a call to that of the vendor's kit. Call it before layouts are completed.
void apply_sdk_quirk(isa::Command& command, NullArguments& nulls);

/// True if two completed commands of one call differ in an address or a value. Strides of a
/// dimension with one element do not count.
bool differ_in_effect(isa::Command a, isa::Command b, const isa::MachineShape& machine);

}  // namespace okksim::firmware
