// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/layer_programs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "kernels/call/constant_values.h"
#include "kernels/prim/magic.h"
#include "kernels/rescale/rescale_operands.h"
#include "kernels/rescale/rescale_range.h"
#include "sim/graph/element.h"

namespace okksim::sim::planning {
namespace {

using graph::TensorIndex;
using tosa::DType;
using tosa::OpCode;

/// Positions of RESCALE's operands in the specification's order.
enum RescaleOperand : std::size_t { kMultiplier = 1, kShift = 2, kInputZero = 3, kOutputZero = 4 };
/// Positions of a convolution's operands in the specification's order.
enum ConvolutionOperand : std::size_t { kWeight = 1, kBias = 2, kZeroPoint = 3, kWeightZero = 4 };

}  // namespace

bool has_short_sums(const graph::Block& block, const graph::Operator& op,
                    std::span<const std::int32_t> offsets) {
    if (!is_layer_convolution(op.op)) return false;
    const graph::Tensor& weights = block.input(op, kWeight);
    const graph::Tensor& bias = block.input(op, kBias);
    const auto zero = constant_of(block, op, kZeroPoint);
    if (!weights.has_data || weights.type != DType::kI8 || !bias.has_data || !zero ||
        *zero != offsets[op.inputs[0]] || constant_of(block, op, kWeightZero) != 0) {
        return false;
    }
    const std::int64_t low = kernels::layers::kLowestByte - *zero;
    const std::int64_t high = kernels::layers::kHighestByte - *zero;
    // [OC, KH, KW, IC] or [KH, KW, C, 1].
    const bool depthwise = op.op == OpCode::kDepthwiseConv2d;
    const auto channels = static_cast<std::size_t>(depthwise ? weights.shape[2] * weights.shape[3]
                                                             : weights.shape[0]);
    const std::size_t count = *graph::element_count(weights.shape.get());
    const std::size_t taps = count / std::max<std::size_t>(channels, 1);
    // Sums of a channel's positive and negative weights.
    std::vector<std::int64_t> positive(channels), negative(channels);
    constexpr std::size_t kPiece = 65536;
    weights.data.for_each_piece(
        std::min(kPiece, count), [&](std::span<const std::byte> bytes, std::uint64_t at) {
            bytes = bytes.first(std::min<std::size_t>(bytes.size(), count - at));
            std::size_t channel = depthwise ? at % channels : at / taps;
            std::size_t left = depthwise ? 1 : taps - at % taps;
            for (const std::byte byte : bytes) {
                const std::int64_t weight = std::to_integer<std::int8_t>(byte);
                positive[channel] += std::max<std::int64_t>(weight, 0);
                negative[channel] += std::min<std::int64_t>(weight, 0);
                if (--left > 0) continue;
                left = depthwise ? 1 : taps;
                if (++channel == channels) channel = 0;
            }
        });
    const std::size_t biases = *graph::element_count(bias.shape.get());
    for (std::size_t c = 0; c < channels; ++c) {
        const std::int64_t own = graph::integer_element(bias.data, bias.type, biases == 1 ? 0 : c);
        const std::int64_t above = positive[c] * high + negative[c] * low;
        const std::int64_t below = positive[c] * low + negative[c] * high;
        if (above + std::max<std::int64_t>(own, 0) >= kernels::prim::kExactIntegers ||
            below + std::min<std::int64_t>(own, 0) <= -kernels::prim::kExactIntegers) {
            return false;
        }
    }
    return true;
}

// ---- Programs ----

namespace {

using kernels::layers::ByteProgram;
using kernels::layers::kHighestByte;
using kernels::layers::kLowestByte;
using kernels::prim::ScaleFactor;
using kernels::prim::ScaleOutput;
using kernels::prim::ScaleRounding;

/// A RESCALE of signed values with 32-bit multipliers, whose operands are known.
struct KnownRescale {
    std::vector<ScaleFactor> factors;
    ScaleRounding rounding = ScaleRounding::kSingle;
    std::int64_t input_zero = 0;
    ScaleOutput output = kernels::prim::kInt32Output;

    /// Returns the result, or no value if the value or the result is out of range (REQUIRE).
    std::optional<std::int64_t> of(std::int64_t value) const {
        const ScaleFactor& factor = factors.front();
        value -= input_zero;
        if (!kernels::scale32_values(factor).contains({value, value})) return std::nullopt;
        __extension__ using Int128 = __int128;
        Int128 sum = Int128{value} * factor.multiplier + (Int128{1} << (factor.shift - 1));
        constexpr int kLongestSingle = 31;
        if (rounding == ScaleRounding::kDouble && factor.shift > kLongestSingle) {
            sum += value >= 0 ? Int128{1} << 30 : -(Int128{1} << 30);
        }
        const auto result = static_cast<std::int64_t>(sum >> factor.shift);
        if (result < INT32_MIN || result > INT32_MAX) return std::nullopt;
        return std::clamp<std::int64_t>(result + output.zero_point, output.low, output.high);
    }
};

std::optional<KnownRescale> known_rescale(const graph::Block& block, const graph::Operator& op) {
    const auto& attributes = op.attributes_as<tosa::RescaleAttributes>();
    if (!attributes.scale32 || attributes.input_unsigned || attributes.output_unsigned ||
        attributes.rounding_mode == tosa::RoundingMode::kInexactRound) {
        return std::nullopt;
    }
    for (std::size_t i = kMultiplier; i <= kOutputZero; ++i) {
        if (!block.input(op, i).has_data) return std::nullopt;
    }
    const graph::Tensor& multipliers = block.input(op, kMultiplier);
    const graph::Tensor& shifts = block.input(op, kShift);
    KnownRescale rescale;
    constexpr std::int64_t kLeastShift = 2, kMostShift = 62;
    for (std::size_t c = 0; c < *graph::element_count(multipliers.shape.get()); ++c) {
        const std::int64_t multiplier =
            graph::integer_element(multipliers.data, multipliers.type, c);
        const std::int64_t shift = graph::integer_element(shifts.data, shifts.type, c);
        if (multiplier < 0 || shift < kLeastShift || shift > kMostShift) return std::nullopt;
        rescale.factors.push_back({static_cast<std::int32_t>(multiplier), static_cast<int>(shift)});
    }
    if (rescale.factors.empty()) return std::nullopt;
    rescale.rounding = kernels::scale_rounding({op.op, &op.attributes.get(), {}, {}});
    rescale.input_zero = *constant_of(block, op, kInputZero);
    if (block.output(op, 0).type == DType::kI8) {
        rescale.output = {kLowestByte, kHighestByte,
                          static_cast<std::int32_t>(*constant_of(block, op, kOutputZero))};
    }
    return rescale;
}

/// The range of bytes that the CLAMPs at the end of a function leave.
struct ByteRange {
    std::int32_t low = kLowestByte, high = kHighestByte;

    void narrow(const graph::Operator& clamp) {
        const auto& limits = clamp.attributes_as<tosa::ClampAttributes>();
        low = std::max(low, kernels::integer_value(limits.min_val, DType::kI8));
        high = std::min(high, kernels::integer_value(limits.max_val, DType::kI8));
    }
};

/// The operators that a layer stands for.
class FoldedMembers {
 public:
    FoldedMembers(const graph::Block& block, const FoldedOperator& layer)
        : block_(block), layer_(layer) {}

    const graph::Operator& member(std::size_t i) const {
        return block_.operators[layer_.members[i + before()]];
    }
    std::size_t member_count() const { return layer_.members.size() - before(); }
    ByteRange range_from(std::size_t first_clamp) const {
        ByteRange range;
        for (std::size_t i = first_clamp; i < member_count(); ++i) {
            range.narrow(member(i));
        }
        return range;
    }
    /// Returns the RESCALE with the limits of the CLAMPs from a member on.
    KnownRescale clamped(KnownRescale rescale, std::size_t first_clamp) const {
        const ByteRange range = range_from(first_clamp);
        rescale.output.low = std::max(rescale.output.low, range.low);
        rescale.output.high = std::min(rescale.output.high, range.high);
        return rescale;
    }

    /// Returns the three RESCALEs of RESCALE, RESCALE, ADD or MUL, RESCALE, CLAMPs, with one factor
    /// each.
    static constexpr std::size_t kFirstClampOfPair = 4;
    bool is_pair_product() const { return member(2).op == OpCode::kMul; }
    std::optional<std::array<KnownRescale, 3>> steps_of_pair() const {
        std::array<KnownRescale, 3> steps;
        constexpr std::array<std::size_t, 3> kRescales{0, 1, kFirstClampOfPair - 1};
        for (std::size_t i = 0; i < steps.size(); ++i) {
            std::optional<KnownRescale> step = known_rescale(block_, member(kRescales[i]));
            if (!step || step->factors.size() != 1) return std::nullopt;
            steps[i] = *std::move(step);
        }
        if (steps[2].input_zero != 0) return std::nullopt;
        return steps;
    }

    /// Returns the results of a one-byte function for all bytes, or no value if one is undefined.
    std::optional<std::vector<std::int32_t>> results() const {
        std::vector<std::int32_t> results(kHighestByte - kLowestByte + 1);
        std::iota(results.begin(), results.end(), kLowestByte);
        for (std::size_t i = 0; i < member_count(); ++i) {
            if (!apply(member(i), results)) return std::nullopt;
        }
        return results;
    }

 protected:
    const graph::Block& block_;
    const FoldedOperator& layer_;

 private:
    /// Returns the number of leading members that compute nothing.
    std::size_t before() const { return layer_.takes_whole_map ? 1 : 0; }

    bool apply(const graph::Operator& op, std::vector<std::int32_t>& values) const {
        if (op.op == OpCode::kClamp) {
            ByteRange range;
            range.narrow(op);
            for (std::int32_t& value : values) value = std::clamp(value, range.low, range.high);
            return true;
        }
        if (op.op == OpCode::kTable) {
            const graph::Tensor& table = block_.input(op, 1);
            if (!table.has_data) return false;
            for (std::int32_t& value : values) {
                value = static_cast<std::int32_t>(graph::integer_element(
                    table.data, table.type, static_cast<std::size_t>(value - kLowestByte)));
            }
            return true;
        }
        const std::optional<KnownRescale> rescale = known_rescale(block_, op);
        if (!rescale || rescale->factors.size() != 1) return false;
        for (std::int32_t& value : values) {
            const auto result = rescale->of(value);
            if (!result) return false;
            value = static_cast<std::int32_t>(*result);
        }
        return true;
    }
};

class ProgramMaker : FoldedMembers {
 public:
    ProgramMaker(const graph::Block& block, const FoldedOperator& function,
                 std::span<const std::int32_t> offsets)
        : FoldedMembers(block, function), offsets_(offsets) {}

    std::optional<ByteProgram> make() const {
        if (layer_.inputs.size() == 2) return of_pair();
        if (block_.tensors[layer_.inputs[0]].type == DType::kI32) return of_sum();
        return of_byte();
    }

 private:
    std::optional<ByteProgram> of_sum() const {
        std::optional<KnownRescale> rescale = known_rescale(block_, member(0));
        if (!rescale || rescale->input_zero != 0) return std::nullopt;
        // No sum may be out of range.
        constexpr std::int64_t kMost = kernels::prim::kExactIntegers - 1;
        for (const ScaleFactor& factor : rescale->factors) {
            if (!kernels::scale32_values(factor).contains({-kMost, kMost})) return std::nullopt;
        }
        return kernels::layers::scale_program(rescale->factors, rescale->rounding,
                                              clamped(*rescale, 1).output, offsets_[layer_.output]);
    }

    std::optional<ByteProgram> of_pair() const {
        const auto steps = steps_of_pair();
        if (!steps || is_pair_product()) return std::nullopt;
        const ByteRange range = range_from(kFirstClampOfPair);
        bool is_defined = true;
        kernels::layers::PairFunction function;
        function.low = range.low;
        function.high = range.high;
        const auto scale = [](const KnownRescale& step) {
            return std::ldexp(static_cast<double>(step.factors[0].multiplier),
                              -step.factors[0].shift);
        };
        for (std::size_t i = 0; i < 2; ++i) {
            function.factors[i] = scale((*steps)[i]) * scale((*steps)[2]);
        }
        // Each byte is scaled once here, instead of for every pair.
        std::array<std::vector<std::optional<std::int64_t>>, 2> scaled;
        for (std::size_t i = 0; i < scaled.size(); ++i) {
            for (std::int32_t byte = kLowestByte; byte <= kHighestByte; ++byte) {
                scaled[i].push_back((*steps)[i].of(byte));
            }
        }
        function.exact = [&](std::int32_t a, std::int32_t b) -> std::int32_t {
            const auto& first = scaled[0][static_cast<std::size_t>(a - kLowestByte)];
            const auto& second = scaled[1][static_cast<std::size_t>(b - kLowestByte)];
            const std::int64_t sum = first.value_or(0) + second.value_or(0);
            const auto result = (*steps)[2].of(sum);
            is_defined =
                is_defined && first && second && result && sum >= INT32_MIN && sum <= INT32_MAX;
            return std::clamp(static_cast<std::int32_t>(result.value_or(0)), range.low, range.high);
        };
        const std::array<std::int32_t, 2> offsets{offsets_[layer_.inputs[0]],
                                                  offsets_[layer_.inputs[1]]};
        auto program = kernels::layers::pair_program(function, offsets, offsets_[layer_.output]);
        return is_defined ? program : std::nullopt;
    }

    std::optional<ByteProgram> of_byte() const {
        const auto all = results();
        if (!all) return std::nullopt;
        return kernels::layers::table_program(*all, offsets_[layer_.inputs[0]],
                                              offsets_[layer_.output]);
    }

    std::span<const std::int32_t> offsets_;
};

}  // namespace

// ---- Commands on packed feature maps ----

namespace {

using kernels::layers::NativeKind;
using kernels::layers::NativeProgram;
using kernels::layers::NativeScale;

/// True if all values from `low` to `high`, and their results, are in range (REQUIRE).
bool takes_all(const KnownRescale& rescale, std::int64_t low, std::int64_t high) {
    for (const ScaleFactor& factor : rescale.factors) {
        const KnownRescale one{{factor}, rescale.rounding, rescale.input_zero, rescale.output};
        if (!one.of(low) || !one.of(high)) return false;
    }
    return true;
}

class NativeMaker : FoldedMembers {
 public:
    using FoldedMembers::FoldedMembers;

    std::optional<NativeProgram> make() const {
        if (layer_.scales_sums) return of_sums();
        if (member(0).op == OpCode::kMul) return of_product();
        if (layer_.inputs.size() == 2) return of_pair();
        if (block_.tensors[layer_.inputs[0]].type != DType::kI8) return std::nullopt;
        return of_byte();
    }

 private:
    static NativeScale scale_of(const KnownRescale& rescale) {
        return {rescale.factors, rescale.rounding == ScaleRounding::kDouble,
                static_cast<std::int32_t>(rescale.input_zero), rescale.output};
    }

    /// Returns the program of CONV2D or DEPTHWISE_CONV2D, RESCALE, CLAMPs.
    std::optional<NativeProgram> of_sums() const {
        const graph::Operator& op = member(0);
        const auto input_zero = constant_of(block_, op, kZeroPoint);
        const auto weight_zero = constant_of(block_, op, kWeightZero);
        const std::optional<KnownRescale> rescale = known_rescale(block_, member(1));
        if (!input_zero || !weight_zero || !rescale || rescale->input_zero != 0) {
            return std::nullopt;
        }
        const std::optional<std::int64_t> most = largest_sum(op, *input_zero, *weight_zero);
        if (!most || *most > INT32_MAX || !takes_all(*rescale, -*most, *most)) return std::nullopt;
        NativeProgram program;
        program.kind = NativeKind::kSums;
        program.scales = {scale_of(clamped(*rescale, 2))};
        program.input_zero = static_cast<std::int32_t>(*input_zero);
        program.weight_zero = static_cast<std::int32_t>(*weight_zero);
        return program;
    }

    /// Returns an upper bound of the magnitude of all sums, with their bias.
    std::optional<std::int64_t> largest_sum(const graph::Operator& op, std::int64_t input_zero,
                                            std::int64_t weight_zero) const {
        const graph::Tensor& weights = block_.input(op, kWeight);
        const graph::Tensor& bias = block_.input(op, kBias);
        if (!weights.has_data || weights.type != DType::kI8 || !bias.has_data) return std::nullopt;
        const bool depthwise = op.op == OpCode::kDepthwiseConv2d;
        const auto channels = static_cast<std::size_t>(
            depthwise ? weights.shape[2] * weights.shape[3] : weights.shape[0]);
        const std::size_t count = *graph::element_count(weights.shape.get());
        const auto terms = static_cast<std::int64_t>(count / std::max<std::size_t>(channels, 1));
        std::int64_t largest = 0;
        for (std::size_t c = 0; c < *graph::element_count(bias.shape.get()); ++c) {
            largest = std::max(largest, std::abs(graph::integer_element(bias.data, bias.type, c)));
        }
        constexpr std::int64_t kFarthest = 128;
        return terms * (kFarthest + std::abs(input_zero)) * (kFarthest + std::abs(weight_zero)) +
               largest;
    }

    std::optional<NativeProgram> of_pair() const {
        const auto pair = steps_of_pair();
        if (!pair) return std::nullopt;
        const auto& [first, second, last] = *pair;
        // Scaling is monotonic: if both ends are in range, all values between them are.
        std::array<std::int64_t, 2> low{}, high{};
        for (std::size_t i = 0; i < low.size(); ++i) {
            const auto least = (*pair)[i].of(kLowestByte), most = (*pair)[i].of(kHighestByte);
            if (!least || !most) return std::nullopt;
            low[i] = *least;
            high[i] = *most;
        }
        const auto [lowest, highest] = is_pair_product()
                                           ? product_range(low, high)
                                           : std::pair(low[0] + low[1], high[0] + high[1]);
        if (lowest < INT32_MIN || highest > INT32_MAX || !takes_all(last, lowest, highest)) {
            return std::nullopt;
        }
        NativeProgram program;
        program.kind = is_pair_product() ? NativeKind::kProduct : NativeKind::kPair;
        program.scales = {scale_of(first), scale_of(second),
                          scale_of(clamped(last, kFirstClampOfPair))};
        return program;
    }

    /// Returns the least and the largest product of two values in ranges. Both are int32.
    static std::pair<std::int64_t, std::int64_t> product_range(
        const std::array<std::int64_t, 2>& low, const std::array<std::int64_t, 2>& high) {
        const std::array<std::int64_t, 4> products{low[0] * low[1], low[0] * high[1],
                                                   high[0] * low[1], high[0] * high[1]};
        const auto [least, most] = std::ranges::minmax(products);
        return {least, most};
    }

    /// Returns the program of MUL, RESCALE, CLAMPs.
    std::optional<NativeProgram> of_product() const {
        constexpr std::int64_t kLeast = std::int64_t{kLowestByte} * kHighestByte;
        constexpr std::int64_t kMost = std::int64_t{kLowestByte} * kLowestByte;
        if (member_count() < 2 || member(1).op != OpCode::kRescale) return std::nullopt;
        const std::optional<KnownRescale> rescale = known_rescale(block_, member(1));
        if (!rescale || rescale->factors.size() != 1 || rescale->input_zero != 0 ||
            !takes_all(*rescale, kLeast, kMost)) {
            return std::nullopt;
        }
        NativeProgram program;
        program.kind = NativeKind::kProduct;
        program.scales = {scale_of(clamped(*rescale, 2))};
        return program;
    }

    std::optional<NativeProgram> of_byte() const {
        const auto all = results();
        if (!all) return std::nullopt;
        NativeProgram program;
        program.kind = NativeKind::kTable;
        for (std::size_t i = 0; i < program.table.size(); ++i) {
            program.table[i] = static_cast<std::int8_t>((*all)[i]);
        }
        return program;
    }
};

}  // namespace

std::shared_ptr<const NativeProgram> native_program_of(const graph::Block& block,
                                                       const FoldedOperator& layer) {
    std::optional<NativeProgram> program = NativeMaker(block, layer).make();
    if (!program) return nullptr;
    return std::make_shared<const NativeProgram>(*std::move(program));
}

std::shared_ptr<const ByteProgram> program_of(const graph::Block& block,
                                              const FoldedOperator& function,
                                              std::span<const std::int32_t> offsets) {
    std::optional<ByteProgram> program = ProgramMaker(block, function, offsets).make();
    if (!program) return nullptr;
    return std::make_shared<const ByteProgram>(*std::move(program));
}

}  // namespace okksim::sim::planning
