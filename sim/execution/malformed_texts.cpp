// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/malformed_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "isa/errors.h"
#include "isa/fault.h"
#include "isa/output_file.h"
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

bool matches(const graph::TextProblem& problem, const std::vector<Place>& places) {
    const auto by_column = [](const Place& a, const Place& b) { return a.column < b.column; };
    const auto [least, most] = std::minmax_element(places.begin(), places.end(), by_column);
    const bool is_line = std::any_of(places.begin(), places.end(), [&](const Place& place) {
        return place.line == problem.line;
    });
    return is_line && problem.column + 1 >= least->column && problem.column <= most->column + 1;
}

/// Whether a path of the list names something below the folder of the list, and of the outputs.
bool stays_below(const std::filesystem::path& path) {
    const std::filesystem::path normal = path.lexically_normal();
    return !normal.empty() && normal.is_relative() && *normal.begin() != "..";
}

CaseResult judge(const nlohmann::json& entry, const ConformanceOptions& options) {
    CaseResult result;
    result.path = entry.at("program");
    result.op = "TEXT";
    result.is_negative = true;
    try {
        graph::validate_graph(graph::load_graph(options.tree / result.path));
        result.detail = "accepted, but must be refused: " + entry.value("rule", "");
        return result;
    } catch (const graph::GraphTextError& error) {
        const std::vector<Place> places = expected_places(entry);
        const graph::TextProblem& first = error.problems().front();
        result.detail = error.what();
        if (matches(first, places)) {
            result.status = CaseStatus::kPassed;
        } else {
            result.detail =
                fmt::format("the first problem is at {}:{}, expected {}:{}; {}", first.line,
                            first.column, places[0].line, places[0].column, error.what());
        }
    } catch (const ProgramFault& fault) {
        result.detail = std::string("refused without a place: ") + fault.what();
    } catch (const ConfigError& error) {
        result.detail = std::string("refused without a place: ") + error.what();
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
    std::ifstream stream(file);
    const auto list = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
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
        if (!filter.selects(program)) continue;
        try {
            results.push_back(judge(entry, options));
        } catch (const nlohmann::json::exception& error) {
            throw ConfigError(file.string(), program + ": " + error.what());
        }
    }
    return results;
}

}  // namespace okksim::sim::execution
