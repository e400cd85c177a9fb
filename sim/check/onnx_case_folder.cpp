// SPDX-License-Identifier: Apache-2.0
#include "sim/check/onnx_case_folder.h"

#include <algorithm>
#include <memory>

#include "isa/base/temporary_folder.h"
#include "sim/graph/onnx/onnx_case.h"

namespace okksim::sim::check {
namespace {

namespace fs = std::filesystem;
using graph::onnx::CaseEnd;
using graph::onnx::CaseModel;

constexpr const char* kDataSet = "test_data_set_";

/// Returns the only model of a folder; an empty path if there is none or a choice.
fs::path only_model(const fs::path& folder) {
    std::error_code error;  // unreadable: no model
    if (fs::exists(folder / "model.onnx", error)) return folder / "model.onnx";
    std::vector<fs::path> models;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".onnx") models.push_back(entry.path());
    }
    return models.size() == 1 ? models[0] : fs::path();
}

/// Returns the limits of a difference. Integers and conditions are equal.
DifferenceRule onnx_rule(const std::string& descr) {
    constexpr double kRelative = 1e-3, kAbsolute = 1e-7;  // onnx.backend.test.runner
    const bool is_real = descr[1] == 'f' || descr[1] == 'V';
    return is_real ? DifferenceRule{kRelative, kAbsolute} : DifferenceRule{};
}

TestCase load_data_set(const fs::path& folder, const fs::path& data, const CaseModel& model) {
    TestCase test;
    test.folder = folder;
    test.graph = only_model(folder);
    test.op = model.op;
    test.is_model = true;
    test.lists_refusals = true;
    const auto values = std::make_shared<const TemporaryFolder>();
    test.values = values;
    const auto value = [&](const char* kind, std::size_t index, const CaseEnd& end) {
        const std::string name = kind + std::to_string(index);
        const fs::path npy = values->path() / (name + ".npy");
        const bool exists = fs::exists(data / (name + ".pb"));
        return std::pair(npy, exists
                                  ? graph::onnx::write_case_value(data / (name + ".pb"), end, npy)
                                  : std::string());
    };
    for (std::size_t i = 0; i < model.inputs.size(); ++i) {
        const auto [file, descr] = value("input_", i, model.inputs[i]);
        if (!descr.empty()) test.inputs.push_back({model.inputs[i].name, file});
    }
    for (std::size_t i = 0; i < model.outputs.size(); ++i) {
        const auto [file, descr] = value("output_", i, model.outputs[i]);
        if (descr.empty()) continue;
        TestOutput output;
        output.name = model.outputs[i].name;
        output.output_file = file.filename().string();
        output.reference = file;
        output.rule = onnx_rule(descr);
        test.outputs.push_back(std::move(output));
    }
    return test;
}

}  // namespace

std::vector<fs::path> onnx_data_sets(const fs::path& folder) {
    std::vector<fs::path> sets;
    std::error_code error;
    if (fs::exists(folder / kDescription, error) || error) return sets;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().filename().string().starts_with(kDataSet) && entry.is_directory(error)) {
            sets.push_back(entry.path());
        }
    }
    if (!sets.empty() && only_model(folder).empty()) return {};
    std::ranges::sort(sets);
    return sets;
}

std::vector<TestCase> load_onnx_cases(const fs::path& folder) {
    const CaseModel model = graph::onnx::read_case_model(only_model(folder));
    std::vector<TestCase> tests;
    for (const fs::path& data : onnx_data_sets(folder)) {
        tests.push_back(load_data_set(folder, data, model));
        if (tests.size() > 1) tests.back().part = data.filename().string();
    }
    return tests;
}

}  // namespace okksim::sim::check
