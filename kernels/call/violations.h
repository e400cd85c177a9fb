// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "firmware/okk.h"
#include "kernels/call/tensor.h"
#include "kernels/prim/lanes.h"

/// REQUIRE conditions of the specification that depend on data. Kernels mark the elements that
/// violate them in a plane of local memory and report at the end.
namespace okksim::kernels {

/// Clears a plane of `words` words (whole lines) in every lane, from `plane` on.
void clear_violations(local_addr_t plane, int words, const Lanes& lanes);
/// True if the sign bit of a word of the plane is set. Destroys the plane and the line at the
/// bottom of local memory, which is not part of it. Waits for the machine.
bool any_violation(local_addr_t plane, int words, const Lanes& lanes);

/// Throws ProgramFault (unpredictable): `rule` is the condition in the specification's words.
[[noreturn]] void throw_unpredictable(const OperatorCall& call, const std::string& argument,
                                      const std::string& value, const std::string& rule);

}  // namespace okksim::kernels
