// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_value.h"

#include <algorithm>
#include <numeric>

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
    const auto bytes = device_bytes(ops_.block().graph(), array);
    if (!bytes) {
        throw UnsupportedPart(
            std::string(element_name(array.type)) + " values outside 32 bits at run time", true);
    }
    return ops_.block().constant_bytes(device, array.shape, *bytes, role);
}

TensorIndex ValueTensors::declared(Value& value) {
    if (value.is_unread) throw UnreadOperand();
    if (value.declared) return *value.declared;
    if (value.known) {
        value.declared = constant(*value.known, "constant");
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
    if (!value.channels_last) {
        value.channels_last = arranged(value, to_channels_last(value.rank()), "channels_last");
    }
    return *value.channels_last;
}

TensorIndex ValueTensors::arranged(Value& value, const std::vector<std::int32_t>& perms,
                                   std::string_view role) {
    if (std::is_sorted(perms.begin(), perms.end())) return declared(value);
    if (value.known) {
        return constant(transposed(*value.known, {perms.begin(), perms.end()}), role);
    }
    return ops_.transpose(declared(value), perms, role);
}

TensorIndex ValueTensors::with_rank(Value& value, std::size_t rank, bool is_channels_last) {
    if (value.rank() == rank) return is_channels_last ? channels_last(value) : declared(value);
    Shape shape = value.shape;
    shape.insert(shape.begin(), rank - shape.size(), 1);
    if (value.known) {
        HostArray array = reshaped(*value.known, shape);
        if (is_channels_last) {
            const std::vector<std::int32_t> perms = to_channels_last(rank);
            array = transposed(array, {perms.begin(), perms.end()});
        }
        return constant(array, "ranked");
    }
    const TensorIndex ranked = ops_.reshape(declared(value), shape, "ranked");
    return is_channels_last ? ops_.transpose(ranked, to_channels_last(rank), "channels_last")
                            : ranked;
}

Aligned ValueTensors::aligned(const std::vector<Value*>& values) {
    Aligned result;
    for (const Value* value : values) {
        if (value->is_unread) throw UnreadOperand();
        result.rank = std::max(result.rank, value->rank());
    }
    for (const Value* value : values) {
        if (value->known || value->rank() != result.rank || result.rank < 3) continue;
        const bool has_last_only = value->channels_last && !value->declared;
        result.is_channels_last = result.is_channels_last || has_last_only;
    }
    for (Value* value : values) {
        result.tensors.push_back(with_rank(*value, result.rank, result.is_channels_last));
    }
    return result;
}

}  // namespace okksim::sim::graph::onnx
