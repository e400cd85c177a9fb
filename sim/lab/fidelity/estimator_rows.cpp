// SPDX-License-Identifier: Apache-2.0
// Finds the instructions for rows of an estimator table. The operation numbers are the estimator's
// own (timing/estimator/README.md).
#include <fmt/format.h>

#include <optional>

#include "isa/layout.h"
#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_timing.h"
#include "models/chip/chip_params.h"
#include "models/chip/in_order_machine.h"
#include "models/chip/memory_params.h"
#include "models/gdma/gdma_params.h"
#include "sim/lab/fidelity/estimator.h"

namespace okksim::sim::fidelity {
namespace {

using isa::Command;
using isa::Opcode;
using models::MachineParams;
using Rows = std::vector<RowFigures>;

/// Access to the cells of one row by column name.
class Cells {
 public:
    Cells(const CsvTable& table, std::size_t row) : table_(table), row_(row) {}
    std::int32_t operator()(std::string_view name) const {
        return static_cast<std::int32_t>(table_.integer(row_, table_.column(name)));
    }
    isa::Dim4 shape() const { return {(*this)("n"), (*this)("c"), (*this)("h"), (*this)("w")}; }
    double cycles() const { return table_.number(row_, table_.column("cycles")); }

 private:
    const CsvTable& table_;
    std::size_t row_;
};

isa::LocalAddr start(const Cells& cells, const MachineParams& machine) {
    return {static_cast<std::uint32_t>(cells("start_npu") * machine.chip->local_memory_bytes)};
}

/// Returns the execution cycles of a BDC command and the row's cycles.
Rows compute(std::string name, const Command& command, const Cells& cells,
             const MachineParams& machine) {
    const auto cost = models::bdc_cost(command, machine.shape(), *machine.bdc);
    return {{std::move(name), static_cast<double>(cost.execute.value), cells.cycles()}};
}

/// Makes a command of an element-wise form; only destination and shape affect its time.
template <typename Form>
Command elementwise(Opcode opcode, const isa::Dim4& shape, const Cells& cells,
                    const MachineParams& machine) {
    Form form{};
    form.dst_addr = start(cells, machine);
    form.shape = shape;
    return Command::make(opcode, form);
}

Rows tensor_arithmetic(const CsvTable& table, std::size_t row, const MachineParams& machine) {
    const Cells cells(table, row);
    const auto binary = [&](const char* name, Opcode opcode) {
        return compute(name, elementwise<isa::VectorBinary>(opcode, cells.shape(), cells, machine),
                       cells, machine);
    };
    const auto select = [&](Opcode opcode) {
        return compute("arithmetic",
                       elementwise<isa::VectorBinarySelect>(opcode, cells.shape(), cells, machine),
                       cells, machine);
    };
    switch (cells("op")) {
        case 0: return binary("arithmetic", Opcode::bdc_mul);
        case 1: return binary("multiply and add", Opcode::bdc_mac);
        case 2: return binary("arithmetic", Opcode::bdc_add);
        case 3: return binary("arithmetic", Opcode::bdc_sub);
        case 4: return binary("arithmetic", Opcode::bdc_max);
        case 5: return binary("arithmetic", Opcode::bdc_min);
        case 6: return binary("arithmetic", Opcode::bdc_32bit_arithmetic_shift);
        case 7: return binary("arithmetic", Opcode::bdc_32bit_and);
        case 8: return binary("arithmetic", Opcode::bdc_32bit_or);
        case 9: return binary("arithmetic", Opcode::bdc_32bit_xor);
        case 10: return select(Opcode::bdc_greater_select_value);
        case 11: return select(Opcode::bdc_equal_select_value);
        case 12: return binary("division", Opcode::bdc_div);
        case 19:
            return compute(
                "copy",
                elementwise<isa::VectorUnary>(Opcode::bdc_32bit_cpy, cells.shape(), cells, machine),
                cells, machine);
        default: return {};
    }
}

Rows fixed_arithmetic(const CsvTable& table, std::size_t row, const MachineParams& machine) {
    const Cells cells(table, row);
    const bool wide = cells("arg6") != 0 && cells("op") == 0;
    const auto with_types = [&](auto form, const char* name, Opcode opcode) {
        form.dst_addr = start(cells, machine);
        form.shape = cells.shape();
        form.op_type = wide ? isa::OpType::kU8U8ToU16 : isa::OpType::kU8U8ToU8;
        return compute(name, Command::make(opcode, form), cells, machine);
    };
    switch (cells("op")) {
        case 0:
            return with_types(isa::FixedBinary{}, "fixed-point arithmetic",
                              Opcode::bdc_fixed_point_packed_mul);
        case 1:
            return with_types(isa::FixedMac{}, "fixed-point multiply and add",
                              Opcode::bdc_fixed_point_packed_mac);
        case 2:
            return with_types(isa::FixedBinary{}, "fixed-point arithmetic",
                              Opcode::bdc_fixed_point_packed_add);
        case 3:
            return with_types(isa::FixedBinary{}, "fixed-point arithmetic",
                              Opcode::bdc_fixed_point_packed_sub);
        case 4:
            return with_types(isa::FixedCompare{}, "fixed-point arithmetic",
                              Opcode::bdc_fixed_point_packed_max);
        case 5:
            return with_types(isa::FixedCompare{}, "fixed-point arithmetic",
                              Opcode::bdc_fixed_point_packed_min);
        case 6: {
            // The machine shifts 16-bit elements, two per word, so the command and the row have
            // equal numbers of words.
            isa::Dim4 shape = cells.shape();
            shape.n = static_cast<std::int32_t>(isa::div_up(shape.n, 4)) * 2;
            return compute(
                "fixed-point arithmetic",
                elementwise<isa::FixedShift>(Opcode::bdc_fixed_point_packed_16bit_arithmetic_shift,
                                             shape, cells, machine),
                cells, machine);
        }
        default: return {};
    }
}

Rows linear(const CsvTable& table, std::size_t row, const MachineParams& machine) {
    const Cells cells(table, row);
    return compute(
        "per-channel linear",
        elementwise<isa::VectorScaleBias>(Opcode::bdc_scale_bias, cells.shape(), cells, machine),
        cells, machine);
}

Rows with_constant(const CsvTable& table, std::size_t row, const MachineParams& machine) {
    const Cells cells(table, row);
    const bool divides = cells("op") == 3;
    return compute(divides ? "division" : "arithmetic with a constant",
                   elementwise<isa::VectorConstant>(divides ? Opcode::bdc_div_C : Opcode::bdc_add_C,
                                                    cells.shape(), cells, machine),
                   cells, machine);
}

Rows special_function(const CsvTable& table, std::size_t row, const MachineParams& machine) {
    const Cells cells(table, row);
    const auto unary = [&](const char* name, Opcode opcode) {
        return compute(name, elementwise<isa::VectorUnary>(opcode, cells.shape(), cells, machine),
                       cells, machine);
    };
    switch (cells("op")) {
        case 3: return unary("square root", Opcode::bdc_rsqrt);
        case 4:
        case 5:
        case 6: return unary("conversion", Opcode::bdc_fp32_to_int32);
        case 7: {
            isa::VectorSeries form{};
            form.dst_addr = start(cells, machine);
            form.shape = cells.shape();
            form.num_series = cells("num_series");
            return compute("series", Command::make(Opcode::bdc_taylor_exp, form), cells, machine);
        }
        default: return {};
    }
}

Rows lookup(const CsvTable& table, std::size_t row, const MachineParams& machine) {
    const Cells cells(table, row);
    return compute(
        "lookup",
        elementwise<isa::VectorUnary>(Opcode::bdc_lookup_exp, cells.shape(), cells, machine), cells,
        machine);
}

Rows depthwise(const CsvTable& table, std::size_t row, const MachineParams& machine) {
    const Cells cells(table, row);
    const std::int32_t stride = cells("arg7");
    if (stride == 0) return {};  // a window must move
    isa::Depthwise form{};
    form.output_addr = start(cells, machine);
    form.kernel_h = cells("kernel_h");
    form.kernel_w = cells("kernel_w");
    form.stride = {stride, stride};
    form.dilation = {1, 1};
    form.input_shape = {cells("n"), cells("c"), (cells("out_h") - 1) * stride + form.kernel_h,
                        (cells("out_w") - 1) * stride + form.kernel_w};
    return compute("depthwise", Command::make(Opcode::bdc_depthwise2d, form), cells, machine);
}

Rows convolution(const CsvTable& table, std::size_t row, const MachineParams& machine) {
    const Cells cells(table, row);
    const std::int32_t stride = cells("arg8");
    if (stride == 0) return {};
    isa::Convolution form{};
    form.output_addr = start(cells, machine);
    form.output_c = cells("oc");
    form.kernel_h = cells("kernel_h");
    form.kernel_w = cells("kernel_w");
    form.stride = {stride, stride};
    form.dilation = {1, 1};
    form.input_shape = {cells("n"), cells("ic"), (cells("out_h") - 1) * stride + form.kernel_h,
                        (cells("out_w") - 1) * stride + form.kernel_w};
    const std::int32_t channels = cells("ic");
    return compute(channels < kSharedFetchChannels ? fmt::format("{}{}", kFewChannels, channels)
                                                   : "convolution",
                   Command::make(Opcode::bdc_conv2d, form), cells, machine);
}

Rows matrix_product(const CsvTable& table, std::size_t row, const MachineParams& machine) {
    const Cells cells(table, row);
    isa::MatrixMultiply form{};
    form.output_addr = start(cells, machine);
    form.left_rows = cells("left_rows");
    form.left_cols_per_channel = cells("left_cols_per_channel");
    form.left_cols = (cells("left_channels") - 1) * form.left_cols_per_channel +
                     cells("left_cols_in_last_channel");
    form.right_cols_per_channel = cells("right_cols_per_channel");
    form.right_cols = cells("out_channels") * form.right_cols_per_channel;
    return compute("matrix product", Command::make(Opcode::bdc_matmul, form), cells, machine);
}

/// Returns the time of one GDMA command on an idle machine, in cycles of the GDMA clock.
Rows alone(std::string name, Command command, const Cells& cells, const MachineParams& machine) {
    struct Duration : models::CommandObserver {
        models::Picoseconds value;
        void retired(const Command&, const models::CommandTimes& times) override {
            value = times.end - times.start;
        }
    } duration;
    models::InOrderMachine idle(machine);
    idle.add_observer(duration);
    idle.begin_launch();
    command.id = 1;
    idle.submit(command);
    idle.end_launch();
    return {
        {std::move(name), duration.value.microseconds() * machine.gdma->clock_mhz, cells.cycles()}};
}

Rows gdma_tensor(const CsvTable& table, std::size_t row, const MachineParams& machine) {
    const Cells cells(table, row);
    const isa::Dim4 shape{cells("src_n"), cells("src_c"), cells("src_h"), cells("src_w")};
    const bool same_shape =
        shape == isa::Dim4{cells("dst_n"), cells("dst_c"), cells("dst_h"), cells("dst_w")};
    // No instruction does the format conversions and reshapes of other rows.
    if (!same_shape || cells("arg9") != 0 || cells("arg10") != 0 || cells("arg16") != 0 ||
        cells("arg17") != 1) {
        return {};
    }
    const auto global = isa::SystemAddr::from(static_cast<std::uint64_t>(machine.global->start));
    const isa::Dim4 system = isa::continuous_stride(shape);
    const isa::Dim4 local =
        isa::aligned_stride(isa::LocalAddr{}, shape, isa::kWordBits, machine.shape());
    switch (cells("arg12")) {
        case 0:
            return alone("GDMA system to local",
                         Command::make(Opcode::gdma_32bit_cpy_S2L,
                                       isa::GdmaCopyToLocal{{}, global, shape, local, system}),
                         cells, machine);
        case 1:
            return alone("GDMA local to system",
                         Command::make(Opcode::gdma_32bit_cpy_L2S,
                                       isa::GdmaCopyToSystem{global, {}, shape, system, local}),
                         cells, machine);
        case 2:
            return alone("GDMA system to system",
                         Command::make(Opcode::gdma_32bit_cpy_S2S,
                                       isa::GdmaCopySystem{global, global, shape, system, system}),
                         cells, machine);
        case 3:
            return alone("GDMA local to local",
                         Command::make(Opcode::gdma_32bit_cpy_L2L,
                                       isa::GdmaCopyLocal{{}, {}, shape, local, local}),
                         cells, machine);
        default: return {};
    }
}

Rows gdma_matrix(const CsvTable& table, std::size_t row, const MachineParams& machine) {
    const Cells cells(table, row);
    if (cells("arg2") != 0 || cells("arg3") != 0) return {};
    isa::GdmaMatrixToLocal form{};
    form.src_addr = isa::SystemAddr::from(static_cast<std::uint64_t>(machine.global->start));
    form.rows = cells("rows");
    form.cols = cells("cols");
    form.cols_per_channel = static_cast<std::int32_t>(
        isa::div_up(form.cols, static_cast<std::int64_t>(machine.chip->lanes)));
    form.row_stride = form.cols;
    return alone("GDMA matrix", Command::make(Opcode::gdma_32bit_matrix_S2L, form), cells, machine);
}

}  // namespace

const std::map<std::string, RowPricer>& row_pricers() {
    static const std::map<std::string, RowPricer> pricers{
        {"tensor_arithmetic", tensor_arithmetic},
        {"tensor_arithmetic_fix8b", fixed_arithmetic},
        {"md_linear", linear},
        {"md_scalar", with_constant},
        {"md_sfu", special_function},
        {"table_lookup", lookup},
        {"depthwise_fp32", depthwise},
        {"conv_forward", convolution},
        {"fc", matrix_product},
        {"gdma_tensor", gdma_tensor},
        {"gdma_matrix", gdma_matrix}};
    return pricers;
}

}  // namespace okksim::sim::fidelity
