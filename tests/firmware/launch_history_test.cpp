// SPDX-License-Identifier: Apache-2.0
// Old reports are added up by kernel, so that a program may launch without end.
#include "firmware/host/launch_history.h"

#include "firmware/host/summary.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim::firmware::host;

LaunchReport report(const std::string& name, double us) {
    LaunchReport made;
    made.name = name;
    made.simulated_us = us;
    return made;
}

}  // namespace

TEST_CASE("host/reports are added up once more than twice the limit are kept") {
    LaunchHistory history;
    for (int i = 0; i < 6; ++i) history.add(report(i % 2 == 0 ? "even" : "odd", i + 1));
    history.trim(3);  // 6 is not more than 2 * 3
    CHECK(history.kept().size() == 6);
    history.add(report("last", 7));
    history.trim(3);
    CHECK(history.count() == 7);
    REQUIRE(history.kept().size() == 3);
    CHECK(history.kept()[0].simulated_us == 5);
    // The reports of 1, 2, 3 and 4 us: 1 + 3 of "even", 2 + 4 of "odd".
    REQUIRE(history.earlier().size() == 2);
    CHECK(history.earlier().at("even").launches == 2);
    CHECK(history.earlier().at("even").sum.simulated_us == 4);
    CHECK(history.earlier().at("odd").sum.simulated_us == 6);
}

TEST_CASE("host/the summary has earlier launches by kernel and in the totals") {
    LaunchHistory history;
    for (int i = 0; i < 5; ++i) history.add(report("k", 2));
    history.trim(1);
    const std::string json = summary_json(history, {});
    CHECK_THAT(json, Catch::Contains("\"earlier_launches\""));
    CHECK_THAT(json, Catch::Contains("\"launches\": 5"));
    CHECK_THAT(json, Catch::Contains("\"simulated_us\": 10"));
    CHECK_THAT(summary_text(history, {}), Catch::Contains("in the first 4 launches"));
}
