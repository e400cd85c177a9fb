// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/cross_validation.h"

#include <fmt/format.h>

#include "sim/lab/fidelity/kernel_commands.h"
#include "sim/lab/fidelity/report.h"
#include "tests/sim/lab/fidelity/recorded_fills.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using sim::fidelity::CrossValidation;
using sim::fidelity::PredictedCase;
using sim::fidelity::Values;

PredictedCase named(const char* op, int number) {
    PredictedCase entry;
    entry.op = op;
    entry.number = number;
    return entry;
}

/// Fits one number k from [0, 2]. Two cases of operator "a" are exact at 1, two of "b" at 1.5. A
/// rate that is exact at 1 has a weight.
CrossValidation validate(double rate_weight, int threads) {
    const std::vector<PredictedCase> cases{named("a", 0), named("b", 0), named("a", 1),
                                           named("b", 1)};
    sim::fidelity::FittedModel model;
    model.ratio = [](const Values& values, std::size_t i) {
        return values[0] / (i % 2 == 0 ? 1 : 1.5);
    };
    model.rate_errors = [=](const Values& values) {
        return std::vector<double>{rate_weight * (values[0] - 1)};
    };
    model.order = {3, 1, 0, 2};
    const std::vector<sim::fidelity::Axis> axes{{0, 2, sim::fidelity::Grid::kReal}};
    return sim::fidelity::cross_validate(cases, axes, model, threads);
}

TEST_CASE("Every case is predicted by fits that do not see it") {
    const CrossValidation result = validate(0, 2);
    REQUIRE(result.cases.size() == 4);
    const PredictedCase& a = result.cases[0];
    const PredictedCase& b = result.cases[1];
    // The last steps are 1/32. The loss L of an error e is e^2 / 0.056 up to 0.028 and |e| - 0.014
    // beyond. All cases: 2 L(k - 1) + 2 L(k / 1.5 - 1) is 0.639 at 1, 0.632 at 33/32, 0.652 at
    // 34/32.
    CHECK(a.fitted == Approx(33.0 / 32));
    CHECK(b.fitted == Approx(33.0 / 32 / 1.5));
    // Without one case of "a", L(k - 1) + 2 L(k / 1.5 - 1) is 0.479 at 46/32, 0.470 at 47/32, 0.486
    // at 1.5. Without one case of "b", k stays 1.
    CHECK(a.without_case == Approx(47.0 / 32));
    CHECK(b.without_case == Approx(1 / 1.5));
    // Every second case is of the other operator; either operator alone is fitted exactly.
    CHECK(a.without_half == Approx(1.5));
    CHECK(b.without_half == Approx(1 / 1.5));
    CHECK(a.without_operator == Approx(1.5));
    CHECK(b.without_operator == Approx(1 / 1.5));
    CHECK(result.numbers[0].all == 33.0 / 32);
    CHECK(result.numbers[0].least == 1);
    CHECK(result.numbers[0].most == 47.0 / 32);

    // Errors 15/32, 15/32, -1/3, -1/3.
    const auto figures = result.figures(&PredictedCase::without_case);
    CHECK(figures.mean_absolute_error == Approx(77.0 / 192));
    CHECK(figures.bias == Approx(13.0 / 192));
    CHECK(figures.worst_factor == Approx(1.5));
}

TEST_CASE("A time below the fastest board counts twice, a time within the range not at all") {
    // Both cases take k * 100 us. Boards of "a" have 100 to 110 us, those of "b" 150.
    std::vector<PredictedCase> cases{named("a", 0), named("b", 0)};
    for (PredictedCase& entry : cases) entry.silicon_us = 100;
    cases[0].range = sim::fidelity::SiliconRange{100, 110, 100};
    cases[1].range = sim::fidelity::SiliconRange{150, 150, 150};
    sim::fidelity::FittedModel model;
    model.ratio = [](const Values& values, std::size_t) { return values[0]; };
    model.rate_errors = [](const Values&) { return std::vector<double>{}; };
    model.order = {0, 1};
    const std::vector<sim::fidelity::Axis> axes{{0, 2, sim::fidelity::Grid::kReal}};
    const CrossValidation result = sim::fidelity::cross_validate(cases, axes, model, 1);
    // With equal weights, the error grows by 1 / 1.1 per unit above 1.1 and falls by 1 / 1.5 at
    // most, so 1.1 would be best. With the double weight, L(k / 1.1 - 1) + 2 L(1 - k / 1.5) is
    // 0.348 at 46/32, 0.337 at 47/32 and 0.350 at 1.5.
    CHECK(result.cases[1].fitted == Approx(47.0 / 32));
    // Any k from 1 to 1.1 fits "a" alone. The search starts at 1 and stays there.
    CHECK(result.cases[1].without_case == Approx(1));
}

TEST_CASE("The limit judges the first folder's cases alone") {
    CrossValidation result;
    result.cases = {named("a", 0), named("a", 1)};
    result.cases[0].without_case = 1.06;
    result.cases[1].without_case = 1.3;
    CHECK_FALSE(result.met());
    result.cases[1].further = true;
    CHECK(result.met());
    CHECK(result.figures(&PredictedCase::without_case).mean_absolute_error == Approx(0.18));
}

TEST_CASE("The published rates belong to every fit") {
    // Without one of "a": L(k - 1) + 2 L(k / 1.5 - 1) + L(k - 1), the sum of all cases above.
    CHECK(validate(1, 2).cases[0].without_case == Approx(33.0 / 32));
}

TEST_CASE("A cross-validation does not depend on the number of threads") {
    CHECK(to_text(validate(0.3, 1)) == to_text(validate(0.3, 5)));
}

TEST_CASE("Fits to recorded kernels find the number that made their times") {
    const tests::RecordedKernels folder("cross_validation");
    // The processor is so fast that the GDMA's set-up determines the kernels' time.
    const std::vector<std::string> settings{"mcu.command_cycles=100"};
    const sim::Machine silicon =
        sim::load_machine("bm1684", {settings[0], "gdma.setup_cycles=700"});
    std::string summary = "op,case,contestant,gdma_calls,bdc_calls,correct,best_us\n";
    int number = 0;
    for (const char* op : {"conv2d", "conv2d", "matmul", "matmul"}) {
        const int fills = 300 + 100 * number;
        const std::string name = fmt::format("{}_{:02}_A.jsonl", op, number);
        folder.write_fills(name, fills);
        const double us =
            sim::fidelity::KernelCommands(folder.path / name, silicon).microseconds(silicon);
        summary += fmt::format("{},{},A,{},0,yes,{}\n", op, number++, fills, us);
    }
    folder.write("summary.csv", summary);
    sim::fidelity::ContestOptions options;
    options.traces = {folder.path};
    options.machines = {sim::load_machine("bm1684", settings)};
    const auto contest = sim::fidelity::run_contest(options, [](std::size_t, std::size_t) {});
    const std::vector<sim::fidelity::FittedParameter> parameters{
        {"gdma.setup_cycles", 600, 1000, "", sim::fidelity::Grid::kWhole}};
    std::size_t fits = 0;
    const CrossValidation result =
        cross_validate(contest, "bm1684", settings, parameters, 2,
                       [&](std::size_t done, std::size_t all) { fits = done == all ? all : 0; });
    // One fit of all cases, four without a case, two of halves, two without an operator.
    CHECK(fits == 9);
    REQUIRE(result.cases.size() == 4);
    CHECK(result.cases[3].op == "matmul");
    CHECK(result.cases[3].number == 3);
    // The last step is 400 / 64, rounded to 6.
    CHECK(result.numbers[0].least >= 700 - 6);
    CHECK(result.numbers[0].most <= 700 + 6);
    for (const PredictedCase& entry : result.cases) {
        CHECK(entry.without_case == Approx(1).epsilon(0.01));
        CHECK(entry.without_operator == Approx(1).epsilon(0.01));
    }
}

}  // namespace
