// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isa/instructions.h"

namespace okksim::sim::manual {

/// A parameter of a function, e.g. type "const dim4*", name "shape".
struct Parameter {
    std::string type;
    std::string name;
};

/// A function of okk.h.
struct ApiFunction {
    std::string name;
    std::string declaration;  ///< one line, "void okk_poll(void)"
    std::string comment;      ///< its comment in the header
    std::vector<Parameter> parameters;
    const isa::InstructionInfo* info = nullptr;  ///< its table row; nullptr without a command
    bool is_documented = true;                   ///< part of the API reference
};

/// Returns the text of firmware/okk.h.
const char* okk_header();

/// Returns the functions that are both in the API reference and in the header, in the header's
/// order. Includes the header's address queries and pointers.
std::vector<ApiFunction> api_functions();

}  // namespace okksim::sim::manual
