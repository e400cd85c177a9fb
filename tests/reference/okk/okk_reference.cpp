// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/okk/okk_reference.h"

#include "tests/reference/okk/functions.h"

namespace okksim::tests::reference {

namespace {

const FunctionTable& functions() {
    static const FunctionTable table = [] {
        FunctionTable result;
        add_gdma_functions(result);
        add_element_functions(result);
        add_series_functions(result);
        add_network_functions(result);
        add_fixed_point_functions(result);
        return result;
    }();
    return table;
}

}  // namespace

void execute(Image& image, const std::string& function, const firmware::CallValues& arguments,
             const Options& options) {
    const auto entry = functions().find(function);
    if (entry == functions().end()) {
        throw std::invalid_argument("the reference does not know " + function);
    }
    Call call(image, arguments, options);
    entry->second(call);
}

std::vector<std::string> function_names() {
    std::vector<std::string> names;
    for (const auto& [name, function] : functions()) names.push_back(name);
    return names;
}

}  // namespace okksim::tests::reference
