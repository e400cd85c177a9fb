// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/estimator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "isa/base/errors.h"
#include "sim/lab/fidelity/statistics.h"

namespace okksim::sim::fidelity {
namespace {

constexpr const char* kDepthwise = "depthwise";
constexpr const char* kMatrixProduct = "matrix product";

/// Rows of one class, collected while tables are read.
struct Gathered {
    std::vector<double> ratios;
    double factor_low = 0;
    double factor_high = std::numeric_limits<double>::infinity();
    double worst = 1;
    std::string worst_row;
};

ClassFigures summarise(const std::string& name, const Gathered& gathered) {
    ClassFigures figures;
    figures.name = name;
    figures.rows = gathered.ratios.size();
    figures.median = quantile(gathered.ratios, 0.5);
    std::vector<double> errors;
    for (const double ratio : gathered.ratios) errors.push_back(std::abs(ratio - 1));
    figures.p90 = quantile(std::move(errors), 0.9);
    figures.worst = gathered.worst;
    const auto [least, greatest] = std::ranges::minmax(gathered.ratios);
    figures.least = least;
    figures.greatest = greatest;
    figures.factor_low = gathered.factor_low;
    figures.factor_high = gathered.factor_high;
    figures.worst_row = gathered.worst_row;
    if (name.starts_with(kFewChannels)) {
        figures.judged = false;
        figures.note = "the time of the fetches: slower than the estimator, like silicon";
    } else if (name == kDepthwise) {
        figures.bar = ClassBar::kOneFactor;
        figures.note = "one factor of the estimator, between 1 and 3, rounded to half a cycle";
    } else if (name == kMatrixProduct) {
        figures.bar = ClassBar::kEachRow;
        figures.note = "silicon is up to 12 % slower than the estimator";
    } else if (name.starts_with("GDMA")) {
        figures.judged = false;
        figures.note =
            "the estimator's copy formulas are a hint only; its clock and kinds are unknown";
    }
    return figures;
}

}  // namespace

bool ClassFigures::met() const {
    switch (bar) {
        case ClassBar::kUsual:
            return std::abs(median - 1) <= kMedianBar && p90 <= kMostRowsBar &&
                   std::abs(worst - 1) <= kAnyRowBar;
        case ClassBar::kOneFactor:
            return factor_low <= factor_high && factor_high >= 1 && factor_low <= kMostDepthwise;
        case ClassBar::kEachRow: return least >= 1 - kEachRowBar && greatest <= 1 + kEachRowBar;
    }
    __builtin_unreachable();
}

bool EstimatorReport::met() const {
    return !classes.empty() && std::all_of(classes.begin(), classes.end(), [](const auto& figures) {
        return !figures.judged || figures.met();
    });
}

EstimatorReport compare_with_estimator(const std::filesystem::path& folder,
                                       const Machine& machine) {
    EstimatorReport report;
    std::map<std::string, Gathered> classes;
    for (const auto& [name, pricer] : row_pricers()) {
        const std::filesystem::path path = folder / (name + ".csv");
        if (!std::filesystem::exists(path)) {
            report.absent_tables.push_back(name);
            continue;
        }
        const CsvTable table = CsvTable::read(path);
        for (std::size_t row = 0; row < table.rows(); ++row) {
            for (const RowFigures& figures : pricer(table, row, machine.params)) {
                if (!(figures.simulated > 0 && figures.estimated > 0)) {
                    throw ConfigError(
                        path.string(),
                        fmt::format("{} row {} gives {:g} cycles, the estimator {:g}", name,
                                    row + 1, figures.simulated, figures.estimated));
                }
                Gathered& gathered = classes[figures.name];
                const double ratio = figures.simulated / figures.estimated;
                gathered.ratios.push_back(ratio);
                gathered.factor_low =
                    std::max(gathered.factor_low, (figures.simulated - 0.5) / figures.estimated);
                gathered.factor_high =
                    std::min(gathered.factor_high, (figures.simulated + 0.5) / figures.estimated);
                if (std::abs(std::log(ratio)) > std::abs(std::log(gathered.worst)) ||
                    gathered.worst_row.empty()) {
                    gathered.worst = ratio;
                    gathered.worst_row = fmt::format("{} row {}", name, row + 1);
                }
            }
        }
    }
    for (const auto& [name, gathered] : classes)
        report.classes.push_back(summarise(name, gathered));
    if (!std::filesystem::is_directory(folder)) return report;
    std::set<std::string> others;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().stem().string();
        if (entry.path().extension() == ".csv" && !row_pricers().contains(name)) {
            others.insert(name);
        }
    }
    report.tables_without_instruction.assign(others.begin(), others.end());
    return report;
}

}  // namespace okksim::sim::fidelity
