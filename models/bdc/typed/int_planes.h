// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <vector>

#include "isa/layout.h"
#include "models/bdc/layers/scratch.h"
#include "models/bdc/typed/integer_rows.h"
#include "models/bdc/typed/typed_ops.h"
#include "models/bdc/typed/word_results.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// Host nanoseconds per product of the slow paths.
inline constexpr double kProductNanoseconds = 1.0;

/// A tensor of a command in local memory, plane by plane.
class Planes {
 public:
    Planes(LocalMemory& memory, isa::LocalAddr addr, const isa::Dim4& stride, isa::ElementType type)
        : memory_(memory), stride_(stride), type_(type) {
        lane_ = static_cast<std::int32_t>(addr.value / memory.bytes_per_lane());
        offset_ = static_cast<std::int64_t>(addr.value % memory.bytes_per_lane());
    }
    static Planes aligned(LocalMemory& memory, isa::LocalAddr addr, const isa::Dim4& shape,
                          isa::ElementType type) {
        const auto lane = static_cast<std::int32_t>(addr.value / memory.bytes_per_lane());
        return {memory, addr,
                isa::aligned_stride(lane, shape, 8 * isa::element_bytes(type), memory.lanes(),
                                    memory.line_bytes()),
                type};
    }
    static Planes compact(LocalMemory& memory, isa::LocalAddr addr, const isa::Dim4& shape,
                          isa::ElementType type) {
        const auto lane = static_cast<std::int32_t>(addr.value / memory.bytes_per_lane());
        return {memory, addr, isa::compact_stride(lane, shape, memory.lanes()), type};
    }

    /// Returns the elements of a channel, contiguous from (0, 0) on.
    IntegerRow plane(std::int64_t n, std::int64_t c) const {
        const std::int64_t bytes = isa::element_bytes(type_);
        const std::int64_t place = lane_ + c;
        const std::int64_t element =
            n * stride_.n + place / memory_.lanes() * std::int64_t{stride_.c};
        return {memory_.at(static_cast<std::int32_t>(place % memory_.lanes()),
                           offset_ + element * bytes),
                bytes, type_};
    }

 private:
    LocalMemory& memory_;
    isa::Dim4 stride_;
    isa::ElementType type_;
    std::int32_t lane_ = 0;
    std::int64_t offset_ = 0;
};

inline std::vector<std::int64_t> values_of(const IntegerRow& row, std::int64_t count) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(count));
    load_integers(row, count, values.data());
    return values;
}

/// Start values of the sums of a channel, and the scaling of their results.
template <typename Form>
class Channels {
 public:
    Channels(const Form& form, std::int32_t channels, LocalMemory& memory)
        : scaling_(form), rescales_(form.rescales != 0) {
        scaling_.input_zp = 0;  // the form's zero point belongs to the inputs, not to their sums
        bias_.assign(static_cast<std::size_t>(channels), 0);
        if (form.using_bias != 0) {
            const auto bias = Planes::compact(memory, form.bias_addr, {1, channels, 1, 1},
                                              isa::ElementType::kInt32);
            for (std::int32_t c = 0; c < channels; ++c)
                at(bias_, c) = values_of(bias.plane(0, c), 1)[0];
        }
        if (!rescales_) return;
        const auto factors = Planes::compact(memory, form.factor_addr, {1, channels, 1, 2},
                                             isa::ElementType::kInt32);
        for (std::int32_t c = 0; c < channels; ++c) {
            const std::vector<std::int64_t> pair = values_of(factors.plane(0, c), 2);
            multipliers_.push_back(pair[0]);
            shifts_.push_back(pair[1]);
        }
    }

    std::int64_t bias(std::int32_t channel) const {
        return bias_[static_cast<std::size_t>(channel)];
    }
    /// Returns the result of a sum, before it is stored.
    std::int64_t result(std::int32_t channel, std::int64_t sum) const {
        if (!rescales_) return sum;
        const auto c = static_cast<std::size_t>(channel);
        return scaling_.scaled(sum, multipliers_[c], shifts_[c]);
    }
    /// Returns the scaling of a channel's sums of 32 bits.
    WordScaling scaling(std::int32_t channel) const {
        if (!rescales_) return {};
        const auto c = static_cast<std::size_t>(channel);
        return {&scaling_, multipliers_[c], shifts_[c]};
    }

 private:
    static std::int64_t& at(std::vector<std::int64_t>& values, std::int32_t index) {
        return values[static_cast<std::size_t>(index)];
    }

    typed_ops::Scaling scaling_;
    bool rescales_;
    std::vector<std::int64_t> bias_, multipliers_, shifts_;
};

/// Results of all channels in stored form, kept until all are complete, because inputs may share
/// bytes with them. One instance at a time per thread.
class Results {
 public:
    Results(const isa::Dim4& shape, isa::ElementType type)
        : shape_(shape),
          type_(type),
          bytes_(isa::element_bytes(type)),
          stored_(reinterpret_cast<std::byte*>(scratch().words<std::uint32_t>(
              isa::div_up(shape.count() * bytes_, isa::kWordBytes)))) {}

    /// Stores results of neighbouring pixels of a channel, from `first` on.
    void put(std::int32_t n, std::int32_t c, std::int64_t first, std::int64_t count,
             const std::int64_t* values) {
        store_integers({at(n, c, first), bytes_, type_}, count, values, false);
    }
    /// Returns the address of a pixel's result; those of its neighbours follow.
    std::byte* at(std::int32_t n, std::int32_t c, std::int64_t pixel) {
        return plane(n, c) + pixel * bytes_;
    }
    void store(const Planes& to) {
        for (std::int32_t n = 0; n < shape_.n; ++n) {
            for (std::int32_t c = 0; c < shape_.c; ++c) {
                std::memcpy(to.plane(n, c).data, plane(n, c),
                            static_cast<std::size_t>(pixels() * bytes_));
            }
        }
    }

 private:
    std::int64_t pixels() const { return std::int64_t{shape_.h} * shape_.w; }
    std::byte* plane(std::int32_t n, std::int32_t c) {
        return stored_ + (std::int64_t{n} * shape_.c + c) * pixels() * bytes_;
    }
    static bdc::Scratch& scratch() {
        thread_local bdc::Scratch results;
        return results;
    }

    isa::Dim4 shape_;
    isa::ElementType type_;
    std::int64_t bytes_;
    std::byte* stored_;
};

/// Wraps a sum to 32 bits, or to 48 for 16-bit inputs.
inline std::int64_t wrapped_sum(std::int64_t sum, isa::ElementType input) {
    return input == isa::ElementType::kInt16 ? accumulator(sum) : static_cast<std::int32_t>(sum);
}

/// True if 16 bits hold an input minus its zero point and 32 bits a pair of products. Holds for
/// bytes with a zero point in their range.
template <typename Form>
bool has_short_products(const Form& form) {
    constexpr std::int32_t kMostZeroPoint = 1 << 13;
    return form.input_type != isa::ElementType::kInt16 && form.input_zp > -kMostZeroPoint &&
           form.input_zp < kMostZeroPoint;
}

}  // namespace okksim::models
