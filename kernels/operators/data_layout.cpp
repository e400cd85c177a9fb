// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.10: data layout. Copies by the GDMA without computing. TILE is in tile.cpp.
#include <algorithm>
#include <vector>

#include "isa/base/errors.h"
#include "kernels/call/constant_values.h"
#include "kernels/moves/move_plan.h"

namespace okksim::kernels {
namespace {

std::size_t rank_of(const DeviceTensor& tensor) { return static_cast<std::size_t>(tensor.rank); }

std::span<const std::int32_t> dims_of(const DeviceTensor& tensor) {
    return std::span(tensor.dims).first(rank_of(tensor));
}

/// Address `steps` elements along dimension `dim` from the tensor's start.
std::uint64_t address_along(const DeviceTensor& tensor, std::size_t dim, std::int64_t steps) {
    return tensor.address +
           static_cast<std::uint64_t>(steps * tensor.strides[dim] * stored_bytes(tensor.type));
}

/// Bit pattern of a one-element tensor.
std::uint64_t element_bits(const DeviceTensor& tensor) {
    if (stored_bytes(tensor.type) == 8) return static_cast<std::uint64_t>(all_values(tensor)[0]);
    std::uint32_t bits = 0;
    read_bits(tensor, {&bits, 1});
    return bits;
}

/// A box within a tensor.
struct Box {
    std::array<std::int32_t, kMaxRank> start{};
    std::array<std::int32_t, kMaxRank> dims{};
};

StridedRegion region_at(const DeviceTensor& tensor, const Box& box) {
    StridedRegion region{tensor.address, tensor.strides};
    for (std::size_t i = 0; i < rank_of(tensor); ++i) {
        region.address = region.address - tensor.address + address_along(tensor, i, box.start[i]);
    }
    return region;
}

/// Border boxes of a padded tensor that cover everything but `inner`. The outermost dimensions in
/// storage come first, so that the largest contiguous parts are cut off whole.
std::vector<Box> border_boxes(const DeviceTensor& output, const Box& inner) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rank_of(output); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return output.strides[a] > output.strides[b];
    });
    Box rest{{}, output.dims};
    std::vector<Box> boxes;
    for (const std::size_t i : order) {
        Box before = rest;
        before.dims[i] = inner.start[i];
        if (before.dims[i] > 0) boxes.push_back(before);
        Box after = rest;
        after.start[i] = inner.start[i] + inner.dims[i];
        after.dims[i] = output.dims[i] - after.start[i];
        if (after.dims[i] > 0) boxes.push_back(after);
        rest.start[i] = inner.start[i];
        rest.dims[i] = inner.dims[i];
    }
    return boxes;
}

/// Returns the values of a list of shape values, which are constants of the graph.
std::vector<std::int64_t> shape_values(const DeviceTensor& tensor, Host& host) {
    auto values = host.values(tensor);
    OKKSIM_CHECK(values.has_value());  // TOSA 1.0.1, 1.11.1
    return *std::move(values);
}

Box box_at(std::span<const std::int64_t> start, std::size_t step,
           const std::array<std::int32_t, kMaxRank>& dims) {
    Box box{{}, dims};
    for (std::size_t i = 0; i * step < start.size(); ++i) {
        box.start[i] = static_cast<std::int32_t>(start[i * step]);
    }
    return box;
}

/// Elements from the tensor's start to a box.
std::int64_t offset_of(const DeviceTensor& tensor, const Box& box) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < rank_of(tensor); ++i) offset += box.start[i] * tensor.strides[i];
    return offset;
}

struct PadPlan {
    FillPlan fills;
    MovePlan move;

    std::uint64_t argument_words() const { return fills.argument_words() + move.argument_words(); }
};

PadPlan plan_pad(const DeviceTensor& input, const DeviceTensor& output,
                 std::span<const std::int64_t> padding, Host& host) {
    const int bytes = stored_bytes(output.type);
    const Box inner = box_at(padding, 2, input.dims);
    const auto fill = [&](const std::vector<Box>& boxes) {
        FillPlan plan = fill_plan(bytes);
        for (const Box& box : boxes) {
            add_box(plan, offset_of(output, box), output.strides,
                    std::span(box.dims).first(rank_of(output)));
        }
        return plan;
    };
    PadPlan plan;
    plan.fills = fill(border_boxes(output, inner));
    // One fill of everything may be faster than several that leave out the inner box.
    FillPlan whole = fill({Box{{}, output.dims}});
    if (plan.fills.boxes.size() > 1 &&
        fill_time(whole, output.address, host) < fill_time(plan.fills, output.address, host)) {
        plan.fills = std::move(whole);
    }
    plan.move = plan_move({input.address, input.strides}, region_at(output, inner), dims_of(input),
                          bytes, host)
                    .shifted(0, offset_of(output, inner) * bytes);
    return plan;
}

}  // namespace

/// CONCAT: each input is a slab of the output.
void concat_kernel(const OperatorCall& call) {
    const DeviceTensor& output = call.outputs[0];
    const auto axis = static_cast<std::size_t>(call.attributes_as<tosa::ConcatAttributes>().axis);
    std::int64_t position = 0;
    for (const DeviceTensor& input : call.inputs) {
        move_strided(call, {input.address, input.strides},
                     {address_along(output, axis, position), output.strides}, dims_of(input),
                     stored_bytes(output.type));
        position += input.dims[axis];
    }
}

/// PAD: fills of the border, or of everything if that is faster, and a copy of the input.
void pad_kernel(const OperatorCall& call) {
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor& output = call.outputs[0];
    const PadPlan& plan = call.decisions->take("fills and move", [&](Host& host) {
        return plan_pad(input, output, shape_values(call.inputs[1], host), host);
    });
    if (!plan.fills.boxes.empty()) {
        run_fill(plan.fills, output.address, element_bits(call.inputs[2]));
    }
    run_move(plan.move, input.address, output.address);
}

/// RESHAPE: the elements in row-major order of the indices. At least one of the tensors is stored
/// in that order, so the other one's dimensions address both.
void reshape_kernel(const OperatorCall& call) {
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor& output = call.outputs[0];
    OKKSIM_CHECK(is_row_major(input) || is_row_major(output));
    const DeviceTensor& shape = is_row_major(output) ? input : output;
    const NdStrides linear = row_major_strides(dims_of(shape));
    const NdStrides& from = is_row_major(output) ? input.strides : linear;
    const NdStrides& to = is_row_major(output) ? linear : output.strides;
    move_strided(call, {input.address, from}, {output.address, to}, dims_of(shape),
                 stored_bytes(output.type));
}

/// REVERSE: the source is read backwards from its last element along the axis.
void reverse_kernel(const OperatorCall& call) {
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor& output = call.outputs[0];
    const auto axis = static_cast<std::size_t>(call.attributes_as<tosa::ReverseAttributes>().axis);
    StridedRegion from{address_along(input, axis, input.dims[axis] - 1), input.strides};
    from.strides[axis] = -from.strides[axis];
    move_strided(call, from, {output.address, output.strides}, dims_of(output),
                 stored_bytes(output.type));
}

/// SLICE: a box of the input.
void slice_kernel(const OperatorCall& call) {
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor& output = call.outputs[0];
    const int bytes = stored_bytes(output.type);
    const MovePlan& plan = call.decisions->take("move", [&](Host& host) {
        const Box box = box_at(shape_values(call.inputs[1], host), 1, output.dims);
        return plan_move(region_at(input, box), {output.address, output.strides}, dims_of(output),
                         bytes, host)
            .shifted(offset_of(input, box) * bytes, 0);
    });
    run_move(plan, input.address, output.address);
}

/// TRANSPOSE: output dimension i is input dimension perms[i].
void transpose_kernel(const OperatorCall& call) {
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor& output = call.outputs[0];
    const std::vector<std::int32_t>& perms = call.attributes_as<tosa::TransposeAttributes>().perms;
    StridedRegion from{input.address, {}};
    for (std::size_t i = 0; i < perms.size(); ++i) {
        from.strides[i] = input.strides[static_cast<std::size_t>(perms[i])];
    }
    move_strided(call, from, {output.address, output.strides}, dims_of(output),
                 stored_bytes(output.type));
}

}  // namespace okksim::kernels
