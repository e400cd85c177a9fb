// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/lab/fidelity/parameter_sources.h"
#include "sim/machine/provenance.h"

namespace okksim::sim::fidelity {
namespace {

using nlohmann::ordered_json;

const char* verdict(bool met) { return met ? "met" : "NOT MET"; }

std::string percent(double value) { return fmt::format("{:+.1f} %", value * 100); }

void print(std::string& out, const EstimatorReport& report) {
    auto to = std::back_inserter(out);
    fmt::format_to(to, "(a) instruction classes compared with the estimator: {}\n",
                   verdict(report.met()));
    fmt::format_to(to, "    {:<34} {:>6} {:>8} {:>8} {:>8}\n", "class", "rows", "median", "90 %",
                   "worst");
    for (const ClassFigures& row : report.classes) {
        fmt::format_to(to, "    {:<34} {:>6} {:>8.3f} {:>7.1f}% {:>8.3f}  {}{}\n", row.name,
                       row.rows, row.median, row.p90 * 100, row.worst,
                       row.judged ? verdict(row.met()) : "not judged",
                       row.note.empty() ? "" : ": " + row.note);
    }
    fmt::format_to(to,
                   "    limits: median within 3 %, 90 % of rows within 10 %, none beyond 25 %\n");
    if (!report.tables_without_instruction.empty()) {
        fmt::format_to(to, "    no such instruction: {}\n",
                       fmt::join(report.tables_without_instruction, ", "));
    }
    if (!report.absent_tables.empty()) {
        fmt::format_to(to, "    absent: {}\n", fmt::join(report.absent_tables, ", "));
    }
    out += '\n';
}

std::string range_text(const ContestCase& entry) {
    return entry.range ? fmt::format("{:.0f}-{:.0f}", entry.range->low, entry.range->high) : "-";
}

void print(std::string& out, const ContestCase& entry) {
    auto to = std::back_inserter(out);
    const ContestKernel* best = entry.best(0);
    const std::string silicon =
        entry.silicon_us > 0 ? fmt::format("{:.0f}", entry.silicon_us) : "unknown";
    if (best == nullptr) {
        fmt::format_to(to, "    {:<12} {:>4} {:>12} {:>12}\n", entry.op, entry.number, "absent",
                       silicon);
    } else {
        const double us = best->simulated_us[0];
        const std::string ratio =
            entry.silicon_us > 0 ? fmt::format("{:.3f}", us / entry.silicon_us) : "-";
        fmt::format_to(to, "    {:<12} {:>4} {:>12.1f} {:>12} {:>15} {:>7} {:>8}  {} {:<10} |",
                       entry.op, entry.number, us, silicon, range_text(entry), ratio,
                       percent(entry.error_outside(0)), best->contestant, best->correct);
        for (const ContestKernel& kernel : entry.kernels) {
            if (!kernel.simulated_us.empty()) {
                fmt::format_to(to, " {}{} {:.0f}", kernel.contestant,
                               kernel.correct == "no"           ? "!"
                               : kernel.correct == "unverified" ? "?"
                                                                : "",
                               kernel.simulated_us[0]);
            }
        }
        fmt::format_to(to, "{}\n", entry.counted ? "" : "  (not counted)");
    }
    for (const ContestKernel& kernel : entry.kernels) {
        if (!kernel.error.empty()) {
            fmt::format_to(to, "        {}: {}\n", kernel.contestant, kernel.error);
        }
    }
}

void print(std::string& out, const Agreement& figures) {
    auto to = std::back_inserter(out);
    fmt::format_to(to, "    mean absolute error {:.2f} % (limit 5.5 %): {}; bias {}\n",
                   figures.mean_absolute_error * 100,
                   verdict(figures.mean_absolute_error <= kMeanErrorBar), percent(figures.bias));
    fmt::format_to(to, "    worst factor {:.3f} (limit {}): {}\n", figures.worst_factor, kFactorBar,
                   verdict(figures.worst_factor <= kFactorBar));
    fmt::format_to(to, "    rank correlation {:.4f} (limit {}): {}\n", figures.rank_correlation,
                   kRankBar, verdict(figures.rank_correlation >= kRankBar));
}

void print_ranges(std::string& out, const ContestReport& report) {
    auto to = std::back_inserter(out);
    const double outside = report.mean_error_outside(0);
    const auto impossible = report.impossible_kernels(0);
    if (report.has_ranges()) {
        fmt::format_to(to,
                       "    mean error outside the ranges of the boards {:.2f} % (limit {:g} %): "
                       "{}; the ranges do not contain\n"
                       "    the two states of the launch cost, which last for days and are up to "
                       "{:g} us apart\n",
                       outside * 100, kOutsideBar * 100, verdict(outside <= kOutsideBar),
                       kLaunchStatesUs);
    } else {
        out += "    no contest_history.csv: the ranges of silicon are unknown and not judged\n";
    }
    fmt::format_to(to,
                   "    impossible kernels of counted cases, more than {:g} % faster than the "
                   "fastest board: {} (limit {}): {}; {}\n"
                   "    of uncounted cases: {}\n",
                   kImpossibleShare * 100, impossible.size(), kImpossibleBar,
                   verdict(impossible.size() <= kImpossibleBar), fmt::join(impossible, ", "),
                   fmt::join(report.impossible_kernels(0, false), ", "));
}

void print(std::string& out, const ContestReport& report) {
    auto to = std::back_inserter(out);
    const ContestReport first = report.first_folder();
    const Agreement figures = first.figures(0);
    fmt::format_to(to, "(b) contest cases compared with the best time on silicon: {}\n",
                   verdict(report.met()));
    fmt::format_to(to, "    {:<12} {:>4} {:>12} {:>12} {:>15} {:>7} {:>8}  {:<12} | {}\n",
                   "operator", "case", "simulated us", "silicon us", "range", "ratio", "outside",
                   "best kernel", "all kernels, us (! wrong, ? unverified)");
    std::size_t absent = 0;
    for (const ContestCase& entry : report.cases) {
        if (entry.best(0) == nullptr) ++absent;
        print(out, entry);
    }
    fmt::format_to(
        to, "    {} cases counted, {} of them from the first folder; {} without a usable trace\n",
        report.figures(0).count, figures.count, absent);
    if (const auto unread = report.unread_kernels(); !unread.empty()) {
        fmt::format_to(to, "    kernels of summary.csv that could not be judged: {}: {}\n",
                       verdict(false), fmt::join(unread, ", "));
    }
    if (!report.ignored.empty()) {
        fmt::format_to(to, "    ignored, not named <op>_<case>_<contestant>.jsonl.xz: {}\n",
                       fmt::join(report.ignored, ", "));
    }
    if (figures.count > 0) {
        out += "    cases of the first folder:\n";
        print(out, figures);
        print_ranges(out, first);
    }
    out += '\n';
}

void print(std::string& out, const std::vector<RateFigure>& rates) {
    auto to = std::back_inserter(out);
    const bool all = std::all_of(rates.begin(), rates.end(), [](const auto& r) { return r.met(); });
    fmt::format_to(to,
                   "(c) published rates from small kernels: {} (limit: 8 % outside the range)\n",
                   verdict(all));
    for (const RateFigure& rate : rates) {
        const std::string range = rate.low == rate.high
                                      ? fmt::format("{:g}", rate.low)
                                      : fmt::format("{:g}-{:g}", rate.low, rate.high);
        fmt::format_to(to, "    {:<48} {:>8.2f} {:<10} published {:<10} {:>7}  {}; {}\n", rate.name,
                       rate.simulated, rate.unit, range, percent(rate.error()), verdict(rate.met()),
                       rate.kernel);
    }
    out += '\n';
}

/// Returns e.g. "5.61 (6.21) ms".
std::string bars_text(const NetworkFigure& row) {
    if (row.calls_bar_ms == 0) return fmt::format("{:g} ms", row.lists_bar_ms);
    return fmt::format("{:g} ({:g}) ms", row.lists_bar_ms, row.calls_bar_ms);
}

void print(std::string& out, const std::optional<std::vector<NetworkFigure>>& networks) {
    if (!networks) {
        out += "(d) networks of silicon/networks.csv: not run yet (--quick, or no such file)\n\n";
        return;
    }
    auto to = std::back_inserter(out);
    fmt::format_to(to,
                   "(d) networks, one image, commands from lists (by calls), compared with the "
                   "median published time and with the target\n");
    for (const NetworkFigure& row : *networks) {
        if (row.error.empty()) {
            fmt::format_to(to,
                           "    {:<12} {} {:>9.3f} ({:.3f}) ms simulated {:>9.3f} ms on silicon "
                           "{:>7.3f}; target {} {}\n",
                           row.network, row.precision, row.simulated_ms, row.calls_ms,
                           row.silicon_ms, row.ratio(), bars_text(row), verdict(row.met()));
        } else {
            fmt::format_to(to, "    {:<16} {}\n", row.network, row.error);
        }
    }
    out += '\n';
}

void print(std::string& out, const BatchReport& report) {
    auto to = std::back_inserter(out);
    fmt::format_to(to,
                   "(d) time of an additional image of a batch on silicon, compared with the sum "
                   "of the convolution formulas: {}\n",
                   verdict(report.met()));
    for (const BatchDifference& row : report.differences) {
        fmt::format_to(to,
                       "    {:<16} {:>2} - {:<2} images {:>8.2f} ms on silicon {:>8.2f} ms by "
                       "formulas {:>6.3f} (limit {} to {:.2f}) {}\n",
                       row.network, row.to, row.from, row.silicon_ms, row.laws_ms, row.ratio(),
                       kLeastBatchRatio, kMostBatchRatio, verdict(row.met()));
    }
    fmt::format_to(to,
                   "    lower bounds: convolutions alone, weights alone at the memory's rate\n");
    for (const LowerBound& row : report.bounds) {
        fmt::format_to(to,
                       "    {:<16} {:>2} images {:>8.2f} ms on silicon {:>8.2f} ms convolutions "
                       "{:>6.2f} ms weights {}\n",
                       row.network, row.batch, row.silicon_ms, row.compute_ms, row.weights_ms,
                       row.holds() ? "holds" : "BEATEN");
    }
    out += '\n';
}

void print(std::string& out, const SecondChipReport& report) {
    auto to = std::back_inserter(out);
    fmt::format_to(
        to,
        "(f) another chip, from a partial record: transfers of one network on machine {}: "
        "{}\n",
        report.machine, verdict(report.met()));
    const auto line = [&](const TransferFigures& row) {
        fmt::format_to(to,
                       "    {:<32} {:>5} median error {:>5.1f} %, 90 % within {:>6.1f} %, bias "
                       "{:>+6.1f} %; {:>3} shapes {:>5.1f} %  {}\n",
                       row.kind, row.count, row.median * 100, row.p90 * 100, row.bias * 100,
                       row.shapes, row.shape_median * 100,
                       row.judged ? row.median <= kTransferBar ? "met (limit 5 % median)"
                                                               : "NOT MET (limit 5 % median)"
                                  : "not judged");
    };
    for (const TransferFigures& row : report.kinds) line(row);
    line(report.all);
    fmt::format_to(to,
                   "    whole recording, in order with its waits, compute as recorded: {:.0f} of "
                   "{:.0f} cycles ({})\n\n",
                   report.simulated_cycles, report.recorded_cycles,
                   percent(report.simulated_cycles / report.recorded_cycles - 1));
}

std::string refitted(const std::optional<RefittedNumber>& number) {
    return number ? fmt::format("; refitted {:g}, without one case {:g} to {:g}", number->all,
                                number->least, number->most)
                  : "";
}

void print(std::string& out, const std::vector<Sensitivity>& fitted) {
    auto to = std::back_inserter(out);
    fmt::format_to(
        to,
        "Fitted numbers: {}. Mean absolute error of (b) if the number is 10 % lower and higher:\n",
        fitted.size());
    for (const Sensitivity& row : fitted) {
        const auto error = [](const std::optional<double>& value) {
            return value ? fmt::format("{:.2f} %", *value * 100) : std::string("-");
        };
        fmt::format_to(to, "    {:<40} {:>9g} in [{:g}, {:g}] {:>9} {:>9}  {}{}\n", row.path,
                       row.value, row.low, row.high, error(row.error_lower),
                       error(row.error_higher), row.meaning, refitted(row.refitted));
    }
}

ordered_json to_json(const EstimatorReport& report) {
    ordered_json classes = ordered_json::array();
    for (const ClassFigures& row : report.classes) {
        classes.push_back({{"class", row.name},
                           {"rows", row.rows},
                           {"median_ratio", row.median},
                           {"p90_error", row.p90},
                           {"worst_ratio", row.worst},
                           {"worst_row", row.worst_row},
                           {"judged", row.judged},
                           {"met", row.met()},
                           {"note", row.note}});
    }
    return {{"met", report.met()},
            {"bars", {{"median", kMedianBar}, {"p90", kMostRowsBar}, {"worst", kAnyRowBar}}},
            {"classes", classes},
            {"tables_without_instruction", report.tables_without_instruction},
            {"absent_tables", report.absent_tables}};
}

ordered_json to_json(const std::optional<std::vector<NetworkFigure>>& networks) {
    if (!networks) return {{"status", "not run yet"}};
    ordered_json rows = ordered_json::array();
    for (const NetworkFigure& row : *networks) {
        ordered_json entry{{"network", row.network},           {"precision", row.precision},
                           {"lists_bar_ms", row.lists_bar_ms}, {"met", row.met()},
                           {"silicon_ms", row.silicon_ms},     {"sources", row.sources},
                           {"simulated_ms", nullptr},          {"ratio", nullptr}};
        if (row.error.empty()) {
            entry["simulated_ms"] = row.simulated_ms;
            entry["calls_ms"] = row.calls_ms;
            entry["ratio"] = row.ratio();
        } else {
            entry["error"] = row.error;
        }
        rows.push_back(std::move(entry));
    }
    return {{"status", "run"}, {"rows", rows}};
}

ordered_json to_json(const BatchReport& report) {
    ordered_json differences = ordered_json::array();
    for (const BatchDifference& row : report.differences) {
        differences.push_back({{"network", row.network},
                               {"from", row.from},
                               {"to", row.to},
                               {"silicon_ms", row.silicon_ms},
                               {"laws_ms", row.laws_ms},
                               {"ratio", row.ratio()},
                               {"met", row.met()}});
    }
    ordered_json bounds = ordered_json::array();
    for (const LowerBound& row : report.bounds) {
        bounds.push_back({{"network", row.network},
                          {"batch", row.batch},
                          {"silicon_ms", row.silicon_ms},
                          {"compute_ms", row.compute_ms},
                          {"weights_ms", row.weights_ms},
                          {"holds", row.holds()}});
    }
    return {{"met", report.met()}, {"differences", differences}, {"lower_bounds", bounds}};
}

ordered_json to_json(const SecondChipReport& report) {
    const auto figures = [](const TransferFigures& row) {
        return ordered_json{{"kind", row.kind},
                            {"count", row.count},
                            {"median_error", row.median},
                            {"p90_error", row.p90},
                            {"bias", row.bias},
                            {"shapes", row.shapes},
                            {"shape_median_error", row.shape_median},
                            {"judged", row.judged}};
    };
    ordered_json kinds = ordered_json::array();
    for (const TransferFigures& row : report.kinds) kinds.push_back(figures(row));
    return {{"machine", report.machine},
            {"met", report.met()},
            {"kinds", kinds},
            {"all", figures(report.all)},
            {"recorded_cycles", report.recorded_cycles},
            {"simulated_cycles", report.simulated_cycles}};
}

ordered_json to_json(const ContestKernel& kernel) {
    ordered_json json{{"contestant", kernel.contestant},
                      {"correct", kernel.correct},
                      {"engine_calls", kernel.engine_calls},
                      {"simulated_us", nullptr}};
    if (!kernel.simulated_us.empty()) json["simulated_us"] = kernel.simulated_us[0];
    if (!kernel.error.empty()) json["error"] = kernel.error;
    return json;
}

ordered_json to_json(const ContestCase& entry) {
    ordered_json json{
        {"op", entry.op},           {"case", entry.number}, {"simulated_us", nullptr},
        {"silicon_us", nullptr},    {"ratio", nullptr},     {"counted", entry.counted},
        {"further", entry.further}, {"status", "absent"},   {"kernel", nullptr},
        {"params", entry.params},   {"note", entry.note},   {"kernels", ordered_json::array()}};
    if (entry.silicon_us > 0) json["silicon_us"] = entry.silicon_us;
    if (entry.range) {
        json["range"] = {{"low", entry.range->low},
                         {"high", entry.range->high},
                         {"fastest", entry.range->fastest}};
    }
    if (const ContestKernel* best = entry.best(0)) {
        json["error_outside"] = entry.error_outside(0);
        json["simulated_us"] = best->simulated_us[0];
        if (entry.silicon_us > 0) json["ratio"] = best->simulated_us[0] / entry.silicon_us;
        json["status"] = best->correct == "yes" ? "correct" : "unverified";
        json["kernel"] = best->contestant;
    }
    for (const ContestKernel& kernel : entry.kernels) json["kernels"].push_back(to_json(kernel));
    return json;
}

ordered_json to_json(const ContestReport& report) {
    const ContestReport first = report.first_folder();
    const Agreement figures = first.figures(0);
    ordered_json cases = ordered_json::array();
    for (const ContestCase& entry : report.cases) cases.push_back(to_json(entry));
    return {
        {"met", report.met()},
        {"counted", figures.count},
        {"mape", figures.mean_absolute_error},
        {"bias", figures.bias},
        {"worst_factor", figures.worst_factor},
        {"rank_correlation", figures.rank_correlation},
        {"mape_outside", first.mean_error_outside(0)},
        {"impossible_kernels", first.impossible_kernels(0)},
        {"unread_kernels", report.unread_kernels()},
        {"bars", {{"mape", kMeanErrorBar}, {"factor", kFactorBar}, {"rank_correlation", kRankBar}}},
        {"cases", cases}};
}

}  // namespace

bool FidelityReport::met() const {
    return estimator && estimator->met() && contest && contest->met() && !rates.empty() &&
           std::all_of(rates.begin(), rates.end(), [](const auto& rate) { return rate.met(); }) &&
           (!batches || batches->met()) && (!second_chip || second_chip->met()) &&
           (!bands || bands->met()) && (!int8 || int8->met()) &&
           (!cross_validation || cross_validation->met()) &&
           std::ranges::all_of(goals, &Goal::kept) &&
           std::ranges::all_of(fitted, &Sensitivity::inside);
}

std::string to_text(const FidelityReport& report) {
    std::string out =
        fmt::format("{}, {} recorded files (hash {:016x})\n\n", provenance_text(report.machine),
                    report.inputs.files, report.inputs.hash);
    if (!report.goals.empty()) out += to_text(report.goals);
    if (report.cross_validation) out += to_text(*report.cross_validation);
    if (report.estimator) print(out, *report.estimator);
    if (report.contest) print(out, *report.contest);
    if (!report.rates.empty()) print(out, report.rates);
    print(out, report.networks);
    if (report.batches) print(out, *report.batches);
    if (report.bands) out += to_text(*report.bands);
    if (report.second_chip) print(out, *report.second_chip);
    if (report.int8) out += to_text(*report.int8);
    if (report.operators) out += to_text(*report.operators);
    if (!report.fitted.empty()) print(out, report.fitted);
    out += to_text(fixed_parameters(report.machine));
    for (const std::string& note : report.notes) out += "note: " + note + "\n";
    return out;
}

ordered_json to_json(const FidelityReport& report) {
    ordered_json json = ordered_json::object();
    add_provenance(json, report.machine);
    json.update(ordered_json{{"inputs_hash", fmt::format("{:016x}", report.inputs.hash)},
                             {"met", report.met()},
                             {"estimator", nullptr},
                             {"contest", nullptr},
                             {"rates", ordered_json::array()},
                             {"networks", to_json(report.networks)},
                             {"batches", nullptr},
                             {"bands", nullptr},
                             {"second_chip", nullptr},
                             {"int8", nullptr},
                             {"operators", nullptr},
                             {"fitted", ordered_json::array()},
                             {"fixed", to_json(fixed_parameters(report.machine))},
                             {"goals", to_json(report.goals)},
                             {"cross_validation", nullptr},
                             {"notes", report.notes}});
    if (report.estimator) json["estimator"] = to_json(*report.estimator);
    if (report.contest) json["contest"] = to_json(*report.contest);
    if (report.batches) json["batches"] = to_json(*report.batches);
    if (report.bands) json["bands"] = to_json(*report.bands);
    if (report.second_chip) json["second_chip"] = to_json(*report.second_chip);
    if (report.int8) json["int8"] = to_json(*report.int8);
    if (report.operators) json["operators"] = to_json(*report.operators);
    for (const RateFigure& rate : report.rates) {
        json["rates"].push_back({{"name", rate.name},
                                 {"unit", rate.unit},
                                 {"published_low", rate.low},
                                 {"published_high", rate.high},
                                 {"simulated", rate.simulated},
                                 {"error", rate.error()},
                                 {"met", rate.met()},
                                 {"kernel", rate.kernel}});
    }
    for (const Sensitivity& row : report.fitted) {
        ordered_json entry{{"parameter", row.path},         {"value", row.value},
                           {"plausible_low", row.low},      {"plausible_high", row.high},
                           {"meaning", row.meaning},        {"mape_at_90_percent", nullptr},
                           {"mape_at_110_percent", nullptr}};
        if (row.error_lower) entry["mape_at_90_percent"] = *row.error_lower;
        if (row.error_higher) entry["mape_at_110_percent"] = *row.error_higher;
        if (row.refitted) {
            entry["refitted"] = {{"all", row.refitted->all},
                                 {"least", row.refitted->least},
                                 {"most", row.refitted->most}};
        }
        json["fitted"].push_back(std::move(entry));
    }
    if (report.cross_validation) json["cross_validation"] = to_json(*report.cross_validation);
    return json;
}

}  // namespace okksim::sim::fidelity
