// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/estimator.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "isa/base/errors.h"
#include "sim/lab/fidelity/estimator_tables.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
namespace fs = std::filesystem;

struct Folder {
    fs::path path = fs::temp_directory_path() / ("okksim_estimator_" + std::to_string(getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    void write(const char* name, const char* text) const { std::ofstream(path / name) << text; }
};

TEST_CASE("Rows are priced as the instruction they are about") {
    const Folder folder;
    // A matrix product takes rows * slots * groups of 16 columns * (1.1 K + 10), with K = (2 - 1) *
    // 16 + 4 = 20. That is 3 * 1 * 2 * 32 = 192 cycles for 64 channels of 32 columns; the table has
    // 180.
    folder.write("fc.csv",
                 "left_rows,out_channels,right_cols_per_channel,left_cols_in_last_channel,"
                 "left_channels,left_cols_per_channel,start_npu,cycles\n"
                 "3,64,32,4,2,16,0,180\n");
    // From lane 63, 64 channels take two slots: 2 * 1 * 2 = 4; the table has 2.
    folder.write("tensor_arithmetic.csv",
                 "n,c,h,w,start_npu(local_addr),op,cycles\n1,64,1,16,63,2,2\n1,64,1,16,0,17,9\n");
    folder.write("winograd_forward.csv", "n,cycles\n1,1\n");
    const auto report =
        sim::fidelity::compare_with_estimator(folder.path, sim::load_machine("bm1684"));
    REQUIRE(report.classes.size() == 2);
    CHECK(report.classes[0].name == "arithmetic");
    CHECK(report.classes[0].rows == 1);
    CHECK(report.classes[0].worst == Approx(2));
    CHECK_FALSE(report.classes[0].met());
    CHECK(report.classes[1].name == "matrix product");
    CHECK(report.classes[1].median == Approx(192.0 / 180));
    CHECK(report.classes[1].met());
    CHECK_FALSE(report.met());
    CHECK(report.tables_without_instruction == std::vector<std::string>{"winograd_forward"});
    CHECK(std::count(report.absent_tables.begin(), report.absent_tables.end(), "md_sfu") == 1);
}

TEST_CASE("Tables that are missing or have other contents are named") {
    const Folder folder;
    folder.write("fc.csv", "left_rows,cycles\n1,1\n");
    const auto problems = sim::fidelity::unknown_tables(folder.path);
    REQUIRE(problems.size() == 15);
    CHECK_THAT(problems[4], Catch::Contains("fc.csv has other contents"));
    CHECK_THAT(problems[5], Catch::Contains("gdma_matrix.csv is missing"));
    CHECK_THAT(problems[7], Catch::Contains("int8_laws.json is missing"));
}

TEST_CASE("Rows without sense are refused by name") {
    const Folder folder;
    folder.write("md_linear.csv", "n,c,h,w,start_npu,cycles\n1,1,1,1,0,0\n");
    CHECK_THROWS_WITH(
        sim::fidelity::compare_with_estimator(folder.path, sim::load_machine("bm1684")),
        Catch::Contains("md_linear row 1"));
}

}  // namespace
