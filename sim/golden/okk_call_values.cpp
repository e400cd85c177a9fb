// SPDX-License-Identifier: Apache-2.0
#include "sim/golden/okk_call_values.h"

#include <stdexcept>

namespace okksim::sim::golden {

namespace {

template <typename T>
firmware::CallValue optional_value(const std::optional<T>& value) {
    if (!value) return nullptr;
    return *value;
}

firmware::CallValue decode(const std::string& type, const OkkArguments& arguments,
                           std::size_t index, const isa::MachineShape& machine) {
    if (type == "dim4 *") return nullptr;
    if (type == "const dim4 *") return optional_value(arguments.dim4(index));
    if (type == "const Padding *") return optional_value(arguments.padding(index));
    if (type == "const dim2 *") return optional_value(arguments.dim2(index));
    if (type == "bool") return std::int64_t{arguments.boolean(index)};
    if (type == "system_addr_t") {
        return static_cast<std::int64_t>(arguments.system(index, machine).value());
    }
    if (!arguments.raw(index).is_number_integer()) {
        throw std::runtime_error("argument " + std::to_string(index) + " is " +
                                 arguments.raw(index).dump() + ", not a whole number");
    }
    return arguments.raw(index).get<std::int64_t>();
}

}  // namespace

firmware::CallValues okk_call_values(const OkkFunction& function, const OkkArguments& arguments,
                                     const isa::MachineShape& machine) {
    if (arguments.size() != function.parameters.size()) {
        throw std::runtime_error(function.name + " is called with " +
                                 std::to_string(arguments.size()) + " arguments and has " +
                                 std::to_string(function.parameters.size()));
    }
    firmware::CallValues values;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        values.push_back(decode(function.parameters[i].first, arguments, i, machine));
    }
    return values;
}

}  // namespace okksim::sim::golden
