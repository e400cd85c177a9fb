// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/graph/builder.h"
#include "sim/zoo/quantisation.h"
#include "sim/zoo/random.h"
#include "sim/zoo/zoo_model.h"

namespace okksim::sim::zoo {

using graph::Shape;
using graph::TensorIndex;
using tosa::DType;
using tosa::OpCode;

/// A value of the network with the expected distribution of its elements.
struct Feature {
    TensorIndex tensor = 0;
    Shape shape;
    Moments moments;            ///< of the real values
    Quantisation quantisation;  ///< of int8 (and int16) values
    double error = 0.0;         ///< expected square of rounding errors / moments.square()
};

/// A convolution with folded batch normalisation. Weights are scaled by fan-in so that the sums
/// have mean 0 and deviation `spread`. Bias and activation follow.
struct ConvLayer {
    std::int64_t channels = 0;  ///< of the output; ignored if depthwise
    int kernel = 1;
    int stride = 1;
    Activation activation = Activation::kNone;
    bool depthwise = false;
    bool per_channel = true;  ///< channels differ in scale; int8: a RESCALE multiplier each
    bool bias = true;
    bool int16_result = false;  ///< int8: sums are int16 in units of 2^-12, no activation
    double spread = 1.0;
};

/// Builds a network layer by layer in one precision. Feature maps are NHWC. Padding follows PyTorch
/// ((kernel - 1) / 2 before), as far as TOSA's exact output sizes permit.
class NetworkBuilder {
 public:
    explicit NetworkBuilder(const ZooOptions& options) : options_(options) {}

    const ZooOptions& options() const { return options_; }
    bool is_quantised() const { return options_.precision == Precision::kInt8; }
    /// Returns the element type of the features.
    DType type() const;
    /// Returns `channels` scaled by the option `width`.
    std::int64_t scaled(std::int64_t channels) const;

    // Inputs and outputs.
    Feature input(const std::string& name, const Shape& shape);
    /// Adds an input of int32 values, uniform in [0, limit).
    Feature index_input(const std::string& name, const Shape& shape, std::int64_t limit);
    void output(const Feature& feature, const std::string& name);
    ZooModel finish();

    // Layers.
    Feature conv(const Feature& x, const ConvLayer& layer);
    Feature activate(const Feature& x, Activation activation);
    Feature max_pool(const Feature& x, int kernel, int stride);
    /// Returns [N,1,1,C].
    Feature global_average(const Feature& x);
    Feature add(const Feature& a, const Feature& b, Activation activation = Activation::kNone);
    Feature concat(const std::vector<Feature>& parts);  ///< over channels
    Feature upsample(const Feature& x);                 ///< to twice the height and width
    Feature reshape(const Feature& x, Shape shape);
    Feature transpose(const Feature& x, std::vector<std::int32_t> perms);
    Feature slice(const Feature& x, const Shape& start, Shape size);
    /// Returns a constant of the features' type with N(0, deviation^2) elements.
    Feature random_constant(const Shape& shape, double deviation);

    // Building blocks of layers.
    graph::GraphBuilder& graph() { return graph_; }
    TensorIndex op(OpCode code, tosa::Attributes attributes, std::vector<TensorIndex> inputs,
                   DType type, Shape shape);
    TensorIndex op(OpCode code, std::vector<TensorIndex> inputs, DType type, Shape shape);
    TensorIndex integers(DType type, const std::vector<std::int64_t>& values);
    /// Returns a floating-point constant. All axes are 1, except the last one, which has the
    /// values.
    TensorIndex reals(DType type, Shape shape, const std::vector<double>& values);
    /// Adds a MUL with the shift operand; int32 products are shifted right with rounding.
    TensorIndex multiply(TensorIndex a, TensorIndex b, DType type, Shape shape, int shift = 0);
    /// Computes (x - in_zero) * factor + out_zero, saturating. Several factors apply to the
    /// elements of the last axis.
    TensorIndex rescale(TensorIndex x, DType from, int in_zero, DType to, int out_zero,
                        const std::vector<double>& factors, Shape shape);
    TensorIndex clamp(TensorIndex x, const Shape& shape, Activation activation,
                      const Quantisation& quantisation);
    TensorIndex cast(TensorIndex x, DType to, Shape shape);
    Random next_stream() { return Random(options_.seed, ++streams_); }
    /// Returns the square of an operator's relative rounding error in the features' type.
    double rounding() const;

 private:
    struct Weights;
    Weights make_weights(const Feature& x, const ConvLayer& layer);
    TensorIndex weight_constant(const Weights& weights, const ConvLayer& layer);
    TensorIndex bias_constant(const Weights& weights, const Feature& x);
    Feature crop_for_stride(const Feature& x, const ConvLayer& layer);
    TensorIndex conv_operator(const Feature& x, const ConvLayer& layer, const Weights& weights,
                              const Shape& shape);
    Feature conv_real(Feature result, const ConvLayer& layer, TensorIndex sums);
    Feature conv_int8(Feature result, const Feature& x, const ConvLayer& layer,
                      const Weights& weights, TensorIndex sums);
    TensorIndex add_int8(const Feature& a, const Feature& b, const Quantisation& result,
                         const Shape& shape);
    TensorIndex activate_real(const Feature& x, Activation activation);
    TensorIndex table_int8(const Feature& x, Activation activation, const Quantisation& result);

    ZooOptions options_;
    graph::GraphBuilder graph_;
    ZooModel model_;
    std::vector<std::pair<TensorIndex, std::string>> output_names_;
    std::uint64_t streams_ = 0;
};

/// Size and padding [before, after] of a window along one axis.
struct Window {
    std::int64_t size;
    std::int32_t before;
    std::int32_t after;  ///< negative: number of unread positions at the end
};
Window window(std::int64_t input, int kernel, int stride);

}  // namespace okksim::sim::zoo
