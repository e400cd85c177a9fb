// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "kernels/tensor.h"
#include "tests/support/kernel_fixture.h"
#include "tests/support/random_source.h"

namespace okksim::tests {

/// Tensors in a machine's global memory and the operators that a test runs on them. Elements are
/// seen as the integers that their stored bytes spell, in row-major order of the indices whatever
/// the storage order.
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
        kernels::DeviceTensor value;
        value.type = type;
        value.rank = static_cast<int>(dims.size());
        std::copy(dims.begin(), dims.end(), value.dims.begin());
        value.strides = kernels::strides_in_order(dims, order);
        value.address = next_;
        // Elements are aligned, tensors no more than that.
        const std::int64_t bytes = value.count() * kernels::stored_bytes(type);
        next_ += static_cast<std::uint64_t>(bytes + 15) / 8 * 8;
        return value;
    }

    void write(const kernels::DeviceTensor& tensor, const std::vector<std::int64_t>& values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::memcpy(element(tensor, i), &values[i], bytes_of(tensor));
        }
    }
    std::vector<std::int64_t> read(const kernels::DeviceTensor& tensor) {
        std::vector<std::int64_t> values(static_cast<std::size_t>(tensor.count()));
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::memcpy(&values[i], element(tensor, i), bytes_of(tensor));
        }
        return values;
    }
    /// Random bit patterns of the tensor's width.
    std::vector<std::int64_t> fill(const kernels::DeviceTensor& tensor, RandomSource& random) {
        std::vector<std::int64_t> values(static_cast<std::size_t>(tensor.count()));
        const std::size_t bits = 8 * bytes_of(tensor);
        for (auto& value : values) {
            const std::uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
            value = static_cast<std::int64_t>(random.bits() & mask);
        }
        write(tensor, values);
        return values;
    }

    /// Runs one operator; a fault throws.
    firmware::CallCounts run(tosa::OpCode op, const tosa::Attributes& attributes,
                             const std::vector<kernels::DeviceTensor>& inputs,
                             const std::vector<kernels::DeviceTensor>& outputs);

 private:
    static std::size_t bytes_of(const kernels::DeviceTensor& tensor) {
        return static_cast<std::size_t>(kernels::stored_bytes(tensor.type));
    }
    std::byte* element(const kernels::DeviceTensor& tensor, std::size_t index) {
        std::int64_t offset = 0;
        auto rest = static_cast<std::int64_t>(index);
        for (int i = tensor.rank; i-- > 0;) {
            const auto dim = static_cast<std::size_t>(i);
            offset += rest % tensor.dims[dim] * tensor.strides[dim];
            rest /= tensor.dims[dim];
        }
        const std::uint64_t address =
            tensor.address + static_cast<std::uint64_t>(offset) * bytes_of(tensor);
        return machine_.port().system_memory().pointer(address, bytes_of(tensor));
    }

    KernelMachine& machine_;
    std::uint64_t next_;
};

}  // namespace okksim::tests
