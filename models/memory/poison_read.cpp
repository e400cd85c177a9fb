// SPDX-License-Identifier: Apache-2.0
#include "models/memory/poison_read.h"

#include <algorithm>
#include <cstdio>

#include "models/memory/local_memory.h"
#include "models/memory/overlap.h"

namespace okksim::models {

std::string PoisonRead::message() const {
    char hex[32];
    std::snprintf(hex, sizeof hex, "address 0x%llx", static_cast<unsigned long long>(address));
    const std::string place = local ? LocalPlace{lane, offset}.text() : std::string(hex);
    return std::string(operand) + " reads " + place + ", which nobody has written";
}

bool all_poison(const std::byte* data, std::int64_t bytes) {
    return std::all_of(data, data + bytes,
                       [](std::byte b) { return b == LocalMemory::kPoisonByte; });
}

}  // namespace okksim::models
