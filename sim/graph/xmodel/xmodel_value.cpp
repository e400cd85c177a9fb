// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/xmodel/xmodel_value.h"

#include <algorithm>
#include <cstring>

namespace okksim::sim::graph::xmodel {

namespace {

const std::vector<std::int32_t> kToChannelsLast{0, 2, 3, 1};
const std::vector<std::int32_t> kFromChannelsLast{0, 3, 1, 2};

Shape permuted(const Shape& shape, const std::vector<std::int32_t>& perms) {
    Shape result;
    for (const std::int32_t perm : perms) result.push_back(shape[static_cast<std::size_t>(perm)]);
    return result;
}

/// Copies elements of `size` bytes into the new order.
template <std::size_t size>
void copy_arranged(const std::byte* from, std::byte* to, const Shape& shape, const Shape& step) {
    const std::size_t rank = shape.size();
    Shape at(rank, 0);
    const std::int64_t inner = shape[rank - 1], inner_step = step[rank - 1];
    for (;;) {
        const std::byte* line = from;
        for (std::int64_t i = 0; i < inner; ++i, line += inner_step, to += size) {
            std::memcpy(to, line, size);
        }
        std::size_t axis = rank - 1;
        for (;;) {
            if (axis == 0) return;
            --axis;
            from += step[axis];
            if (++at[axis] < shape[axis]) break;
            from -= step[axis] * shape[axis];
            at[axis] = 0;
        }
    }
}

std::vector<std::byte> arranged_bytes(std::span<const std::byte> data, std::size_t size,
                                      const Arrangement& arrangement) {
    const std::size_t rank = arrangement.view.size();
    Shape step(rank);
    auto next = static_cast<std::int64_t>(size);
    for (std::size_t i = rank; i-- > 0;) {
        step[i] = next;
        next *= arrangement.view[i];
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(next));
    if (bytes.empty()) return bytes;
    const std::byte* from = data.data();
    for (const std::size_t axis : arrangement.mirrored) {
        from += step[axis] * (arrangement.view[axis] - 1);
        step[axis] = -step[axis];
    }
    const Shape shape = permuted(arrangement.view, arrangement.perms);
    step = permuted(step, arrangement.perms);
    switch (size) {
        case 1: copy_arranged<1>(from, bytes.data(), shape, step); break;
        case 2: copy_arranged<2>(from, bytes.data(), shape, step); break;
        case 4: copy_arranged<4>(from, bytes.data(), shape, step); break;
        case 8: copy_arranged<8>(from, bytes.data(), shape, step); break;
        default: break;
    }
    return bytes;
}

}  // namespace

TensorIndex ValueTensors::constant(const Value& value, const Shape& shape,
                                   std::span<const std::byte> bytes, std::string_view role) {
    return ops_.block().constant_bytes(value.type.device_type(), with_words(value.type, shape, 2),
                                       bytes, role);
}

Shape ValueTensors::shape_in_file(const BlockBuilder& block, const Value& value) {
    const TensorIndex tensor = value.declared ? *value.declared : *value.channels_last;
    Shape shape = block.tensor(tensor).shape.get();
    if (value.type.is_wide()) shape.pop_back();
    return value.declared ? shape : permuted(shape, kFromChannelsLast);
}

TensorIndex ValueTensors::declared(Value& value) {
    if (!value.declared) {
        value.declared = value.is_constant ? constant(value, value.shape, value.data, "constant")
                                           : transpose(value.type, *value.channels_last,
                                                       kFromChannelsLast, "nchw");
    }
    return *value.declared;
}

TensorIndex ValueTensors::channels_last(Value& value) {
    if (!value.channels_last) {
        value.channels_last = arranged(value, {value.shape, {}, kToChannelsLast}, "nhwc");
    }
    return *value.channels_last;
}

TensorIndex ValueTensors::arranged(Value& value, const Arrangement& arrangement,
                                   std::string_view role) {
    const bool is_in_order = std::is_sorted(arrangement.perms.begin(), arrangement.perms.end());
    if (value.is_constant && is_in_order && arrangement.mirrored.empty()) {
        return constant(value, arrangement.view, value.data, role);
    }
    if (value.is_constant) {
        auto bytes = arranged_bytes(value.data, value.type.bytes(), arrangement);
        return constant(value, permuted(arrangement.view, arrangement.perms),
                        ops_.block().graph().own_bytes(std::move(bytes)), role);
    }
    TensorIndex x = reshape(value.type, declared(value), arrangement.view, role);
    for (const std::size_t axis : arrangement.mirrored) x = ops_.reverse(x, axis, role);
    return transpose(value.type, x, arrangement.perms, role);
}

}  // namespace okksim::sim::graph::xmodel
