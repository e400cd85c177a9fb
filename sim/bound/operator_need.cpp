// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/operator_need.h"

#include <algorithm>
#include <array>
#include <limits>

#include "isa/base/errors.h"
#include "isa/layout.h"
#include "isa/limits.h"
#include "kernels/pointwise/float_body.h"
#include "kernels/prim/exponential.h"
#include "kernels/prim/raw.h"
#include "kernels/tosa/operator_row.h"
#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_timing.h"
#include "models/chip/chip_params.h"
#include "sim/graph/host_tensor.h"
#include "sim/pricing/plan_call.h"

namespace okksim::sim::bound {
namespace {

using tosa::Bound;
using tosa::DType;
using tosa::OpCode;
using tosa::Reads;

std::int64_t elements(const graph::Tensor& tensor) {
    return static_cast<std::int64_t>(graph::element_count(tensor.shape).value_or(0));
}

/// Adds up the execution cycles of commands, without start-ups and bank conflicts.
class ComputePort : public pricing::TimingPort {
 public:
    explicit ComputePort(pricing::MachineHost& host)
        : TimingPort(host.params(), host.memory()), host_(host) {}

    void submit(const isa::Command& command) override {
        if (command.info().engine != isa::Engine::kBdc) return;
        const models::BdcCost cost =
            models::bdc_cost(command, host_.machine(), *host_.params().bdc);
        need_.add({cost.execute.value, 1});
    }
    const ComputeNeed& need() const { return need_; }

 private:
    pricing::MachineHost& host_;
    ComputeNeed need_;
};

/// Returns the commands of an element-wise operator on `vectors` vectors in every lane.
ComputeNeed body_need(const kernels::FloatBody& body, std::int32_t vectors,
                      pricing::MachineHost& host) {
    const models::MachineParams& machine = host.params();
    const kernels::Lanes lanes = kernels::lanes_of(host.machine());
    const auto words = static_cast<std::int32_t>(vectors * machine.bdc->execution_units);
    kernels::prim::LocalTensor plane;
    plane.shape = {1, static_cast<std::int32_t>(machine.chip->lanes), 1, words};
    const std::uint32_t bytes = kernels::prim::plane_bytes(plane.shape, lanes);
    constexpr std::size_t kMostOperands = 3;
    std::array<kernels::prim::LocalTensor, kMostOperands> operands;
    for (kernels::prim::LocalTensor& operand : operands) operand = plane;
    ComputePort port(host);
    pricing::run_firmware(host, port, [&] {
        kernels::prim::Scratch scratch(0, bytes * static_cast<std::uint32_t>(body.planes), lanes);
        body.run(plane, operands, scratch);
    });
    return port.need();
}

/// True if an operand of a sum or product can be an immediate of the command.
bool takes_number(const graph::Block& block, const graph::Operator& op) {
    if (op.op != OpCode::kAdd && op.op != OpCode::kSub && op.op != OpCode::kMul) return false;
    const auto is_number = [&](std::size_t k) {
        return block.input(op, k).has_data && elements(block.input(op, k)) == 1;
    };
    return is_number(0) || is_number(1);
}

/// Returns the bodies that kernels use instead of the operator's own body if they know the
/// operand's range.
std::vector<kernels::FloatBody> shorter_bodies(const graph::Block& block,
                                               const graph::Operator& op) {
    using Operands = std::span<const kernels::prim::LocalTensor>;
    using kernels::prim::LocalTensor;
    using kernels::prim::PowerSteps;
    using kernels::prim::Scratch;
    if (op.op == OpCode::kExp) {
        const auto power = [](PowerSteps steps) -> kernels::FloatBody {
            return {kernels::prim::kPowerPlanes,
                    [steps](const LocalTensor& dst, Operands o, Scratch& scratch) {
                        kernels::prim::power_of_difference(dst, o[0], steps, scratch);
                    }};
        };
        return {power(PowerSteps::kSeries), power(PowerSteps::kPolynomial)};
    }
    if (op.op == OpCode::kReciprocal) {
        return {{0, [](const LocalTensor& dst, Operands o, Scratch&) {
                     kernels::prim::raw::reciprocal_estimate(dst, o[0]);
                 }}};
    }
    if (!takes_number(block, op)) return {};
    return {{0, [](const LocalTensor& dst, Operands o, Scratch&) {
                 kernels::prim::raw::add(dst, o[0], 1.0f);
             }}};
}

WindowSpan span(std::int64_t input, std::int64_t output, std::int64_t taps, std::int64_t step,
                std::int64_t spacing, std::int64_t before) {
    return {input, output, taps, step, spacing, before};
}

/// Returns the windows of a feature map [N, H, W, C]. `Attributes` has `pad` and `stride`.
template <typename Attributes>
WindowSums windows_of(const graph::Block& block, const graph::Operator& op,
                      const Attributes& attributes, std::int64_t taps_y, std::int64_t taps_x) {
    const graph::Tensor& in = block.input(op, 0);
    const graph::Tensor& out = block.output(op, 0);
    std::int64_t spacing_y = 1, spacing_x = 1;
    if constexpr (requires { attributes.dilation; }) {
        spacing_y = attributes.dilation[0];
        spacing_x = attributes.dilation[1];
    }
    return {
        in.shape[0],
        in.shape[3],
        out.shape[3],
        span(in.shape[1], out.shape[1], taps_y, attributes.stride[0], spacing_y, attributes.pad[0]),
        span(in.shape[2], out.shape[2], taps_x, attributes.stride[1], spacing_x, attributes.pad[2]),
        in.type};
}

WindowSums convolution_windows(const graph::Block& block, const graph::Operator& op) {
    const graph::TensorShape& weights = block.input(op, 1).shape;
    return windows_of(block, op, op.attributes_as<tosa::Conv2dAttributes>(), weights[1],
                      weights[2]);
}
WindowSums depthwise_windows(const graph::Block& block, const graph::Operator& op) {
    const graph::TensorShape& weights = block.input(op, 1).shape;
    return windows_of(block, op, op.attributes_as<tosa::DepthwiseConv2dAttributes>(), weights[0],
                      weights[1]);
}
WindowSums mean_windows(const graph::Block& block, const graph::Operator& op) {
    const auto& attributes = op.attributes_as<tosa::AvgPool2dAttributes>();
    return windows_of(block, op, attributes, attributes.kernel[0], attributes.kernel[1]);
}
WindowSums maximum_windows(const graph::Block& block, const graph::Operator& op) {
    const auto& attributes = op.attributes_as<tosa::MaxPool2dAttributes>();
    return windows_of(block, op, attributes, attributes.kernel[0], attributes.kernel[1]);
}

/// Either factor can be the weights: [N, H, C] by [N, C, W].
ComputeNeed matmul_need(const graph::Block& block, const graph::Operator& op,
                        const models::MachineParams& machine) {
    const graph::TensorShape& left = block.input(op, 0).shape;
    const std::int64_t columns = block.input(op, 1).shape[2];
    const auto cycles = [&](std::int64_t channels, std::int64_t pixels) {
        WindowSums sums{1, left[2], channels, {}, {}, block.input(op, 0).type};
        sums.columns.input = sums.columns.output = pixels;
        return convolution_cycles(sums, machine);
    };
    return {left[0] * std::min(cycles(left[1], columns), cycles(columns, left[1])), 1};
}

ComputeNeed mean_need(const WindowSums& sums, const models::MachineParams& machine) {
    if (is_one_tap(sums)) return {};
    if (sums.type != DType::kFp32) return {0, 1};
    const FoldNeed fold = fold_need(sums, machine);
    return {std::min({fold.cycles, depthwise_cycles(sums, machine), pool_cycles(sums, machine)}),
            1};
}

ComputeNeed maximum_need(const WindowSums& sums, const models::MachineParams& machine) {
    if (is_one_tap(sums)) return {};
    if (sums.type != DType::kFp32) return {0, 1};
    const FoldNeed fold = fold_need(sums, machine);
    return {fold.cycles, std::max<std::int64_t>(fold.commands, 1)};
}

/// True if every element of the result is computed from the operand's element at the same position.
/// The operand may be broadcast.
bool reads_elements(const graph::Operator& op, std::size_t index) {
    const Reads reads = tosa::operator_row(op.op).reads;
    return (reads == Reads::kElement && index == 0) || (reads == Reads::kElements && index < 2);
}

/// True if the operator reads the whole operand when its whole result is needed. Window operators
/// are handled elsewhere.
bool reads_whole(const graph::Operator& op, std::size_t index) {
    switch (tosa::operator_row(op.op).reads) {
        case Reads::kWindows:
        case Reads::kParts: return false;
        case Reads::kFirst:
        case Reads::kElement: return index == 0;
        case Reads::kFirstTwo:
        case Reads::kElements: return index < 2;
        case Reads::kAll: return true;
    }
    return false;
}

/// True if each row and column of the result is that of the operand, with all of its channels.
bool keeps_rows(const graph::Block& block, const graph::Operator& op, std::size_t index) {
    const graph::TensorShape& from = block.input(op, index).shape;
    const graph::TensorShape& to = block.output(op, 0).shape;
    constexpr std::size_t kMapRank = 4;
    if (from.size() != kMapRank || !std::equal(from.begin(), from.end() - 1, to.begin())) {
        return false;
    }
    if (op.op == OpCode::kConcat) {
        return op.attributes_as<tosa::ConcatAttributes>().axis == kMapRank - 1;
    }
    return reads_elements(op, index) && from.back() == to.back();
}

bool is_window(OpCode op) { return tosa::operator_row(op).reads == Reads::kWindows; }

/// `op` is a window operator.
WindowSums windows_of(const graph::Block& block, const graph::Operator& op) {
    switch (tosa::operator_row(op.op).bound) {
        case Bound::kConvolutionBound: return convolution_windows(block, op);
        case Bound::kDepthwiseBound: return depthwise_windows(block, op);
        case Bound::kMeanBound: return mean_windows(block, op);
        case Bound::kMaximumBound: return maximum_windows(block, op);
        case Bound::kNoBound:
        case Bound::kElementBound:
        case Bound::kReductionBound:
        case Bound::kMatmulBound: break;
    }
    OKKSIM_CHECK(is_window(op.op));
    return {};
}

ComputeNeed window_need(OpCode op, const WindowSums& sums, const models::MachineParams& machine) {
    switch (tosa::operator_row(op).bound) {
        case Bound::kConvolutionBound: return {convolution_cycles(sums, machine), 1};
        case Bound::kDepthwiseBound: return {depthwise_cycles(sums, machine), 1};
        case Bound::kMeanBound: return mean_need(sums, machine);
        case Bound::kMaximumBound: return maximum_need(sums, machine);
        case Bound::kNoBound:
        case Bound::kElementBound:
        case Bound::kReductionBound:
        case Bound::kMatmulBound: break;
    }
    return {};
}

/// Convolutions multiply by weights; other windows of one tap are copies.
bool has_weights(const graph::Operator& op) {
    const Bound bound = tosa::operator_row(op.op).bound;
    return bound == Bound::kConvolutionBound || bound == Bound::kDepthwiseBound;
}

/// Returns the windows of the needed part of the outputs.
WindowSums windows_of(const graph::Block& block, const graph::Operator& op,
                      const NeededPart& wanted) {
    WindowSums sums = windows_of(block, op);
    if (wanted.all) return sums;
    sums.rows = part_of(sums.rows, wanted.rows);
    sums.columns = part_of(sums.columns, wanted.columns);
    return sums;
}

/// Returns the part of the operand that the windows read.
NeededPart part_under_taps(const graph::Block& block, const graph::Operator& op,
                           const NeededPart& wanted) {
    const WindowSums sums = windows_of(block, op);
    const std::int64_t rows = wanted.all ? sums.rows.output : wanted.rows;
    const std::int64_t columns = wanted.all ? sums.columns.output : wanted.columns;
    // Window commands step over columns without extra pieces.
    const bool steps = has_weights(op) && sums.columns.step <= isa::kMostStep &&
                       sums.columns.spacing <= isa::kMostStep;
    NeededPart part;
    part.rows = least_read(sums.rows, rows);
    part.columns = steps ? least_reach(sums.columns, columns) : least_read(sums.columns, columns);
    part.reach = least_reach(sums.rows, wanted.all ? rows : std::max(rows, wanted.reach));
    part.all = part.rows == sums.rows.input && part.columns == sums.columns.input;
    return part;
}

}  // namespace

void NeededPart::widen(const NeededPart& other) {
    all |= other.all;
    rows = std::max(rows, other.rows);
    columns = std::max(columns, other.columns);
    reach = std::max(reach, other.reach);
}

std::int64_t NeededPart::elements_of(const graph::Tensor& tensor) const {
    if (all) return elements(tensor);
    return any() ? tensor.shape[0] * rows * columns * tensor.shape[3] : 0;
}

NeededPart read_part(const graph::Block& block, const graph::Operator& op, std::size_t index,
                     const NeededPart& wanted) {
    if (!wanted.any()) return {};
    if (is_window(op.op)) {
        return index == 0 ? part_under_taps(block, op, wanted) : NeededPart{index == 1};
    }
    if (!wanted.all) return keeps_rows(block, op, index) ? wanted : NeededPart{};
    return {reads_whole(op, index)};
}

bool is_ordered(const graph::Tensor& tensor) {
    const graph::TensorShape& shape = tensor.shape;
    return tensor.type == DType::kFp32 && shape.size() == 4 && shape[3] > 1 &&
           shape[1] * shape[2] > 1;
}

bool is_by_channel(const graph::Block& block, const graph::Operator& op) {
    if (!is_window(op.op)) return false;
    return has_weights(op) || !is_one_tap(windows_of(block, op));
}

bool is_by_element(const graph::Block& block, const graph::Operator& op) {
    const auto& row = tosa::operator_row(op.op);
    if (row.fusion != tosa::Fusion::kBody || op.outputs.size() != 1) return false;
    const graph::Tensor& result = block.output(op, 0);
    if (result.type != DType::kFp32 || result.shape.size() != 4) return false;
    return std::ranges::all_of(op.inputs, [&](graph::TensorIndex value) {
        const graph::Tensor& tensor = block.tensors[value];
        return tensor.has_data || tensor.shape == result.shape;
    });
}

ComputeNeed OperatorNeeds::of(const graph::Block& block, const graph::Operator& op,
                              const NeededPart& wanted) {
    switch (tosa::operator_row(op.op).bound) {
        case Bound::kConvolutionBound:
        case Bound::kDepthwiseBound:
        case Bound::kMeanBound:
        case Bound::kMaximumBound: return of_windows(op.op, windows_of(block, op, wanted));
        case Bound::kMatmulBound: return matmul_need(block, op, host_.params());
        case Bound::kNoBound: return {};
        case Bound::kReductionBound:
            if (elements(block.input(op, 0)) == elements(block.output(op, 0))) return {};
            break;
        case Bound::kElementBound: break;
    }
    if (tosa::is_integer(block.output(op, 0).type)) return {};
    return of_elements(block, op, wanted);
}

ComputeNeed OperatorNeeds::of_elements(const graph::Block& block, const graph::Operator& op,
                                       const NeededPart& wanted) {
    const graph::Tensor& result = block.output(op, 0);
    const auto body = kernels::float_body(op.op, op.attributes.get(), result.type);
    if (!body || result.type != DType::kFp32) return {0, 1};
    const bool with_number = takes_number(block, op);
    auto known = std::ranges::find_if(bodies_, [&](const auto& entry) {
        return entry.first->op == op.op && entry.first->attributes.get() == op.attributes.get() &&
               entry.second.takes_number == with_number;
    });
    if (known == bodies_.end()) {
        BodyNeed need{with_number, {INT64_MAX, INT64_MAX}};
        std::vector<kernels::FloatBody> bodies = shorter_bodies(block, op);
        bodies.push_back(*body);
        for (const kernels::FloatBody& each : bodies) {
            const ComputeNeed one = body_need(each, 1, host_), two = body_need(each, 2, host_);
            need.of_vector.cycles = std::min(need.of_vector.cycles, two.cycles - one.cycles);
            need.of_vector.commands = std::min(need.of_vector.commands, one.commands);
        }
        known = bodies_.insert(bodies_.end(), {&op, need});
    }
    const ComputeNeed& of_vector = known->second.of_vector;
    return {of_vector.cycles * least_vectors(wanted.elements_of(result), host_.params()),
            of_vector.commands};
}

ComputeNeed OperatorNeeds::of_windows(OpCode op, const WindowSums& sums) {
    const std::pair key{op, sums};
    const auto known =
        std::ranges::find(windows_, key, [](const auto& entry) { return entry.first; });
    if (known != windows_.end()) return known->second;
    const ComputeNeed need = window_need(op, sums, host_.params());
    windows_.emplace_back(key, need);
    return need;
}

std::uint64_t weight_bytes(const graph::Block& block, const graph::Operator& op) {
    if (!has_weights(op) || !block.input(op, 1).has_data) return 0;
    return value_bytes(block.input(op, 1));
}

std::uint64_t part_bytes(const graph::Tensor& tensor, const NeededPart& part) {
    return tosa::storage_bytes(tensor.type, static_cast<std::uint64_t>(part.elements_of(tensor)));
}

std::uint64_t value_bytes(const graph::Tensor& tensor) {
    return tosa::storage_bytes(tensor.type, graph::element_count(tensor.shape).value_or(0));
}

}  // namespace okksim::sim::bound
