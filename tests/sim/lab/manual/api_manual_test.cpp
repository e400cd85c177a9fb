// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/manual/api_manual.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "firmware/calls/call_by_name.h"
#include "isa/base/errors.h"
#include "models/bdc/bdc_params.h"
#include "sim/lab/manual/api_costs.h"
#include "sim/lab/manual/api_notes.h"
#include "tests/support/catch.h"

namespace okksim::tests {

using namespace sim::manual;

// After a change, rewrite the file: OKKSIM_WRITE_API_MD=1 manual_test "okk-functions.md*".
TEST_CASE("okk-functions.md is what the tables generate") {
    const char* source = std::getenv("OKKSIM_SOURCE_DIR");
    const std::string root = source != nullptr ? source : ".";
    const std::string path = root + "/docs/reference/okk-functions.md";
    const std::string expected = api_markdown();
    if (std::getenv("OKKSIM_WRITE_API_MD") != nullptr) std::ofstream(path) << expected;
    std::ifstream file(path, std::ios::binary);
    INFO("run from the source tree or set OKKSIM_SOURCE_DIR: " << path);
    REQUIRE(file);
    const std::string actual((std::istreambuf_iterator<char>(file)),
                             std::istreambuf_iterator<char>());
    INFO("run with OKKSIM_WRITE_API_MD=1 and commit the file");
    CHECK((actual == expected));
}

TEST_CASE("the manual has every documented function, and those of the kit besides") {
    std::vector<std::string> names;
    int others = 0;
    const std::string manual = api_markdown();
    for (const ApiFunction& function : api_functions()) {
        INFO(function.name);
        if (function.is_documented) names.push_back(function.name);
        others += function.is_documented ? 0 : 1;
        CHECK_FALSE(function.comment.empty());
        CHECK_FALSE(mistakes_of(function).empty());
        CHECK(manual.find("\n## " + function.name + "\n") != std::string::npos);
    }
    std::sort(names.begin(), names.end());
    CHECK(names == firmware::documented_functions());
    // 8 address queries, 4 pointers, 2 selections, a product, 4 functions of nodes, a list of
    // kernels.
    CHECK(others == 20);
}

TEST_CASE("domains are those of the function, not of one whose name is part of it") {
    const std::string manual = api_markdown();
    const auto domain_of = [&](const std::string& name) {
        const std::string text = api_section(name);
        const std::size_t begin = text.find("\nDomain:\n");
        REQUIRE(begin != std::string::npos);
        return text.substr(begin, text.find("\n\n", begin + 1) - begin);
    };
    // The API reference gives these types for a shift's source when the constant is shifted.
    for (const char* name : {"okk_bdc_32bit_C_arithmetic_shift", "okk_bdc_32bit_C_logical_shift",
                             "okk_bdc_fixed_point_packed_16bit_C_arithmetic_shift",
                             "okk_bdc_fixed_point_packed_16bit_C_logical_shift"}) {
        CHECK_THAT(domain_of(name), Catch::Contains("[-32, 32] (16 bits: [-16, 16])"));
    }
    CHECK_THAT(domain_of("okk_bdc_rsqrt"), !Catch::Contains("6.0 ulp"));
    CHECK_THAT(domain_of("okk_bdc_C_div"), !Catch::Contains("src0"));
}

TEST_CASE("tables have the function's arguments, and no stride that it lacks") {
    for (const ApiFunction& function : api_functions()) {
        const std::string text = api_section(function.name);
        if (text.find("\n| argument |") == std::string::npos) continue;
        INFO(function.name);
        std::size_t at = text.find("\n|---");
        for (const Parameter& parameter : function.parameters) {
            at = text.find("\n|", at + 1);
            CHECK(text.substr(at + 1, parameter.name.size() + 4) == "| " + parameter.name + " |");
        }
        CHECK(text.substr(text.find('\n', at + 1), 3) != "\n| ");
    }
}

TEST_CASE("sections do not contradict themselves, and say what NULL and sizes are") {
    for (const char* name : {"okk_bdc_exp", "okk_bdc_exp_tunable", "okk_bdc_tanh"}) {
        const std::string text = api_section(name);
        CHECK_THAT(text, Catch::Contains("in place (dst = src)"));
        CHECK_THAT(text, !Catch::Contains("the same tensor is allowed"));
        CHECK_THAT(text, Catch::Contains("work_addr = dst_addr or src_addr: a fault"));
    }
    CHECK_THAT(api_section("okk_bdc_sigmoid"), Catch::Contains("the same tensor is allowed"));
    const std::string convolution = api_section("okk_bdc_conv2d");
    CHECK_THAT(convolution, Catch::Contains("- padding: no padding\n") &&
                                Catch::Contains("- stride: 1 for h and w\n") &&
                                Catch::Contains("- input_shape: a fault\n") &&
                                Catch::Contains("bottom at most 2047"));
    CHECK_THAT(api_section("okk_gdma_8bit_cpy_S2L"),
               Catch::Contains("- dst_stride: the 128-byte aligned layout\n") &&
                   Catch::Contains("- src_stride: the continuous layout\n"));
    CHECK_THAT(api_section("okk_bdc_matmul"), Catch::Contains("at most left_cols"));
    CHECK_THAT(api_section("okk_bdc_greater_select"), Catch::Contains("2 commands"));
}

TEST_CASE("a section says what the law of time makes of the example") {
    // 64 channels of 4 x 8 elements in 64 lanes, one each: 32 elements in vectors of
    // execution_units.
    const sim::Machine machine = sim::load_machine("bm1684");
    const auto functions = api_functions();
    const auto add = std::find_if(functions.begin(), functions.end(), [](const auto& function) {
        return function.name == "okk_bdc_add";
    });
    REQUIRE(add != functions.end());
    const auto commands = commands_of(*add, example_of(*add), machine);
    REQUIRE(commands.size() == 1);
    const auto& bdc = *machine.params.bdc;
    const double cycles =
        static_cast<double>(bdc.startup_cycles + 32 / bdc.execution_units * bdc.tensor_cycles);
    CHECK(price_us(commands, machine) == Approx(cycles / static_cast<double>(bdc.clock_mhz)));
    CHECK(api_section("okk_bdc_add").find("bdc.tensor_cycles") != std::string::npos);
    CHECK_THROWS_AS(api_section("okk_bdc_ad"), ConfigError);
}

}  // namespace okksim::tests
