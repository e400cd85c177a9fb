// SPDX-License-Identifier: Apache-2.0
// Random arguments of each form.
#include <algorithm>
#include <stdexcept>

#include "isa/layout.h"
#include "tests/support/random_call_builder.h"
#include "tests/support/random_values.h"

namespace okksim::tests {

using isa::Dim4;
using isa::Form;
using isa::OperandKind;

namespace {

std::int32_t to_int(std::int64_t value) { return static_cast<std::int32_t>(value); }

const isa::OperandInfo& find_operand(const isa::InstructionInfo& row, std::string_view name) {
    for (const isa::OperandInfo& operand : row.operands()) {
        if (name == operand.name) return operand;
    }
    throw std::logic_error("no such operand");
}

/// Range of a fixed-point type.
std::int64_t in_type(RandomSource& random, const isa::FixedType& type) {
    const std::int64_t low = type.is_signed ? -(std::int64_t{1} << (type.bits - 1)) : 0;
    const std::int64_t high = low + (std::int64_t{1} << type.bits) - 1;
    if (random.one_in(4)) return random.pick({low, high, 0, 1});
    return random.between(low, high);
}

}  // namespace

RandomCall RandomCallBuilder::build(const isa::InstructionInfo& row) {
    row_ = &row;
    call_.function = std::string("okk_") + row.name;
    switch (row.form) {
        case Form::kGdmaCopyToLocal: gdma_copy(true, false); break;
        case Form::kGdmaCopyToSystem: gdma_copy(false, true); break;
        case Form::kGdmaCopyLocal: gdma_copy(true, true); break;
        case Form::kGdmaCopySystem: gdma_copy(false, false); break;
        case Form::kGdmaMatrixToLocal: gdma_matrix(true); break;
        case Form::kGdmaMatrixToSystem: gdma_matrix(false); break;
        case Form::kGdmaFillSystem: gdma_fill(false); break;
        case Form::kGdmaFillLocal: gdma_fill(true); break;
        case Form::kVectorSet: elements(0, false); break;
        case Form::kVectorBinary:
        case Form::kVectorAccumulate:
        case Form::kVectorBinarySelect: elements(2, true); break;
        case Form::kVectorConstant:
        case Form::kVectorLinear:  // of sequences only
        case Form::kVectorAccumulateConstant:
        case Form::kVectorConstantBits:
        case Form::kVectorShiftConstant:
        case Form::kVectorConstantShift:
        case Form::kVectorUnsignedShift:
        case Form::kVectorConstantSelect:
        case Form::kVectorUnary:
        case Form::kVectorSeries:
            if (row.kind == isa::InstructionKind::kAlignedLayout) {
                aligned_sequence(false, row.form == Form::kVectorSeries);
            } else {
                elements(1, true);
            }
            break;
        case Form::kVectorBias:
        case Form::kVectorScale: per_channel(1); break;
        case Form::kVectorScaleBias: per_channel(2); break;
        case Form::kSequenceWork: aligned_sequence(true, false); break;
        case Form::kSequenceWorkSeries: aligned_sequence(true, true); break;
        case Form::kSequenceInt8ToFp32: int8_to_fp32(false); break;
        case Form::kSequencePackedInt8ToFp32: int8_to_fp32(true); break;
        case Form::kConvolution: convolution(); break;
        case Form::kDepthwise: depthwise(); break;
        case Form::kPool: pool(false); break;
        case Form::kPoolScaled: pool(true); break;
        case Form::kMatrixMultiply: matrix_multiply(); break;
        case Form::kFixedBinary: fixed(2, false, false); break;
        case Form::kFixedConstant:
        case Form::kFixedConstantFirst: fixed(1, false, false); break;
        case Form::kFixedMac: fixed(2, true, false); break;
        case Form::kFixedMacConstant: fixed(1, true, false); break;
        case Form::kFixedCompare: fixed(2, false, true); break;
        case Form::kFixedCompareConstant: fixed(1, false, true); break;
        case Form::kFixedShift: fixed_shift(2); break;
        case Form::kFixedShiftConstant:
        case Form::kFixedConstantShift:
        case Form::kFixedUnsignedShift: fixed_shift(1); break;
        case Form::kFixedMul16By8: fixed_mul_16_by_8(); break;
        case Form::kFixedSplitHigh: fixed_split(false); break;
        case Form::kSequenceSplitLow: fixed_split(true); break;
        case Form::kGdmaTransposeToLocal:
        case Form::kGdmaTransposeToSystem:
        case Form::kGdmaTransposeLocal:
        case Form::kGdmaTransposeSystem:
        case Form::kGdmaGather:
        case Form::kGdmaScatter:
        case Form::kIntUnary:
        case Form::kIntBinary:
        case Form::kIntConstant:
        case Form::kIntProduct:
        case Form::kIntCompare:
        case Form::kIntSelect:
        case Form::kIntRescale:
        case Form::kIntRescaleConstant:
        case Form::kTable8:
        case Form::kTable16:
        case Form::kCast:
        case Form::kIntConvolution:
        case Form::kIntDepthwise:
        case Form::kIntMaxPool:
        case Form::kHalfConvolution:
        case Form::kHalfDepthwise:
        case Form::kHalfBinary:
        case Form::kHalfExtremum:
        case Form::kHalfClamp:
            throw std::invalid_argument(call_.function + " is not of the API reference");
    }
    return std::move(call_);
}

std::int64_t RandomCallBuilder::constant(OperandKind kind, const isa::OperandRules& rules) {
    if (kind == OperandKind::kInt && rules.ranged) return random_.between(rules.low, rules.high);
    const std::uint32_t word = random_word(random_);
    if (kind == OperandKind::kInt) return static_cast<std::int32_t>(word);
    const int bits = 8 * isa::element_bytes(row_->data);
    return bits == 32 ? word : word & ((1U << bits) - 1);
}

void RandomCallBuilder::gdma_copy(bool dst_local, bool src_local) {
    const StrideRules dst_rules{false, true, isa::element_bytes(row_->data)};
    StrideRules src_rules = dst_rules;
    src_rules.source = true;
    const Dim4 tensor = shape();
    const Placed dst =
        dst_local ? local_tensor(lane(), tensor, dst_rules) : system_tensor(tensor, dst_rules);
    const Placed src =
        src_local ? local_tensor(lane(), tensor, src_rules) : system_tensor(tensor, src_rules);
    push(dst.address);
    push(src.address);
    push(tensor);
    push(dst.stride);
    push(src.stride);
}

void RandomCallBuilder::gdma_matrix(bool to_local) {
    const std::int64_t rows = random_.between(1, std::min<std::int64_t>(12, scale_));
    const std::int64_t cols =
        random_.one_in(2) ? extent() : random_.between(1, std::min<std::int64_t>(150, scale_));
    const std::int64_t width = random_.one_in(6)
                                   ? cols + random_.below(3)
                                   : random_.between(1, std::min<std::int64_t>(cols, 40));
    const bool repeats = to_local && random_.one_in(8);
    const std::int64_t row_stride = repeats ? 0 : cols + (random_.one_in(2) ? 0 : random_.below(9));
    const std::int64_t local = matrix(lane(), rows, cols, width);
    const std::int64_t system = place_system(0, ((rows - 1) * row_stride + cols) * 4, 4);
    push(to_local ? local : system);
    push(to_local ? system : local);
    push(rows);
    push(cols);
    push(width);
    push(row_stride);
}

void RandomCallBuilder::gdma_fill(bool local) {
    const StrideRules rules{false, true, isa::element_bytes(row_->data)};
    const Dim4 tensor = shape();
    const Placed dst = local ? local_tensor(lane(), tensor, rules) : system_tensor(tensor, rules);
    push(dst.address);
    push(constant(OperandKind::kBits, {}));
    push(tensor);
    push(dst.stride);
}

/// dst, sources, [constants,] shape, strides: the 32-bit element-wise functions.
void RandomCallBuilder::elements(int sources, bool in_place_allowed) {
    const std::int64_t start = lane();
    const Dim4 tensor = shape();
    std::vector<Placed> placed{local_tensor(start, tensor, {false, false, 4})};
    for (int i = 0; i < sources; ++i) {
        const bool repeats = random_.one_in(8) && (in_place_allowed || i > 0);
        placed.push_back(repeats ? placed[static_cast<std::size_t>(random_.below(i + 1))]
                                 : local_tensor(start, tensor, {true, false, 4}));
    }
    for (const Placed& each : placed) push(each.address);
    for (const isa::OperandInfo& operand : row_->operands()) {
        switch (operand.kind) {
            case OperandKind::kInt:
            case OperandKind::kFloat:
            case OperandKind::kBits: push(constant(operand.kind, operand.rules)); break;
            case OperandKind::kLocal:
            case OperandKind::kSystem:
            case OperandKind::kShape:
            case OperandKind::kStride:
            case OperandKind::kBool:
            case OperandKind::kPadding:
            case OperandKind::kStep:
            case OperandKind::kOpTypes:
            case OperandKind::kMulTypes:
            case OperandKind::kElement: break;
        }
    }
    push(tensor);
    for (const Placed& each : placed) push(each.stride);
}

void RandomCallBuilder::per_channel(int vectors) {
    const std::int64_t start = lane();
    const Dim4 tensor = shape();
    const Placed dst = local_tensor(start, tensor, {false, false, 4});
    const Placed src = random_.one_in(6) ? dst : local_tensor(start, tensor, {true, false, 4});
    push(dst.address);
    push(src.address);
    for (int i = 0; i < vectors; ++i) push(compact_tensor(start, {1, tensor.c, 1, 1}));
    push(tensor);
    push(dst.stride);
    push(src.stride);
}

/// Functions in the aligned layout: dst, src, [work,] shape [, num_series].
void RandomCallBuilder::aligned_sequence(bool has_work, bool tunable) {
    const std::int64_t start = lane();
    const Dim4 tensor = shape();
    const std::int64_t dst = aligned_tensor(start, tensor);
    push(dst);
    push(random_.one_in(6) ? dst : aligned_tensor(start, tensor));
    if (has_work) {
        const std::int64_t work = aligned_tensor(start, tensor);
        push(work);
        mark_work(
            work, tensor,
            isa::aligned_stride(to_int(start), tensor, 32, machine_.lanes, machine_.line_bytes()),
            4);
    }
    push(tensor);
    if (tunable) push(random_.one_in(3) ? random_.pick({1, 2, 64}) : random_.between(1, 64));
}

void RandomCallBuilder::int8_to_fp32(bool packed) {
    const std::int64_t start = lane();
    const Dim4 tensor = shape();
    const bool aligned = random_.one_in(2);
    const std::int64_t slots = isa::channels_per_lane(to_int(start), tensor.c, machine_.lanes);
    const Dim4 small = packed ? isa::packed_shape(tensor, 8) : tensor;
    const int bytes = packed ? 4 : 1;
    // Strides of the 8-bit tensors; without packing "compact" rounds a channel up to whole words.
    const std::int64_t unit = aligned ? machine_.line_bytes() / bytes : (packed ? 1 : 4);
    const std::int64_t plane = isa::align_up(std::int64_t{small.h} * small.w, unit);
    const Dim4 small_stride{to_int(plane * slots), to_int(plane), small.w, 1};
    const Dim4 dst_stride = aligned ? isa::aligned_stride(to_int(start), tensor, 32, machine_.lanes,
                                                          machine_.line_bytes())
                                    : isa::compact_stride(to_int(start), tensor, machine_.lanes);
    const int alignment = random_.one_in(2) ? machine_.line_bytes() : 4;
    const std::int64_t work = place_local(start, small, small_stride, bytes, alignment);
    push(place_local(start, tensor, dst_stride, 4, alignment));
    push(place_local(start, small, small_stride, bytes, alignment));
    push(work);
    mark_work(work, small, small_stride, bytes);
    // Channels take whole words (seed okk_bdc_int8_to_fp32), the last one too.
    call_.work.back().high = isa::align_up(call_.work.back().high, 4);
    push(tensor);
    push(random_.below(2));
    push(std::int64_t{aligned});
}

RandomCallBuilder::Windows RandomCallBuilder::windows(bool dilates) {
    Windows w;
    const auto small = [&](std::int64_t most) { return to_int(random_.between(1, most)); };
    const bool tiny = scale_ < 8;
    w.kernel_h = small(tiny ? 1 : random_.one_in(10) ? 9 : 4);
    w.kernel_w = small(tiny ? 1 : random_.one_in(10) ? 9 : 4);
    if (!random_.one_in(3)) {
        const std::int64_t most = random_.one_in(8) ? 15 : 3;
        const auto pad = [&] { return to_int(random_.between(0, most)); };
        w.padding = isa::Padding{pad(), pad(), pad(), pad()};
    }
    if (!random_.one_in(3)) {
        const std::int64_t most = random_.one_in(8) ? 15 : 3;
        w.stride = isa::Dim2{small(most), small(most)};
    }
    if (dilates && !random_.one_in(3)) {
        const std::int64_t most = random_.one_in(8) ? 15 : 3;
        w.dilation = isa::Dim2{small(most), small(most)};
    }
    const isa::Padding pad = w.padding.value_or(isa::Padding{});
    const isa::Dim2 step = w.stride.value_or(isa::Dim2{1, 1});
    const isa::Dim2 dilation = w.dilation.value_or(isa::Dim2{1, 1});
    const std::int64_t span_h = (w.kernel_h - 1) * dilation.h + 1 - pad.top - pad.bottom;
    const std::int64_t span_w = (w.kernel_w - 1) * dilation.w + 1 - pad.left - pad.right;
    const std::int64_t more = std::min<std::int64_t>(12, scale_);
    w.input = {tiny ? 1 : small(3), channels(),
               to_int(std::max<std::int64_t>(span_h, 1) + random_.below(more)),
               to_int(std::max<std::int64_t>(span_w, 1) + random_.below(more))};
    w.output = {w.input.n, w.input.c, to_int((w.input.h - span_h) / step.h + 1),
                to_int((w.input.w - span_w) / step.w + 1)};
    return w;
}

RandomCallBuilder::Stride RandomCallBuilder::kernel_stride(std::int64_t lane, const Dim4& shape) {
    const auto start = to_int(lane);
    if (random_.one_in(2)) return isa::compact_stride(start, shape, machine_.lanes);
    return free_stride(shape, isa::channels_per_lane(start, shape.c, machine_.lanes),
                       {true, false, 8});
}

namespace {
template <typename T>
firmware::CallValue or_null(const std::optional<T>& value) {
    if (!value) return nullptr;
    return *value;
}
}  // namespace

void RandomCallBuilder::convolution() {
    Windows w = windows(true);
    // The input starts in any lane; output, weight and bias are in that lane, too.
    const std::int64_t start = lane();
    w.input.c = random_.one_in(3) ? channels() : to_int(random_.between(1, 9));
    w.output.c = random_.one_in(3) ? channels() : to_int(random_.between(1, 9));
    const Placed input = local_tensor(lane(), w.input, {true, false, 4});
    const Dim4 weight_shape =
        isa::weight_2ic_shape(w.input.c, w.output.c, to_int(w.kernel_h), to_int(w.kernel_w));
    const Stride weight_stride = kernel_stride(start, weight_shape);
    const bool using_bias = random_.one_in(2);
    push(aligned_tensor(start, w.output));
    push(input.address);
    push(place_local(start, weight_shape, *weight_stride, 8, 4));
    push(using_bias ? compact_tensor(start, {1, w.output.c, 1, 1}) : random_.below(1000));
    push(w.input);
    push(std::int64_t{w.output.c});
    push(w.kernel_h);
    push(w.kernel_w);
    push(input.stride);
    push(weight_stride);
    push(std::int64_t{using_bias});
    push(random_.below(2));
    call_.arguments.push_back(or_null(w.padding));
    call_.arguments.push_back(or_null(w.stride));
    call_.arguments.push_back(or_null(w.dilation));
}

void RandomCallBuilder::depthwise() {
    const Windows w = windows(true);
    const std::int64_t start = lane();
    const bool using_bias = random_.one_in(2);
    push(aligned_tensor(start, w.output));
    push(aligned_tensor(start, w.input));
    push(compact_tensor(start, {1, w.input.c, to_int(w.kernel_h), to_int(w.kernel_w)}));
    push(using_bias ? compact_tensor(start, {1, w.input.c, 1, 1}) : random_.below(1000));
    push(w.input);
    push(w.kernel_h);
    push(w.kernel_w);
    push(std::int64_t{using_bias});
    call_.arguments.push_back(or_null(w.padding));
    call_.arguments.push_back(or_null(w.stride));
    call_.arguments.push_back(or_null(w.dilation));
}

void RandomCallBuilder::pool(bool scaled) {
    const Windows w = windows(false);
    const std::int64_t start = lane();
    push(aligned_tensor(start, w.output));
    push(aligned_tensor(start, w.input));
    push(w.input);
    if (scaled) push(constant(OperandKind::kFloat, {}));
    push(w.kernel_h);
    push(w.kernel_w);
    call_.arguments.push_back(or_null(w.padding));
    call_.arguments.push_back(or_null(w.stride));
}

void RandomCallBuilder::matrix_multiply() {
    const std::int64_t rows = random_.between(1, std::min<std::int64_t>(9, scale_));
    const std::int64_t inner = random_.between(1, std::min<std::int64_t>(70, scale_));
    const std::int64_t most_cols = std::min<std::int64_t>(random_.one_in(4) ? 200 : 50, scale_);
    const std::int64_t cols = random_.between(1, most_cols);
    const auto width = [&](std::int64_t columns) {
        const std::int64_t most = std::min<std::int64_t>(128, columns);
        return random_.one_in(4) ? random_.pick({1, most}) : random_.between(1, most);
    };
    const std::int64_t left_width = width(inner);
    const std::int64_t right_width = width(cols);
    const std::int64_t start = lane();
    const bool using_bias = random_.one_in(2);
    push(matrix(start, rows, cols, right_width));
    push(matrix(lane(), rows, inner, left_width));
    push(matrix(start, inner, cols, right_width));
    push(using_bias ? matrix(start, 1, cols, right_width) : random_.below(1000));
    push(rows);
    push(inner);
    push(cols);
    push(left_width);
    push(right_width);
    push(std::int64_t{using_bias});
    push(random_.below(2));
}

void RandomCallBuilder::fixed(int sources, bool mac, bool compare) {
    const std::int64_t start = lane();
    const bool origin_signed = random_.one_in(2);
    const std::int64_t op_type =
        random_.element(documented_op_types(call_.function, mac && origin_signed));
    const isa::FixedTypes types = isa::fixed_types(static_cast<isa::OpType>(op_type));
    const bool constant_first = row_->form == Form::kFixedConstantFirst;
    const Dim4 tensor = shape();
    const Dim4 source_words = isa::packed_shape(tensor, types.source0.bits);
    const Placed dst = local_tensor(start, isa::packed_shape(tensor, types.result.bits), {});
    std::vector<Placed> placed{dst};
    for (int i = 0; i < sources; ++i) {
        const bool in_place = !mac && types.source0.bits == types.result.bits && random_.one_in(8);
        placed.push_back(in_place ? dst : local_tensor(start, source_words, {true, false, 4}));
    }
    for (const Placed& each : placed) push(each.address);
    if (sources == 1) push(in_type(random_, constant_first ? types.source0 : types.source1));
    push(tensor);
    for (const Placed& each : placed) push(each.stride);
    if (mac) push(std::int64_t{origin_signed});
    push(op_type);
    const auto shift = [&] { return random_.one_in(3) ? 0 : random_.between(0, 31); };
    if (mac) push(shift());
    if (!compare) push(random_.one_in(2) ? random_.between(0, 12) : shift());
}

void RandomCallBuilder::fixed_shift(int sources) {
    const std::int64_t start = lane();
    const Dim4 tensor = shape();
    const Dim4 words = isa::packed_shape(tensor, 16);
    std::vector<Placed> placed{local_tensor(start, words, {})};
    for (int i = 0; i < sources; ++i) {
        placed.push_back(random_.one_in(8) ? placed[0]
                                           : local_tensor(start, words, {true, false, 4}));
    }
    for (const Placed& each : placed) push(each.address);
    if (row_->form == Form::kFixedShiftConstant) {
        const isa::OperandInfo& amount = find_operand(*row_, "C");
        push(random_.between(amount.rules.low, amount.rules.high));
    } else if (sources == 1) {
        push(in_type(random_, {row_->form == Form::kFixedConstantShift, 16}));
    }
    push(tensor);
    for (const Placed& each : placed) push(each.stride);
}

void RandomCallBuilder::fixed_mul_16_by_8() {
    const std::int64_t start = lane();
    const Dim4 tensor = shape();
    const Dim4 bytes = isa::packed_shape(tensor, 8);
    std::vector<Placed> placed{local_tensor(start, isa::packed_shape(tensor, 16), {})};
    for (int i = 0; i < 3; ++i) placed.push_back(local_tensor(start, bytes, {true, false, 4}));
    for (const Placed& each : placed) push(each.address);
    push(tensor);
    for (const Placed& each : placed) push(each.stride);
    push(random_.pick({0, 6, 7}));
    push(random_.between(0, random_.one_in(2) ? 12 : 31));
}

void RandomCallBuilder::fixed_split(bool has_work) {
    const std::int64_t start = lane();
    const Dim4 tensor = shape();
    const Dim4 words = isa::packed_shape(tensor, 16);
    const Placed dst = local_tensor(start, isa::packed_shape(tensor, 8), {});
    const Placed src = local_tensor(start, words, {true, false, 4});
    push(dst.address);
    push(src.address);
    Placed work;
    if (has_work) {
        work = local_tensor(start, words, {});
        push(work.address);
        mark_work(work.address, words,
                  work.stride ? *work.stride
                              : isa::aligned_stride(to_int(start), words, 32, machine_.lanes,
                                                    machine_.line_bytes()),
                  4);
    }
    push(tensor);
    push(dst.stride);
    push(src.stride);
    if (has_work) push(work.stride);
}

}  // namespace okksim::tests
