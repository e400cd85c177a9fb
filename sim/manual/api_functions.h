// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isa/instructions.h"

namespace okksim::sim::manual {

/// A parameter of a function: "const dim4*", "shape".
struct Parameter {
    std::string type;
    std::string name;
};

/// A function of okk.h.
struct ApiFunction {
    std::string name;
    std::string declaration;  ///< one line, "void okk_poll(void)"
    std::string comment;      ///< what the header says of it
    std::vector<Parameter> parameters;
    const isa::InstructionInfo* info = nullptr;  ///< its row; nullptr: it issues no command
    bool is_documented = true;                   ///< in the API reference
};

/// The text of firmware/okk.h.
const char* okk_header();

/// The functions that API reference and header have in common, and the header's address queries and
/// pointers, in the header's order.
std::vector<ApiFunction> api_functions();

}  // namespace okksim::sim::manual
