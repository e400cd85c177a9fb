// SPDX-License-Identifier: Apache-2.0
// Times of the instruction groups beyond the API reference against the estimator's 8-bit tables:
// exact, convolutions within 1.5 %.
#include "sim/lab/fidelity/int8_laws.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_timing.h"
#include "sim/machine/machine.h"
#include "tests/support/catch.h"
#include "tests/support/golden_dir.h"

namespace {

using namespace okksim;
namespace fs = std::filesystem;
using sim::fidelity::Int8Law;

std::optional<fs::path> estimator_dir() {
    const auto golden = tests::golden_dir();
    if (golden && fs::is_directory(*golden / ".." / "timing" / "estimator")) {
        return *golden / ".." / "timing" / "estimator";
    }
    tests::skip_without("folder \"timing\" beside the golden vectors (set OKKSIM_GOLDEN_DIR)");
    return std::nullopt;
}

}  // namespace

TEST_CASE("commands of the groups take the estimator's cycles", "[golden]") {
    const auto folder = estimator_dir();
    if (!folder) return;
    const std::vector<Int8Law> laws = sim::fidelity::int8_laws(*folder);
    REQUIRE(laws.size() == 4);
    const auto law = [&](const char* table) {
        return *std::ranges::find(laws, table, &Int8Law::table);
    };
    CHECK(law("md_cmp").rows.size() == 360);
    CHECK(law("table_lookup").rows.size() == 252);
    // Two commands per row, without the rows whose strides no command has.
    CHECK(law("depthwise_fix8b").rows.size() > 2 * 600);
    CHECK(law("conv_fix8b_forward").rows.size() == 3360);
    for (const Int8Law& each : laws) {
        INFO(each.text());
        CHECK(each.met());
        CHECK(each.bar == (each.table == "conv_fix8b_forward" ? 0.015 : 0));
    }
    std::size_t wide = 0;
    for (const auto& row : law("conv_fix8b_forward").rows) {
        // From sixteen words of weights on, only the products count.
        if (row.channels < 63) continue;
        ++wide;
        if (row.simulated != row.estimated) CHECK(row.simulated == row.estimated);
    }
    CHECK(wide > 0);
}

TEST_CASE("laws beside a table say how far they are from it") {
    Int8Law law{"sums", "table", "", 0.015, {{100, 100, 4}, {200, 203, 4}}};
    // 3 of 200 cycles.
    CHECK(law.met());
    CHECK(law.text() == "sums (table): 1 of 2 rows exact, worst 1.50 % (limit 1.5 %): met");
    law.rows.push_back({200, 204, 4});
    CHECK_FALSE(law.met());
    CHECK(law.text() == "sums (table): 1 of 3 rows exact, worst 2.00 % (limit 1.5 %): NOT met");
    law.bar = 0;
    CHECK(law.text() == "sums (table): 1 of 3 rows exact: NOT met");
    law.rows.clear();
    CHECK_FALSE(law.met());
}

TEST_CASE("arrays that pack either way take the shorter time of the two") {
    const auto cycles = [](const char* packing, const isa::Dim4& shape) {
        const auto machine =
            sim::load_machine("okk-next", {std::string("features.mac_packing=") + packing});
        isa::IntConvolution form{};
        form.input_shape = shape;
        form.output_c = 64;
        form.kernel_h = form.kernel_w = 1;
        form.stride = form.dilation = {1, 1};
        form.output_type = isa::ElementType::kInt32;
        form.input_type = isa::ElementType::kInt8;
        const auto command = isa::Command::make(isa::Opcode::bdc_int_conv2d, form);
        return models::bdc_cost(command, machine.params.shape(), *machine.params.bdc).execute.value;
    };
    // 64 input channels are 16 passes, with 10 cycles per group. 49 pixels of an image are four
    // groups of 16, or one of 64. Four images are one group or four.
    CHECK(cycles("batch", {1, 64, 7, 7}) == 4 * 26);
    CHECK(cycles("pixels", {1, 64, 7, 7}) == 26);
    CHECK(cycles("either", {1, 64, 7, 7}) == 26);
    // One pixel of four images.
    CHECK(cycles("batch", {4, 64, 1, 1}) == 26);
    CHECK(cycles("pixels", {4, 64, 1, 1}) == 4 * 26);
    CHECK(cycles("either", {4, 64, 1, 1}) == 26);
}

TEST_CASE("integer convolutions of few channels, wide elements and rescaled results") {
    const auto machine = sim::load_machine("okk-next", {"features.mac_packing=batch"});
    isa::IntConvolution form{};
    form.output_c = 64;
    form.kernel_h = form.kernel_w = 1;
    form.stride = form.dilation = {1, 1};
    form.output_type = isa::ElementType::kInt32;
    form.input_type = isa::ElementType::kInt8;
    const auto cycles = [&](std::int32_t channels, std::int32_t stride) {
        form.input_shape = {1, channels, 6 * stride + 1, 6 * stride + 1};  // 49 pixels: four groups
        form.stride = {stride, stride};
        const auto command = isa::Command::make(isa::Opcode::bdc_int_conv2d, form);
        return models::bdc_cost(command, machine.params.shape(), *machine.params.bdc).execute.value;
    };
    // A pass takes four channels. Up to stride + 1 passes, the cycles are passes + 4.83 + stride.
    // Up to 32 channels, they are the larger of 3 + passes / 2 + passes * stride / 20 and the
    // passes. Beyond that, they are the passes. Each group takes 10 more.
    CHECK(cycles(8, 1) == 71);   // 4 * (2 + 4.83 + 1 + 10) = 71.32
    CHECK(cycles(12, 2) == 79);  // 4 * (3 + 4.83 + 2 + 10) = 79.32
    CHECK(cycles(12, 1) == 58);  // 4 * (3 + 1.5 + 0.15 + 10) = 58.6
    CHECK(cycles(32, 1) == 72);  // 4 * (8 + 10), more than with 3 + 4 + 0.4
    CHECK(cycles(32, 4) == 74);  // 4 * (3 + 4 + 1.6 + 10) = 74.4
    CHECK(cycles(36, 4) == 76);  // 4 * (9 + 10)
    CHECK(cycles(36, 1) == 76);
    // A 16-bit product is two 8-bit products.
    form.input_type = isa::ElementType::kInt16;
    CHECK(cycles(64, 1) == 2 * 4 * 26);
    form.input_type = isa::ElementType::kInt8;
}
