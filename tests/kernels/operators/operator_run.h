// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "kernels/call/tensor.h"
#include "tests/support/kernel_fixture.h"
#include "tests/support/random_source.h"
#include "tests/support/stored_tensor.h"

namespace okksim::tests {

/// Tensors in a machine's global memory, and operators that run on them. Elements are the integers
/// of their stored bits, in row-major order of the indices for any storage order.
class OperatorRun {
 public:
    explicit OperatorRun(KernelMachine& machine)
        : machine_(machine), next_(machine.port().machine().global_start) {}

    /// A tensor stored in row-major order.
    kernels::DeviceTensor tensor(tosa::DType type, const std::vector<std::int32_t>& dims) {
        std::vector<int> order;
        for (std::size_t i = 0; i < dims.size(); ++i) order.push_back(static_cast<int>(i));
        return tensor(type, dims, order);
    }
    /// A tensor whose dimensions are stored in `order`, outermost first.
    kernels::DeviceTensor tensor(tosa::DType type, const std::vector<std::int32_t>& dims,
                                 const std::vector<int>& order) {
        const kernels::DeviceTensor value = stored_tensor(type, dims, order, next_);
        // Elements are aligned; tensors have no larger alignment.
        next_ += (tensor_bytes(value) + 15) / 8 * 8;
        return value;
    }

    void write(const kernels::DeviceTensor& tensor, const std::vector<std::int64_t>& values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::memcpy(element(tensor, i), &values[i], element_bytes(tensor));
        }
    }
    std::vector<std::int64_t> read(const kernels::DeviceTensor& tensor) {
        std::vector<std::int64_t> values(static_cast<std::size_t>(tensor.count()));
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::memcpy(&values[i], element(tensor, i), element_bytes(tensor));
        }
        return values;
    }
    /// Random bit patterns of the tensor's width.
    std::vector<std::int64_t> fill(const kernels::DeviceTensor& tensor, RandomSource& random) {
        std::vector<std::int64_t> values(static_cast<std::size_t>(tensor.count()));
        const std::size_t bits = 8 * element_bytes(tensor);
        for (auto& value : values) {
            const std::uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
            value = static_cast<std::int64_t>(random.bits() & mask);
        }
        write(tensor, values);
        return values;
    }

    /// Runs one operator; throws its fault.
    firmware::CallCounts run(tosa::OpCode op, const tosa::Attributes& attributes,
                             const std::vector<kernels::DeviceTensor>& inputs,
                             const std::vector<kernels::DeviceTensor>& outputs);

 private:
    std::byte* element(const kernels::DeviceTensor& tensor, std::size_t index) {
        return machine_.port().system_memory().pointer(element_address(tensor, index),
                                                       element_bytes(tensor));
    }

    KernelMachine& machine_;
    std::uint64_t next_;
};

}  // namespace okksim::tests
