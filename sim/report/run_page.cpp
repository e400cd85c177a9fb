// SPDX-License-Identifier: Apache-2.0
#include "sim/report/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/chip/chip_params.h"
#include "sim/report/embedded_file.h"
#include "sim/report/html_page.h"
#include "sim/report/run_report.h"
#include "sim/trace/energy_report.h"

OKKSIM_EMBED(okksim_run_page, OKKSIM_RUN_PAGE_FILE)

namespace okksim::sim::report {
namespace {

using Json = nlohmann::ordered_json;

/// Maximum number of intervals in a plot; the shortest ones are left out to limit the page's size.
constexpr std::size_t kMostBars = 40000;
/// Commands of an operator form one interval if the gap between them is at most the run's time
/// divided by this.
constexpr std::int64_t kGapsOfRun = 20000;

std::int64_t nanoseconds(models::Picoseconds time, models::Picoseconds start) {
    return (time - start).value / 1000;
}

/// Returns the longest intervals in their order. Adds the number of omitted intervals to
/// `left_out`.
template <typename Bar>
std::vector<Bar> longest(std::vector<Bar> bars, std::size_t& left_out) {
    if (bars.size() <= kMostBars) return bars;
    std::vector<std::int64_t> lengths;
    for (const Bar& bar : bars) lengths.push_back((bar.end - bar.begin).value);
    std::nth_element(lengths.begin(), lengths.begin() + kMostBars, lengths.end(), std::greater<>());
    const std::int64_t least = lengths[kMostBars];
    const std::size_t before = bars.size();
    std::erase_if(bars, [&](const Bar& bar) { return (bar.end - bar.begin).value <= least; });
    left_out += before - bars.size();
    return bars;
}

void add_picture(Json& json, const execution::ExecutionReport& report,
                 const trace::RunPicture& picture, const models::MachineParams& machine) {
    const models::Picoseconds start = report.start;
    const models::Picoseconds gap{(report.end - start).value / kGapsOfRun};
    std::size_t left_out = 0;
    json["bars"] = Json::array();
    for (const trace::EngineBar& bar : longest(picture.engines(gap), left_out)) {
        json["bars"].push_back(
            {bar.engine, bar.owner, nanoseconds(bar.begin, start), nanoseconds(bar.end, start)});
    }
    json["local"] = Json::array();
    for (const trace::LocalBar& bar : longest(picture.local_memory(), left_out)) {
        json["local"].push_back({bar.low, bar.high, bar.owner, nanoseconds(bar.begin, start),
                                 nanoseconds(bar.end, start)});
    }
    json["local_bytes"] = machine.chip->local_memory_bytes;
    json["left_out"] =
        left_out == 0 ? "" : fmt::format("the {} shortest intervals are not shown", left_out);
}

Json causes_of(const Json& engines) {
    Json causes = Json::object();
    for (const auto& [name, engine] : engines.items()) causes[name] = engine["us_by_cause"];
    return causes;
}

Json operator_data(const Json& record, const trace::EngineList& engines) {
    const Json& roofline = record["roofline"];
    Json busy = Json::object();
    for (const trace::ListedEngine& engine : engines) {
        const auto found = record.find(trace::column_name(engine.name + " busy us"));
        if (found != record.end()) busy[engine.name] = *found;
    }
    return {{"operator", record["operator"]},
            {"output", record["output"]},
            {"origin", record["origin"]},
            {"us", record["us"]},
            {"busy", busy},
            {"bytes_moved", record["bytes_moved"]},
            {"percent", roofline["percent_of_roof"]},
            {"bound", roofline["bound"]},
            {"operations_per_byte", roofline["operations_per_byte"]},
            {"per_second", roofline["achieved_operations_per_second"]},
            {"roof_per_second", roofline["roof_operations_per_second"]},
            {"joules", record["energy"].value("joules", Json(nullptr))},
            {"lost", record["most_time_lost"]},
            {"causes", causes_of(record["engines"])}};
}

/// Returns the name of the network: of the folder for a file like net/model.tosa, and of the file
/// otherwise.
std::string network_name(const std::filesystem::path& model) {
    const std::filesystem::path folder = model.parent_path().filename();
    return model.stem() == "model" && !folder.empty() ? folder.string() : model.stem().string();
}

/// Returns the numbers that a reader looks at first, as name, value and note.
Json cards_of(const Json& run, const execution::ModelRun& model_run,
              const models::MachineParams& machine) {
    const double us = run["simulated_us"].get<double>();
    Json cards = Json::array();
    const auto add = [&](const char* name, const std::string& value, const std::string& note) {
        cards.push_back({name, value, note});
    };
    const auto add_bound = [&](const char* name, double bound) {
        if (bound <= 0) return;
        add(name, fmt::format("{:.1f} us", bound), fmt::format("this run: {:.2f}x", us / bound));
    };
    add("simulated time", fmt::format("{:.1f} us", us),
        fmt::format("{:.1f} us with launch and sync",
                    run["account"]["simulated_us"].get<double>()));
    add_bound("best any plan could reach", run["reachable_bound"]["us"].get<double>());
    add_bound("ideal time", run["floor"]["us"].get<double>());
    const trace::Account& account = model_run.report.account;
    const auto energy = trace::energy_of(account, machine);
    const auto [joules, band] = trace::banded_text(energy.total_joules, "J");
    add("energy", joules,
        fmt::format("({}), on average {}", band, trace::in_unit(energy.watts(account.span), "W")));
    add("DRAM read, written",
        fmt::format("{:.1f}, {:.1f} MB", run["roofline"]["dram_bytes_read"].get<double>() / 1e6,
                    run["roofline"]["dram_bytes_written"].get<double>() / 1e6),
        "");
    return cards;
}

/// Returns the five steps with the largest losses, largest first.
Json steps_of(const Json& run) {
    constexpr std::size_t kShown = 5;
    std::vector<Json> steps;
    for (const Json& step : run["steps_beside_bounds"]) {
        steps.push_back({{"operator", step["operator"]},
                         {"output", step["output"]},
                         {"us", step["us"]},
                         {"bound_us", step["reachable_bound"]["us"]},
                         {"losses", step["most_time_lost"]}});
    }
    const auto lost = [](const Json& step) {
        return step["us"].get<double>() - step["bound_us"].get<double>();
    };
    std::ranges::stable_sort(steps, std::greater(), lost);
    steps.resize(std::min(steps.size(), kShown));
    return steps;
}

Json facts_of(const Json& run, const execution::ModelRun& model_run,
              const execution::ModelRunOptions& options) {
    Json facts = Json::array();
    const auto add = [&](const char* name, const std::string& text) {
        facts.push_back({name, text});
    };
    add("model", options.model.string());
    if (model_run.band) {
        add("silicon, if it ran these commands",
            fmt::format("{:.1f} to {:.1f} us with launch and sync ({:.0f} % confidence)",
                        model_run.band->low, model_run.band->high, options.ensemble->share * 100));
    }
    add("largest losses", run["floor"]["most_time_lost"].get<std::string>());
    if (model_run.report.fault) add("ended by", model_run.report.fault->message());
    for (const Finding& finding : model_run.report.findings) add("finding", finding.message);
    return facts;
}

}  // namespace

std::string run_page(const execution::ModelRun& run, const execution::ModelRunOptions& options,
                     const trace::RunPicture& picture) {
    const Json report = run_json(run, options);
    Json data{{"title", network_name(options.model)},
              {"machine", options.machine.label()},
              {"cards", cards_of(report, run, options.machine.params)},
              {"steps", steps_of(report)},
              {"facts", facts_of(report, run, options)},
              {"engines", Json::array()},
              {"causes", Json::array()},
              {"operators", Json::array()},
              {"energy", Json::array()}};
    for (const trace::ListedEngine& engine : picture.engine_list()) {
        data["engines"].push_back(engine.name);
        data["causes"].push_back(
            {{"engine", engine.name},
             {"us", report["account"]["engines"][engine.name]["us_by_cause"]}});
    }
    for (const Json& record : report["operators"]) {
        data["operators"].push_back(operator_data(record, picture.engine_list()));
    }
    for (const Json& part : report["energy"]["components"]) {
        data["energy"].push_back(
            {{"name", part["part"].get<std::string>() + ": " + part["name"].get<std::string>()},
             {"joules", part["joules"]},
             {"low", part["low"]},
             {"high", part["high"]}});
    }
    add_picture(data, run.report, picture, options.machine.params);
    return html_page(embedded(okksim_run_page, okksim_run_page_end), std::move(data),
                     options.machine);
}

}  // namespace okksim::sim::report
