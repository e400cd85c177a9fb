// SPDX-License-Identifier: Apache-2.0
#include "sim/golden/golden_run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "firmware/calls/call_by_name.h"
#include "firmware/calls/context.h"
#include "firmware/okk.h"
#include "isa/base/closest_word.h"
#include "isa/base/errors.h"
#include "isa/base/stop_request.h"
#include "models/chip/functional_port.h"
#include "sim/golden/okk_call_values.h"
#include "sim/golden/whole_number.h"

namespace okksim::sim::golden {
namespace {

constexpr const char* kDerived = "derived";
constexpr const char* kDocumentConflict = "doc_conflict";

using Functions = std::map<std::string, OkkFunction>;

/// Returns the reason to skip a case, or no value.
std::optional<std::string> skip_reason(const OkkCase& golden, bool sdk_quirks) {
    for (const std::string& tag : golden.tags) {
        if (tag == kDerived) continue;
        if (tag == kDocumentConflict) {
            if (sdk_quirks) continue;
            return "the vendor's kit contradicts the API reference here; --sdk-quirks runs it";
        }
        return "tagged " + tag;
    }
    return std::nullopt;
}

std::optional<std::string> check_result(const OkkCase& golden, const OkkCall& call,
                                        const firmware::CallResult& result) {
    if (golden.out && result.stride != golden.out) return call.function + " wrote other strides";
    if (call.returns.is_null()) return std::nullopt;
    const std::int64_t expected = call.returns.is_boolean()
                                      ? static_cast<std::int64_t>(call.returns.get<bool>())
                                      : whole_number<std::int64_t>(call.returns, "\"returns\"");
    if (result.returned == expected) return std::nullopt;
    return call.function + " returned " +
           (result.returned ? std::to_string(*result.returned) : "nothing") + ", expected " +
           std::to_string(expected);
}

/// True if a run of the case compares something: the result of a call, or a byte of a destination.
bool judges_something(const OkkFunction& function, const OkkCase& golden) {
    const bool returns = std::ranges::any_of(
        golden.calls, [](const OkkCall& call) { return !call.returns.is_null(); });
    if (returns || golden.out) return true;
    return std::ranges::any_of(golden.after, [&](const OkkRegion& region) {
        const auto bytes = static_cast<std::size_t>(region.lanes * region.bytes);
        if (!region.has_role("dst")) return false;
        if (!region.mask_offset) return bytes > 0;
        const auto mask = std::span(function.blob).subspan(*region.mask_offset, bytes);
        return std::ranges::any_of(mask, [](std::byte open) { return open != std::byte{1}; });
    });
}

/// Runs one case and returns its failure, if any.
std::optional<std::string> run_case(models::FunctionalPort& port, const OkkFunction& function,
                                    const Functions& functions, const OkkCase& golden,
                                    bool sdk_quirks) {
    firmware::ContextOptions options;
    options.sdk_quirks = sdk_quirks && !golden.has_tag(kDerived);
    firmware::Context context(port, options);
    const firmware::Context::Binding binding(context);
    okk_initialize();
    OkkMemoryCheck memory(port.local_memory(), &port.system_memory(), port.machine());
    memory.load(function, golden);
    for (const OkkCall& call : golden.calls) {
        const auto callee = functions.find(call.function);
        if (callee == functions.end()) return "calls " + call.function + ", which does not exist";
        const auto result = firmware::call_function(
            call.function, okk_call_values(callee->second, call.arguments, port.machine()));
        if (auto wrong = check_result(golden, call, result)) return wrong;
    }
    okk_poll();
    return memory.compare(function, golden);
}

GoldenResult not_run(const OkkCase& golden) {
    return {golden.id, GoldenStatus::kSkipped, "not run: the run was interrupted"};
}

GoldenResult judge_case(models::FunctionalPort& port, const OkkFunction& function,
                        const Functions& functions, const OkkCase& golden, bool sdk_quirks) {
    if (const auto reason = skip_reason(golden, sdk_quirks)) {
        return {golden.id, GoldenStatus::kSkipped, *reason};
    }
    std::optional<std::string> wrong;
    try {
        wrong = run_case(port, function, functions, golden, sdk_quirks);
    } catch (const std::exception& error) {
        wrong = error.what();
    }
    if (wrong && StopRequest::signal() != 0) return not_run(golden);
    if (!wrong && !judges_something(function, golden)) {
        return {golden.id, GoldenStatus::kSkipped,
                "ran without a fault, but compares nothing: the case has no \"returns\", no "
                "\"out\" and no byte of a region with the role dst"};
    }
    if (!wrong) return {golden.id, GoldenStatus::kPassed, {}};
    return {golden.id, GoldenStatus::kFailed, *wrong + " (" + golden.description + ")"};
}

/// Returns files of the folder that look like vectors but do not run. They belong to functions that
/// the API does not have, or are bytes without a description.
std::vector<GoldenResult> unknown_files(const std::filesystem::path& folder) {
    const std::vector<std::string> known = firmware::documented_functions();
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        files.insert(entry.path());
    }
    std::vector<GoldenResult> results;
    for (const std::filesystem::path& file : files) {
        const std::string name = file.stem().string();
        const bool is_known = std::ranges::find(known, name) != known.end();
        if (file.extension() == ".json" && !is_known) {
            results.push_back({file.filename().string(), GoldenStatus::kSkipped,
                               "the okk API has no such function" + did_you_mean(name, known)});
        } else if (file.extension() == ".bin" && !files.contains(folder / (name + ".json"))) {
            results.push_back({file.filename().string(), GoldenStatus::kSkipped,
                               "bytes without " + name + ".json, which describes them"});
        }
    }
    return results;
}

Functions load_functions(const GoldenOptions& options) {
    Functions functions;
    for (const std::string& name : firmware::documented_functions()) {
        if (std::filesystem::exists(options.dir / (name + ".json"))) {
            functions.emplace(name, load_okk_function(options.dir, name));
        }
    }
    if (functions.empty()) {
        throw ConfigError(
            options.dir.string(),
            "holds no <function>.json of the okk API; give the folder of the vectors");
    }
    if (!options.function.empty() && !functions.contains(options.function)) {
        std::vector<std::string> names;
        for (const auto& [name, function] : functions) names.push_back(name);
        throw ConfigError("--function " + options.function,
                          "has no vectors in this folder" + did_you_mean(options.function, names));
    }
    return functions;
}

}  // namespace

std::vector<GoldenResult> run_golden(
    const GoldenOptions& options, const std::function<void(std::size_t, std::size_t)>& progress) {
    const isa::MachineShape wanted = okk_machine_shape();
    if (options.machine.lanes != wanted.lanes ||
        options.machine.local_bytes != wanted.local_bytes) {
        throw ConfigError(
            "--machine",
            "the vectors were made on " + std::to_string(wanted.lanes) + " lanes of " +
                std::to_string(wanted.local_bytes) +
                " bytes; use a machine with these chip.lanes and chip.local_memory_bytes");
    }
    const Functions functions = load_functions(options);
    models::FunctionalPort port(wanted);
    std::vector<GoldenResult> results;
    if (options.function.empty()) results = unknown_files(options.dir);
    std::size_t done = 0;
    for (const auto& [name, function] : functions) {
        progress(done++, functions.size());
        if (!options.function.empty() && name != options.function) continue;
        for (const OkkCase& golden : function.cases) {
            if (StopRequest::signal() != 0) {
                results.push_back(not_run(golden));
                continue;
            }
            results.push_back(judge_case(port, function, functions, golden, options.sdk_quirks));
        }
    }
    return results;
}

}  // namespace okksim::sim::golden
