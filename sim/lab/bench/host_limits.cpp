// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/lab/bench/host_limits.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h re-includes this file once per target.
#include <sys/mman.h>
#include <time.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "hwy/highway.h"
#include "sim/lab/bench/host_limits.h"

HWY_BEFORE_NAMESPACE();
namespace okksim::sim::bench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Runs `rounds` rounds of eight independent multiply-add pairs; returns the pairs per round.
HWY_NOINLINE std::int64_t MultiplyAddRounds(std::int64_t rounds, float* sink) {
    constexpr int kLoads = 2, kFactors = 4;
    const hn::ScalableTag<float> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    // Like operators, multiplies values from memory. One dependent chain of both product and sum
    // would be a sixth slower.
    HWY_ALIGN float values[2 * kLoads * hn::MaxLanes(d)];
    for (float& value : values) value = sink[0];
    hn::Vec<decltype(d)> factors[kFactors], sums[kLoads][kFactors];
#pragma GCC unroll 4
    for (int f = 0; f < kFactors; ++f) {
        factors[f] = hn::Set(d, sink[0] * static_cast<float>(f));
        for (int k = 0; k < kLoads; ++k) sums[k][f] = hn::Iota(d, static_cast<float>(k + f));
    }
    for (std::int64_t i = 0; i < rounds; ++i) {
        // Values differ in each round; otherwise the compiler would compute the products once.
        const float* const from = values + (i & 1) * kLoads * lanes;
#pragma GCC unroll 2
        for (int k = 0; k < kLoads; ++k) {
            const auto value = hn::Load(d, from + k * lanes);
#pragma GCC unroll 4
            for (int f = 0; f < kFactors; ++f) {
                sums[k][f] = hn::Add(sums[k][f], hn::Mul(value, factors[f]));
            }
        }
    }
    auto sum = hn::Zero(d);
    for (int f = 0; f < kFactors; ++f) sum = hn::Add(sum, hn::Add(sums[0][f], sums[1][f]));
    sink[1] = hn::GetLane(sum);
    return kLoads * kFactors * lanes;
}

// Runs `rounds` rounds of twelve independent dot products of 16-bit values; returns the products
// per round.
HWY_NOINLINE std::int64_t ProductRounds(std::int64_t rounds, std::int32_t* sink) {
    constexpr int kChains = 12;
    const hn::ScalableTag<std::int32_t> words;
    const hn::ScalableTag<std::int16_t> values;
    const auto factor = hn::Set(values, static_cast<std::int16_t>(sink[0]));
    hn::Vec<decltype(words)> sums[kChains], rest[kChains];
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) {
        sums[i] = hn::Iota(words, i);
        rest[i] = hn::Zero(words);
    }
    for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
        for (int i = 0; i < kChains; ++i) {
            sums[i] = hn::ReorderWidenMulAccumulate(words, factor, factor, sums[i], rest[i]);
        }
    }
    auto whole = hn::Zero(words);
    for (int i = 0; i < kChains; ++i) whole = hn::Add(whole, hn::Add(sums[i], rest[i]));
    sink[1] = hn::GetLane(whole);
    return kChains * static_cast<std::int64_t>(hn::Lanes(values));
}

// Copies through the caches. memcpy bypasses them above some size, even if the data fit.
HWY_NOINLINE void CopyVectors(const std::byte* from, std::byte* to, std::size_t bytes) {
    const hn::ScalableTag<std::uint8_t> d;
    const std::size_t step = hn::Lanes(d);
    const auto* source = reinterpret_cast<const std::uint8_t*>(from);
    auto* target = reinterpret_cast<std::uint8_t*>(to);
    std::size_t i = 0;
    for (; i + step <= bytes; i += step) hn::StoreU(hn::LoadU(d, source + i), d, target + i);
    for (; i < bytes; ++i) target[i] = source[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace okksim::sim::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace okksim::sim::bench {

HWY_EXPORT(MultiplyAddRounds);
HWY_EXPORT(ProductRounds);
HWY_EXPORT(CopyVectors);

double measure_multiply_add_peak(double seconds) {
    constexpr std::int64_t kRounds = 20000;
    volatile float factor = 0.5f;
    float sink[2] = {factor, 0.0f};
    std::int64_t pairs = 0;  // per run
    const double rate = runs_per_second(
        seconds, [&] { pairs = HWY_DYNAMIC_DISPATCH(MultiplyAddRounds)(kRounds, sink) * kRounds; });
    return rate * static_cast<double>(pairs) * 1e-9;
}

namespace {

#ifdef __x86_64__
/// Runs `rounds` rounds of twelve independent byte dot products.
__attribute__((target("avx512f,avx512vnni"), noinline)) std::int64_t byte_product_rounds(
    std::int64_t rounds, std::int32_t* sink) {
    constexpr int kChains = 12;
    const __m512i factor = _mm512_set1_epi8(static_cast<char>(sink[0]));
    __m512i sums[kChains];
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = _mm512_set1_epi32(i);
    for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
        for (int i = 0; i < kChains; ++i) {
            sums[i] = _mm512_dpbusd_epi32(sums[i], factor, factor);
        }
    }
    __m512i whole = _mm512_setzero_si512();
    for (int i = 0; i < kChains; ++i) whole = _mm512_add_epi32(whole, sums[i]);
    alignas(sizeof whole) std::int32_t words[sizeof whole / sizeof(std::int32_t)];
    _mm512_store_si512(words, whole);
    sink[1] = words[0];
    return kChains * static_cast<std::int64_t>(sizeof(__m512i));
}
#endif

std::int64_t product_rounds(std::int64_t rounds, std::int32_t* sink) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512vnni") != 0) return byte_product_rounds(rounds, sink);
#endif
    return HWY_DYNAMIC_DISPATCH(ProductRounds)(rounds, sink);
}

}  // namespace

double measure_byte_product_peak(double seconds) {
    constexpr std::int64_t kRounds = 2000;
    volatile std::int32_t factor = 3;
    std::int32_t sink[2] = {factor, 0};
    std::int64_t products = 0;  // per run
    const double rate = runs_per_second(seconds, [&] {
        products = product_rounds(kRounds, sink) * kRounds;
        asm volatile("" : : "r"(sink) : "memory");
    });
    return rate * static_cast<double>(products) * 1e-9;
}

double measure_sort() {
    constexpr std::size_t kNumbers = 1000000;
    std::vector<std::uint32_t> numbers(kNumbers);
    std::uint32_t state = 1;
    for (std::uint32_t& number : numbers) {
        // A step of a linear congruential generator, with the factors of Numerical Recipes.
        number = state = state * 1664525u + 1013904223u;
    }
    const double start = thread_seconds();
    std::sort(numbers.begin(), numbers.end());
    asm volatile("" : : "r"(numbers.data()) : "memory");
    return thread_seconds() - start;
}

namespace {

/// Bytes on large pages, like local memory.
class Block {
 public:
    Block(std::size_t bytes, std::byte value) {
        constexpr std::size_t kLargePage = std::size_t{2} << 20;
        const std::size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
        bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(kLargePage, whole)));
        if (!bytes_) throw std::bad_alloc();
        madvise(bytes_.get(), whole, MADV_HUGEPAGE);
        std::fill_n(bytes_.get(), bytes, value);
    }
    std::byte* data() const { return bytes_.get(); }

 private:
    struct Free {
        void operator()(std::byte* bytes) const { std::free(bytes); }
    };
    std::unique_ptr<std::byte, Free> bytes_;
};

}  // namespace

double measure_copy_bandwidth(std::size_t bytes, double seconds) {
    constexpr std::size_t kLeastPiece = 16 << 10;
    const Block from(bytes, std::byte{1});
    const Block to(bytes, std::byte{2});
    double best = 0;
    const auto time = [&](auto&& copy) {
        const double rate = runs_per_second(seconds, [&] {
            copy(from.data(), to.data());
            // Keeps the compiler from removing copies whose result is not read.
            asm volatile("" : : "r"(to.data()) : "memory");
        });
        best = std::max(best, rate);
    };
    time([&](const std::byte* source, std::byte* target) {
        HWY_DYNAMIC_DISPATCH(CopyVectors)(source, target, bytes);
    });
    // The library copies large and small blocks in different ways, and whole feature maps are
    // copied lane by lane. Pieces of 64 KiB may be a third faster than one copy.
    for (std::size_t piece = kLeastPiece; piece < 2 * bytes; piece *= 4) {
        time([&](const std::byte* source, std::byte* target) {
            for (std::size_t at = 0; at < bytes; at += piece) {
                std::memcpy(target + at, source + at, std::min(piece, bytes - at));
            }
        });
    }
    return 2 * static_cast<double>(bytes) * best * 1e-9;
}

}  // namespace okksim::sim::bench
#endif  // HWY_ONCE
