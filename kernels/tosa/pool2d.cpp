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

/// A pool with what is known of its zero points when it is planned; `make(zeros)` describes it.
template <typename Make>
bool run_planned(const OperatorCall& call, const Make& make) {
    const PoolPlan& plan = call.decisions->take("tiles", [&](Host& host) {
        std::vector<std::int64_t> zeros;
        for (const DeviceTensor& zero : std::span(call.inputs).subspan(1)) {
            if (tosa::is_floating_point(zero.type)) continue;
            // Zeros other than 0 take more commands.
            zeros.push_back(host.values(zero).value_or(std::vector<std::int64_t>{1}).front());
        }
        return plan_pool(make(zeros), host);
    });
    std::vector<std::int64_t> zeros;
    for (const DeviceTensor& zero : std::span(call.inputs).subspan(1)) {
        zeros.push_back(zero_point(zero));
    }
    return run_pool(make(zeros), plan);
}

/// Means of floating point values.
class FloatAverage {
 public:
    FloatAverage(const OperatorCall& call, const PoolShape& shape)
        : call_(call), shape_(shape), divider_(shape) {
        // Only fp32 and bf16 come near the end of the fp32 range.
        const DType type = call.inputs[0].type;
        scale_ = type == DType::kFp32 || type == DType::kBf16 ? headroom(shape) : 1.0f;
        for (const std::int64_t count : divider_.divisors()) {
            factors_.push_back(static_cast<float>(double{scale_} / static_cast<double>(count)));
        }
    }

    PoolOperator pool() const {
        PoolOperator op{Combiner(Combination::kFloatSum, NanMode::kPropagate),
                        shape_,
                        call_.inputs[0],
                        WordForm::kValue,
                        call_.outputs[0],
                        WordForm::kValue,
                        {}};
        if (scale_ != 1.0f) {
            op.stages.adapt = [this](const LocalTensor& words, Scratch&) {
                raw::multiply(words, words, 1.0f / scale_);
            };
        }
        if (factors_.size() > 1) {
            op.stages.constant_planes = 1;
            op.stages.before = [this](const PoolStep& step, const LocalPlanes& constants) {
                divider_.load_map(step, factors_, constants.address);
            };
            op.stages.finish = [](const LocalTensor& words, const LocalPlanes& constants,
                                  Scratch&) {
                raw::multiply(words, words, Divider::map(constants.address, words.shape));
            };
        } else if (factors_.front() != 1.0f) {
            op.stages.finish = [this](const LocalTensor& words, const LocalPlanes&, Scratch&) {
                raw::multiply(words, words, factors_.front());
            };
        }
        return op;
    }

 private:
    const OperatorCall& call_;
    const PoolShape& shape_;
    Divider divider_;
    float scale_ = 1.0f;
    std::vector<float> factors_;
};

/// Means of integers less the input's zero point, which is `bound` or less away from each of them.
class IntegerAverage {
 public:
    IntegerAverage(const OperatorCall& call, const PoolShape& shape)
        : call_(call), shape_(shape), divider_(shape) {
        // Zero points of int16 are 0 (TOSA 1.0.1, 2.3.2).
        is_byte_ = call.inputs[0].type == DType::kI8;
        const std::int64_t bound = is_byte_ ? 255 : 32768;
        // Sums up to 2^24 are exact in fp32.
        const std::int64_t most = divider_.divisors().back() * bound;
        in_float_ = most <= std::int64_t{1} << 24;
        sum_ = in_float_           ? Combination::kFloatSum
               : most <= INT32_MAX ? Combination::kIntegerSum
                                   : Combination::kCheckedWindowSum;
        for (const std::int64_t count : divider_.divisors()) {
            factors_.push_back(prim::reciprocal_scale(static_cast<std::uint32_t>(count)));
        }
    }

    /// `zeros`: the zero points of input and output.
    PoolOperator pool(const std::vector<std::int64_t>& zeros) const {
        const std::int32_t high = is_byte_ ? 127 : 32767;
        const prim::Rescale rescale(in_float_ ? prim::ValueForm::kFloat24 : prim::ValueForm::kInt32,
                                    factors_, prim::ScaleRounding::kSingle,
                                    {-high - 1, high, static_cast<std::int32_t>(zeros.at(1))});
        PoolOperator op{Combiner(sum_, NanMode::kPropagate),
                        shape_,
                        call_.inputs[0],
                        in_float_ ? WordForm::kFloat : WordForm::kValue,
                        call_.outputs[0],
                        WordForm::kFloat,
                        {}};
        op.stages.planes = std::max(rescale.planes(), prim::kAddPlanes);
        op.stages.constant_planes = rescale.constant_rows();
        if (zeros.front() != 0) op.stages.adapt = subtraction(zeros.front());
        if (rescale.constant_rows() > 0) op.stages.before = loading_of_maps(rescale);
        op.stages.finish = [rescale](const LocalTensor& words, const LocalPlanes& constants,
                                     Scratch& scratch) {
            std::vector<LocalTensor> views;
            for (int i = 0; i < rescale.constant_rows(); ++i) {
                views.push_back(
                    Divider::map(constants.at(static_cast<std::size_t>(i)), words.shape));
            }
            rescale.run(words, words, views, scratch);
        };
        return op;
    }

 private:
    std::function<void(const LocalTensor&, Scratch&)> subtraction(std::int64_t zero) const {
        return [this, zero](const LocalTensor& words, Scratch& scratch) {
            if (in_float_) {
                raw::add(words, words, static_cast<float>(-zero));
            } else {
                prim::add_int32(words, words, static_cast<std::int32_t>(-zero), scratch);
            }
        };
    }
    std::function<void(const PoolStep&, const LocalPlanes&)> loading_of_maps(
        const prim::Rescale& rescale) const {
        return [this, constants = rescale.constants()](const PoolStep& step,
                                                       const LocalPlanes& planes) {
            const std::size_t columns = factors_.size();
            for (std::size_t i = 0; i * columns < constants.size(); ++i) {
                divider_.load_map(step, std::span(constants).subspan(i * columns, columns),
                                  planes.at(i));
            }
        };
    }

    const OperatorCall& call_;
    const PoolShape& shape_;
    Divider divider_;
    bool is_byte_ = true;
    bool in_float_ = true;
    Combination sum_ = Combination::kFloatSum;
    std::vector<prim::ScaleFactor> factors_;
};

}  // namespace

/// AVG_POOL2D: integers as the specification's apply_scale_32 with reciprocal_scale of the number
/// of valid elements.
void avg_pool2d_kernel(const OperatorCall& call) {
    const PoolShape shape = shape_of(call, call.attributes_as<tosa::AvgPool2dAttributes>());
    if (tosa::is_floating_point(call.inputs[0].type)) {
        const FloatAverage average(call, shape);
        run_planned(call, [&](const std::vector<std::int64_t>&) { return average.pool(); });
        return;
    }
    const IntegerAverage average(call, shape);
    if (run_planned(call,
                    [&](const std::vector<std::int64_t>& zeros) { return average.pool(zeros); })) {
        throw_unpredictable(call, "input", "the sum of some window",
                            "c >= minimum_s<acc_t>() && c <= maximum_s<acc_t>()");
    }
}

void max_pool2d_kernel(const OperatorCall& call) {
    const auto& attributes = call.attributes_as<tosa::MaxPool2dAttributes>();
    const bool is_float = tosa::is_floating_point(call.inputs[0].type);
    const WordForm form = is_float ? WordForm::kValue : WordForm::kFloat;
    const Combination maximum = is_float ? Combination::kFloatMaximum : Combination::kPlainMaximum;
    const PoolOperator op{Combiner(maximum, nan_mode(attributes.nan_mode)),
                          shape_of(call, attributes),
                          call.inputs[0],
                          form,
                          call.outputs[0],
                          form,
                          {}};
    run_pool(op, call.decisions->take("tiles", [&](Host& host) { return plan_pool(op, host); }));
}

}  // namespace okksim::kernels
