// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "sim/graph/tflite/tflite_call.h"
#include "sim/graph/tflite/tflite_tensors.h"
#include "sim/graph/tflite/tflite_window.h"

namespace okksim::sim::graph::tflite {

/// Lowers subgraphs that control flow runs. The reader implements it.
class Subgraphs {
 public:
    virtual ~Subgraphs() = default;
    /// Lowers a subgraph to a block whose inputs have the types and shapes of `inputs`.
    virtual BlockReference lower(std::int64_t index, const std::vector<Value*>& inputs,
                                 const Call& call, std::vector<Value>& outputs) = 0;
    /// Takes initial values of variables from a subgraph that only assigns constants.
    virtual void run_once(std::int64_t index, const Call& call) = 0;
    /// Returns the variable of this name.
    virtual std::uint32_t variable(const std::string& name) = 0;
};

/// Lowers the operators of a .tflite file to TOSA 1.0. Every function sets the tensors and shapes of
/// the results. The functions check the rules of the operators: ProgramFault kIllegalGraph.
/// UnsupportedPart is thrown for legal parts that are not supported.
class Lowering {
 public:
    Lowering(BlockBuilder& block, RoundingMode rounding, Subgraphs& subgraphs)
        : ops_(block), t_(ops_, rounding), subgraphs_(subgraphs) {}

    Tensors& tensors() { return t_; }

    // Sums of products.
    void conv_2d(const Call& call);
    void depthwise_conv_2d(const Call& call);
    void conv_3d(const Call& call);
    void transpose_conv(const Call& call);
    void fully_connected(const Call& call);
    void batch_matmul(const Call& call);

    // Pools and resizing.
    void average_pool(const Call& call);
    void max_pool(const Call& call);
    void l2_pool(const Call& call);
    void resize_bilinear(const Call& call);
    void resize_nearest(const Call& call);

    // Element-wise operators.
    void add_or_sub(const Call& call);
    void mul(const Call& call);
    void div(const Call& call);
    void squared_difference(const Call& call);
    void extremum(const Call& call);
    void add_n(const Call& call);
    void binary(const Call& call);
    void comparison(const Call& call);
    void logical(const Call& call);
    void select(const Call& call);
    void unary(const Call& call);
    void relu(const Call& call);
    void leaky_relu(const Call& call);
    void prelu(const Call& call);
    void cast(const Call& call);
    void quantize(const Call& call);
    void dequantize(const Call& call);
    void fake_quant(const Call& call);

    // Reductions and normalisations.
    void mean_or_sum(const Call& call);
    void reduce(const Call& call);
    void arg_extremum(const Call& call);
    void cumsum(const Call& call);
    void softmax(const Call& call);
    void log_softmax(const Call& call);
    void l2_normalization(const Call& call);
    void local_response_normalization(const Call& call);

    // Data movement.
    void reshape(const Call& call);
    void squeeze(const Call& call);
    void expand_dims(const Call& call);
    void transpose(const Call& call);
    void concatenation(const Call& call);
    void pack(const Call& call);
    void unpack(const Call& call);
    void split(const Call& call);
    void slice(const Call& call);
    void strided_slice(const Call& call);
    void pad(const Call& call);
    void mirror_pad(const Call& call);
    void tile(const Call& call);
    void broadcast_to(const Call& call);
    void reverse(const Call& call);
    void reverse_sequence(const Call& call);
    void space_to_depth(const Call& call);
    void depth_to_space(const Call& call);
    void space_to_batch(const Call& call);
    void batch_to_space(const Call& call);
    void gather(const Call& call);
    void gather_nd(const Call& call);
    void embedding_lookup(const Call& call);
    void scatter_nd(const Call& call);
    void dynamic_update_slice(const Call& call);
    void one_hot(const Call& call);
    void fill(const Call& call);
    void zeros_like(const Call& call);
    void range(const Call& call);
    void top_k(const Call& call);
    void densify(const Call& call);

    // Sequences, control flow and states.
    void sequence_lstm(const Call& call);
    void sequence_rnn(const Call& call);
    void svdf(const Call& call);
    void branch(const Call& call);
    void loop(const Call& call);
    void call_once(const Call& call);
    void var_handle(const Call& call);
    void read_variable(const Call& call);
    void assign_variable(const Call& call);

    // Refused with a reason.
    void known_only(const Call& call);
    void size_depends_on_data(const Call& call);
    void complex_numbers(const Call& call);

 private:
    /// Sets output `n`. The tensor has the type that the file declares.
    void give(const Call& call, TensorIndex tensor, std::size_t n = 0);
    /// Sets a known output; `data` has the encoding of the file.
    void give_known(const Call& call, const Shape& shape, std::vector<std::byte> data,
                    std::size_t n = 0);
    /// Passes a value on with another shape; known values stay known.
    void give_shaped(const Call& call, Value& value, const Shape& shape);
    /// Sets an output to the values of an input, which has the same encoding or is requantised.
    void give_moved(const Call& call, TensorIndex tensor, const Value& from, std::size_t n = 0);

    /// Computes in fp32, and represents the result as the output.
    void in_reals(const Call& call, TensorIndex result, Activation activation = Activation::NONE);
    /// Computes a table of 256 results of an int8 operand.
    void in_table(const Call& call, const std::function<std::int64_t(std::int64_t)>& function);

    static Shape joint_shape(const Call& call, const Value& x, const Value& y);
    TensorIndex integer_sum(const Call& call, TensorIndex x, TensorIndex y);
    TensorIndex quantised_sum(const Call& call, bool is_sub);
    bool is_integer(const Call& call) const;
    TensorIndex requantised(TensorIndex x, const Value& from, const Value& to);

    /// The TOSA operator of a product.
    struct Product {
        OpCode op;
        Attributes attributes;
        Shape output;
        bool is_float;
    };
    Product product_of(const Call& call, const Value& x, const Value& weights) const;
    std::vector<double> product_scales(const Call& call, const Value& x, const Value& weights,
                                       std::size_t dimension, std::int64_t channels) const;
    TensorIndex weights_of(Value& weights, const Shape& shape, bool is_float);
    TensorIndex bias_of(const Call& call, const Product& product, Value* bias, DType type,
                        std::int64_t first, std::int64_t channels);
    TensorIndex multiplied(const Call& call, const Product& product, TensorIndex x,
                           const Value& x_value, TensorIndex weights, const Value& weights_value,
                           TensorIndex bias);
    TensorIndex requantised_sums(TensorIndex sums, const std::vector<double>& scales,
                                 bool has_short_bias, const Value& output);
    /// `dimension` is that of the output channels in the weights.
    void finish_product(const Call& call, TensorIndex sums, const Value& x, const Value& weights,
                        std::size_t dimension, const Value* bias, Activation activation,
                        const Shape& shape);
    TensorIndex cropped(TensorIndex maps, const std::vector<WindowAxis>& axes);
    void check_bias(const Call& call, const Value* bias, std::int64_t channels) const;

    struct Pool {
        WindowAxis y, x;
        Activation activation;
    };
    Pool read_pool(const Call& call) const;
    TensorIndex counted_means(const Pool& pool, TensorIndex x, DType type);

    TensorIndex by_rows(TensorIndex values, TensorIndex indices, std::string_view role);
    TensorIndex block_shape(const Call& call, std::int64_t& block);

    OperatorBuilder ops_;
    Tensors t_;
    Subgraphs& subgraphs_;
};

}  // namespace okksim::sim::graph::tflite
