// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <optional>

#include "firmware/okk_access.h"
#include "isa/layout.h"
#include "kernels/call/computing.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/conv/byte_plan.h"

namespace okksim::kernels::conv {
namespace {

/// Elements of a constant on the host, with strides of either sign.
class Values {
 public:
    Values(const ConstantMemory& memory, std::uint64_t first, int bytes,
           std::initializer_list<std::int64_t> reaches)
        : bytes_(bytes) {
        std::int64_t low = 0, high = 0;
        for (const std::int64_t reach : reaches) (reach < 0 ? low : high) += reach;
        const std::uint64_t begin = first + static_cast<std::uint64_t>(low * bytes);
        data_ =
            memory.read(begin, static_cast<std::uint64_t>((high - low + 1) * bytes)) - low * bytes;
    }
    std::int8_t byte(std::int64_t index) const { return static_cast<std::int8_t>(data_[index]); }
    /// The low word of an element.
    std::int32_t word(std::int64_t index) const {
        std::int32_t value;
        std::memcpy(&value, data_ + index * bytes_, sizeof value);
        return value;
    }

 private:
    int bytes_;
    const unsigned char* data_;
};

constexpr int kWideBytes = 8;

/// The constants of one lane of a block.
class LaneConstants {
 public:
    LaneConstants(const Problem& problem, const ByteBlock& block)
        : problem_(problem),
          block_(block),
          bytes_(static_cast<std::size_t>(block.words * isa::kWordBytes), 0) {}

    void bias(std::int32_t slot, std::int32_t value) { put(words(slot), value); }
    void factor(std::int32_t slot, const prim::ScaleFactor& factor) {
        put(words(block_.factor_word + 2 * slot), factor.multiplier);
        put(words(block_.factor_word + 2 * slot + 1), factor.shift);
    }
    /// All weights of an output channel.
    void weights(std::int32_t slot, std::int32_t channel, const Values& values) {
        const Weights& from = problem_.weights;
        const bool is_depthwise = problem_.kind == ProblemKind::kDepthwise;
        for (std::int32_t y = 0; y < problem_.y.taps; ++y) {
            for (std::int32_t x = 0; x < problem_.x.taps; ++x) {
                const std::int64_t place = slot * taps() + std::int64_t{y} * problem_.x.taps + x;
                const std::int64_t first = channel * from.output + y * from.y + x * from.x;
                unsigned char* const to = &bytes_[words(block_.weight_word)];
                if (is_depthwise) {
                    to[place] = static_cast<unsigned char>(values.byte(first));
                } else {
                    quads(to + words(place), first, values);
                }
            }
        }
    }
    const std::vector<unsigned char>& bytes() const { return bytes_; }
    void clear() { std::fill(bytes_.begin(), bytes_.end(), 0); }

 private:
    static std::size_t words(std::int64_t count) {
        return static_cast<std::size_t>(count) * isa::kWordBytes;
    }
    std::int64_t taps() const { return std::int64_t{problem_.y.taps} * problem_.x.taps; }
    /// The weights of a tap. Four input channels are a word.
    void quads(unsigned char* to, std::int64_t first, const Values& values) const {
        const std::int64_t step = problem_.weights.input;
        const std::size_t next = words(block_.slots * taps());
        for (std::int32_t i = 0; i < problem_.input_channels; i += isa::kWordBytes, to += next) {
            const int count = std::min<int>(isa::kWordBytes, problem_.input_channels - i);
            for (int k = 0; k < count; ++k) {
                to[k] = static_cast<unsigned char>(values.byte(first + (i + k) * step));
            }
        }
    }
    void put(std::size_t at, std::int32_t value) { std::memcpy(&bytes_[at], &value, sizeof value); }

    const Problem& problem_;
    const ByteBlock& block_;
    std::vector<unsigned char> bytes_;
};

Values weights_of(const Problem& problem, std::uint64_t first, const ConstantMemory& memory) {
    const Weights& weights = problem.weights;
    const bool is_depthwise = problem.kind == ProblemKind::kDepthwise;
    return {memory,
            first,
            1,
            {(problem.output_channels - 1) * weights.output,
             is_depthwise ? 0 : (problem.input_channels - 1) * weights.input,
             (problem.y.taps - 1) * weights.y, (problem.x.taps - 1) * weights.x}};
}

}  // namespace

std::uint64_t ByteBlock::bytes(const Lanes& lanes) const {
    return static_cast<std::uint64_t>(words) *
           static_cast<std::uint64_t>(std::min(count, lanes.count)) * isa::kWordBytes;
}

ByteBlock byte_block(const Problem& problem, bool is_scaled, std::int32_t first, std::int32_t count,
                     const Lanes& lanes) {
    ByteBlock block{.first = first, .count = count};
    block.slots = isa::narrow(lanes.slots(count));
    block.factor_word = problem.bias.present ? block.slots : 0;
    block.weight_word = block.factor_word + (is_scaled ? 2 * block.slots : 0);
    const std::int64_t taps = std::int64_t{problem.y.taps} * problem.x.taps;
    block.weight_words =
        problem.kind == ProblemKind::kDepthwise
            ? isa::div_up(block.slots * taps, isa::kWordBytes)
            : isa::div_up(problem.input_channels, isa::kWordBytes) * block.slots * taps;
    block.words = block.weight_word;
    if (!problem.weights.of_each_image()) block.words += block.weight_words;
    return block;
}

std::vector<unsigned char> packed_block(const Problem& problem, const ByteBlock& block,
                                        const ByteConstants& from, const Lanes& lanes,
                                        const ConstantMemory& memory) {
    std::optional<Values> weights, biases;
    if (!problem.weights.of_each_image()) weights = weights_of(problem, from.weights, memory);
    if (problem.bias.present) {
        biases.emplace(memory, from.bias,
                       problem.bias.type == tosa::DType::kI48 ? kWideBytes : isa::kWordBytes,
                       std::initializer_list{(problem.output_channels - 1) * problem.bias.stride});
    }
    LaneConstants constants(problem, block);
    std::vector<unsigned char> bytes;
    bytes.reserve(block.bytes(lanes));
    for (std::int32_t lane = 0; lane < std::min(block.count, lanes.count); ++lane) {
        constants.clear();
        for (std::int32_t slot = 0; lane + slot * lanes.count < block.count; ++slot) {
            const std::int32_t channel = block.first + lane + slot * lanes.count;
            if (biases) constants.bias(slot, biases->word(channel * problem.bias.stride));
            if (!from.factors.empty()) {
                const auto at = static_cast<std::size_t>(problem.first_channel + channel);
                constants.factor(slot, from.factors[from.factors.size() > 1 ? at : 0]);
            }
            if (weights) constants.weights(slot, channel, *weights);
        }
        bytes.insert(bytes.end(), constants.bytes().begin(), constants.bytes().end());
    }
    return bytes;
}

void load_byte_block(local_addr_t to, std::uint64_t from, const ByteBlock& block,
                     const Lanes& lanes) {
    if (block.words == 0) return;
    const dim4 shape{1, std::min(block.count, lanes.count), 1, isa::narrow(block.words)};
    load_block(to, from + block.constants,
               {isa::kWordBytes, shape, {0, block.words, 0, 1}, {0, block.words, 0, 1}});
}

void pack_constants(const BytePlan& plan, std::uint64_t weights, std::uint64_t bias,
                    std::uint64_t to, const ConstantMemory& memory) {
    ByteConstants from{weights, bias, {}};
    if (plan.scale) from.factors = plan.scale->factors;
    for (const ByteBlock& block : plan.blocks) {
        if (block.words == 0) continue;
        memory.write_values(to + block.constants,
                            packed_block(plan.packed, block, from, plan.lanes, memory));
    }
}

}  // namespace okksim::kernels::conv
