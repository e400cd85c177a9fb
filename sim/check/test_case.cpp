// SPDX-License-Identifier: Apache-2.0
#include "sim/check/test_case.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "isa/base/errors.h"
#include "isa/base/input_file.h"
#include "isa/base/output_file.h"
#include "sim/check/model_case.h"
#include "sim/check/onnx_case_folder.h"
#include "sim/check/test_json.h"
#include "sim/check/tolerance_limits.h"
#include "sim/graph/folder.h"
#include "sim/graph/npy.h"

namespace okksim::sim::check {

namespace {

/// UINT8 and UINT16 are kI8 and kI16 with unsigned files.
void parse_type(const Node& node, TestOutput& output) {
    using graph::DType;
    const std::pair<const char*, DType> names[] = {
        {"BOOL", DType::kBool},       {"INT4", DType::kI4},         {"INT8", DType::kI8},
        {"INT16", DType::kI16},       {"INT32", DType::kI32},       {"INT48", DType::kI48},
        {"FP32", DType::kFp32},       {"FP16", DType::kFp16},       {"BF16", DType::kBf16},
        {"FP8E4M3", DType::kFp8E4M3}, {"FP8E5M2", DType::kFp8E5M2}, {"SHAPE", DType::kShape},
        {"UINT8", DType::kI8},        {"UINT16", DType::kI16}};
    const auto text = node.get<std::string>("data_type");
    for (const auto& [name, type] : names) {
        if (text != name) continue;
        output.type = type;
        output.is_unsigned = text.starts_with("UINT");
        return;
    }
    node.fail("data_type", "unknown data type \"" + text + "\"");
}

Rule parse_dot_product(const Node& info) {
    DotProductRule rule;
    // Specification tables: 2 * ksb and 4 * 0.4 * ksb.
    const double ksb = info.get<double>("ksb");
    rule.set = info.get<std::int64_t>("s");
    rule.abs_bound = info.get_or<double>("abs_bound", 2.0 * ksb);
    rule.variance_error_bound = info.get_or<double>("variance_error_bound", 1.6 * ksb);
    rule.products = ksb;
    return rule;
}

Rule parse_abs_error(const Node& tensor) {
    AbsErrorRule rule;
    if (!tensor.has("abs_error_info")) return rule;
    const Node info = tensor.child("abs_error_info");
    rule.base_bound = info.get_or<double>("base_bound", 0.0);
    rule.lower_bound = info.get_or<double>("lower_bound", 0.0);
    rule.normal_divisor = info.get_or<double>("normal_divisor", 1.0);
    rule.bound_as_magnitude = info.get_or<bool>("bound_as_magnitude", false);
    rule.max_compare = info.get_optional<double>("max_compare");
    if (!(rule.normal_divisor > 0.0)) info.fail("normal_divisor", "must be positive");
    return rule;
}

Rule parse_rule(const Node& tensor) {
    const auto mode = tensor.get<std::string>("mode");
    if (mode == "EXACT") return ExactRule{};
    if (mode == "ULP") {
        const Node info = tensor.child("ulp_info");
        return UlpRule{info.get<double>("ulp"), info.get_optional<double>("ulp_lower")};
    }
    if (mode == "DOT_PRODUCT") return parse_dot_product(tensor.child("dot_product_info"));
    if (mode == "REDUCE_PRODUCT") {
        return ReduceProductRule{tensor.child("reduce_product_info").get<std::int64_t>("n")};
    }
    if (mode == "RELATIVE") {
        const Node info = tensor.child("relative_info");
        return RelativeRule{info.get<double>("max"), info.get<double>("scale"),
                            info.get_or<double>("ulp_bound", 0.0)};
    }
    if (mode == "ABS_ERROR") return parse_abs_error(tensor);
    if (mode == "FP_SPECIAL") return FloatSpecialRule{};
    if (mode == "RESCALE_INEXACT") {
        return RescaleInexactRule{
            tensor.child("rescale_inexact_info").get_or<bool>("unsigned_data", false)};
    }
    tensor.fail("mode", "unknown comparison mode \"" + mode + "\"");
}

/// Returns the tolerance of a graph of several operators.
ToleranceRule parse_tolerance(const Node& node) {
    const ToleranceRule rule{node.get_or<double>("rtol", 0.0), node.get_or<double>("atol", 0.0)};
    const auto excess = excessive_tolerance(rule, {"", graph::DType::kFp32, std::nullopt});
    if (excess) node.fail(excess->key, excess->text);
    return rule;
}

/// Adds the sizes of the inputs. Unreadable files are reported where they are read.
void add_input_sizes(const std::vector<TestInput>& inputs, JudgedTensor& tensor) {
    std::optional<std::int64_t> largest;
    std::int64_t elements = 0;
    // The weights of a convolution may be in the graph, and may be larger than its input.
    const bool is_convolution = tensor.op.find("CONV") != std::string::npos;
    constexpr std::size_t kWeightRank = 4;
    std::size_t operands = 0;
    for (const TestInput& input : inputs) {
        try {
            const graph::Shape shape = graph::read_npy(input.file).shape;
            for (const std::int64_t extent : shape) {
                largest = std::max(largest.value_or(0), extent);
            }
            operands += !is_convolution || shape.size() >= kWeightRank ? 1 : 0;
            elements += static_cast<std::int64_t>(graph::element_count(shape).value_or(0));
        } catch (const ConfigError&) {
            return;
        }
    }
    tensor.most_extent = largest;
    // Other operators have all factors of a result in their first operand.
    const std::size_t needed = is_convolution || tensor.op == "FFT2D" ? 2 : 1;
    if (operands >= needed) tensor.input_elements = elements;
}

/// Builds the case from the parsed file.
class CaseReader {
 public:
    CaseReader(const std::filesystem::path& folder, const Node& root) : root_(root) {
        case_.folder = folder;
    }

    /// Reads a program with its inputs and outputs in order.
    TestCase read_program() {
        case_.graph = case_.folder / root_.get<std::string>("program");
        case_.by_position = true;
        case_.op = case_.graph.stem().string();
        const Node compare = root_.child("compare");
        Rule rule = ExactRule{};
        if (compare.has("rtol") || compare.has("atol")) {
            rule = parse_tolerance(compare);
        }
        for (const Json& input : root_.child("inputs").json()) {
            const Node node(input, "inputs: ");
            case_.inputs.push_back({"", case_.folder / node.get<std::string>("file")});
        }
        for (const Json& output : root_.child("outputs").json()) {
            const Node node(output, "outputs: ");
            TestOutput wanted;
            wanted.name = node.get<std::string>("file");
            if (wanted.name.find('/') != std::string::npos || wanted.name.starts_with('.')) {
                root_.fail("outputs", "\"" + wanted.name + "\" is no plain file name");
            }
            wanted.output_file = wanted.name;
            wanted.reference = case_.folder / wanted.name;
            wanted.rule = rule;
            case_.outputs.push_back(std::move(wanted));
        }
        // A program without outputs is one that must be refused.
        case_.expects_rejection = case_.outputs.empty();
        return std::move(case_);
    }

    /// Reads an operator of .xmodel files, in one or both of their vocabularies.
    std::vector<TestCase> read_operator() {
        case_.op = root_.get<std::string>("operator");
        case_.by_position = true;
        case_.has_constants = true;
        if (root_.has("expected_failure")) read_expectation();
        for (const Json& input : root_.child("inputs").json()) {
            const Node node(input, "inputs: ");
            case_.inputs.push_back(
                {node.get<std::string>("name"), case_.folder / node.get<std::string>("file")});
        }
        if (!case_.expects_rejection) read_operator_output();
        std::vector<TestCase> cases;
        const Node graphs = root_.child("xmodel");
        for (const char* form : {"oplib", "xir"}) {
            if (!graphs.has(form)) continue;
            TestCase each = case_;
            each.graph = each.folder / graphs.get<std::string>(form);
            each.is_channels_last = std::string_view(form) == "xir";
            each.part = cases.empty() ? "" : form;
            cases.push_back(std::move(each));
        }
        if (cases.empty()) root_.fail("xmodel", "names no graph");
        return cases;
    }

    TestCase read() {
        case_.is_model = describes_model(root_);
        if (!case_.is_model) case_.graph = case_.folder / root_.get<std::string>("tosa_file");
        read_expectation();
        read_inputs();
        if (case_.is_model) take_model(read_model(root_, case_.folder));
        if (root_.has("oracle") && !case_.is_model) {
            case_.op = root_.child("oracle").get_or<std::string>("op", "");
            case_.error_if = root_.child("oracle").get_or<std::string>("error_if", "");
        }
        if (root_.has("test_requirements")) {
            const Node needs = root_.child("test_requirements");
            case_.profiles = needs.list("profiles_supported");
            case_.extensions = needs.list("extensions_required");
        }
        if (root_.has("tolerance") && !case_.is_model) {
            tolerance_ = parse_tolerance(root_.child("tolerance"));
        }
        if (!case_.expects_rejection) {
            read_outputs();
            read_variables();
            if (case_.outputs.empty() && case_.variables.empty()) {
                root_.fail("ofm_name", "names no output, so there is nothing to compare");
            }
            require_own_files();
        }
        return std::move(case_);
    }

 private:
    void take_model(ModelFacts model) {
        case_.graph = std::move(model.graph);
        case_.origin = std::move(model.origin);
        case_.op = std::move(model.op);
        case_.may_refuse = model.may_refuse;
        case_.may_run = model.may_run;
        case_.by_position = model.by_position;
    }

    void read_expectation() {
        const Json& json = root_.child("expected_failure").json();
        if (!json.is_string() && !json.is_boolean()) {
            root_.fail("expected_failure", "is neither true nor false nor a reason");
        }
        // Generated tests give the violated condition instead of a flag.
        case_.expects_rejection = json.is_string() || (json.is_boolean() && json.get<bool>());
        case_.rejection_reason = json.is_string()
                                     ? json.get<std::string>()
                                     : root_.get_or<std::string>("expected_failure_desc", "");
        case_.expects_damage = case_.rejection_reason.starts_with("MALFORMED");
    }

    void read_operator_output() {
        const Node node = root_.child("output");
        const Node compare = root_.child("compare");
        TestOutput output;
        output.name = node.get<std::string>("name");
        output.output_file = node.get<std::string>("file");
        output.reference = case_.folder / output.output_file;
        output.rule = ExactRule{};
        if (compare.get<std::string>("mode") != "exact") {
            output.rule = parse_tolerance(compare);
        }
        if (output.output_file.find('/') != std::string::npos ||
            output.output_file.starts_with('.')) {
            root_.fail("output.file", "\"" + output.output_file + "\" is no plain file name");
        }
        case_.outputs.push_back(std::move(output));
    }

    void read_inputs() {
        const auto names = root_.list("ifm_name");
        const auto files = root_.list("ifm_file");
        if (names.size() != files.size()) {
            root_.fail("ifm_file", "has " + std::to_string(files.size()) +
                                       " entries and ifm_name " + std::to_string(names.size()));
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            case_.inputs.push_back({names[i], case_.folder / files[i]});
        }
    }

    /// Returns entry `index` of a list of files of the oracle, if it exists.
    std::optional<std::filesystem::path> oracle_file(const char* key, std::size_t index) const {
        if (!root_.has("oracle")) return std::nullopt;
        const auto files = root_.child("oracle").list(key);
        if (index >= files.size() || files[index].empty()) return std::nullopt;
        return case_.folder / files[index];
    }

    void read_outputs() {
        const auto names = root_.list("ofm_name");
        const auto files = root_.list("ofm_file");
        if (names.size() != files.size()) root_.fail("ofm_file", "ofm_name has another length");
        for (std::size_t i = 0; i < names.size(); ++i) {
            TestOutput output;
            output.name = names[i];
            output.output_file = files[i];
            if (case_.is_model) {
                output.rule = read_model_rule(root_, i);
            } else {
                read_rule(output);
            }
            const bool is_real = !output.type || graph::is_floating_point(*output.type);
            const bool wants_precise =
                is_real || std::holds_alternative<RescaleInexactRule>(output.rule);
            auto reference = wants_precise ? oracle_file("precise_file", i) : std::nullopt;
            if (!reference) reference = oracle_file("expected_file", i);
            if (!reference) root_.fail("oracle.expected_file", "no reference for " + names[i]);
            output.reference = *reference;
            output.bounds = oracle_file("bounds_file", i);
            case_.outputs.push_back(std::move(output));
        }
    }

    void read_rule(TestOutput& output) {
        if (tolerance_) output.rule = *tolerance_;
        if (!root_.has("meta") || !root_.child("meta").has("compliance")) return;
        const Node tensors = root_.child("meta").child("compliance").child("tensors");
        if (!tensors.has(output.name)) return;
        const Node tensor = tensors.child(output.name);
        output.rule = parse_rule(tensor);
        parse_type(tensor, output);
        output.shape = tensor.get_optional<graph::Shape>("shape");
        // Only sums and products need the inputs, whose files may be large.
        JudgedTensor judged{case_.op, *output.type, std::nullopt};
        if (std::holds_alternative<ReduceProductRule>(output.rule) ||
            std::holds_alternative<DotProductRule>(output.rule)) {
            add_input_sizes(case_.inputs, judged);
        }
        if (const auto excess = excessive_tolerance(output.rule, judged)) {
            tensor.fail(excess->key, excess->text);
        }
    }

    void read_variables() {
        const auto names = root_.list("variable_name");
        const auto files = root_.list("variable_file");
        if (names.size() != files.size()) {
            root_.fail("variable_file", "variable_name has another length");
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto expected = oracle_file("variable_expected_file", i);
            if (!expected) {
                root_.fail("oracle.variable_expected_file", "no reference for " + names[i]);
            }
            TestOutput variable;
            variable.name = names[i];
            variable.output_file = files[i];
            variable.reference = *expected;
            // The reference is rounded to the type, which adds half a step to the error. The
            // output's own rule allows at most half a step for single operators.
            variable.rule = tolerance_ ? Rule(*tolerance_) : Rule(UlpRule{1.0, std::nullopt});
            case_.variables.push_back(std::move(variable));
        }
    }

    /// Checks that outputs have separate files that are no files of the test. Outputs are then
    /// written only where the user says.
    void require_own_files() const {
        std::set<std::filesystem::path> taken;
        const auto take = [&taken](const std::filesystem::path& file) {
            return taken.insert(file.lexically_normal()).second;
        };
        take(case_.folder / kDescription);
        take(case_.folder / kRejectedFile);
        take(case_.graph);
        for (const TestInput& input : case_.inputs) take(input.file);
        for (const auto* outputs : {&case_.outputs, &case_.variables}) {
            for (const TestOutput& output : *outputs) {
                take(output.reference);
                if (output.bounds) take(*output.bounds);
            }
            // Includes files that no rule uses, such as a second reference.
            for (std::size_t i = 0; i < outputs->size(); ++i) {
                if (const auto expected = oracle_file("expected_file", i)) take(*expected);
            }
        }
        for (const std::filesystem::path& file : taken) note_read_file(file);
        for (const auto* outputs : {&case_.outputs, &case_.variables}) {
            const char* key = outputs == &case_.outputs ? "ofm_file" : "variable_file";
            for (const TestOutput& output : *outputs) {
                const std::string& name = output.output_file;
                if (name.empty() || name == "." || name == ".." ||
                    name.find_first_of(std::string("/\0", 2)) != std::string::npos) {
                    root_.fail(key, "\"" + name + "\" is no plain file name");
                }
                if (!take(case_.folder / name)) {
                    root_.fail(key, "\"" + name + "\" is the name of another file of the test");
                }
            }
        }
    }

    TestCase case_;
    const Node& root_;
    std::optional<ToleranceRule> tolerance_;
};

}  // namespace

TestCase load_test_case(const std::filesystem::path& folder) {
    return std::move(load_test_cases(folder).front());
}

std::vector<TestCase> load_test_cases(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / kDescription;
    if (!onnx_data_sets(folder).empty()) return load_onnx_cases(folder);
    const Json json = Json::parse(read_json_text(file, "a test folder has a desc.json"), nullptr,
                                  /*allow_exceptions=*/false);
    if (json.is_discarded() || !json.is_object()) {
        throw ConfigError(file.string(), "is not a JSON object");
    }
    const Node root(json, file.string() + ": ");
    CaseReader reader(folder, root);
    if (root.has("xmodel")) return reader.read_operator();
    return {root.has("program") ? reader.read_program() : reader.read()};
}

std::size_t count_test_cases(const std::filesystem::path& folder) {
    const std::size_t sets = onnx_data_sets(folder).size();
    if (sets > 0) return sets;
    try {
        return load_test_cases(folder).size();
    } catch (const ConfigError&) {
        return 1;
    }
}

std::vector<std::filesystem::path> find_test_cases(const std::filesystem::path& root) {
    if (!std::filesystem::is_directory(root)) {
        throw ConfigError(root.string(), "is not a folder; give the root of the test vectors");
    }
    graph::FolderTree tree = graph::walk_folders(root);
    std::vector<std::filesystem::path> folders = std::move(tree.unreadable);
    for (std::filesystem::path& folder : tree.folders) {
        std::error_code unreadable;  // reading it reports the error
        if (std::filesystem::exists(folder / kDescription, unreadable) || unreadable ||
            !onnx_data_sets(folder).empty()) {
            folders.push_back(std::move(folder));
        }
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

std::vector<std::filesystem::path> find_lost_tests(const std::filesystem::path& root) {
    namespace fs = std::filesystem;
    std::vector<fs::path> lost;
    for (const fs::path& folder : graph::walk_folders(root).folders) {
        std::error_code error;
        if (fs::exists(folder / kDescription, error) || error) continue;
        if (!onnx_data_sets(folder).empty()) continue;
        const auto is_graph = [](const fs::directory_entry& entry) {
            const fs::path ending = entry.path().extension();
            return ending == ".tosa" || ending == ".xmodel" || ending == ".onnx" ||
                   ending == ".tflite";
        };
        if (std::ranges::any_of(fs::directory_iterator(folder, error), is_graph)) {
            lost.push_back(folder);
        }
    }
    std::ranges::sort(lost);
    return lost;
}

void note_tests(const std::filesystem::path& root) {
    if (!std::filesystem::is_directory(root)) return;
    for (const std::filesystem::path& folder : find_test_cases(root)) {
        note_read_file(folder / kDescription);
        try {
            (void)load_test_cases(folder);
        } catch (const ConfigError&) {
            // The error is reported when the test is judged.
        }
    }
}

}  // namespace okksim::sim::check
