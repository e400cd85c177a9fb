// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/value_views.h"

#include <algorithm>
#include <vector>

#include "isa/base/errors.h"
#include "kernels/tosa/operator_row.h"
#include "sim/graph/element.h"
#include "sim/planning/describe_value.h"
#include "sim/planning/storage_order.h"

namespace okksim::sim::planning {

using graph::TensorIndex;
using kernels::DeviceTensor;
using kernels::NdStrides;

namespace {

std::span<const std::int32_t> dims_of(const DeviceTensor& tensor) {
    return std::span(tensor.dims).first(static_cast<std::size_t>(tensor.rank));
}

/// Returns the strides with which the result of RESHAPE or TRANSPOSE is a view of its input.
std::optional<NdStrides> moved_strides(const graph::Operator& op, const DeviceTensor& from,
                                       const DeviceTensor& to) {
    if (op.op == tosa::OpCode::kReshape) {
        return reshaped_strides(dims_of(from), from.strides, dims_of(to));
    }
    if (op.op != tosa::OpCode::kTranspose) return std::nullopt;
    const auto& perms = op.attributes_as<tosa::TransposeAttributes>().perms;
    NdStrides strides{};
    for (std::size_t i = 0; i < perms.size(); ++i) {
        strides[i] = from.strides[static_cast<std::size_t>(perms[i])];
    }
    return strides;
}

/// True for an integer CLAMP at the limits of its type. Rectifiers have this form if the zero point
/// is the least value.
bool clamps_nothing(const graph::Block& block, const graph::Operator& op) {
    if (op.op != tosa::OpCode::kClamp) return false;
    const tosa::DType type = block.tensors[op.inputs[0]].type;
    if (!tosa::is_integer(type)) return false;
    const auto& attributes = op.attributes_as<tosa::ClampAttributes>();
    const auto value = [&](const tosa::ElementBytes& element) {
        return graph::integer_element(std::as_bytes(std::span(element.bytes)), type, 0);
    };
    const std::int64_t limit = std::int64_t{1} << (tosa::storage_bits(type) - 1);
    return value(attributes.min_val) == -limit && value(attributes.max_val) == limit - 1;
}

/// True for a reduction whose axis has one position. ARGMAX gives an index.
bool reduces_nothing(const graph::Block& block, const graph::Operator& op) {
    if (op.op == tosa::OpCode::kArgmax) return false;
    if (tosa::operator_row(op.op).work != tosa::Work::kReduction) return false;
    const auto axis_of = [](const auto& attributes) -> std::size_t {
        if constexpr (requires { attributes.axis; })
            return static_cast<std::size_t>(attributes.axis);
        OKKSIM_CHECK(!"a reduction has an axis");
    };
    return block.tensors[op.inputs[0]].shape[std::visit(axis_of, op.attributes.get())] == 1;
}

}  // namespace

std::optional<NdStrides> ValueViews::view(const graph::Operator& op, const DeviceTensor& from,
                                          const DeviceTensor& to) const {
    if (keeps_values(op)) {
        return from.strides == to.strides ? std::optional(to.strides) : std::nullopt;
    }
    const bool is_as_stored =
        op.op == tosa::OpCode::kReshape && kernels::is_row_major(from) && kernels::is_row_major(to);
    if (is_as_stored) return to.strides;
    if (!strided_) return std::nullopt;
    const std::optional<NdStrides> strides = moved_strides(op, from, to);
    if (!strides) return std::nullopt;
    if (same_places(dims_of(to), *strides, to.strides)) return to.strides;
    const bool suit = suits(op.outputs[0], *strides, Readers::kMapsAndProducts);
    return suit ? strides : std::nullopt;
}

bool ValueViews::leads_to_maps(TensorIndex value, const NdStrides& strides) const {
    return strided_ && suits(value, strides, Readers::kMaps);
}

bool ValueViews::suits(TensorIndex value, const NdStrides& strides, Readers readers) const {
    const std::vector<std::uint32_t>& all = uses_.readers(value);
    return !uses_.leaves(value) && std::all_of(all.begin(), all.end(), [&](std::uint32_t reader) {
        return reads(block_.operators[reader], value, strides, readers);
    });
}

bool ValueViews::reads(const graph::Operator& op, TensorIndex value, const NdStrides& strides,
                       Readers readers) const {
    if (op.inputs[0] != value && op.op != tosa::OpCode::kMatmul) return false;
    if (op.op == tosa::OpCode::kMatmul) return readers == Readers::kMapsAndProducts;
    DeviceTensor from = describe_value(block_.tensors[value], StorageOrder::kChannelFirst);
    if (order_rule(op.op).feature_inputs == 1) {
        return same_places(dims_of(from), strides, from.strides);
    }
    if (!moves_elements(op.op)) return false;
    if (readers == Readers::kMapsAndProducts) return true;  // copies if it is no view
    from.strides = strides;
    const TensorIndex result = op.outputs[0];
    const DeviceTensor to = describe_value(block_.tensors[result], StorageOrder::kRowMajor);
    const std::optional<NdStrides> moved = moved_strides(op, from, to);
    return moved && suits(result, *moved, readers);
}

bool ValueViews::keeps_values(const graph::Operator& op) const {
    return op.op == tosa::OpCode::kIdentity || clamps_nothing(block_, op) ||
           reduces_nothing(block_, op);
}

bool moves_elements(tosa::OpCode op) {
    return op == tosa::OpCode::kReshape || op == tosa::OpCode::kTranspose;
}

std::optional<NdStrides> reshaped_strides(std::span<const std::int32_t> dims,
                                          const NdStrides& strides,
                                          std::span<const std::int32_t> to) {
    NdStrides result{};
    std::size_t from_end = dims.size(), to_end = to.size();
    std::int64_t inner = 1;  // stride of a dimension of extent 1 without inner dimensions
    while (to_end > 0) {
        // Take the fewest innermost dimensions on both sides with equal numbers of elements.
        std::size_t from_begin = from_end, to_begin = to_end;
        std::int64_t from_count = 1, to_count = 1;
        do {
            if (to_begin > 0 && (to_count <= from_count || from_begin == 0)) {
                to_count *= to[--to_begin];
            } else if (from_begin > 0) {
                from_count *= dims[--from_begin];
            } else {
                return std::nullopt;
            }
        } while (from_count != to_count);
        // The source dimensions must be contiguous with each other.
        std::int64_t step = inner, expected = 0;
        for (std::size_t i = from_end; i-- > from_begin;) {
            if (dims[i] == 1) continue;
            if (expected == 0) step = strides[i];
            if (expected != 0 && strides[i] != expected) return std::nullopt;
            expected = strides[i] * dims[i];
        }
        for (std::size_t i = to_end; i-- > to_begin;) {
            result[i] = step;
            step *= to[i];
        }
        inner = step;
        from_end = from_begin;
        to_end = to_begin;
    }
    return result;
}

bool same_places(std::span<const std::int32_t> dims, const NdStrides& a, const NdStrides& b) {
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] != 1 && a[i] != b[i]) return false;
    }
    return true;
}

}  // namespace okksim::sim::planning
