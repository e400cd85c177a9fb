// SPDX-License-Identifier: Apache-2.0
// Contest cases as graphs: every operator of the leaderboard, windows that skip rows, counts.
#include "sim/lab/fidelity/contest_operators.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;

std::vector<fidelity::OperatorFigure> run(const std::string& rows) {
    const auto file = std::filesystem::temp_directory_path() /
                      ("okksim-leaderboard-" + std::to_string(getpid()) + ".csv");
    std::ofstream(file) << "op,case,params,best_us\n" << rows;
    auto figures = fidelity::run_contest_operators(file, load_machine("bm1684"), 1,
                                                   [](std::size_t, std::size_t) {});
    std::filesystem::remove(file);
    return figures;
}

}  // namespace

TEST_CASE("every operator of the contest is timed") {
    const auto figures = run(
        "conv2d,0,N=1 IC=4 OC=8 H=9 W=9 kernel_h=3 kernel_w=3 pad_top=0 pad_bottom=0 pad_left=1 "
        "pad_right=1 stride_h=2 stride_w=2 dilation_h=1 dilation_w=1,1000\n"
        // 8 rows at stride 2 with one row of padding above: the last row of padding is in no
        // window.
        "depthwise2d,0,N=1 C=8 H=8 W=8 kernel_h=3 kernel_w=3 pad_top=1 pad_bottom=1 pad_left=1 "
        "pad_right=1 stride_h=2 stride_w=2 dilation_h=1 dilation_w=1,1000\n"
        "matmul,0,left_rows=2 left_cols=3 right_cols=4,1000\n"
        "softmax,0,N=2 C=5 H=1 W=1,1\n"
        // With rounding up, a window of rows 6 to 8 of 8 extends into padding.
        "avg_pool,0,N=1 C=8 H=8 W=8 kernel_h=3 kernel_w=3 pad_top=0 pad_bottom=0 pad_left=0 "
        "pad_right=0 stride_h=3 stride_w=3 ceil_mode=1 count_include_pad=0,1000\n"
        "avg_pool,1,N=1 C=8 H=4 W=4 kernel_h=3 kernel_w=3 pad_top=1 pad_bottom=1 pad_left=1 "
        "pad_right=1 stride_h=1 stride_w=1 ceil_mode=0 count_include_pad=1,1000\n"
        "reduce_sum,0,N=1 C=8 H=4 W=4 axis_list=0 2 3 axis_num=3,1000\n"
        "rgb2bgr,0,size=64,1000\n"
        "transpose,0,N=1 C=8 H=4 W=2 order=0 2 3 1,1000\n");
    REQUIRE(figures.size() == 9);
    for (const auto& figure : figures) {
        CAPTURE(figure.op, figure.number, figure.error);
        CHECK(figure.error.empty());
        CHECK(figure.simulated_us > 0);
    }
    // Every case takes at least 1 us with its launch.
    CHECK(!figures[3].is_won());
    CHECK(figures[2].is_won());
}

TEST_CASE("an operator that nobody knows is a lost case with its reason") {
    const auto figures = run("sort,0,N=1,1000\n");
    REQUIRE(figures.size() == 1);
    CHECK(figures[0].error.find("sort") != std::string::npos);
    CHECK(!figures[0].is_won());
    CHECK(fidelity::to_json(figures)["won"] == 0);
}
