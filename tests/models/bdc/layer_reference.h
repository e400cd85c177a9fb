// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operands.h"
#include "models/memory/local_memory.h"

// Second implementation of the neural-network commands, written from their definitions, one element
// at a time, with separate address arithmetic. It is slow and obvious on purpose.
namespace okksim::tests {

/// Element-wise access to a tensor in local memory as documented: channel c is in lane (start + c)
/// mod lanes, channel slot (start + c) / lanes.
class ReferenceTensor {
 public:
    ReferenceTensor(models::LocalMemory& memory, isa::LocalAddr addr, const isa::Dim4& stride,
                    int element_bytes = 4)
        : memory_(memory), addr_(addr), stride_(stride), element_bytes_(element_bytes) {}

    /// Word `word` of an element (2IC pairs have two).
    float get(int n, int c, int h, int w, int word = 0) const;
    void set(int n, int c, int h, int w, float value);

 private:
    std::byte* place(int n, int c, int h, int w, int word) const;

    models::LocalMemory& memory_;
    isa::LocalAddr addr_;
    isa::Dim4 stride_;
    int element_bytes_;
};

void reference_convolution(const isa::Convolution& operands, models::LocalMemory& memory);
void reference_depthwise(const isa::Depthwise& operands, models::LocalMemory& memory);
void reference_average_pool(const isa::Pool& operands, models::LocalMemory& memory);
void reference_scaled_pool(const isa::PoolScaled& operands, models::LocalMemory& memory);
void reference_max_pool(const isa::Pool& operands, models::LocalMemory& memory);
void reference_matmul(const isa::MatrixMultiply& operands, models::LocalMemory& memory);

}  // namespace okksim::tests
