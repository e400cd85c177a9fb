// SPDX-License-Identifier: Apache-2.0
// The page of `okksim run --html`: what a reader looks at first.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/sim/cli/run_program.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using Json = nlohmann::json;

/// Returns the data of a page.
Json page_data(const Program& program, const std::string& page) {
    const std::string text = program.read(page);
    const std::string mark = "const data = ";
    const std::size_t begin = text.find(mark) + mark.size();
    return Json::parse(text.substr(begin, text.find(";\n", begin) - begin));
}

}  // namespace

TEST_CASE("cli/the page of a run starts with total, bounds and the five steps that lose most") {
    const Program program;
    REQUIRE(program.run("zoo mobilenet_v2 --size 32 --width 0.25 -o small_net").exit_code == 0);
    const ProgramRun run =
        program.run("run small_net/model.tosa --no-data --no-fusion --html page.html --json");
    REQUIRE(run.exit_code == 0);
    const Json report = Json::parse(run.out);
    const Json data = page_data(program, "page.html");
    CHECK(data["title"] ==
          "small_net");  // the folder, because every model of the zoo is model.tosa
    CHECK(data["machine"] == "bm1684");
    std::vector<std::string> names;
    for (const Json& card : data["cards"]) names.push_back(card[0]);
    CHECK(names == std::vector<std::string>{"simulated time", "best any plan could reach",
                                            "ideal time", "energy", "DRAM read, written"});
    std::vector<double> losses;
    for (const Json& step : report["steps_beside_bounds"]) {
        losses.push_back(step["us"].get<double>() - step["reachable_bound"]["us"].get<double>());
    }
    std::ranges::sort(losses, std::greater());
    REQUIRE(losses.size() > 5);
    REQUIRE(data["steps"].size() == 5);
    for (std::size_t i = 0; i < 5; ++i) {
        const Json& step = data["steps"][i];
        CHECK(step["us"].get<double>() - step["bound_us"].get<double>() == losses[i]);
    }
}

}  // namespace okksim::tests
