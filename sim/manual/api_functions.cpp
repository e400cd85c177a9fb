// SPDX-License-Identifier: Apache-2.0
#include "sim/manual/api_functions.h"

#include <algorithm>
#include <regex>

#include "firmware/call_by_name.h"

namespace okksim::sim::manual {
namespace {

/// With one blank where there is any white space.
std::string one_line(const std::string& text) {
    return std::regex_replace(std::regex_replace(text, std::regex("\\s+"), " "),
                              std::regex("^ | $"), "");
}

std::vector<Parameter> split_parameters(const std::string& list) {
    std::vector<Parameter> parameters;
    const std::regex parameter("\\s*([^,]*[ *])(\\w+)\\s*(?:,|$)");
    for (std::sregex_iterator at(list.begin(), list.end(), parameter), end; at != end; ++at) {
        parameters.push_back({one_line((*at)[1]), (*at)[2]});
    }
    return parameters;
}

/// A comment for documentation without its stars.
std::string comment_text(const std::string& comment) {
    return one_line(std::regex_replace(comment, std::regex("\\n\\s*\\*"), " "));
}

}  // namespace

std::vector<ApiFunction> api_functions() {
    const std::vector<std::string> documented = firmware::documented_functions();
    const std::string header = okk_header();
    const std::regex declaration(
        "(?:/\\*\\*((?:[^*]|\\*(?!/))*)\\*/\\s*)?\\n((?:void|bool|int|unsigned [a-z ]*\\*?)\\s*\\b"
        "(okk_\\w+)\\(([^;]*)\\));");
    std::vector<ApiFunction> functions;
    for (std::sregex_iterator at(header.begin(), header.end(), declaration), end; at != end; ++at) {
        ApiFunction function;
        function.name = (*at)[3];
        if (!std::binary_search(documented.begin(), documented.end(), function.name)) continue;
        function.comment = comment_text((*at)[1]);
        function.declaration = one_line((*at)[2]);
        const std::string list = (*at)[4];
        if (list != "void") function.parameters = split_parameters(list);
        function.info = isa::find_instruction(function.name);
        functions.push_back(std::move(function));
    }
    return functions;
}

}  // namespace okksim::sim::manual
