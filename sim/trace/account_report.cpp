// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/account_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sim/machine/provenance.h"

namespace okksim::sim::trace {
namespace {

double share(models::Picoseconds part, models::Picoseconds whole) {
    return whole.value == 0
               ? 0
               : static_cast<double>(part.value) / static_cast<double>(whole.value) * 100;
}

/// Returns the kinds of work that took time, longest first. Equal times keep the order of the
/// classes.
std::vector<std::size_t> work_of(const EngineAccount& engine) {
    std::vector<std::size_t> classes;
    for (const WorkList::Entry& entry : engine.busy) {
        if (entry.time.value > 0) classes.push_back(entry.work_class);
    }
    std::sort(classes.begin(), classes.end(), [&](std::size_t a, std::size_t b) {
        return engine.busy[a] == engine.busy[b] ? a < b : engine.busy[a] > engine.busy[b];
    });
    return classes;
}

/// Returns e.g. "  BDC busy: convolution 12.00, copy 3.00", in lines of at most 100 characters.
std::string busy_lines(const Account& account, const EngineAccount& engine) {
    constexpr std::size_t kWidth = 100;
    std::string text;
    std::string line = fmt::format("  {} busy:", engine.engine.name);
    const std::string indent(line.size(), ' ');
    const auto classes = work_of(engine);
    if (classes.empty()) return "";
    for (std::size_t i = 0; i < classes.size(); ++i) {
        const std::string work = fmt::format(" {} {:.2f}{}", work_class_name(classes[i]),
                                             share(engine.busy[classes[i]], account.span),
                                             i + 1 == classes.size() ? "" : ",");
        if (line.size() + work.size() > kWidth) {
            text += line + '\n';
            line = indent;
        }
        line += work;
    }
    return text + line + '\n';
}

}  // namespace

bool computing_timed(const Account& account) {
    return !account.engines.empty() && account.processor()[Cause::kComputing].value > 0;
}

std::string account_text(const Account& account) {
    std::string out;
    auto to = std::back_inserter(out);
    fmt::format_to(to, "  {:<16}", "% of the time");
    for (const EngineAccount& engine : account.engines) {
        fmt::format_to(to, " {:>8}", engine.engine.name);
    }
    out += '\n';
    for (std::size_t i = 0; i < kCauses; ++i) {
        const bool any =
            std::any_of(account.engines.begin(), account.engines.end(),
                        [&](const EngineAccount& engine) { return engine.by_cause[i].value > 0; });
        if (!any) continue;
        fmt::format_to(to, "  {:<16}", cause_name(static_cast<Cause>(i)));
        for (const EngineAccount& engine : account.engines) {
            fmt::format_to(to, " {:>8.2f}", share(engine.by_cause[i], account.span));
        }
        out += '\n';
    }
    for (const EngineAccount& engine : account.engines) out += busy_lines(account, engine);
    if (!computing_timed(account)) {
        out += "  MCU computing: not timed, because the firmware does not report it\n";
    }
    return out;
}

nlohmann::ordered_json account_json(const Account& account) {
    nlohmann::ordered_json json{{"name", account.name},
                                {"launches", account.launches},
                                {"simulated_us", account.span.microseconds()},
                                {"own_computing_timed", computing_timed(account)},
                                {"engines", nlohmann::ordered_json::object()}};
    for (const EngineAccount& engine : account.engines) {
        nlohmann::ordered_json causes = nlohmann::ordered_json::object();
        for (std::size_t i = 0; i < kCauses; ++i) {
            causes[cause_name(static_cast<Cause>(i))] = engine.by_cause[i].microseconds();
        }
        nlohmann::ordered_json busy = nlohmann::ordered_json::object();
        for (const std::size_t i : work_of(engine)) {
            busy[work_class_name(i)] = engine.busy[i].microseconds();
        }
        json["engines"][engine.engine.name] = {
            {"commands", engine.commands}, {"us_by_cause", causes}, {"busy_us_by_class", busy}};
    }
    return json;
}

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

std::string account_column_names(const EngineList& engines) {
    std::string names;
    for (const ListedEngine& engine : engines) {
        for (std::size_t i = 0; i < kCauses; ++i) {
            names += column_name(
                fmt::format(",{} {} us", engine.name, cause_name(static_cast<Cause>(i))));
        }
    }
    return names;
}

std::string account_columns(const Account& account) {
    std::string columns;
    for (const EngineAccount& engine : account.engines) {
        for (const models::Picoseconds time : engine.by_cause) {
            fmt::format_to(std::back_inserter(columns), ",{:.6f}", time.microseconds());
        }
    }
    return columns;
}

std::string account_csv(const std::vector<Account>& accounts, const Machine& machine) {
    std::string out =
        "launch,name,engine,cause,class,us,percent" + provenance_column_names() + "\n";
    const std::string columns = provenance_columns(machine);
    auto to = std::back_inserter(out);
    for (std::size_t launch = 0; launch < accounts.size(); ++launch) {
        const Account& account = accounts[launch];
        const auto row = [&](const EngineAccount& engine, const char* cause, const char* work_class,
                             models::Picoseconds time) {
            fmt::format_to(to, "{},{},{},{},{},{:.6f},{:.4f}{}\n", launch, csv_field(account.name),
                           engine.engine.name, cause, work_class, time.microseconds(),
                           share(time, account.span), columns);
        };
        for (const EngineAccount& engine : account.engines) {
            for (const std::size_t i : work_of(engine)) {
                row(engine, cause_name(Cause::kBusy), work_class_name(i), engine.busy[i]);
            }
            for (std::size_t i = 1; i < kCauses; ++i) {
                row(engine, cause_name(static_cast<Cause>(i)), "", engine.by_cause[i]);
            }
        }
    }
    return out;
}

}  // namespace okksim::sim::trace
