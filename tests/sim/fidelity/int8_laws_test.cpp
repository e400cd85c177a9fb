// SPDX-License-Identifier: Apache-2.0
// Times of the instruction groups beyond the API reference against the estimator's tables for
// 8 bits: exact, convolutions within 1.5 %.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "models/bdc/bdc_timing.h"
#include "sim/fidelity/csv.h"
#include "sim/machine/machine.h"
#include "tests/support/catch.h"
#include "tests/support/golden_dir.h"

namespace {

using namespace okksim;
namespace fs = std::filesystem;
using sim::fidelity::CsvTable;

std::optional<fs::path> estimator_dir() {
    const auto golden = tests::golden_dir();
    if (golden && fs::is_directory(*golden / ".." / "timing" / "estimator")) {
        return *golden / ".." / "timing" / "estimator";
    }
    tests::skip_without("folder \"timing\" beside the golden vectors (set OKKSIM_GOLDEN_DIR)");
    return std::nullopt;
}

/// A table and the machine that its rows are priced on.
class Estimates {
 public:
    Estimates(const fs::path& file, const std::vector<std::string>& settings = {})
        : table_(CsvTable::read(file)), machine_(sim::load_machine("okk-next", settings)) {}

    std::size_t rows() const { return table_.rows(); }
    std::int32_t cell(std::size_t row, std::string_view column) const {
        return static_cast<std::int32_t>(table_.integer(row, table_.column(column)));
    }
    double cycles(std::size_t row) const { return table_.number(row, table_.column("cycles")); }
    isa::Dim4 shape(std::size_t row) const {
        return {cell(row, "n"), cell(row, "c"), cell(row, "h"), cell(row, "w")};
    }
    isa::LocalAddr start(std::size_t row) const {
        return {static_cast<std::uint32_t>(cell(row, "start_npu") *
                                           machine_.params.chip.local_memory_bytes)};
    }
    double simulated(const isa::Command& command) const {
        const auto cost = models::bdc_cost(command, machine_.params.shape(), machine_.params.bdc);
        return static_cast<double>(cost.execute.value);
    }

 private:
    CsvTable table_;
    sim::Machine machine_;
};

/// Input extent of `output` windows.
std::int32_t input_extent(std::int32_t output, std::int32_t kernel, std::int32_t stride) {
    return (output - 1) * stride + kernel;
}

}  // namespace

TEST_CASE("comparisons and selections take the estimator's cycles", "[golden]") {
    const auto folder = estimator_dir();
    if (!folder) return;
    const Estimates table(*folder / "md_cmp.csv");
    for (std::size_t row = 0; row < table.rows(); ++row) {
        INFO("md_cmp row " << row + 1);
        const bool is_selection = table.cell(row, "arg4") == 2 || table.cell(row, "arg4") == 3;
        isa::IntSelect selection{};
        isa::IntCompare comparison{};
        selection.dst_addr = comparison.dst_addr = table.start(row);
        selection.shape = comparison.shape = table.shape(row);
        const isa::Command command =
            is_selection ? isa::Command::make(isa::Opcode::bdc_int_select, selection)
                         : isa::Command::make(isa::Opcode::bdc_int_greater, comparison);
        CHECK(table.simulated(command) == table.cycles(row));
    }
    CHECK(table.rows() == 360);
}

TEST_CASE("tables without a port for each unit take the estimator's cycles", "[golden]") {
    const auto folder = estimator_dir();
    if (!folder) return;
    const Estimates table(*folder / "table_lookup.csv", {"features.table_cycles=24"});
    for (std::size_t row = 0; row < table.rows(); ++row) {
        INFO("table_lookup row " << row + 1);
        isa::Table8 lookup{};
        lookup.dst_addr = table.start(row);
        lookup.shape = table.shape(row);
        CHECK(table.simulated(isa::Command::make(isa::Opcode::bdc_lookup8, lookup)) ==
              table.cycles(row));
    }
    CHECK(table.rows() == 252);
}

TEST_CASE("integer depthwise convolutions and pools take the estimator's cycles", "[golden]") {
    const auto folder = estimator_dir();
    if (!folder) return;
    const Estimates table(*folder / "depthwise_fix8b.csv");
    std::size_t compared = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        INFO("depthwise_fix8b row " << row + 1);
        const std::int32_t stride = table.cell(row, "arg7");
        if (stride < 1) continue;  // no command has it
        isa::IntDepthwise sums{};
        sums.output_addr = table.start(row);
        sums.kernel_h = table.cell(row, "kernel_h");
        sums.kernel_w = table.cell(row, "kernel_w");
        sums.stride = {1, stride};
        sums.dilation = {1, 1};
        sums.input_shape = {table.cell(row, "n"), table.cell(row, "c"),
                            input_extent(table.cell(row, "out_h"), sums.kernel_h, 1),
                            input_extent(table.cell(row, "out_w"), sums.kernel_w, stride)};
        isa::IntMaxPool pool{};
        pool.output_addr = sums.output_addr;
        pool.kernel_h = sums.kernel_h;
        pool.kernel_w = sums.kernel_w;
        pool.stride = sums.stride;
        pool.input_shape = sums.input_shape;
        CHECK(table.simulated(isa::Command::make(isa::Opcode::bdc_int_depthwise2d, sums)) ==
              table.cycles(row));
        CHECK(table.simulated(isa::Command::make(isa::Opcode::bdc_int_max_pool2d, pool)) ==
              table.cycles(row));
        ++compared;
    }
    CHECK(table.rows() == 896);
    CHECK(compared > 600);
}

TEST_CASE("integer convolutions take the estimator's cycles within 1.5 %", "[golden]") {
    const auto folder = estimator_dir();
    if (!folder) return;
    const Estimates table(*folder / "conv_fix8b_forward.csv", {"features.mac_packing=batch"});
    double worst = 0;
    std::size_t exact = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        isa::IntConvolution sums{};
        sums.output_addr = table.start(row);
        sums.output_c = table.cell(row, "oc");
        sums.kernel_h = table.cell(row, "kernel_h");
        sums.kernel_w = table.cell(row, "kernel_w");
        sums.stride = {table.cell(row, "arg7"), table.cell(row, "arg8")};
        sums.dilation = {1, 1};
        sums.input_shape = {table.cell(row, "n"), table.cell(row, "ic"),
                            input_extent(table.cell(row, "out_h"), sums.kernel_h, sums.stride.h),
                            input_extent(table.cell(row, "out_w"), sums.kernel_w, sums.stride.w)};
        const double simulated =
            table.simulated(isa::Command::make(isa::Opcode::bdc_int_conv2d, sums));
        const double error = std::abs(simulated / table.cycles(row) - 1);
        worst = std::max(worst, error);
        exact += error == 0 ? 1 : 0;
        INFO("conv_fix8b_forward row " << row + 1 << ": " << simulated << " instead of "
                                       << table.cycles(row));
        if (error > 0.015) CHECK(error <= 0.015);
        // Sixteen words of weights and more: the products alone.
        if (sums.input_shape.c >= 63) CHECK(simulated == table.cycles(row));
    }
    std::cout << "integer convolution: " << exact << " of " << table.rows() << " rows exact, worst "
              << 100 * worst << " %\n";
    CHECK(table.rows() == 3360);
    CHECK(worst < 0.015);
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
        return models::bdc_cost(command, machine.params.shape(), machine.params.bdc).execute.value;
    };
    // 64 input channels are 16 passes, and 10 cycles a group. 49 pixels of an image are four
    // groups of 16, or one of 64; four images are one or four times as many.
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
        return models::bdc_cost(command, machine.params.shape(), machine.params.bdc).execute.value;
    };
    // A pass takes four channels. Up to stride + 1 passes: passes + 4.83 + stride; up to 32
    // channels 3 + passes / 2 + passes * stride / 20, or the passes; then the passes. 10 more a
    // group.
    CHECK(cycles(8, 1) == 71);   // 4 * (2 + 4.83 + 1 + 10) = 71.32
    CHECK(cycles(12, 2) == 79);  // 4 * (3 + 4.83 + 2 + 10) = 79.32
    CHECK(cycles(12, 1) == 58);  // 4 * (3 + 1.5 + 0.15 + 10) = 58.6
    CHECK(cycles(32, 1) == 72);  // 4 * (8 + 10), beside 3 + 4 + 0.4
    CHECK(cycles(32, 4) == 74);  // 4 * (3 + 4 + 1.6 + 10) = 74.4
    CHECK(cycles(36, 4) == 76);  // 4 * (9 + 10)
    CHECK(cycles(36, 1) == 76);
    // A product of 16 bits is two of 8.
    form.input_type = isa::ElementType::kInt16;
    CHECK(cycles(64, 1) == 2 * 4 * 26);
    form.input_type = isa::ElementType::kInt8;
}
