// SPDX-License-Identifier: Apache-2.0
// The reference machine under okk functions, and rows of operands in its local memory.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "firmware/calls/context.h"
#include "firmware/okk.h"
#include "models/chip/functional_port.h"

namespace okksim::tests {

using Word = std::uint32_t;
using Words = std::vector<Word>;

inline constexpr Word kOne = 0x3F800000;
inline constexpr Word kInf = 0x7F800000;
inline constexpr Word kMinusZero = 0x80000000;
inline constexpr Word kDenormal = 0x00000001;
inline constexpr Word kMinusDenormal = 0x80000001;
inline constexpr Word kNan = 0x7FC00000;

inline Word bits(float value) { return std::bit_cast<Word>(value); }

/// The reference machine with little global memory.
inline isa::MachineShape reference_machine() {
    isa::MachineShape machine;
    machine.lanes = 64;
    machine.local_bytes = 524288;
    machine.local_banks = 8;
    machine.vector_words = 32;
    machine.l2_start = 0x100A2000;
    machine.l2_bytes = 0x25E000;
    machine.dtcm_start = 0x02020000;
    machine.dtcm_bytes = 0x5F400;
    machine.global_start = 0x100000000;
    machine.global_bytes = 1 << 20;
    return machine;
}

struct Bench {
    explicit Bench(firmware::ContextOptions options = {})
        : context(port, with_findings(std::move(options))), binding(context) {
        context.begin_launch();
        okk_initialize();
    }
    firmware::ContextOptions with_findings(firmware::ContextOptions options) {
        options.call_stacks = false;
        options.report = [this](Finding finding) { findings.push_back(std::move(finding)); };
        return options;
    }
    Word* local(std::int32_t lane, std::int64_t offset) {
        return reinterpret_cast<Word*>(port.local_memory().at(lane, offset));
    }
    void store(std::int32_t lane, std::int64_t offset, const Words& words) {
        std::memcpy(local(lane, offset), words.data(), words.size() * sizeof(Word));
    }
    Words load(std::int32_t lane, std::int64_t offset, std::size_t count) {
        return {local(lane, offset), local(lane, offset) + count};
    }

    models::FunctionalPort port{reference_machine()};
    std::vector<Finding> findings;
    firmware::Context context;
    firmware::Context::Binding binding;
};

inline constexpr local_addr_t kDst = 0x1000;
inline constexpr local_addr_t kSrc0 = 0x2000;
inline constexpr local_addr_t kSrc1 = 0x3000;
inline constexpr local_addr_t kWork = 0x4000;

using Call = std::function<void(const dim4& shape)>;

/// Results of an element-wise function on a row of operands in lane 0.
inline Words results(const Call& call, const Words& a, const Words& b = {}) {
    Bench bench;
    bench.store(0, kSrc0, a);
    bench.store(0, kSrc1, b);
    call(dim4{1, 1, 1, static_cast<int>(a.size())});
    return bench.load(0, kDst, a.size());
}

#define OKKSIM_BINARY(function) \
    [](const dim4& shape) { function(kDst, kSrc0, kSrc1, &shape, nullptr, nullptr, nullptr); }
#define OKKSIM_UNARY(function) \
    [](const dim4& shape) { function(kDst, kSrc0, &shape, nullptr, nullptr); }
#define OKKSIM_ALIGNED(function) [](const dim4& shape) { function(kDst, kSrc0, &shape); }

}  // namespace okksim::tests
