// SPDX-License-Identifier: Apache-2.0
#include "sim/golden/okk_call_values.h"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "sim/golden/whole_number.h"

namespace okksim::sim::golden {

namespace {

template <typename T>
firmware::CallValue optional_value(const std::optional<T>& value) {
    if (!value) return nullptr;
    return *value;
}

struct Range {
    std::int64_t low;
    std::int64_t high;
};

template <typename Integer>
constexpr Range kRangeOf{std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max()};

/// Returns the range of a parameter of a C type. A float is given by its bit pattern.
Range range_of(const std::string& type) {
    if (type == "float" || type == "x32") return kRangeOf<std::uint32_t>;
    if (type == "local_addr_t" || type == "unsigned int") return kRangeOf<std::uint32_t>;
    if (type == "x16" || type == "unsigned short") return kRangeOf<std::uint16_t>;
    if (type == "x8" || type == "unsigned char") return kRangeOf<std::uint8_t>;
    if (type == "short") return kRangeOf<std::int16_t>;
    if (type == "char") return kRangeOf<std::int8_t>;
    if (type == "int" || type.ends_with("_type_t")) return kRangeOf<std::int32_t>;
    throw std::runtime_error("a parameter of the unknown type '" + type + "'");
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
    const Range range = range_of(type);
    return whole_number(arguments.raw(index), "argument " + std::to_string(index), range.low,
                        range.high);
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
