// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/time_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "isa/base/input_file.h"
#include "isa/base/json_problem.h"
#include "isa/base/output_file.h"
#include "isa/base/printable.h"
#include "sim/study/gate/baseline_files.h"

namespace okksim::sim::gate {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::vector<std::pair<std::string, double>>& times) {
    Json json = Json::object();
    for (const auto& [name, us] : times) json[name] = us;
    return json;
}

std::vector<std::pair<std::string, double>> times_from(const Json& json) {
    std::vector<std::pair<std::string, double>> times;
    for (const auto& [name, us] : json.items()) times.emplace_back(name, us.get<double>());
    return times;
}

/// Reads the keys that only records of `okksim gate` have.
void add_work(TimeRecord& record, const Json& json) {
    if (json.contains("commands")) {
        record.totals = {json.at("commands"), json.at("dram_bytes"), json.at("energy_uj")};
    }
    if (!json.contains("lines")) return;
    for (const Json& line : json.at("lines")) {
        record.lines.push_back(
            {line.at("line"), line.at("text"), line.at("commands"), line.at("us")});
    }
}

TimeRecord record_from(const Json& json) {
    TimeRecord record;
    record.name = json.at("name");
    record.machine = json.at("machine");
    record.machine_hash = json.at("machine_hash");
    record.simulated_us = json.at("simulated_us");
    for (const Json& engine : json.at("engines")) {
        record.engines.push_back({engine.at("engine"), times_from(engine.at("us_by_cause")),
                                  times_from(engine.at("busy_us_by_class"))});
    }
    for (const Json& op : json.at("operators")) {
        record.operators.push_back({op.at("name"), op.at("us")});
    }
    for (const Json& output : json.at("outputs")) {
        record.outputs.push_back({output.at("name"), output.at("hash")});
    }
    add_work(record, json);
    return record;
}

/// Returns how to renew a damaged record.
const char* advice(const TimeRecord& record) {
    return record.totals ? "write the baseline again with `okksim gate FILE --write DIR`"
                         : "make the folder again with `okksim baseline -o DIR`";
}

double sum_of(const std::vector<std::pair<std::string, double>>& times) {
    double sum = 0;
    for (const auto& [name, us] : times) sum += us;
    return sum;
}

/// Checks the sums: every moment of an engine has one cause, and busy time has a kind of work.
/// Otherwise the causes cannot explain the time.
void check_sums(const TimeRecord& record, const std::string& file) {
    constexpr double kRounding = 1e-9;  // relative error of sums of a dozen doubles
    const auto check = [&](const std::string& what, double sum, double whole) {
        if (std::abs(sum - whole) <= kRounding * std::max(std::abs(whole), 1.0)) return;
        throw ConfigError(
            file, fmt::format("{} add up to {} us instead of {} us: a value was edited; {}", what,
                              sum, whole, advice(record)));
    };
    for (const EngineTime& engine : record.engines) {
        if (engine.by_cause.size() != trace::kCauses) {
            throw ConfigError(file, fmt::format("{} has {} causes of time instead of {}; {}",
                                                printable(engine.engine), engine.by_cause.size(),
                                                trace::kCauses, advice(record)));
        }
        check(engine.engine + "'s causes", sum_of(engine.by_cause), record.simulated_us);
        for (const auto& [cause, us] : engine.by_cause) {
            if (cause == "busy")
                check(engine.engine + "'s kinds of work", sum_of(engine.by_class), us);
        }
    }
}

/// Checks that the record is of the file's case.
void check_name(const TimeRecord& record, const std::filesystem::path& path) {
    if (path.filename().string() == record.name + kTimeEnd) return;
    throw ConfigError(path.string(), fmt::format("is the record of \"{}\"; a file has the "
                                                 "name of its case and {}",
                                                 printable(record.name), kTimeEnd));
}

/// Checks that the record has engines and results. Otherwise two such records would compare as
/// equal.
void check_contents(const TimeRecord& record, const std::string& file) {
    const bool has_hashes = std::ranges::none_of(
        record.outputs, [](const OutputHash& output) { return output.hash.empty(); });
    if ((record.outputs.empty() && !record.totals) || !has_hashes) {
        throw ConfigError(file, fmt::format("has no hash of the results; {}", advice(record)));
    }
    if (record.engines.empty()) {
        throw ConfigError(file, fmt::format("has no times of an engine; {}", advice(record)));
    }
}

/// Reads a record; `file` names it in messages.
TimeRecord read_record(const std::string& text, const std::string& file) {
    try {
        return record_from(Json::parse(text));
    } catch (const nlohmann::json::exception& error) {
        throw ConfigError(file,
                          "is not a time record of `okksim baseline`: " + json_problem(error));
    }
}

}  // namespace

std::vector<EngineTime> engine_times(const trace::Account& account) {
    std::vector<EngineTime> engines;
    for (const trace::EngineAccount& engine : account.engines) {
        EngineTime time;
        time.engine = engine.engine.name;
        for (std::size_t cause = 0; cause < trace::kCauses; ++cause) {
            time.by_cause.emplace_back(trace::cause_name(static_cast<trace::Cause>(cause)),
                                       engine.by_cause[cause].microseconds());
        }
        for (std::size_t kind = 0; kind < trace::kWorkClasses; ++kind) {
            const double us = engine.busy[kind].microseconds();
            if (us > 0) time.by_class.emplace_back(trace::work_class_name(kind), us);
        }
        engines.push_back(std::move(time));
    }
    return engines;
}

std::string time_record_text(const TimeRecord& record) {
    Json json{{"name", record.name},
              {"machine", record.machine},
              {"machine_hash", record.machine_hash},
              {"simulated_us", record.simulated_us},
              {"engines", Json::array()},
              {"operators", Json::array()},
              {"outputs", Json::array()}};
    for (const EngineTime& engine : record.engines) {
        json["engines"].push_back({{"engine", engine.engine},
                                   {"us_by_cause", to_json(engine.by_cause)},
                                   {"busy_us_by_class", to_json(engine.by_class)}});
    }
    for (const OperatorTime& op : record.operators) {
        json["operators"].push_back({{"name", op.name}, {"us", op.us}});
    }
    for (const OutputHash& output : record.outputs) {
        json["outputs"].push_back({{"name", output.name}, {"hash", output.hash}});
    }
    if (record.totals) {
        json["commands"] = record.totals->commands;
        json["dram_bytes"] = record.totals->dram_bytes;
        json["energy_uj"] = record.totals->energy_uj;
        json["lines"] = Json::array();
    }
    for (const LineTime& line : record.lines) {
        json["lines"].push_back({{"line", line.line},
                                 {"text", line.text},
                                 {"commands", line.commands},
                                 {"us", line.us}});
    }
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

TimeRecord parse_time_record(const std::string& text, const std::string& file) {
    TimeRecord record = read_record(text, file);
    check_contents(record, file);
    check_sums(record, file);
    return record;
}

void save_time_record(const TimeRecord& record, const std::filesystem::path& path) {
    write_file(path.string(), time_record_text(record));
}

TimeRecord load_time_record(const std::filesystem::path& path) {
    const std::string text = read_json_text(path, "it is a time record of `okksim baseline`");
    TimeRecord record = read_record(text, path.string());
    check_name(record, path);
    check_contents(record, path.string());
    check_sums(record, path.string());
    return record;
}

}  // namespace okksim::sim::gate
