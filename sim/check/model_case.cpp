// SPDX-License-Identifier: Apache-2.0
#include "sim/check/model_case.h"

#include <algorithm>
#include <set>

#include "sim/check/tolerance_limits.h"

namespace okksim::sim::check {
namespace {

struct ModelKeys {
    const char* file;
    const char* origin;
    /// Names of .tflite files may be empty or repeat, and their order is fixed.
    bool by_position;
};
constexpr ModelKeys kModelKeys[] = {{"onnx_file", "onnx_from", false},
                                    {"tflite_file", "tflite_from", true}};

const ModelKeys* model_keys(const Node& root) {
    const auto* keys = std::ranges::find_if(
        kModelKeys, [&](const ModelKeys& each) { return root.has(each.file); });
    return keys == std::end(kModelKeys) ? nullptr : keys;
}

bool are_unique(const std::vector<std::string>& names) {
    const std::set<std::string> unique(names.begin(), names.end());
    return unique.size() == names.size() && !unique.contains("");
}

}  // namespace

bool describes_model(const Node& root) { return model_keys(root) != nullptr; }

ModelFacts read_model(const Node& root, const std::filesystem::path& folder) {
    const ModelKeys& keys = *model_keys(root);
    ModelFacts test;
    test.graph = folder / root.get<std::string>(keys.file);
    test.origin.package = root.get_or<std::string>(keys.origin, "");
    test.by_position = keys.by_position || !are_unique(root.list("ifm_name")) ||
                       !are_unique(root.list("ofm_name"));
    // Its value is the reason.
    test.may_refuse = root.has("may_refuse") && root.child("may_refuse").json() != false;
    test.may_run = root.has("may_run") && root.child("may_run").json() != false;
    if (root.has("meta")) {
        const Node meta = root.child("meta");
        const auto operators = meta.list("operators");
        test.op = operators.size() == 1 ? operators[0] : meta.get_or<std::string>("group", "");
        test.origin.sha256 = meta.get_or<std::string>("sha256", "");
    }
    test.graph = model_file(test.graph, test.origin);
    return test;
}

Rule read_model_rule(const Node& root, std::size_t index) {
    const nlohmann::json& rules = root.child("compare").json();
    if (!rules.is_array() || index >= rules.size()) {
        root.fail("compare", "has no rule for output " + std::to_string(index));
    }
    const Node node(rules[index], "compare[" + std::to_string(index) + "].");
    const auto mode = node.get<std::string>("mode");
    DifferenceRule rule;
    if (mode == "tolerance") {
        rule.relative = node.get<double>("rtol");
        rule.absolute = node.get<double>("atol");
    } else if (mode == "quantum") {
        rule.absolute = node.get<double>("max_diff");
        rule.share = node.get<double>("min_equal");
    } else if (mode == "step") {
        // A step of a grid of rounded values, which float arithmetic meets to a hundredth.
        constexpr double kSlack = 1.01, kNear = 0.01;
        const auto step = node.get<double>("step");
        rule.absolute = kSlack * step;
        rule.near = kNear * step;
        rule.share = node.get<double>("min_equal");
    } else if (mode != "exact") {
        node.fail("mode", "unknown comparison mode \"" + mode + "\"");
    }
    const auto excess = excessive_tolerance(rule, {"", graph::DType::kFp32, std::nullopt});
    if (excess) node.fail(excess->key, excess->text);
    return rule;
}

}  // namespace okksim::sim::check
