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
    return std::string(operand) + " reads " + place + ", " + reason(is_stale);
}

const char* PoisonRead::reason(bool is_stale) {
    return is_stale ? "which only an earlier launch has written. A launch must not rely on local "
                      "memory of another one: write it again, or declare that it is kept "
                      "(--keep-local; host programs: OKKSIM_KEEP_LOCAL=1)"
                    : "which is uninitialised";
}

bool all_poison(const std::byte* data, std::int64_t bytes) {
    return std::all_of(data, data + bytes,
                       [](std::byte b) { return b == LocalMemory::kPoisonByte; });
}

}  // namespace okksim::models
