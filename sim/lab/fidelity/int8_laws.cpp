// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/int8_laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/bdc/bdc_timing.h"
#include "models/chip/chip_params.h"
#include "sim/lab/fidelity/csv.h"
#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {
namespace {

/// Largest relative error of convolutions. The estimator rounds them group by group.
constexpr double kConvolutionBar = 0.015;

/// A row of a table.
class LawCells {
 public:
    LawCells(const CsvTable& table, std::size_t row, const Machine& machine)
        : table_(table), row_(row), machine_(machine) {}

    std::int32_t at(std::string_view column) const {
        return static_cast<std::int32_t>(table_.integer(row_, table_.column(column)));
    }
    isa::Dim4 shape() const { return {at("n"), at("c"), at("h"), at("w")}; }
    isa::LocalAddr start() const {
        return {
            static_cast<std::uint32_t>(at("start_npu") * machine_.params.chip->local_memory_bytes)};
    }

 private:
    const CsvTable& table_;
    std::size_t row_;
    const Machine& machine_;
};

using Commands = std::vector<isa::Command>;

/// Returns the input extent of `output` windows.
std::int32_t input_extent(std::int32_t output, std::int32_t kernel, std::int32_t stride) {
    return (output - 1) * stride + kernel;
}

Commands comparison(const LawCells& row) {
    constexpr std::int32_t kFirstSelection = 2, kLastSelection = 3;
    const std::int32_t kind = row.at("arg4");
    isa::IntSelect selection{};
    isa::IntCompare comparison{};
    selection.dst_addr = comparison.dst_addr = row.start();
    selection.shape = comparison.shape = row.shape();
    if (kind < kFirstSelection || kind > kLastSelection) {
        return {isa::Command::make(isa::Opcode::bdc_int_greater, comparison)};
    }
    return {isa::Command::make(isa::Opcode::bdc_int_select, selection)};
}

Commands lookup(const LawCells& row) {
    isa::Table8 lookup{};
    lookup.dst_addr = row.start();
    lookup.shape = row.shape();
    return {isa::Command::make(isa::Opcode::bdc_lookup8, lookup)};
}

/// Returns commands for sums and maxima; none for a stride that no command supports.
Commands windows(const LawCells& row) {
    const std::int32_t stride = row.at("arg7");
    if (stride < 1) return {};
    isa::IntDepthwise sums{};
    sums.output_addr = row.start();
    sums.kernel_h = row.at("kernel_h");
    sums.kernel_w = row.at("kernel_w");
    sums.stride = {1, stride};
    sums.dilation = {1, 1};
    sums.input_shape = {row.at("n"), row.at("c"), input_extent(row.at("out_h"), sums.kernel_h, 1),
                        input_extent(row.at("out_w"), sums.kernel_w, stride)};
    isa::IntMaxPool pool{};
    pool.output_addr = sums.output_addr;
    pool.kernel_h = sums.kernel_h;
    pool.kernel_w = sums.kernel_w;
    pool.stride = sums.stride;
    pool.input_shape = sums.input_shape;
    return {isa::Command::make(isa::Opcode::bdc_int_depthwise2d, sums),
            isa::Command::make(isa::Opcode::bdc_int_max_pool2d, pool)};
}

Commands convolution(const LawCells& row) {
    isa::IntConvolution sums{};
    sums.output_addr = row.start();
    sums.output_c = row.at("oc");
    sums.kernel_h = row.at("kernel_h");
    sums.kernel_w = row.at("kernel_w");
    sums.stride = {row.at("arg7"), row.at("arg8")};
    sums.dilation = {1, 1};
    sums.input_shape = {row.at("n"), row.at("ic"),
                        input_extent(row.at("out_h"), sums.kernel_h, sums.stride.h),
                        input_extent(row.at("out_w"), sums.kernel_w, sums.stride.w)};
    return {isa::Command::make(isa::Opcode::bdc_int_conv2d, sums)};
}

Int8Law law(const std::filesystem::path& estimator, Int8Law law, std::string_view channels,
            Commands (*commands)(const LawCells&)) {
    const CsvTable table = CsvTable::read(estimator / (law.table + ".csv"));
    const Machine machine =
        load_machine("okk-next", law.settings.empty() ? std::vector<std::string>()
                                                      : std::vector<std::string>{law.settings});
    for (std::size_t i = 0; i < table.rows(); ++i) {
        const LawCells row(table, i, machine);
        for (const isa::Command& command : commands(row)) {
            const auto cost =
                models::bdc_cost(command, machine.params.shape(), *machine.params.bdc);
            law.rows.push_back({table.number(i, table.column("cycles")),
                                static_cast<double>(cost.execute.value), row.at(channels)});
        }
    }
    return law;
}

}  // namespace

double Int8LawRow::error() const { return std::abs(simulated / estimated - 1); }

std::size_t Int8Law::exact() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        rows, [](const auto& row) { return row.simulated == row.estimated; }));
}

double Int8Law::worst() const {
    double worst = 0;
    for (const Int8LawRow& row : rows) worst = std::max(worst, row.error());
    return worst;
}

std::string Int8Law::text() const {
    std::string out =
        fmt::format("{} ({}): {} of {} rows exact", what, table, exact(), rows.size());
    if (bar > 0) {
        out += fmt::format(", worst {:.2f} % (limit {:g} %): {}", 100 * worst(), 100 * bar,
                           met() ? "met" : "NOT met");
    } else if (!met()) {
        out += ": NOT met";
    }
    return out;
}

std::vector<Int8Law> int8_laws(const std::filesystem::path& estimator) {
    std::vector<Int8Law> laws;
    const auto add = [&](Int8Law described, std::string_view channels,
                         Commands (*commands)(const LawCells&)) {
        if (!std::filesystem::exists(estimator / (described.table + ".csv"))) return;
        laws.push_back(law(estimator, std::move(described), channels, commands));
    };
    add({"comparisons and selections", "md_cmp", "", 0, {}}, "c", comparison);
    add({"tables without a port for each unit", "table_lookup", "features.table_cycles=24", 0, {}},
        "c", lookup);
    add({"depthwise convolutions and maxima", "depthwise_fix8b", "", 0, {}}, "c", windows);
    add({"convolutions", "conv_fix8b_forward", "features.mac_packing=batch", kConvolutionBar, {}},
        "ic", convolution);
    return laws;
}

}  // namespace okksim::sim::fidelity
