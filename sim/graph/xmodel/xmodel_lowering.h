// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/graph/xmodel/xmodel_digits.h"
#include "sim/graph/xmodel/xmodel_fixed.h"
#include "sim/graph/xmodel/xmodel_value.h"
#include "sim/graph/xmodel/xmodel_window.h"

namespace okksim::sim::graph::xmodel {

/// An operator of the file with its operands.
struct Call {
    const NodeView& node;
    Vocabulary vocabulary;
    std::vector<Value*> inputs;  ///< at least one
    Value* weights = nullptr;    ///< "weights", of PRelu "weight"
    Value* bias = nullptr;

    Value& input() const { return *inputs[0]; }
    bool is_oplib() const { return vocabulary == Vocabulary::kOpLib; }
};

/// Returns the rounding of this name: DPU_ROUND, STD_ROUND, PY3_ROUND.
Rounding rounding_of(const NodeView& node, const std::string& mode);

/// Lowers the operators of a .xmodel file to TOSA 1.0. Every function sets the result's shape and
/// tensor. The caller has set its type (that of the input), fix_point and rounding. The functions
/// check the rules of the file's operators: ProgramFault kIllegalGraph. UnsupportedPart is thrown
/// for legal parts that are not supported.
class Lowering {
 public:
    explicit Lowering(BlockBuilder& block) : ops_(block) {}

    ValueTensors& tensors() { return tensors_; }

    void convolution(const Call& call, Value& result);
    void depthwise_convolution(const Call& call, Value& result);
    void transposed_convolution(const Call& call, Value& result);
    void inner_product(const Call& call, Value& result);

    void avg_pool(const Call& call, Value& result);
    void max_pool(const Call& call, Value& result);
    void fixed_pool(const Call& call, Value& result);
    void mean(const Call& call, Value& result);

    void eltwise(const Call& call, Value& result);
    void fixed_eltwise(const Call& call, Value& result);
    void relu(const Call& call, Value& result);
    void relu6(const Call& call, Value& result);
    void leaky_relu(const Call& call, Value& result);
    void prelu(const Call& call, Value& result);

    void concat(const Call& call, Value& result);
    void pad(const Call& call, Value& result);
    void reshape(const Call& call, Value& result);
    void squeeze(const Call& call, Value& result);
    void tile(const Call& call, Value& result);
    void reorg(const Call& call, Value& result);
    void space_to_depth(const Call& call, Value& result);
    /// Output: passes the value on.
    void pass_on(const Call& call, Value& result);

    /// Implement fix, float2fix and fix2float.
    void fake_quantise(const Call& call, Value& result);
    void quantise(const Call& call, Value& result);
    void dequantise(const Call& call, Value& result);

    void upsample(const Call& call, Value& result);
    void downsample(const Call& call, Value& result);
    void resize(const Call& call, Value& result);

 private:
    using ZeroPoints = std::array<TensorIndex, 2>;
    /// Returns the zero points of a floating-point operator. They precede its other constants, as
    /// in .tosa files, so that equal networks have equal constant addresses.
    std::optional<ZeroPoints> zero_points(TensorIndex x);
    /// The TOSA operator of a product and its windows.
    struct Product {
        OpCode op;
        Windows windows;
        Shape output;                                ///< N, H, W, C
        std::array<std::int64_t, 4> padding;         ///< out_pad of TRANSPOSE_CONV2D
        std::int64_t products;                       ///< per sum
        std::optional<ZeroPoints> zero_points = {};  ///< only of this operator
    };

    // Checks and conversions of operands.
    static void require_arithmetic(const Value& value);
    /// Comparison is exact for FLOAT64, too.
    static void require_order(const Value& value);
    static void require_rank(const Call& call, const Value& value, std::size_t rank);
    static void require_type(const Call& call, const Value& value, const char* argument);
    static int fix_point(const Call& call, const Value& value);
    /// Returns four dimensions as N, H, W, C (weights: the outermost, height, width, the other).
    static Shape maps_shape(const Call& call, const Value& value);
    static Shape from_maps(const Call& call, const Shape& maps);
    void set_maps(const Call& call, Value& result, TensorIndex tensor);

    // Sums of products.
    static void check_bias(const Call& call, std::int64_t channels);
    Product convolution_product(const Call& call, OpCode op, const Shape& maps,
                                std::array<std::int64_t, 2> kernel, std::int64_t channels);
    TensorIndex cropped(TensorIndex maps, const Windows& windows);
    TensorIndex multiplied(const Product& product, TensorIndex x, TensorIndex weights,
                           TensorIndex bias);
    /// Sums with bias; fixed-point numbers are rounded and saturated.
    TensorIndex summed(const Call& call, const Product& product, TensorIndex x, TensorIndex weights,
                       Value* bias, const Value& result);
    TensorIndex narrow_sums(const Product& product, TensorIndex x, TensorIndex weights,
                            Value* bias);
    TensorIndex wide_sums(const Call& call, const Product& product, TensorIndex x,
                          TensorIndex weights, Value* bias);
    TensorIndex fixed_sums(const Call& call, const Product& product, TensorIndex x,
                           TensorIndex weights, Value* bias, const Value& result);
    TensorIndex grouped(const Call& call, std::int64_t groups, const Shape& kernel_shape,
                        const Product& product, TensorIndex x, const Value& result);

    // Pools.
    Windows pool_windows(const Call& call);
    TensorIndex window_sums(const Windows& windows, TensorIndex x, std::int32_t weight);
    /// Returns the number of elements of each mean, [1,OH,OW,1].
    std::vector<std::int64_t> divisors(const Call& call, const Windows& windows) const;
    TensorIndex float_means(const Call& call, const Windows& windows, TensorIndex x);
    TensorIndex gathered_windows(const Value& value, const Windows& windows, TensorIndex x);
    TensorIndex wide_maximum(const Value& value, const Windows& windows, TensorIndex x);

    // Element-wise operators. All operands get the dimension order of the first one.
    struct Aligned {
        bool is_channels_last = false;
        std::vector<TensorIndex> tensors;
    };
    Aligned aligned(const std::vector<Value*>& values);
    /// Returns the shape of an element-wise sum.
    static Shape joint_shape(const Call& call);
    static void set_aligned(const Aligned& operands, Value& result, TensorIndex tensor);
    TensorIndex scaled_sum(const Value& value, const std::vector<TensorIndex>& inputs,
                           const std::vector<std::int64_t>& alpha);
    TensorIndex wide_sum(const Value& value, const std::vector<TensorIndex>& inputs,
                         const std::vector<std::int64_t>& alpha);
    void clamp_values(const Call& call, Value& result, std::optional<int> top);
    TensorIndex clamped_wide(const ElementType& type, TensorIndex x, std::optional<int> top);
    TensorIndex wide_product(const ElementType& type, TensorIndex x, TensorIndex y);
    /// Returns negative FLOAT64 values with all other bits flipped, so that INT64 order is that of
    /// the values. The second call restores the values.
    TensorIndex order_bits(TensorIndex x);

    TensorIndex rounded(TensorIndex x, Rounding rounding);

    // Data movement.
    static Shape permuted_axes(const Value& value, bool is_channels_last, const Shape& per_axis,
                               std::size_t each);
    TensorIndex constant_padded(const Call& call, const Value& value, TensorIndex x,
                                const Shape& padding, const std::vector<double>& values);
    TensorIndex mirrored_padded(const Value& value, TensorIndex x, const Shape& padding,
                                bool with_edge);
    TensorIndex pad_block(const Value& value, TensorIndex x, std::size_t axis, std::int64_t size,
                          double constant);
    void finish_move(const Call& call, Value& result);

    // Resizing.
    struct Scale {
        std::int64_t factor = 1;
        bool is_up = true;
    };
    void resize_maps(const Call& call, Value& result, Scale y, Scale x, const std::string& mode);
    TensorIndex nearest(const Value& value, TensorIndex x, Scale y_scale, Scale x_scale);
    TensorIndex repeated(TensorIndex x, std::size_t axis, std::int64_t times);
    TensorIndex picked(TensorIndex x, std::size_t axis, std::int64_t factor, std::int64_t at);
    TensorIndex resized(TensorIndex x, Scale y, Scale x_scale, ResizeMode mode, DType type);
    TensorIndex bilinear(const Call& call, const Value& result, TensorIndex x, Scale y,
                         Scale x_scale);

    OperatorBuilder ops_;
    ValueTensors tensors_{ops_};
    Digits digits_{ops_};
    FixedPoint fixed_{ops_};
};

}  // namespace okksim::sim::graph::xmodel
