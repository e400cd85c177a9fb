// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/malformed_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "isa/base/input_file.h"
#include "isa/base/json_problem.h"
#include "isa/base/output_file.h"
#include "isa/base/stop_request.h"
#include "sim/check/check_tree.h"
#include "sim/execution/case_filter.h"
#include "sim/graph/folder.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/mlir/mlir_problem.h"
#include "sim/graph/validate/validate.h"

namespace okksim::sim::execution {
namespace {

struct Place {
    std::size_t line = 0;
    std::size_t column = 0;
};

std::vector<Place> expected_places(const nlohmann::json& entry) {
    std::vector<Place> places{{entry.at("line"), entry.at("column")}};
    const auto other = entry.find("mlir_opt_22");
    if (other != entry.end() && other->is_object()) {
        places.push_back({other->at("line"), other->at("column")});
    }
    return places;
}

bool matches(const Place& problem, const std::vector<Place>& places) {
    const auto by_column = [](const Place& a, const Place& b) { return a.column < b.column; };
    const auto [least, most] = std::minmax_element(places.begin(), places.end(), by_column);
    const bool is_line = std::any_of(places.begin(), places.end(), [&](const Place& place) {
        return place.line == problem.line;
    });
    return is_line && problem.column + 1 >= least->column && problem.column <= most->column + 1;
}

/// True if the path stays below the folder of the list, and therefore below that of the outputs.
bool stays_below(const std::filesystem::path& path) {
    const std::filesystem::path normal = path.lexically_normal();
    return !normal.empty() && normal.is_relative() && *normal.begin() != "..";
}

/// Returns line and column in "operator 3 ABS (FILE:LINE:COLUMN)". Faults have this form because
/// rules of the specification are checked after the text has been read.
std::optional<Place> place_of(const ProgramFault& fault, const std::string& file) {
    const std::string& where = fault.record().function;
    const std::size_t at = where.find("(" + file + ":");
    if (at == std::string::npos) return std::nullopt;
    Place place;
    const char* text = where.c_str() + at + file.size() + 2;
    char* behind = nullptr;
    place.line = std::strtoull(text, &behind, 10);
    if (*behind == ':') place.column = std::strtoull(behind + 1, nullptr, 10);
    return place;
}

void judge_place(const nlohmann::json& entry, const std::optional<Place>& place, const char* why,
                 CaseResult& result) {
    const std::vector<Place> places = expected_places(entry);
    result.detail = why;
    if (!place) {
        result.detail = std::string("refused without a position: ") + why;
    } else if (matches(*place, places)) {
        result.status = CaseStatus::kPassed;
    } else {
        result.detail =
            fmt::format("the first problem is at {}:{}, expected {}:{}; {}", place->line,
                        place->column, places[0].line, places[0].column, why);
    }
}

CaseResult judge(const nlohmann::json& entry, const ConformanceOptions& options) {
    CaseResult result;
    result.path = entry.at("program");
    result.op = "TEXT";
    result.is_negative = true;
    const std::filesystem::path file = options.tree / result.path;
    try {
        graph::validate_graph(graph::load_graph(file));
        result.detail = "accepted, but must be refused: " + entry.value("rule", "");
        return result;
    } catch (const graph::GraphTextError& error) {
        const graph::TextProblem& first = error.problems().front();
        judge_place(entry, Place{first.line, first.column}, error.what(), result);
    } catch (const ProgramFault& fault) {
        judge_place(entry, place_of(fault, file.string()), fault.what(), result);
    } catch (const ConfigError& error) {
        judge_place(entry, std::nullopt, error.what(), result);
    }
    if (options.out) {
        graph::make_folder(*options.out / result.path);
        write_file((*options.out / result.path / check::kRejectedFile).string(),
                   result.detail + "\n");
    }
    return result;
}

}  // namespace

std::vector<CaseResult> run_malformed(const ConformanceOptions& options) {
    const std::filesystem::path file = options.tree / kMalformedList;
    const auto list =
        nlohmann::json::parse(read_json_text(file, "it lists texts that must be refused"), nullptr,
                              /*allow_exceptions=*/false);
    if (!list.is_array()) throw ConfigError(file.string(), "is not a JSON array");
    const CaseFilter filter(options.filter);
    std::vector<CaseResult> results;
    for (const nlohmann::json& entry : list) {
        if (!entry.is_object() || !entry.contains("program") || !entry["program"].is_string()) {
            throw ConfigError(file.string(), "has an entry without \"program\"");
        }
        const std::string program = entry["program"];
        if (!stays_below(program)) {
            throw ConfigError(file.string(), "\"" + program + "\" leaves the folder");
        }
        if (!filter.selects(program) || StopRequest::signal() != 0) continue;
        try {
            results.push_back(judge(entry, options));
        } catch (const nlohmann::json::exception& error) {
            throw ConfigError(file.string(), program + ": " + json_problem(error));
        }
    }
    return results;
}

}  // namespace okksim::sim::execution
