// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "sim/lab/fidelity/report.h"

namespace okksim::sim::fidelity {
namespace {

/// One way to leave cases out of a fit.
struct Kind {
    double PredictedCase::*ratio;
    const char* key;     ///< JSON key
    const char* column;  ///< column of the cases' table
    const char* text;    ///< the cases that the fit does not see
};

constexpr std::array kKinds{
    Kind{&PredictedCase::fitted, "fitted", "fitted", "none: the fit itself"},
    Kind{&PredictedCase::without_case, "without_case", "without it",
         "the predicted case alone, each in turn"},
    Kind{&PredictedCase::without_half, "without_half", "without its half",
         "the predicted half: every second case"},
    Kind{&PredictedCase::without_operator, "without_operator", "without its operator",
         "all cases of the predicted operator"},
};

/// Returns e.g. "22 cases of the first folder, leave-one-out: 5.25 % (limit 6.3 %): ".
std::string limit_text(const CrossValidation& validation) {
    const CrossValidation first = validation.first_folder();
    return fmt::format("{} cases of the first folder, leave-one-out: {:.2f} % (limit {:.1f} %): ",
                       first.cases.size(),
                       first.figures(&PredictedCase::without_case).mean_absolute_error * 100,
                       kLeftOutBar * 100);
}

}  // namespace

std::string to_text(const CrossValidation& validation) {
    std::string text =
        "Cross-validation: each fit starts in the middle of the ranges and predicts the cases that "
        "it does not see\n";
    for (const Kind& kind : kKinds) {
        const Agreement figures = validation.figures(kind.ratio);
        text += fmt::format(
            "    {:<40} mean absolute error {:>5.2f} %, bias {:+.2f} %, worst factor {:.3f}\n",
            kind.text, figures.mean_absolute_error * 100, figures.bias * 100, figures.worst_factor);
    }
    text += "    " + limit_text(validation) + (validation.met() ? "met\n" : "NOT MET\n");
    if (const auto outside = validation.left_out_outside()) {
        text += fmt::format("    {:<40} mean error outside silicon's ranges {:.2f} %\n",
                            "the predicted case alone", *outside * 100);
    }
    for (const PredictedCase& entry : validation.cases) {
        text += fmt::format("    {:<12} {:>4}", entry.op, entry.number);
        for (const Kind& kind : kKinds) {
            text += fmt::format("  {} {:.3f}", kind.column, entry.*kind.ratio);
        }
        text += '\n';
    }
    return text + '\n';
}

std::string to_markdown(const CrossValidation& validation) {
    std::string text =
        "\n"
        "## Cross-validation\n"
        "Each fit starts in the middle of the plausible ranges. A coordinate search lowers the "
        "mean absolute error of the cases that it\n"
        "sees and of the rates of (c). The result predicts the cases that the fit does not see.\n\n"
        "| not seen by the fit | mean absolute error | bias | worst factor |\n"
        "|---|--:|--:|--:|\n";
    for (const Kind& kind : kKinds) {
        const Agreement figures = validation.figures(kind.ratio);
        text += fmt::format("| {} | {:.2f} % | {:+.2f} % | {:.3f} |\n", kind.text,
                            figures.mean_absolute_error * 100, figures.bias * 100,
                            figures.worst_factor);
    }
    text += "\n" + limit_text(validation) + (validation.met() ? "met.\n" : "**not met**.\n");
    if (const auto outside = validation.left_out_outside()) {
        text += fmt::format(
            "\n"
            "Mean error outside silicon's ranges, leave-one-out: {:.2f} %.\n",
            *outside * 100);
    }
    text +=
        "\n"
        "Simulated time / silicon time for each of these fits:\n\n"
        "| operator | case |";
    for (const Kind& kind : kKinds) text += fmt::format(" {} |", kind.column);
    text += "\n|---|--:|--:|--:|--:|--:|\n";
    static_assert(kKinds.size() == 4);
    for (const PredictedCase& entry : validation.cases) {
        text += fmt::format("| {} | {} |", entry.op, entry.number);
        for (const Kind& kind : kKinds) text += fmt::format(" {:.3f} |", entry.*kind.ratio);
        text += '\n';
    }
    return text;
}

nlohmann::ordered_json to_json(const CrossValidation& validation) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const Kind& kind : kKinds) {
        const Agreement figures = validation.figures(kind.ratio);
        json[kind.key] = {{"mape", figures.mean_absolute_error},
                          {"bias", figures.bias},
                          {"worst_factor", figures.worst_factor}};
    }
    json["without_case"]["mape_outside"] = nullptr;
    if (const auto outside = validation.left_out_outside()) {
        json["without_case"]["mape_outside"] = *outside;
    }
    json["cases"] = nlohmann::ordered_json::array();
    for (const PredictedCase& entry : validation.cases) {
        nlohmann::ordered_json row{{"op", entry.op}, {"case", entry.number}};
        for (const Kind& kind : kKinds) row[kind.key] = entry.*kind.ratio;
        json["cases"].push_back(std::move(row));
    }
    return json;
}

}  // namespace okksim::sim::fidelity
