// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/result_check.h"

#include <fmt/format.h>

#include <charconv>

#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "sim/check/check_tree.h"

namespace okksim::sim::gate {
namespace {

void require_one_file_each(std::size_t outputs, const GateLimits& limits) {
    if (limits.result.empty() || limits.result.size() == outputs) return;
    throw ConfigError("workload.limits.result",
                      fmt::format("has {} files, but the workload has {} outputs; give one .npy "
                                  "file per output in order",
                                  limits.result.size(), outputs));
}

/// Returns the signed type of the same size for unsigned integers, whose bits are compared.
std::string comparable(const std::string& descr) {
    if (descr == "|u1" || descr == "<u2" || descr == "<u4") {
        return fmt::format("{}i{}", descr[0], descr[2]);
    }
    return descr;
}

/// Returns the text of a wrong output; empty if it is right.
std::string judge(const NamedTensor& output, const graph::NpyArray& reference,
                  const std::filesystem::path& file, const check::Rule& rule) {
    const check::CheckResult result = check::compare(output.value, reference, nullptr, rule);
    if (result.passed) return {};
    return fmt::format("{} differs from {}: {}", output.name, file.filename().string(),
                       result.text());
}

}  // namespace

check::Rule rule_of(const GateLimits& limits) {
    if (limits.relative == 0 && limits.absolute == 0) return check::ExactRule{};
    return check::ToleranceRule{limits.relative, limits.absolute};
}

std::vector<std::string> wrong_results(const std::vector<NamedTensor>& outputs,
                                       const GateLimits& limits) {
    std::vector<std::string> wrong;
    require_one_file_each(outputs.size(), limits);
    for (std::size_t i = 0; i < limits.result.size(); ++i) {
        const graph::NpyArray reference = graph::read_npy(limits.result[i]);
        std::string text = judge(outputs[i], reference, limits.result[i], rule_of(limits));
        if (!text.empty()) wrong.push_back(std::move(text));
    }
    return wrong;
}

std::vector<std::string> wrong_results(const std::vector<NamedArray>& outputs,
                                       const GateLimits& limits) {
    std::vector<std::string> wrong;
    require_one_file_each(outputs.size(), limits);
    for (std::size_t i = 0; i < limits.result.size(); ++i) {
        graph::NpyArray reference = graph::read_npy(limits.result[i]);
        graph::NpyArray array = outputs[i].value;
        if (array.descr != reference.descr) {
            wrong.push_back(fmt::format("{} has elements {}, but {} has {}", outputs[i].name,
                                        array.descr, limits.result[i].filename().string(),
                                        printable(reference.descr)));
            continue;
        }
        array.descr = reference.descr = comparable(array.descr);
        array.element_bytes = reference.element_bytes;
        const graph::DType type = check::type_of_array(reference, limits.result[i].string());
        const NamedTensor tensor{outputs[i].name,
                                 graph::to_host_tensor(array, type, outputs[i].name)};
        std::string text = judge(tensor, reference, limits.result[i], rule_of(limits));
        if (!text.empty()) wrong.push_back(std::move(text));
    }
    return wrong;
}

graph::Shape shape_from(const std::string& text, const std::string& input) {
    graph::Shape shape;
    const char* at = text.data();
    const char* end = at + text.size();
    while (at < end) {
        std::int64_t size = 0;
        const auto [read_to, problem] = std::from_chars(at, end, size);
        const bool is_last = read_to == end;
        if (problem != std::errc() || size < 0 || (!is_last && *read_to != 'x')) break;
        shape.push_back(size);
        at = is_last ? end : read_to + 1;
        if (is_last) return shape;
    }
    throw ConfigError("workload.inputs." + input,
                      fmt::format("\"{}\" is neither a .npy file nor a shape such as "
                                  "\"1x224x224x3\"",
                                  printable(text)));
}

}  // namespace okksim::sim::gate
