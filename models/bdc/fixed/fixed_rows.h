// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "isa/instructions.h"
#include "models/bdc/fixed/fixed_arguments.h"

namespace okksim::models {

using FixedRow = void (*)(const FixedRowArguments& arguments, std::size_t count);

/// Returns the function for an instruction with the semantics fixed(Op, types), for the widest
/// vectors of the host. Returns nullptr for rows with other semantics.
FixedRow fixed_row(const isa::InstructionInfo& instruction);

}  // namespace okksim::models
