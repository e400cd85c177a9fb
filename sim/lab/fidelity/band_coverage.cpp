// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/band_coverage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace okksim::sim::fidelity {
namespace {

/// Returns the smallest widening with which a similar new case is inside its band with probability
/// kBandShare. It is the ceil(share * (n + 1))-th smallest of the n factors, or the largest if n is
/// too small.
double conformal_widening(std::vector<double> widenings) {
    if (widenings.empty()) return 1;
    std::sort(widenings.begin(), widenings.end());
    const auto rank =
        static_cast<std::size_t>(std::ceil(kBandShare * static_cast<double>(widenings.size() + 1)));
    return widenings[std::min(rank, widenings.size()) - 1];
}

std::string case_name(const std::string& op, int number) {
    return fmt::format("{} {}", op, number);
}

constexpr const char* kHow =
    "The parameter sets are fitted to cases drawn with replacement. A case's band is the middle 80 "
    "% of the sets that did not see the case,\n"
    "widened as the cases of the other operators require (conformal). Neither the sets nor the "
    "widening depend on the case";

std::string widening_text(const BandCoverage& coverage) {
    return fmt::format(
        "all cases together widen it by {:.1f} % each way (limit {:.0f} %), the bands of users by "
        "{:.1f} %",
        (coverage.widening - 1) * 100, (kMostWidening - 1) * 100,
        (coverage.file_widening - 1) * 100);
}

}  // namespace

std::size_t BandCoverage::inside() const {
    return static_cast<std::size_t>(std::ranges::count_if(cases, &BandedCase::inside));
}

std::size_t BandCoverage::inside_spread() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(cases, [](const BandedCase& entry) { return entry.widening <= 1; }));
}

std::size_t BandCoverage::inside_file() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        cases, [&](const BandedCase& entry) { return entry.widening <= file_widening; }));
}

bool BandCoverage::met() const {
    constexpr double kRounding = 0.005;  // the machine file rounds its numbers, the sets do not
    return !cases.empty() && widening <= kMostWidening && widening <= file_widening + kRounding &&
           static_cast<double>(inside()) >= kBandShare * static_cast<double>(cases.size());
}

BandCoverage band_coverage(std::span<const UnseenTimes> cases) {
    BandCoverage coverage;
    std::vector<double> widenings;
    std::vector<std::string> operators;
    for (const UnseenTimes& unseen : cases) {
        if (unseen.times.empty()) continue;
        operators.push_back(unseen.op);
        BandedCase entry{unseen.name, unseen.times.size(), unseen.silicon_us, {}, {}};
        entry.spread = spread(unseen.times, kBandShare);
        entry.widening = std::max(
            {1.0, entry.spread.low / entry.silicon_us, entry.silicon_us / entry.spread.high});
        widenings.push_back(entry.widening);
        coverage.cases.push_back(std::move(entry));
    }
    coverage.widening = coverage.file_widening = conformal_widening(widenings);
    for (std::size_t i = 0; i < coverage.cases.size(); ++i) {
        std::vector<double> others;
        for (std::size_t k = 0; k < widenings.size(); ++k) {
            if (operators[k] != operators[i]) others.push_back(widenings[k]);
        }
        const double widening = conformal_widening(std::move(others));
        BandedCase& entry = coverage.cases[i];
        entry.band = {entry.spread.low / widening, entry.spread.high * widening};
    }
    return coverage;
}

BandCoverage band_coverage(const ContestReport& contest, const Ensemble& ensemble,
                           std::size_t first) {
    std::vector<UnseenTimes> cases;
    for (const ContestCase& entry : contest.cases) {
        if (!entry.counted || entry.best(0) == nullptr || entry.silicon_us <= 0) continue;
        UnseenTimes unseen{entry.op, case_name(entry.op, entry.number), entry.silicon_us, {}};
        for (std::size_t i = 0; i < ensemble.members.size(); ++i) {
            if (std::ranges::count(ensemble.members[i].seen, unseen.name) > 0) continue;
            unseen.times.push_back(entry.best(first + i)->simulated_us[first + i]);
        }
        cases.push_back(std::move(unseen));
    }
    BandCoverage coverage = band_coverage(cases);
    coverage.file_widening = ensemble.widening;
    return coverage;
}

std::string ensemble_text(const CrossValidation& validation,
                          std::span<const FittedParameter> parameters, const Machine& machine) {
    std::vector<std::string> names, paths;
    std::vector<UnseenTimes> unseen;
    for (std::size_t i = 0; i < validation.cases.size(); ++i) {
        const PredictedCase& entry = validation.cases[i];
        names.push_back(case_name(entry.op, entry.number));
        UnseenTimes times{entry.op, names.back(), 1, {}};
        for (const EnsembleFit& member : validation.ensemble) {
            if (member.drawn[i] == 0) times.times.push_back(member.ratios[i]);
        }
        unseen.push_back(std::move(times));
    }
    for (const FittedParameter& parameter : parameters) paths.push_back(parameter.path);
    std::string text = fmt::format(
        "# Parameter sets that fit about as well as {0} itself, made by `okksim fidelity DIR "
        "--ensemble FILE`; do not edit.\n# Each was fitted to contest cases drawn with "
        "replacement (drawn: how often). widening: sim/lab/fidelity/README.md.\n"
        "machine = \"{0}\"\nshare = {1}\nwidening = {2:.4f}\nparameters = [\"{3}\"]\n"
        "cases = [\"{4}\"]\n",
        machine.name, kBandShare, band_coverage(unseen).widening, fmt::join(paths, "\", \""),
        fmt::join(names, "\", \""));
    for (const EnsembleFit& member : validation.ensemble) {
        text += fmt::format("\n[[member]]\nvalues = [{}]\ndrawn = [{}]\n",
                            fmt::join(member.values, ", "), fmt::join(member.drawn, ", "));
    }
    return text;
}

std::string to_text(const BandCoverage& coverage) {
    std::string text = fmt::format(
        "(e) {:.0f} % bands: silicon is inside in {} of {} left-out cases ({:.0f} %): {}\n"
        "    {}\n"
        "    the spread of the sets alone contains {}; {}\n",
        kBandShare * 100, coverage.inside(), coverage.cases.size(),
        100.0 * static_cast<double>(coverage.inside()) /
            static_cast<double>(std::max<std::size_t>(coverage.cases.size(), 1)),
        coverage.met() ? "met" : "NOT MET", kHow, coverage.inside_spread(),
        widening_text(coverage));
    for (const BandedCase& entry : coverage.cases) {
        text +=
            fmt::format("    {:<14} {:>3} sets {:>12.1f} to {:>12.1f} us {:>10} on silicon  {}\n",
                        entry.name, entry.members, entry.band.low, entry.band.high,
                        entry.silicon_us, entry.inside() ? "inside" : "outside");
    }
    return text + '\n';
}

std::string to_markdown(const BandCoverage& coverage) {
    std::string text = fmt::format(
        "\n"
        "## (e) Bands of simulated times: {}\n"
        "These bands are printed by `okksim run` and `okksim replay --ensemble`. {}.\n"
        "Silicon is inside in {} of {} left-out cases (limit: {:.0f} %). The spread of the sets "
        "alone contains {}; {}.\n\n"
        "| case | sets | band us | silicon us | |\n"
        "|---|--:|--:|--:|---|\n",
        coverage.met() ? "met" : "**not met**", kHow, coverage.inside(), coverage.cases.size(),
        kBandShare * 100, coverage.inside_spread(), widening_text(coverage));
    for (const BandedCase& entry : coverage.cases) {
        text += fmt::format("| {} | {} | {:.1f} to {:.1f} | {} | {} |\n", entry.name, entry.members,
                            entry.band.low, entry.band.high, entry.silicon_us,
                            entry.inside() ? "inside" : "outside");
    }
    return text;
}

nlohmann::ordered_json to_json(const BandCoverage& coverage) {
    nlohmann::ordered_json json{{"share", kBandShare},
                                {"inside", coverage.inside()},
                                {"inside_spread", coverage.inside_spread()},
                                {"widening", coverage.widening},
                                {"file_widening", coverage.file_widening},
                                {"most_widening", kMostWidening},
                                {"met", coverage.met()},
                                {"cases", nlohmann::ordered_json::array()}};
    for (const BandedCase& entry : coverage.cases) {
        json["cases"].push_back({{"case", entry.name},
                                 {"members", entry.members},
                                 {"low_us", entry.band.low},
                                 {"high_us", entry.band.high},
                                 {"spread_low_us", entry.spread.low},
                                 {"spread_high_us", entry.spread.high},
                                 {"silicon_us", entry.silicon_us},
                                 {"inside", entry.inside()}});
    }
    return json;
}

}  // namespace okksim::sim::fidelity
