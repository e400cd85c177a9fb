// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/typed/word_results.h"

#include <cstring>

#include "isa/base/errors.h"

namespace okksim::models {
namespace {

template <typename Element>
void store(std::byte* to, std::int64_t index, std::int64_t result) {
    const auto element = static_cast<Element>(result);
    std::memcpy(to + index * static_cast<std::int64_t>(sizeof element), &element, sizeof element);
}

/// A loop that compilers make vectors of, for the instructions that the host has.
template <typename Element>
[[gnu::always_inline]] inline void store_all(const WordScaling& how, std::uint32_t start,
                                             const std::int32_t* sums, std::int64_t count,
                                             std::byte* to) {
    const auto sum = [&](std::int64_t i) {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) + start);
    };
    if (how.scaling == nullptr) {
        for (std::int64_t i = 0; i < count; ++i) store<Element>(to, i, sum(i));
        return;
    }
    const typed_ops::Scaling scaling = *how.scaling;
    const std::int64_t multiplier = how.multiplier, shift = how.shift;
    for (std::int64_t i = 0; i < count; ++i) {
        store<Element>(to, i, scaling.scaled(sum(i), multiplier, shift));
    }
}

#ifdef __x86_64__
/// Products and shifts of 64 bits are instructions there.
template <typename Element>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) void store_vectors(
    const WordScaling& how, std::uint32_t start, const std::int32_t* sums, std::int64_t count,
    std::byte* to) {
    store_all<Element>(how, start, sums, count, to);
}

bool has_vectors() {
    static const bool has = __builtin_cpu_supports("avx512bw") != 0 &&
                            __builtin_cpu_supports("avx512dq") != 0 &&
                            __builtin_cpu_supports("avx512vl") != 0;
    return has;
}
#endif

template <typename Element>
void store_results(const WordScaling& how, std::int64_t start, const std::int32_t* sums,
                   std::int64_t count, std::byte* to) {
    const auto word = static_cast<std::uint32_t>(start);
#ifdef __x86_64__
    if (has_vectors()) return store_vectors<Element>(how, word, sums, count, to);
#endif
    store_all<Element>(how, word, sums, count, to);
}

}  // namespace

void store_word_results(const WordScaling& how, std::int64_t start, const std::int32_t* sums,
                        std::int64_t count, isa::ElementType type, std::byte* to) {
    switch (isa::element_bytes(type)) {
        case sizeof(std::int8_t): return store_results<std::int8_t>(how, start, sums, count, to);
        case sizeof(std::int16_t): return store_results<std::int16_t>(how, start, sums, count, to);
        case sizeof(std::int32_t): return store_results<std::int32_t>(how, start, sums, count, to);
        default: OKKSIM_CHECK(false);
    }
}

}  // namespace okksim::models
