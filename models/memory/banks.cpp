// SPDX-License-Identifier: Apache-2.0
#include "models/memory/banks.h"

#include <algorithm>
#include <cmath>

namespace okksim::models {
namespace {

/// Bits low .. high, both included and below 64.
BankSet bits(std::int64_t low, std::int64_t high) {
    constexpr int kBits = 64;
    const auto count = static_cast<int>(high - low + 1);
    const BankSet ones = ~BankSet{0} >> (kBits - count);
    return ones << low;
}

}  // namespace

BankSet touched_banks(const isa::TensorView& view, const isa::MachineShape& machine) {
    const std::int64_t bank_bytes = machine.local_bytes / machine.local_banks;
    const isa::ByteInterval touched = isa::touched_bytes(view, machine);
    const std::int64_t last = std::min(touched.high, machine.local_bytes) - 1;
    const std::int64_t first = std::clamp<std::int64_t>(touched.low, 0, last);
    const std::int64_t most = machine.local_banks - 1;
    return bits(std::min(first / bank_bytes, most), std::min(last / bank_bytes, most));
}

BankSet touched_banks(const isa::Command& command, const isa::MachineShape& machine) {
    BankSet banks = 0;
    for (const isa::TensorView& view : isa::tensor_views(command, machine)) {
        if (view.local) banks |= touched_banks(view, machine);
    }
    return banks;
}

Picoseconds shared_bank_time(const BankUse& a, const BankUse& b) {
    if ((a.banks & b.banks) == 0) return {};
    const Picoseconds begin = std::max(a.start, b.start);
    const Picoseconds end = std::min(a.end, b.end);
    return end > begin ? end - begin : Picoseconds{};
}

Picoseconds bank_stall(Picoseconds shared, double interference) {
    return {
        static_cast<std::int64_t>(std::llround(static_cast<double>(shared.value) * interference))};
}

}  // namespace okksim::models
