// SPDX-License-Identifier: Apache-2.0
#include "models/memory/poison_read.h"

#include <algorithm>

#include "isa/base/hex.h"
#include "models/memory/local_memory.h"
#include "models/memory/overlap.h"

namespace okksim::models {

std::string PoisonRead::message() const {
    const std::string place =
        local ? LocalPlace{lane, offset}.text() : "address " + isa::hex(address);
    return std::string(operand) + " reads " + place + ", which is uninitialised";
}

bool all_poison(const std::byte* data, std::int64_t bytes) {
    return std::all_of(data, data + bytes,
                       [](std::byte b) { return b == LocalMemory::kPoisonByte; });
}

}  // namespace okksim::models
