// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/call_plans.h"

#include <span>
#include <vector>

#include "sim/planning/key_writer.h"

namespace okksim::sim::planning {
namespace {

using kernels::DeviceTensor;

class CallKey : public KeyWriter {
 public:
    explicit CallKey(const pricing::KnownMemory& known) : known_(known) {}

    using KeyWriter::put;
    void put(const DeviceTensor& tensor) {
        put(tensor.type);
        put(tensor.rank);
        put(tensor.dims);
        put(tensor.strides);
        put(tensor.constant);
        put(tensor.largest.has_value());
        put(tensor.largest.value_or(0));
        if (tensor.constant) put_values(tensor);
    }

 private:
    /// Adds zero points, shifts, factors, tables, shapes, indices and single numbers. Feature maps
    /// and weights are left out.
    void put_values(const DeviceTensor& tensor) {
        const bool is_float = tosa::is_floating_point(tensor.type);
        if (!kernels::is_list(tensor) || (is_float && tensor.count() > 1)) return;
        const auto bytes = static_cast<std::uint64_t>(tensor.count()) *
                           static_cast<std::uint64_t>(kernels::stored_bytes(tensor.type));
        const auto [constant, offset] = known_.place(tensor.address, bytes);
        if (constant == nullptr) return;
        const graph::RepeatedElement* all = constant->repeated();
        const std::span<const std::byte> values =
            all != nullptr ? all->element() : constant->bytes().subspan(offset, bytes);
        append(values);
    }

    const pricing::KnownMemory& known_;
};

}  // namespace

std::string call_key(const kernels::OperatorCall& call, const pricing::KnownMemory& known) {
    CallKey key(known);
    key.put(call.op);
    key.put(*call.attributes);
    key.put(call.prepared != 0);
    key.put(call.inputs.size());
    for (const DeviceTensor& input : call.inputs) key.put(input);
    for (const DeviceTensor& output : call.outputs) key.put(output);
    for (const kernels::Follower& follower : call.followers) {
        key.put(follower.op);
        key.put(*follower.attributes);
        key.put(follower.operands);
        key.put(follower.inputs);
        key.put(follower.output);
    }
    return key.take();
}

}  // namespace okksim::sim::planning
