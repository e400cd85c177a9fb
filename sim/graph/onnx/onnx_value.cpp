// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_value.h"

#include <algorithm>
#include <numeric>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/onnx/onnx_edges.h"

namespace okksim::sim::graph::onnx {

std::vector<std::int32_t> to_channels_last(std::size_t rank) {
    std::vector<std::int32_t> perms(rank);
    std::iota(perms.begin(), perms.end(), 0);
    if (rank >= 3) std::rotate(perms.begin() + 1, perms.begin() + 2, perms.end());
    return perms;
}

std::vector<std::int32_t> from_channels_last(std::size_t rank) {
    std::vector<std::int32_t> perms(rank);
    std::iota(perms.begin(), perms.end(), 0);
    if (rank >= 3) std::rotate(perms.begin() + 1, perms.end() - 1, perms.end());
    return perms;
}

TensorIndex ValueTensors::constant(const HostArray& array, std::string_view role) {
    const DType device = device_type(array.type);
    if (device == DType::kUnknown) {
        throw UnsupportedPart("values of " + std::string(element_name(array.type)), true);
    }
    const auto data = device_bytes(ops_.block().graph(), array);
    if (!data) {
        throw UnsupportedPart(
            std::string(element_name(array.type)) + " values outside 32 bits at run time", true);
    }
    return ops_.block().constant_bytes(device, array.shape, *data, role);
}

TensorIndex ValueTensors::declared(Value& value) {
    if (value.is_unread) throw UnreadOperand();
    if (value.declared) return *value.declared;
    if (value.known) {
        value.declared = constant(*value.known, "constant");
    } else if (value.view_of != nullptr) {
        value.declared = ops_.reshape(declared(*value.view_of), value.shape, "view");
    } else if (value.channels_last) {
        value.declared = ops_.transpose(*value.channels_last, from_channels_last(value.rank()),
                                        "channels_first");
    } else {
        value.declared = from_file(ops_, value.type, *value.file_form);
    }
    return *value.declared;
}

TensorIndex ValueTensors::channels_last(Value& value) {
    if (value.is_unread) throw UnreadOperand();
    if (!value.channels_last && value.view_of != nullptr && !value.declared) {
        const Shape& from = value.shape;
        Shape shape(from.begin() + 2, from.end());
        shape.insert(shape.begin(), from[0]);
        shape.push_back(from[1]);
        value.channels_last = ops_.reshape(channels_last(*value.view_of), shape, "view");
    } else if (!value.channels_last) {
        value.channels_last = arranged(value, to_channels_last(value.rank()), "channels_last");
    }
    return *value.channels_last;
}

TensorIndex ValueTensors::arranged(Value& value, const std::vector<std::int32_t>& perms,
                                   std::string_view role) {
    if (std::is_sorted(perms.begin(), perms.end())) return declared(value);
    const TensorIndex x = declared(value);
    if (!value.known) return ops_.transpose(x, perms, role);
    Shape shape;
    for (const std::int32_t axis : perms)
        shape.push_back(value.shape[static_cast<std::size_t>(axis)]);
    return compose::rearranged(ops_, x, value.shape, perms, shape, role);
}

TensorIndex ValueTensors::with_rank(Value& value, std::size_t rank, bool is_channels_last) {
    if (value.rank() == rank) return is_channels_last ? channels_last(value) : declared(value);
    Shape shape = value.shape;
    shape.insert(shape.begin(), rank - shape.size(), 1);
    const auto [known, is_new] = value.ranked.try_emplace({rank, is_channels_last});
    if (!is_new) return known->second;
    TensorIndex ranked = compose::reshaped(ops_, declared(value), shape, "ranked");
    if (is_channels_last) {
        ranked = compose::transposed(ops_, ranked, to_channels_last(rank));
    }
    return known->second = ranked;
}

bool ValueTensors::prefers_channels_last(const std::vector<Value*>& values, std::size_t rank) {
    if (rank < 3) return false;
    std::uint64_t to_last = 0, from_last = 0;  // elements to transpose
    for (const Value* value : values) {
        const bool has_any = value->view_of != nullptr && !value->declared && !value->channels_last;
        if (value->known || value->rank() != rank || has_any) continue;
        const std::uint64_t count = element_count(value->shape).value_or(0);
        if (!value->channels_last) to_last += count;
        if (value->channels_last && !value->declared) from_last += count;
    }
    return from_last > 0 && from_last >= to_last;
}

Aligned ValueTensors::aligned(const std::vector<Value*>& values) {
    Aligned result;
    for (const Value* value : values) {
        if (value->is_unread) throw UnreadOperand();
        result.rank = std::max(result.rank, value->rank());
    }
    result.is_channels_last = prefers_channels_last(values, result.rank);
    for (Value* value : values) {
        result.tensors.push_back(with_rank(*value, result.rank, result.is_channels_last));
    }
    return result;
}

}  // namespace okksim::sim::graph::onnx
