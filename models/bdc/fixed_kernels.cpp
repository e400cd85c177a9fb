// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/fixed_kernels.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "isa/errors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/bdc/fixed_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace okksim::models::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<std::uint32_t>;
using Ints = hn::ScalableTag<std::int32_t>;
using Word = hn::Vec<Words>;
using Int = hn::Vec<Ints>;

/// Words that a strided row gathers before it computes.
constexpr std::int64_t kChunk = 64;
constexpr std::int64_t kWordBytes = 4;

/// What is the same for all elements of a job.
struct Constants {
    std::array<std::uint32_t, 3> sign{};  ///< of each source: its sign bit when signed, else 0
    std::int32_t low = 0;                 ///< saturation limits
    std::int32_t high = 0;
    std::int32_t lshift = 0;
    std::int32_t rshift = 0;
    int valid = 0;  ///< batch elements of the group that exist
};

/// The words of one operand for a group of batch elements: 16-bit tensors need two words per four
/// elements. `step` 0 repeats one vector.
struct Planes {
    const std::uint32_t* word[2] = {nullptr, nullptr};
    std::size_t step = 1;
};

HWY_INLINE Int as_int(Word v) { return hn::BitCast(Ints(), v); }
HWY_INLINE Word bits(Int v) { return hn::BitCast(Words(), v); }

/// Batch element kIndex of a group, widened to 32 bits.
template <int kBits, int kIndex>
HWY_INLINE Int element(Word first, Word second, Word sign) {
    constexpr int kPerWord = 32 / kBits;
    const Word word = kIndex < kPerWord ? first : second;
    const Word low = hn::And(hn::ShiftRight<kBits*(kIndex % kPerWord)>(word),
                             hn::Set(Words(), (1u << kBits) - 1u));
    return as_int(hn::Sub(hn::Xor(low, sign), sign));
}

/// floor((v + 2^(shift-1)) / 2^shift) without the sum overflowing.
HWY_INLINE Int rounding_shift(Int v, int shift) {
    if (shift == 0) return v;
    const Int carry = hn::And(hn::ShiftRightSame(v, shift - 1), hn::Set(Ints(), 1));
    return hn::Add(hn::ShiftRightSame(v, shift), carry);
}

HWY_INLINE Int saturated(Int v, const Constants& k) {
    return hn::Min(hn::Max(rounding_shift(v, k.rshift), hn::Set(Ints(), k.low)),
                   hn::Set(Ints(), k.high));
}

template <FixedKernel kKernel>
HWY_INLINE Int compute(Int a, Int b, Int c, const Constants& k) {
    if constexpr (kKernel == FixedKernel::kAdd) {
        return saturated(hn::Add(a, b), k);
    } else if constexpr (kKernel == FixedKernel::kSubtract) {
        return saturated(hn::Sub(a, b), k);
    } else if constexpr (kKernel == FixedKernel::kMultiply) {
        return saturated(hn::Mul(a, b), k);
    } else if constexpr (kKernel == FixedKernel::kMaximum) {
        return saturated(hn::Max(a, b), k);
    } else if constexpr (kKernel == FixedKernel::kMinimum) {
        return saturated(hn::Min(a, b), k);
    } else if constexpr (kKernel == FixedKernel::kMultiplyAdd) {
        return saturated(hn::Add(hn::ShiftLeftSame(a, k.lshift), hn::Mul(b, c)), k);
    } else if constexpr (kKernel == FixedKernel::kMultiplyHalves) {
        return saturated(hn::Mul(hn::Add(hn::ShiftLeft<8>(a), b), c), k);
    } else if constexpr (kKernel == FixedKernel::kHighByte) {
        return hn::ShiftRight<8>(a);
    } else {
        // The caller keeps the low 16 bits, so amounts beyond 31 need no other treatment.
        const Int limit = hn::Set(Ints(), 31);
        const Int left = hn::Min(hn::Max(b, hn::Zero(Ints())), limit);
        const Int right = hn::Min(hn::Max(hn::Neg(b), hn::Zero(Ints())), limit);
        const Int shifted = as_int(hn::Shl(bits(a), bits(left)));
        return hn::IfThenElse(hn::Gt(left, hn::Zero(Ints())), shifted, hn::Shr(a, right));
    }
}

/// A kernel with its operand widths: source bits, result bits, and the batch elements of a group.
template <FixedKernel kKernelValue, int kSourceBitsValue, int kResultBitsValue>
struct Shape {
    static constexpr FixedKernel kKernel = kKernelValue;
    static constexpr int kResultBits = kResultBitsValue;
    static constexpr int kSources = kKernel == FixedKernel::kHighByte ? 1
                                    : kKernel == FixedKernel::kMultiplyAdd ||
                                            kKernel == FixedKernel::kMultiplyHalves
                                        ? 3
                                        : 2;
    static constexpr int kGroup = kSourceBitsValue == 16 && kResultBitsValue == 16 ? 2 : 4;
    static constexpr int source_bits(int source) {
        return kKernel == FixedKernel::kMultiplyAdd && source == 0 ? kResultBitsValue
                                                                   : kSourceBitsValue;
    }
    static constexpr int planes(int element_bits) { return kGroup * element_bits / 32; }
};

/// Bits of the result words that belong to existing batch elements.
template <typename S>
std::uint32_t valid_bits(int valid, int plane) {
    const int bits = std::clamp(valid * S::kResultBits - 32 * plane, 0, 32);
    return bits == 32 ? 0xFFFFFFFFu : (1u << bits) - 1u;
}

/// One vector of words at index i of the planes.
template <typename S>
HWY_INLINE void vector_step(const Constants& k, const std::array<Planes, 3>& sources,
                            const std::array<std::uint32_t*, 2>& result, std::size_t i) {
    const Words d;
    Word first[3], second[3], sign[3];
    for (int s = 0; s < 3; ++s) {
        first[s] = second[s] = sign[s] = hn::Zero(d);
        if (s >= S::kSources) continue;
        first[s] = hn::LoadU(d, sources[s].word[0] + i * sources[s].step);
        sign[s] = hn::Set(d, k.sign[s]);
        if (S::planes(S::source_bits(s)) == 2) {
            second[s] = hn::LoadU(d, sources[s].word[1] + i * sources[s].step);
        }
    }
    const auto value = [&]<int kIndex>() HWY_ATTR {
        const Int v =
            compute<S::kKernel>(element<S::source_bits(0), kIndex>(first[0], second[0], sign[0]),
                                element<S::source_bits(1), kIndex>(first[1], second[1], sign[1]),
                                element<S::source_bits(2), kIndex>(first[2], second[2], sign[2]), k);
        return hn::And(bits(v), hn::Set(d, (1u << S::kResultBits) - 1u));
    };
    constexpr int kBits = S::kResultBits;
    Word packed[2] = {value.template operator()<0>(), hn::Zero(d)};
    packed[0] = hn::Or(packed[0], hn::ShiftLeft<kBits>(value.template operator()<1>()));
    if constexpr (S::kGroup == 4 && kBits == 8) {
        packed[0] = hn::Or(packed[0], hn::ShiftLeft<16>(value.template operator()<2>()));
        packed[0] = hn::Or(packed[0], hn::ShiftLeft<24>(value.template operator()<3>()));
    } else if constexpr (S::kGroup == 4) {
        packed[1] = hn::Or(value.template operator()<2>(),
                           hn::ShiftLeft<16>(value.template operator()<3>()));
    }
    for (int plane = 0; plane < S::planes(kBits); ++plane) {
        if (result[plane] == nullptr) continue;
        const std::uint32_t mask = valid_bits<S>(k.valid, plane);
        if (mask != 0xFFFFFFFFu) {
            const Word keep = hn::LoadU(d, result[plane] + i);
            packed[plane] = hn::Or(hn::And(packed[plane], hn::Set(d, mask)),
                                   hn::AndNot(hn::Set(d, mask), keep));
        }
        hn::StoreU(packed[plane], d, result[plane] + i);
    }
}

/// A chunk of each operand's words: sources by index, the result last.
struct Buffers {
    alignas(64) std::uint32_t words[4][2][kChunk] = {};
};

/// Rows of one lane. Every operand is either used in place or, when it is strided, through a buffer
/// of a chunk; the last, partial vector always goes through the buffers.
template <typename S>
class RowRunner {
 public:
    using Pointers = std::array<std::byte*, S::kSources + 1>;

    RowRunner(const Constants& constants, const WalkNest<S::kSources + 1>& nest,
              const std::array<std::int64_t, S::kSources + 1>& second, bool in_order,
              Buffers& buffers)
        : constants_(constants), nest_(nest), second_(second), buffer_(buffers.words) {
        const bool repeats = nest.row_stride[0] == 0 && nest.count > 1;
        chunk_ = in_order || repeats ? 1 : kChunk;
        direct_ = chunk_ != 1 && (nest.row_stride[0] == kWordBytes || nest.count == 1);
        for (int s = 1; s <= S::kSources; ++s) {
            direct_ &= nest.row_stride[s] == kWordBytes || nest.row_stride[s] == 0;
        }
    }

    void run(const Pointers& row) {
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(Words()));
        std::int64_t done = 0;
        if (direct_) {
            done = nest_.count / lanes * lanes;
            in_place(row, done);
        }
        for (std::int64_t begin = done; begin < nest_.count; begin += chunk_) {
            buffered(row, begin, std::min(chunk_, nest_.count - begin));
        }
    }

 private:
    std::byte* plane(const Pointers& row, int tensor, int plane) const {
        return row[tensor] + plane * second_[tensor];
    }
    /// Whether the group has the word at all: missing batch elements may take it away.
    bool exists(int element_bits, int plane) const {
        return plane < S::planes(element_bits) &&
               constants_.valid * element_bits > 32 * plane;
    }

    void in_place(const Pointers& row, std::int64_t count) {
        const std::size_t lanes = hn::Lanes(Words());
        std::array<Planes, 3> sources{};
        for (int s = 0; s < S::kSources; ++s) {
            const bool constant = nest_.row_stride[s + 1] == 0;
            sources[s].step = constant ? 0 : 1;
            for (int p = 0; p < 2; ++p) {
                const int used = exists(S::source_bits(s), p) ? p : 0;
                sources[s].word[p] =
                    reinterpret_cast<const std::uint32_t*>(plane(row, s + 1, used));
                if (!constant) continue;
                std::fill_n(buffer_[s][p], lanes, *sources[s].word[p]);
                sources[s].word[p] = buffer_[s][p];
            }
        }
        std::array<std::uint32_t*, 2> result{};
        for (int p = 0; p < 2; ++p) {
            if (!exists(S::kResultBits, p)) continue;
            result[p] = reinterpret_cast<std::uint32_t*>(plane(row, 0, p));
        }
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); i += lanes) {
            vector_step<S>(constants_, sources, result, i);
        }
    }

    void gather(const std::byte* from, std::int64_t stride, std::int64_t count,
                std::uint32_t* to) const {
        for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i, from + i * stride, kWordBytes);
    }

    void buffered(const Pointers& row, std::int64_t begin, std::int64_t count) {
        std::array<Planes, 3> sources{};
        for (int s = 0; s < S::kSources; ++s) {
            const std::int64_t stride = nest_.row_stride[s + 1];
            for (int p = 0; p < 2; ++p) {
                sources[s].word[p] = buffer_[s][p];
                if (!exists(S::source_bits(s), p)) continue;
                gather(plane(row, s + 1, p) + begin * stride, stride, count, buffer_[s][p]);
            }
        }
        std::array<std::uint32_t*, 2> result{};
        const std::int64_t stride = nest_.row_stride[0];
        for (int p = 0; p < 2; ++p) {
            if (!exists(S::kResultBits, p)) continue;
            result[p] = buffer_[3][p];
            gather(plane(row, 0, p) + begin * stride, stride, count, result[p]);
        }
        const std::size_t lanes = hn::Lanes(Words());
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); i += lanes) {
            vector_step<S>(constants_, sources, result, i);
        }
        for (int p = 0; p < 2; ++p) {
            if (result[p] == nullptr) continue;
            std::byte* to = plane(row, 0, p) + begin * stride;
            for (std::int64_t i = 0; i < count; ++i) {
                std::memcpy(to + i * stride, result[p] + i, kWordBytes);
            }
        }
    }

    const Constants& constants_;
    const WalkNest<S::kSources + 1>& nest_;
    const std::array<std::int64_t, S::kSources + 1>& second_;
    std::int64_t chunk_ = kChunk;
    bool direct_ = false;
    std::uint32_t (*buffer_)[2][kChunk];
};

/// All groups with the same number of existing batch elements.
template <typename S>
struct Pass {
    LaneWalk<S::kSources + 1> walk;
    std::array<std::int64_t, S::kSources + 1> second{};  ///< to the second word of a group
    Constants constants;
    bool in_order = false;
};

template <typename S>
void run_lanes(const Pass<S>& pass, std::int64_t begin, std::int64_t end) {
    Buffers buffers;
    for (std::int64_t lane = begin; lane < end; ++lane) {
        const auto& nest = pass.walk.nest(lane);
        RowRunner<S> runner(pass.constants, nest, pass.second, pass.in_order, buffers);
        nest.for_each_row(pass.walk.lane(lane), [&](const auto& row) { runner.run(row); });
    }
}

Constants make_constants(const FixedJob& job) {
    Constants k;
    for (int s = 1; s < job.tensors; ++s) {
        const isa::FixedType type = job.tensor[s].type;
        k.sign[s - 1] = type.is_signed ? 1u << (type.bits - 1) : 0;
    }
    const isa::FixedType result = job.tensor[0].type;
    k.low = result.is_signed ? -(1 << (result.bits - 1)) : 0;
    k.high = result.is_signed ? (1 << (result.bits - 1)) - 1 : (1 << result.bits) - 1;
    k.lshift = job.lshift;
    k.rshift = job.rshift;
    return k;
}

/// Bytes that a tensor touches in a lane, from its base.
bool may_overlap(const WalkTensor& a, std::int64_t second_a, const WalkTensor& b,
                 std::int64_t second_b, const WalkExtents& extents) {
    const auto reach = [&](const WalkTensor& tensor, std::int64_t second) {
        std::pair<std::int64_t, std::int64_t> r{std::min<std::int64_t>(second, 0),
                                                std::max<std::int64_t>(second, 0) + kWordBytes};
        for (int dimension = 0; dimension < 4; ++dimension) {
            const std::int64_t span = (extents[dimension] - 1) * tensor.stride[dimension];
            (span < 0 ? r.first : r.second) += span;
        }
        return r;
    };
    const auto of_a = reach(a, second_a);
    const auto of_b = reach(b, second_b);
    const std::int64_t distance = a.base - b.base;
    return distance + of_a.second > of_b.first && distance + of_a.first < of_b.second;
}

/// Runs `groups` groups starting at group `first`, each with `valid` batch elements.
template <typename S>
void run_pass(const FixedJob& job, std::int32_t first, std::int32_t groups, int valid,
              LanePool& pool) {
    Pass<S> pass;
    pass.constants = make_constants(job);
    pass.constants.valid = valid;
    std::array<WalkTensor, S::kSources + 1> tensors;
    for (int t = 0; t <= S::kSources; ++t) {
        tensors[t] = job.tensor[t].words;
        const int planes = S::planes(job.tensor[t].type.bits);
        pass.second[t] = planes == 2 ? tensors[t].stride[0] : 0;
        tensors[t].stride[0] *= planes;
        tensors[t].base += first * tensors[t].stride[0];
    }
    isa::Dim4 shape = job.shape;
    shape.n = groups;
    pass.walk = make_walk<S::kSources + 1>(shape, job.lanes, tensors);
    for (int s = 1; s <= S::kSources; ++s) {
        pass.in_order |=
            job.tensor[s].type.bits == job.tensor[0].type.bits
                ? order_matters(tensors[0], tensors[s], pass.walk.extents, kWordBytes)
                : may_overlap(tensors[0], pass.second[0], tensors[s], pass.second[s],
                              pass.walk.extents);
    }
    constexpr double kNanosecondsPerWord = 2.0;
    pool.parallel_for(pass.walk.lanes,
                      kNanosecondsPerWord * static_cast<double>(pass.walk.lane_elements()),
                      [&pass](std::int64_t begin, std::int64_t end) { run_lanes(pass, begin, end); });
}

template <FixedKernel kKernel, int kSourceBits, int kResultBits>
void run(const FixedJob& job, LanePool& pool) {
    using S = Shape<kKernel, kSourceBits, kResultBits>;
    const std::int32_t groups = job.shape.n / S::kGroup;
    const int rest = job.shape.n % S::kGroup;
    if (groups > 0) run_pass<S>(job, 0, groups, S::kGroup, pool);
    if (rest > 0) run_pass<S>(job, groups, 1, rest, pool);
}

template <FixedKernel kKernel>
void run_any_width(const FixedJob& job, LanePool& pool) {
    const bool wide_sources = job.tensor[1].type.bits == 16;
    const bool wide_result = job.tensor[0].type.bits == 16;
    if (wide_sources) {
        return wide_result ? run<kKernel, 16, 16>(job, pool) : run<kKernel, 16, 8>(job, pool);
    }
    return wide_result ? run<kKernel, 8, 16>(job, pool) : run<kKernel, 8, 8>(job, pool);
}

}  // namespace

void run_fixed_job(const FixedJob& job, LanePool& pool) {
    switch (job.kernel) {
        case FixedKernel::kAdd: return run_any_width<FixedKernel::kAdd>(job, pool);
        case FixedKernel::kSubtract: return run_any_width<FixedKernel::kSubtract>(job, pool);
        case FixedKernel::kMultiply: return run_any_width<FixedKernel::kMultiply>(job, pool);
        case FixedKernel::kMaximum: return run_any_width<FixedKernel::kMaximum>(job, pool);
        case FixedKernel::kMinimum: return run_any_width<FixedKernel::kMinimum>(job, pool);
        case FixedKernel::kMultiplyAdd: return run<FixedKernel::kMultiplyAdd, 8, 16>(job, pool);
        case FixedKernel::kArithmeticShift:
            return run<FixedKernel::kArithmeticShift, 16, 16>(job, pool);
        case FixedKernel::kLogicalShift: return run<FixedKernel::kLogicalShift, 16, 16>(job, pool);
        case FixedKernel::kMultiplyHalves:
            return run<FixedKernel::kMultiplyHalves, 8, 16>(job, pool);
        case FixedKernel::kHighByte: return run<FixedKernel::kHighByte, 16, 8>(job, pool);
    }
}

}  // namespace okksim::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace okksim::models {

HWY_EXPORT(run_fixed_job);

void run_fixed(const FixedJob& job, LanePool& pool) {
    OKKSIM_CHECK(job.tensors >= 2 && job.tensors <= 4);
    HWY_DYNAMIC_DISPATCH(run_fixed_job)(job, pool);
}

}  // namespace okksim::models
#endif
