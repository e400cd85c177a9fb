// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 sections 2.3.2 and 2.3.8: AVG_POOL2D and MAX_POOL2D.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "firmware/okk.h"
#include "firmware/okk_access.h"
#include "isa/errors.h"
#include "kernels/constant_values.h"
#include "kernels/prim/integer.h"
#include "kernels/prim/raw.h"
#include "kernels/prim/rescale.h"
#include "kernels/tosa/pool_runner.h"
#include "kernels/violations.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::NanMode;
using prim::Scratch;
using tosa::DType;
namespace raw = prim::raw;

template <typename Attributes>
PoolShape shape_of(const OperatorCall& call, const Attributes& attributes) {
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor& output = call.outputs[0];
    return {attributes.kernel,
            attributes.stride,
            {attributes.pad[0], attributes.pad[2]},
            {input.dims[1], input.dims[2]},
            {output.dims[1], output.dims[2]}};
}

/// To find the divisor of a window in a map.
constexpr std::uint64_t kInstructionsPerPosition = 60;

/// Divides the sums of windows by the number of input elements that each contains.
class Divider {
 public:
    Divider(const PoolShape& shape) : shape_(shape) {
        std::array<std::vector<std::int32_t>, 2> counts;
        for (std::size_t axis = 0; axis < 2; ++axis) {
            for (std::int32_t out = 0; out < shape.output[axis]; ++out) {
                counts_[axis].push_back(valid_positions(axis, out));
            }
            counts[axis] = counts_[axis];
            std::sort(counts[axis].begin(), counts[axis].end());
            counts[axis].erase(std::unique(counts[axis].begin(), counts[axis].end()),
                               counts[axis].end());
        }
        for (const std::int32_t y : counts[0]) {
            for (const std::int32_t x : counts[1]) index_.emplace(std::int64_t{y} * x, 0);
        }
        for (auto& [count, index] : index_) {
            index = static_cast<std::int32_t>(divisors_.size());
            divisors_.push_back(count);
        }
    }

    /// Every number of elements that some window contains, ascending.
    const std::vector<std::int64_t>& divisors() const { return divisors_; }

    /// Brings one value per position of a step's outputs into every lane: row `row` of a table of
    /// `values` per divisor. Serial mode.
    void load_map(const PoolStep& step, std::span<const float> values, local_addr_t to) const {
        const auto& [y, x] = step.span;
        const std::uint64_t positions =
            static_cast<std::uint64_t>(y.outputs) * static_cast<std::uint64_t>(x.outputs);
        OKKSIM_CHECK(4 * positions <= okk_l2_sram_size());
        okk_poll();  // an earlier map may still be read
        const unsigned int start = okk_l2_sram_start_addr();
        unsigned char* word = okk_store_addr(start, 4 * positions);
        for (std::int32_t i = 0; i < y.outputs; ++i) {
            for (std::int32_t j = 0; j < x.outputs; ++j, word += 4) {
                const std::int64_t count =
                    std::int64_t{count_at(0, y.out + i)} * count_at(1, x.out + j);
                std::memcpy(word, &values[static_cast<std::size_t>(index_.at(count))], 4);
            }
        }
        okk_compute("pool map", OKK_INTEGER_OPERATIONS, kInstructionsPerPosition * positions);
        const dim4 shape{1, okk_npu_num(), y.outputs, x.outputs};
        const dim4 source{0, 0, x.outputs, 1};
        okk_gdma_32bit_cpy_S2L(to, start, &shape, nullptr, &source);
    }

    /// A map that load_map() brought to `address`, over a tile's words.
    static LocalTensor map(local_addr_t address, const dim4& shape) {
        return {address, shape, dim4{0, 0, shape.w, 1}};
    }

 private:
    std::int32_t count_at(std::size_t axis, std::int32_t out) const {
        return counts_[axis][static_cast<std::size_t>(out)];
    }

    std::int32_t valid_positions(std::size_t axis, std::int32_t out) const {
        const std::int32_t begin = out * shape_.stride[axis] - shape_.pad_before[axis];
        return std::min(begin + shape_.kernel[axis], shape_.input[axis]) - std::max(begin, 0);
    }

    const PoolShape& shape_;
    std::array<std::vector<std::int32_t>, 2> counts_;
    std::map<std::int64_t, std::int32_t> index_;
    std::vector<std::int64_t> divisors_;
};

/// The largest power of two that a mean's terms may be divided by before they are added, so that
/// the sum of finite values stays finite.
float headroom(const PoolShape& shape) {
    const auto area = static_cast<std::uint64_t>(std::int64_t{shape.kernel[0]} * shape.kernel[1]);
    return std::ldexp(1.0f, static_cast<int>(std::bit_width(area - 1)));
}

void average_floats(const OperatorCall& call, const PoolShape& shape) {
    const Divider divider(shape);
    // Only fp32 and bf16 come near the end of the fp32 range.
    const DType type = call.inputs[0].type;
    const float scale = type == DType::kFp32 || type == DType::kBf16 ? headroom(shape) : 1.0f;
    std::vector<float> factors;
    for (const std::int64_t count : divider.divisors()) {
        factors.push_back(static_cast<float>(double{scale} / static_cast<double>(count)));
    }
    PoolStages stages;
    if (scale != 1.0f) {
        stages.adapt = [&](const LocalTensor& words, Scratch&) {
            raw::multiply(words, words, 1.0f / scale);
        };
    }
    local_addr_t map = 0;
    if (factors.size() == 1) {
        stages.finish = [&](const PoolStep&, const LocalTensor& words, Scratch&) {
            if (factors[0] != 1.0f) raw::multiply(words, words, factors[0]);
        };
    } else {
        stages.constant_planes = 1;
        stages.before = [&](const PoolStep& step, local_addr_t constants, std::uint32_t) {
            map = constants;
            divider.load_map(step, factors, constants);
        };
        stages.finish = [&](const PoolStep&, const LocalTensor& words, Scratch&) {
            raw::multiply(words, words, Divider::map(map, words.shape));
        };
    }
    run_pool(Combiner(Combination::kFloatSum, NanMode::kPropagate), shape, call.inputs[0],
             WordForm::kValue, call.outputs[0], WordForm::kValue, stages);
}

void average_integers(const OperatorCall& call, const PoolShape& shape) {
    const DType type = call.inputs[0].type;
    const std::int64_t input_zero = zero_point(call.inputs[1]);
    const std::int64_t output_zero = zero_point(call.inputs[2]);
    const std::int32_t high = type == DType::kI8 ? 127 : 32767;
    const std::int64_t largest = std::max(high - input_zero, high + 1 + input_zero);
    // Sums up to 2^24 are exact in fp32.
    const std::int64_t area = std::int64_t{shape.kernel[0]} * shape.kernel[1];
    const bool in_float = area * largest <= std::int64_t{1} << 24;
    const Divider divider(shape);
    std::vector<prim::ScaleFactor> factors;
    for (const std::int64_t count : divider.divisors()) {
        factors.push_back(prim::reciprocal_scale(static_cast<std::uint32_t>(count)));
    }
    const prim::Rescale rescale(in_float ? prim::ValueForm::kFloat24 : prim::ValueForm::kInt32,
                                factors, prim::ScaleRounding::kSingle,
                                {-high - 1, high, static_cast<std::int32_t>(output_zero)});
    const std::vector<float> constants = rescale.constants();
    PoolStages stages;
    stages.planes = std::max(rescale.planes(), prim::kAddPlanes);
    stages.constant_planes = rescale.constant_rows();
    if (input_zero != 0) {
        stages.adapt = [&](const LocalTensor& words, Scratch& scratch) {
            if (in_float) {
                raw::add(words, words, static_cast<float>(-input_zero));
            } else {
                prim::add_int32(words, words, static_cast<std::int32_t>(-input_zero), scratch);
            }
        };
    }
    local_addr_t maps = 0;
    std::uint32_t map_bytes = 0;
    const std::size_t rows = static_cast<std::size_t>(rescale.constant_rows());
    if (rows > 0) {
        stages.before = [&](const PoolStep& step, local_addr_t address, std::uint32_t bytes) {
            maps = address;
            map_bytes = bytes;
            for (std::size_t i = 0; i < rows; ++i) {
                divider.load_map(step,
                                 std::span(constants).subspan(i * factors.size(), factors.size()),
                                 maps + static_cast<local_addr_t>(i * bytes));
            }
        };
    }
    stages.finish = [&](const PoolStep&, const LocalTensor& words, Scratch& scratch) {
        std::vector<LocalTensor> views;
        for (std::size_t i = 0; i < rows; ++i) {
            views.push_back(
                Divider::map(maps + static_cast<local_addr_t>(i * map_bytes), words.shape));
        }
        rescale.run(words, words, views, scratch);
    };
    const Combination sum = in_float ? Combination::kFloatSum
                            : divider.divisors().back() * largest <= INT32_MAX
                                ? Combination::kIntegerSum
                                : Combination::kCheckedWindowSum;
    if (run_pool(Combiner(sum, NanMode::kPropagate), shape, call.inputs[0],
                 in_float ? WordForm::kFloat : WordForm::kValue, call.outputs[0], WordForm::kFloat,
                 stages)) {
        throw_unpredictable(call, "input", "the sum of some window",
                            "c >= minimum_s<acc_t>() && c <= maximum_s<acc_t>()");
    }
}

}  // namespace

/// AVG_POOL2D: integers as the specification's apply_scale_32 with reciprocal_scale of the number
/// of valid elements.
void avg_pool2d_kernel(const OperatorCall& call) {
    const PoolShape shape = shape_of(call, call.attributes_as<tosa::AvgPool2dAttributes>());
    if (tosa::is_floating_point(call.inputs[0].type)) {
        average_floats(call, shape);
    } else {
        average_integers(call, shape);
    }
}

void max_pool2d_kernel(const OperatorCall& call) {
    const auto& attributes = call.attributes_as<tosa::MaxPool2dAttributes>();
    const PoolShape shape = shape_of(call, attributes);
    const bool is_float = tosa::is_floating_point(call.inputs[0].type);
    const WordForm form = is_float ? WordForm::kValue : WordForm::kFloat;
    run_pool(Combiner(is_float ? Combination::kFloatMaximum : Combination::kPlainMaximum,
                      nan_mode(attributes.nan_mode)),
             shape, call.inputs[0], form, call.outputs[0], form, {});
}

}  // namespace okksim::kernels
