// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/window_need.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "isa/features.h"
#include "isa/limits.h"
#include "models/bdc/bdc_classes.h"
#include "models/bdc/bdc_params.h"
#include "models/chip/chip_params.h"

namespace okksim::sim::bound {
namespace {

using isa::TimingClass;
using models::BdcClass;

/// The fields of a command with windows that the cost models read. The command starts in the first
/// lane.
struct WindowCommand {
    isa::LocalAddr output_addr{};
    isa::Dim4 input_shape{1, 1, 1, 1};
    std::int32_t output_c = 1;
    std::int32_t kernel_h = 1, kernel_w = 1;
    isa::Padding padding{};
    isa::Dim2 stride{1, 1}, dilation{1, 1};
    isa::ElementType input_type = isa::ElementType::kInt8;
    bool rescales = false;  ///< scaled sums take at least as long
};

std::int32_t whole(std::int64_t value) {
    return static_cast<std::int32_t>(
        std::min<std::int64_t>(value, std::numeric_limits<std::int32_t>::max()));
}

/// Returns a command for some outputs of every image.
WindowCommand command_of(const WindowSums& sums, std::int64_t channels, const AxisPiece& rows,
                         const AxisPiece& columns) {
    WindowCommand command;
    command.kernel_h = whole(rows.taps);
    command.kernel_w = whole(columns.taps);
    // The GDMA can apply the steps of windows with a single tap.
    const bool steps = columns.taps > 1 && sums.columns.step <= isa::kMostStep;
    command.stride.w = steps ? whole(sums.columns.step) : 1;
    command.input_shape = {whole(sums.images), whole(channels), whole(rows.outputs + rows.taps - 1),
                           whole((columns.outputs - 1) * command.stride.w + columns.taps)};
    command.output_c = whole(sums.outputs);
    return command;
}

/// Returns the cycles of a command by the cost model of its class.
template <TimingClass timing>
std::int64_t cycles_of(const WindowCommand& command, const models::MachineParams& machine) {
    using Class = BdcClass<timing>;
    const isa::MachineShape shape = machine.shape();
    const models::laws::Array array{shape, *machine.bdc};
    const auto parameters = Class::parameters(*machine.bdc);
    const std::int64_t cycles = Class::Law::cycles(command, array, parameters);
    // The cost models round down. More commands lose more by this, but also add start-ups.
    if (machine.bdc->startup_cycles > 0) return cycles;
    WindowCommand one = command;
    one.output_c = one.input_shape.n = 1;
    one.input_shape.h = command.kernel_h;
    one.input_shape.w = command.kernel_w;
    const std::int64_t group =
        std::max<std::int64_t>(Class::Law::cycles(one, array, parameters), 1);
    return cycles - cycles / group;
}

/// Returns the minimum of `cycles(rows, columns)` over all cuts of both axes.
template <typename Cycles>
std::int64_t least_over_cuts(const WindowSums& sums, const Cycles& cycles) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    const std::vector<AxisCut> all_columns = axis_cuts(sums.columns);
    for (const AxisCut& rows : axis_cuts(sums.rows)) {
        for (const AxisCut& columns : all_columns) {
            std::int64_t sum = 0;
            for (const AxisPiece& row : rows) {
                for (const AxisPiece& column : columns) {
                    if (row.taps > 0 && column.taps > 0) sum += cycles(row, column);
                }
            }
            least = std::min(least, sum);
        }
    }
    return least;
}

/// Returns all pixels of all images as one row, which is possible for windows with one tap.
WindowSums as_one_row(const WindowSums& sums) {
    WindowSums row = sums;
    row.images = 1;
    row.rows = {};
    row.columns = {};
    row.columns.input = row.columns.output = sums.images * sums.rows.output * sums.columns.output;
    return row;
}

/// Returns the windows with the taps of an axis laid out as input channels.
WindowSums with_taps_as_channels(WindowSums sums, WindowSpan WindowSums::*axis) {
    WindowSpan& span = sums.*axis;
    sums.inputs *= span.taps;
    const std::int64_t outputs = span.output;
    span = {};
    span.input = span.output = outputs;
    return sums;
}

/// Returns separate channels whose outputs are spread evenly over all lanes, regardless of image
/// and row.
WindowSums over_all_lanes(const WindowSums& sums, const models::MachineParams& machine) {
    WindowSums even = sums;
    const std::int64_t all = sums.images * sums.outputs * sums.rows.output * sums.columns.output;
    even.images = 1;
    even.outputs = std::min<std::int64_t>(machine.chip->lanes, all);
    even.rows.input = sums.rows.taps;
    even.rows.output = 1;
    even.columns.output = isa::div_up(all, machine.chip->lanes);
    even.columns.input = (even.columns.output - 1) * even.columns.step + even.columns.taps;
    return even;
}

/// Returns the cycles of floating-point products, tap by tap. An additional channel of zeros may
/// take less.
template <TimingClass timing>
std::int64_t float_cycles(const WindowSums& sums, const models::MachineParams& machine) {
    const auto in_order = [&](const WindowSums& own) {
        return least_over_cuts(own, [&](const AxisPiece& rows, const AxisPiece& columns) {
            return std::min(
                cycles_of<timing>(command_of(own, own.inputs, rows, columns), machine),
                cycles_of<timing>(command_of(own, own.inputs + 1, rows, columns), machine));
        });
    };
    const std::int64_t images = in_order(sums);
    if (is_one_tap(sums)) return std::min(images, in_order(as_one_row(sums)));
    // Kernels lay out taps of windows with few channels as channels. This gains nothing if the
    // channels fill the array and their passes take longer than fetching the pixels.
    const models::BdcParams& bdc = *machine.bdc;
    const auto inputs = static_cast<double>(sums.inputs);
    const double steps = static_cast<double>(std::max(sums.rows.step, sums.columns.step));
    const double fetch =
        (bdc.convolution_fetch_cycles + bdc.convolution_fetch_cycles_per_stride * steps) *
        bdc.convolution_fetch_channels / inputs;
    const bool is_filled = sums.inputs % bdc.convolution_channels_per_cycle == 0;
    const double passes = inputs / static_cast<double>(bdc.convolution_channels_per_cycle);
    if (is_filled && passes > fetch + 1) return images;
    const WindowSums rows = with_taps_as_channels(sums, &WindowSums::rows);
    const WindowSums columns = with_taps_as_channels(sums, &WindowSums::columns);
    const WindowSums both = with_taps_as_channels(rows, &WindowSums::columns);
    return std::min(
        {images, in_order(rows), in_order(columns), in_order(both), in_order(as_one_row(both))});
}

/// Returns the cycles of integer products. Taps can be laid out as channels, and pixels as images.
std::int64_t integer_cycles(const WindowSums& sums, const models::MachineParams& machine) {
    const std::int64_t products = sums.inputs * sums.rows.taps * sums.columns.taps;
    const auto cycles = [&](const WindowSums& own) {
        return cycles_of<TimingClass::kIntConvolution>(
            command_of(own, products, {own.rows.output, 1}, {own.columns.output, 1}), machine);
    };
    const std::int64_t images = cycles(sums);
    if (!is_one_tap(sums)) return images;
    // Pixels of one image can be laid out as images, up to the number that a unit takes.
    WindowSums batch = as_one_row(sums);
    batch.images = machine.bdc->int_products;
    batch.columns.output = isa::div_up(batch.columns.output, batch.images);
    return std::min({images, cycles(as_one_row(sums)), cycles(batch)});
}

bool has(isa::Feature feature, const models::MachineParams& machine) {
    return isa::has_feature(machine.shape(), feature);
}

bool is_half(tosa::DType type) { return type == tosa::DType::kFp16 || type == tosa::DType::kBf16; }

}  // namespace

std::int64_t convolution_cycles(const WindowSums& sums, const models::MachineParams& machine) {
    // Types without an own class of commands are multiplied as words.
    const std::int64_t words = float_cycles<TimingClass::kConvolution>(sums, machine);
    if (is_half(sums.type) && has(isa::Feature::kHalfMac, machine)) {
        return std::min(words, float_cycles<TimingClass::kHalfConvolution>(sums, machine));
    }
    if (tosa::is_integer(sums.type) && has(isa::Feature::kInt8Mac, machine)) {
        return std::min(words, integer_cycles(sums, machine));
    }
    return words;
}

namespace {

/// Returns the cycles of windows of words, channel by channel.
template <TimingClass timing>
std::int64_t word_cycles(const WindowSums& sums, const models::MachineParams& machine) {
    const WindowSums even = over_all_lanes(sums, machine);
    const AxisPiece one_row{1, even.rows.taps},
        row_of_outputs{even.columns.output, even.columns.taps};
    const std::int64_t cut =
        least_over_cuts(sums, [&](const AxisPiece& rows, const AxisPiece& columns) {
            return cycles_of<timing>(command_of(sums, sums.outputs, rows, columns), machine);
        });
    return std::min(
        cut, cycles_of<timing>(command_of(even, even.outputs, one_row, row_of_outputs), machine));
}

}  // namespace

std::int64_t pool_cycles(const WindowSums& sums, const models::MachineParams& machine) {
    return word_cycles<TimingClass::kPool>(sums, machine);
}

std::int64_t depthwise_cycles(const WindowSums& sums, const models::MachineParams& machine) {
    const auto cycles = [&](const auto& price) {
        return least_over_cuts(sums, [&](const AxisPiece& rows, const AxisPiece& columns) {
            return price(command_of(sums, sums.outputs, rows, columns));
        });
    };
    const std::int64_t words = word_cycles<TimingClass::kDepthwise>(sums, machine);
    if (is_half(sums.type) && has(isa::Feature::kHalfMac, machine)) {
        return std::min(words, cycles([&](const WindowCommand& command) {
                            return cycles_of<TimingClass::kHalfDepthwise>(command, machine);
                        }));
    }
    if (tosa::is_integer(sums.type) && has(isa::Feature::kInt8Mac, machine)) {
        return std::min(words, cycles([&](const WindowCommand& command) {
                            return cycles_of<TimingClass::kIntDepthwise>(command, machine);
                        }));
    }
    return words;
}

std::int64_t least_vectors(std::int64_t elements, const models::MachineParams& machine) {
    return isa::div_up(elements, machine.chip->lanes * machine.bdc->execution_units);
}

FoldNeed fold_need(const WindowSums& sums, const models::MachineParams& machine) {
    // A combination at best halves the rest of a window, and leaves one value fewer.
    const auto halvings = [](std::int64_t taps) {
        return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(taps - 1)));
    };
    const std::int64_t maps = sums.images * sums.outputs;
    const std::int64_t results = maps * sums.rows.output * sums.columns.output;
    const std::int64_t read = reads_all(sums.rows) && reads_all(sums.columns)
                                  ? maps * sums.rows.input * sums.columns.input
                                  : 0;
    FoldNeed need;
    need.commands = halvings(sums.rows.taps) + halvings(sums.columns.taps);
    const std::int64_t vectors =
        std::max(need.commands * least_vectors(results, machine),
                 least_vectors(std::max<std::int64_t>(read - results, 0), machine));
    need.cycles = vectors * machine.bdc->tensor_cycles;
    return need;
}

}  // namespace okksim::sim::bound
