// SPDX-License-Identifier: Apache-2.0
#include "sim/check/check_tree.h"

#include <algorithm>
#include <set>

#include "isa/base/errors.h"
#include "isa/base/stop_request.h"
#include "sim/check/array_compare.h"
#include "sim/graph/folder.h"

namespace okksim::sim::check {

namespace {

namespace fs = std::filesystem;

std::string relative_text(const fs::path& path, const fs::path& root) {
    return path.lexically_relative(root).generic_string();
}

void require_folder(const fs::path& path) {
    if (!fs::is_directory(path)) {
        throw ConfigError(path.string(), "is not a folder; give the root of a tree of .npy files");
    }
}

FileVerdict missing(const std::string& name) {
    return {name, false, "failed: the file is missing"};
}

/// Runs a check. An unreadable file fails, but does not end the comparison.
template <typename Check>
FileVerdict verdict_of(const std::string& name, Check&& check) {
    try {
        const CheckResult result = check();
        return {name, result.passed, result.text()};
    } catch (const ConfigError& error) {
        return {name, false, std::string("failed: ") + error.what()};
    }
}

void check_test_outputs(const std::vector<TestOutput>& outputs, const fs::path& folder,
                        const std::string& prefix, TreeVerdict& verdict) {
    for (const TestOutput& output : outputs) {
        const fs::path file = folder / output.output_file;
        const std::string name = prefix + output.output_file;
        verdict.files.push_back(
            fs::exists(file) ? verdict_of(name, [&] { return check_output_file(output, file); })
                             : missing(name));
    }
}

/// Passes a graph that should be refused, but may run. No rule judges its outputs.
void accept_outputs(const fs::path& out_folder, const std::string& prefix, TreeVerdict& verdict) {
    constexpr const char* kVerdict = "passed: the graph may run";
    verdict.files.push_back({prefix + kRejectedFile, true, kVerdict});
    for (const auto& entry : fs::directory_iterator(out_folder)) {
        if (entry.path().extension() != ".npy") continue;
        verdict.files.push_back({prefix + entry.path().filename().string(), true, kVerdict});
    }
}

void check_test(const TestCase& test, const fs::path& out_folder, const std::string& prefix,
                TreeVerdict& verdict) {
    if (!has_model_file(test.graph, test.origin) && !fs::exists(out_folder))
        return;  // the test did not run
    if (fs::exists(out_folder / kCrashedFile)) {
        verdict.files.push_back({prefix + kCrashedFile, false, "failed: the program crashed"});
        return;
    }
    const bool is_rejected = fs::exists(out_folder / kRejectedFile);
    if (test.expects_rejection) {
        if (!is_rejected && test.may_run && fs::exists(out_folder)) {
            return accept_outputs(out_folder, prefix, verdict);
        }
        verdict.files.push_back(
            {prefix + kRejectedFile, is_rejected,
             is_rejected ? "passed: the graph was refused"
                         : "failed: the graph must be refused: " + test.rejection_reason});
        return;
    }
    if (is_rejected) {
        verdict.files.push_back({prefix + kRejectedFile, test.may_refuse,
                                 test.may_refuse ? "passed: the graph may be refused"
                                                 : "failed: a legal graph was refused"});
        return;
    }
    check_test_outputs(test.outputs, out_folder, prefix, verdict);
    check_test_outputs(test.variables, out_folder, prefix, verdict);
}

void check_test_folder(const fs::path& out, const fs::path& expected, const fs::path& folder,
                       TreeVerdict& verdict) {
    const std::string relative = relative_text(folder, expected);
    const std::string prefix = relative == "." ? "" : relative + "/";
    try {
        for (const TestCase& test : load_test_cases(folder)) {
            const std::string part = test.part.empty() ? "" : test.part + "/";
            check_test(test, out / relative / test.part, prefix + part, verdict);
        }
    } catch (const ConfigError& error) {
        verdict.files.push_back({prefix + "desc.json", false, error.what()});
    }
}

/// Returns the .npy files outside of test folders.
std::vector<fs::path> plain_arrays(const fs::path& root,
                                   const std::vector<fs::path>& test_folders) {
    std::vector<fs::path> files;
    for (const fs::path& folder : graph::walk_folders(root).folders) {
        if (std::binary_search(test_folders.begin(), test_folders.end(), folder)) continue;
        for (const auto& entry : fs::directory_iterator(folder)) {
            std::error_code unreadable;  // reading it reports the reason
            const bool is_file = entry.is_regular_file(unreadable) || unreadable;
            if (is_file && entry.path().extension() == ".npy") files.push_back(entry.path());
        }
    }
    return files;
}

/// Adds failures for unexpected arrays of `out`. An array with the name of a file of `expected`,
/// such as a test's input, is not unexpected.
void add_unexpected(const fs::path& out, const fs::path& expected, TreeVerdict& verdict) {
    std::set<std::string> judged;
    for (const FileVerdict& file : verdict.files) judged.insert(file.path);
    for (const fs::path& path : plain_arrays(out, {})) {
        if (StopRequest::signal() != 0) return;
        const std::string name = relative_text(path, out);
        if (judged.contains(name) || fs::exists(expected / name)) continue;
        verdict.files.push_back({name, false, "failed: no such output is expected"});
    }
}

/// The compliance data describes another tensor than the one that is judged.
CheckResult contradiction(const std::string& key, const std::string& stated,
                          const std::string& actual, const TestOutput& output) {
    CheckResult result;
    result.rule = rule_text(output.rule);
    result.problem = "meta.compliance.tensors." + output.name + "." + key + " is " + stated +
                     ", but the tensor has " + actual + "; correct desc.json";
    return result;
}

CheckResult check_plain(const fs::path& got, const fs::path& wanted, const Rule& rule) {
    const graph::NpyArray reference = graph::read_npy(wanted);
    const graph::NpyArray array = graph::read_npy(got);
    const graph::DType type = type_of_array(reference, wanted.string());
    return compare(
        graph::to_host_tensor(array, type, got.string(), false, graph::words_of(reference.descr)),
        reference, nullptr, rule);
}

}  // namespace

std::size_t TreeVerdict::failures() const {
    return static_cast<std::size_t>(std::count_if(
        files.begin(), files.end(), [](const FileVerdict& file) { return !file.passed; }));
}

graph::DType type_of_array(const graph::NpyArray& array, const std::string& name) {
    using graph::DType;
    const std::pair<const char*, DType> types[] = {
        {"|b1", DType::kBool},    {"|i1", DType::kI8},     {"<i2", DType::kI16},
        {"<i4", DType::kI32},     {"<i8", DType::kI48},    {"<f4", DType::kFp32},
        {"<f2", DType::kFp16},    {"<f8", DType::kI48},    {"<u8", DType::kI48},
        {"<V2", DType::kBf16},    {"|V2", DType::kBf16},   {"<V1", DType::kFp8E4M3},
        {"|V1", DType::kFp8E4M3}, {"|u1", DType::kFp8E5M2}};
    for (const auto& [descr, type] : types) {
        if (array.descr == descr) return type;
    }
    throw ConfigError(name, "no tensor has elements " + array.descr);
}

CheckResult check_output(const TestOutput& output, const graph::HostTensor& got) {
    const graph::NpyArray reference = graph::read_npy(output.reference);
    if (output.shape && *output.shape != reference.shape) {
        return contradiction("shape", graph::shape_text(*output.shape),
                             "shape " + graph::shape_text(reference.shape), output);
    }
    if (output.type && *output.type != got.type) {
        return contradiction("data_type", std::string(graph::dtype_name(*output.type)),
                             "type " + std::string(graph::dtype_name(got.type)), output);
    }
    if (output.type && output.is_unsigned != got.is_unsigned) {
        const auto text = [](bool is_unsigned) { return is_unsigned ? "unsigned" : "signed"; };
        return contradiction("data_type", text(output.is_unsigned),
                             std::string(text(got.is_unsigned)) + " elements", output);
    }
    if (!output.bounds) return compare(got, reference, nullptr, output.rule);
    const graph::NpyArray bounds = graph::read_npy(*output.bounds);
    return compare(got, reference, &bounds, output.rule);
}

CheckResult check_output_file(const TestOutput& output, const fs::path& file) {
    const graph::NpyArray array = graph::read_npy(file);
    if (const auto* difference = std::get_if<DifferenceRule>(&output.rule)) {
        return compare_arrays(array, graph::read_npy(output.reference), *difference);
    }
    const graph::DType type = output.type ? *output.type : type_of_array(array, file.string());
    return check_output(output,
                        graph::to_host_tensor(array, type, file.string(), output.is_unsigned));
}

FileVerdict check_files(const fs::path& out, const fs::path& expected, const Rule& plain_rule) {
    return verdict_of(out.string(), [&] { return check_plain(out, expected, plain_rule); });
}

TreeVerdict check_trees(const fs::path& out, const fs::path& expected, const Rule& plain_rule) {
    require_folder(out);
    require_folder(expected);
    TreeVerdict verdict;
    const std::vector<fs::path> test_folders = find_test_cases(expected);
    for (const fs::path& folder : test_folders) {
        if (StopRequest::signal() != 0) break;
        check_test_folder(out, expected, folder, verdict);
    }
    for (const fs::path& path : plain_arrays(expected, test_folders)) {
        if (StopRequest::signal() != 0) break;
        const std::string name = relative_text(path, expected);
        const fs::path got = out / name;
        verdict.files.push_back(
            fs::exists(got) ? verdict_of(name, [&] { return check_plain(got, path, plain_rule); })
                            : missing(name));
    }
    add_unexpected(out, expected, verdict);
    std::sort(verdict.files.begin(), verdict.files.end(),
              [](const FileVerdict& a, const FileVerdict& b) { return a.path < b.path; });
    return verdict;
}

}  // namespace okksim::sim::check
