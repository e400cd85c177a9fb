// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "kernels/conv/epilogue.h"
#include "kernels/conv/problem.h"
#include "kernels/prim/exact_sum.h"
#include "kernels/prim/local_tensor.h"

namespace okksim::kernels::conv {

/// What may not fit the accumulator of an integer sum, by the bounds of operands, products and
/// bias.
enum class SumCheck : std::uint8_t {
    kNone,
    kResult,  ///< sum and bias together
    kBoth     ///< the sum alone, too
};

/// How the products of an output are summed and what becomes of the sum.
struct SumRule {
    tosa::DType sum = tosa::DType::kUnknown;
    tosa::DType stored = tosa::DType::kUnknown;  ///< differs from `sum` where sums are scaled
    /// Products of one fp32 pass that stay exact; 0: floating point, no limit.
    std::int64_t exact_terms = 0;
    bool single_pass = true;  ///< all products of an output fit one exact pass
    bool short_sums = false;  ///< the products of an output stay clear of the ends of int32
    SumCheck check = SumCheck::kNone;
    bool scaled = false;        ///< RESCALE follows: single passes with their bias are below 2^24
    int epilogue_planes = 0;    ///< scratch that the epilogue takes
    int epilogue_commands = 0;  ///< about

    bool exact() const { return exact_terms > 0; }
    /// Where int32 sums may come near the ends of their range, or stay in parts, all of a bias is
    /// added to their parts.
    bool bias_in_parts() const {
        return sum == tosa::DType::kI32 && !single_pass && (scaled || !short_sums);
    }
    /// The upper half of an int32 bias is added as fp32.
    bool upper_bias_as_float() const { return bias_in_parts() || scaled; }
    /// The lower part of the bias is added with the first products.
    bool bias_with_products() const {
        return sum != tosa::DType::kI48 && !(bias_in_parts() && check == SumCheck::kBoth);
    }
};
SumRule sum_rule(const Problem& problem);

/// Planes of 32-bit words and bytes that an output tile of a rule takes. A plane holds one word per
/// output element.
struct SumMemory {
    int ring_planes = 1;  ///< of each of the buffers that wait to be stored, when those hold words
    int ring_bytes = 0;   ///< or bytes per element when they hold packed elements
    int work_planes = 0;  ///< one set in all
    int scratch_planes = 0;  ///< on top of it, shared with other users of scratch
    int commands = 0;        ///< that finishing a tile takes, about
};
SumMemory sum_memory(const SumRule& rule);

/// Bias values of all output channels in local memory, compact, split so that they can be added
/// where the sum is kept: one fp32 part; int32: the lower half as fp32 and the upper half in place;
/// int48: three parts as fp32.
class BiasParts {
 public:
    /// Bytes per lane for `channels` channels.
    static std::uint32_t bytes(const Bias& bias, std::int32_t channels, int lanes);

    BiasParts() = default;
    /// Loads and splits the values; serial mode. `scratch` holds at least a few planes of one
    /// channel slot; channels are handled in as many rounds as that takes.
    BiasParts(const Bias& bias, std::int32_t channels, local_addr_t address,
              prim::Scratch& scratch);

    bool present() const { return present_; }
    /// Makes fp32 of the upper half of int32 values, for SumRule::upper_bias_as_float(). Serial
    /// mode.
    void upper_half_to_float() const;
    /// Address of a part for the channel `first` of a tile, a multiple of the lanes.
    local_addr_t part(int index, std::int32_t first) const;

 private:
    void prepare(const Bias& bias, std::int32_t first, std::int32_t count, prim::Scratch& scratch);
    prim::LocalTensor vector(int index, std::int32_t first, std::int32_t count) const;

    bool present_ = false;
    std::int32_t channels_ = 0;
    local_addr_t address_ = 0;
    std::uint32_t part_bytes_ = 0;
    int lanes_ = 1;
};

/// Sums one output tile at a time.
class Accumulator {
 public:
    struct Buffers {
        prim::LocalTensor sum;  ///< where passes are summed, aligned layout
        std::optional<prim::LocalTensor> high, low, top;
        local_addr_t result = 0;  ///< what is stored: packed elements or words
        /// Gets sign bits where a sum does not fit; there when the rule has a check.
        std::optional<prim::LocalTensor> violations;
    };
    Accumulator(const SumRule& rule, const BiasParts& bias, const EpilogueRun& epilogue,
                prim::Scratch& scratch)
        : rule_(rule), bias_(bias), epilogue_(epilogue), scratch_(scratch) {}

    /// Starts a tile whose first channel is `first_channel`.
    void begin(const Buffers& buffers, std::int32_t first_channel);
    /// A command that writes sums of products to the tile: overwrites it, or adds to it, and adds
    /// the bias vector at the address if there is one.
    using Issue = std::function<void(bool add, std::optional<local_addr_t> bias)>;
    /// Input channels (an even number unless all) whose products with `taps` taps one command may
    /// add up.
    std::int32_t exact_channels(std::int64_t taps, std::int32_t all) const;
    /// Adds `terms` products per output by one command.
    void add(std::int64_t terms, const Issue& issue);
    /// Products of other units follow: what is exact together ends here.
    void end_pass();
    /// Completes the tile in Buffers::result.
    void finish();

 private:
    prim::ExactSum parts() const;
    void finish_int32();
    void finish_scaled();
    void add_parts_of_bias(int parts);
    void add_upper_half_of_bias();
    const prim::LocalTensor* violations() const {
        return buffers_.violations ? &*buffers_.violations : nullptr;
    }
    void finish_int48();
    void add_bias(const prim::LocalTensor& to, int part);

    const SumRule& rule_;
    const BiasParts& bias_;
    const EpilogueRun& epilogue_;
    prim::Scratch& scratch_;
    Buffers buffers_;
    std::int32_t first_channel_ = 0;
    std::int64_t pass_terms_ = 0;
    std::int64_t passes_ = 0;
    bool open_ = false;     ///< the pass has products
    bool started_ = false;  ///< the tile has products
};

}  // namespace okksim::kernels::conv
