// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/goals.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace {

using namespace okksim::sim::fidelity;

/// A contest with one case per folder; both kernels take 100 us.
ContestReport contest(double first_silicon_us, double further_silicon_us) {
    ContestReport report;
    for (const double us : {first_silicon_us, further_silicon_us}) {
        ContestCase& entry = report.cases.emplace_back();
        entry.op = "matmul";
        entry.silicon_us = us;
        entry.further = report.cases.size() > 1;
        entry.kernels.push_back({"A", "yes", "trace.jsonl", 1, {}, {100}});
    }
    return report;
}

const Goal& find(const std::vector<Goal>& goals, const std::string& what) {
    for (const Goal& goal : goals) {
        if (goal.what == what) return goal;
    }
    FAIL("no goal " << what);
    return goals.front();
}

TEST_CASE("Goals are about the cases of all folders") {
    // Errors 0 and 100 / 80 - 1; the second case is no target of the first folder's limits.
    const ContestReport report = contest(100, 80);
    const auto rows = goals({.contest = &report});
    CHECK(find(rows, "mean error").value == Approx(0.125));
    CHECK_FALSE(find(rows, "mean error").kept());
    CHECK(find(rows, "worst factor").value == Approx(1.25));
    CHECK(find(rows, "impossible kernels").reached());
}

TEST_CASE("A target that is not reached is no failure") {
    const ContestReport report = contest(100, 100);
    CrossValidation validation;
    PredictedCase& entry = validation.cases.emplace_back();
    entry.fitted = 1.05;
    entry.without_case = 1.07;
    entry.without_operator = 0.95;
    const auto rows = goals({.contest = &report, .validation = &validation});
    const Goal& unseen = find(rows, "mean error, leave-one-out");
    CHECK(unseen.value == Approx(0.07));
    CHECK_FALSE(unseen.reached());
    CHECK(unseen.kept());
    CHECK(find(rows, "error leave-one-out / error of the fit").value == Approx(1.4));
    CHECK(to_text(rows).find("not met") != std::string::npos);
    CHECK(to_markdown(rows).find("**not met**") != std::string::npos);
    CHECK(to_json(rows)[0]["reached"] == false);
    CHECK(to_json(rows)[0]["met"] == true);
}

TEST_CASE("One folder has no goals") {
    ContestReport report = contest(100, 50);
    report.cases.pop_back();
    CHECK(goals({.contest = &report}).empty());
    CHECK(goals({}).empty());
}

}  // namespace
