// SPDX-License-Identifier: Apache-2.0
#include "sim/check/model_case.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "sim/check/sha256.h"
#include "sim/check/tolerance_limits.h"
#include "sim/files/mapped_file.h"

namespace okksim::sim::check {
namespace {

namespace fs = std::filesystem;

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

/// Folder with files of packages; empty if the user names none.
fs::path models_folder() {
    const char* folder = std::getenv("OKKSIM_MODELS_DIR");
    return folder == nullptr ? "" : folder;
}

/// Returns the file of "npm:PACKAGE@VERSION:FILE" in the folder of the user: PACKAGE/FILE as in
/// node_modules, PACKAGE@VERSION/FILE, or FILE without its folders. Empty if there is none.
fs::path packaged_file(const std::string& package) {
    const fs::path root = models_folder();
    const std::size_t colon = package.rfind(':');
    if (root.empty() || colon == std::string::npos) return {};
    const fs::path file = package.substr(colon + 1);
    const std::string versioned =
        package.substr(package.find(':') + 1, colon - package.find(':') - 1);
    // The name of a package may begin with '@'.
    const std::string name = versioned.substr(0, versioned.find('@', 1));
    for (const fs::path& candidate :
         {root / name / file, root / versioned / file, root / file.filename()}) {
        std::error_code none;
        if (fs::is_regular_file(candidate, none)) return candidate;
    }
    return {};
}

}  // namespace

bool describes_model(const Node& root) { return model_keys(root) != nullptr; }

void read_model(const Node& root, TestCase& test) {
    const ModelKeys& keys = *model_keys(root);
    test.graph = test.folder / root.get<std::string>(keys.file);
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
    std::error_code none;
    if (fs::exists(test.graph, none) || test.origin.package.empty()) return;
    const fs::path packaged = packaged_file(test.origin.package);
    if (!packaged.empty()) test.graph = packaged;
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

bool has_model_file(const TestCase& test) {
    std::error_code none;
    return test.origin.package.empty() || fs::exists(test.graph, none);
}

void check_model_file(const TestCase& test) {
    if (test.origin.sha256.empty()) return;
    const std::string actual = sha256_text(map_file(test.graph).bytes);
    if (actual == test.origin.sha256) return;
    throw ConfigError(test.graph.string(),
                      "has the SHA-256 sum " + actual + ", but desc.json says " +
                          test.origin.sha256 + ": fetch the file again" +
                          (test.origin.package.empty() ? "" : " from " + test.origin.package));
}

}  // namespace okksim::sim::check
