// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/graph/compose/indexing.h"
#include "sim/graph/compose/resampling.h"
#include "sim/graph/compose/windows.h"
#include "sim/graph/tflite/tflite_call.h"
#include "sim/graph/tflite/tflite_recurrent.h"
#include "sim/graph/tflite/tflite_tensors.h"

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

/// Lowers the operators of a .tflite file to TOSA 1.0. Every function sets the tensors and shapes
/// of the results. The functions check the rules of the operators: ProgramFault kIllegalGraph.
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
    void conv_3d_transpose(const Call& call);
    void mediapipe_transpose_conv(const Call& call);
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
    void segments(const Call& call);
    void sparse_to_dense(const Call& call);
    void matrix_diagonal(const Call& call);
    void bucketize(const Call& call);

    // Sequences, control flow and states.
    void sequence_lstm(const Call& call);
    void bidirectional_lstm(const Call& call);
    void single_lstm(const Call& call);
    void sequence_rnn(const Call& call);
    void bidirectional_rnn(const Call& call);
    void single_rnn(const Call& call);
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

    /// Refuses operands that do not broadcast to each other.
    static void check_broadcast(const Call& call);
    /// True if the operands and the result represent real numbers by integers.
    static bool is_quantised(const Call& call);
    TensorIndex quantised_sum(const Call& call, OpCode op);
    TensorIndex shifted_sum(const Call& call, OpCode op);
    /// Returns q - zero, times 2^bits, times a scale.
    TensorIndex scaled_operand(Value& value, int bits, double scale);
    TensorIndex requantised(TensorIndex x, const Value& from, const Value& to);

    /// A sum of products with the operands of the file.
    struct Product {
        Value& x;
        Value& weights;
        Value* bias;
        std::size_t dimension;  ///< of the output channels in the weights
        std::int64_t channels;
        Activation activation;
        Shape result = {};  ///< shape of the output; empty: that of the sums
    };
    /// Computes the sums of a product.
    using Multiply = std::function<TensorIndex(TensorIndex x, TensorIndex weights,
                                               std::optional<TensorIndex> bias,
                                               const compose::ConvolutionOptions& options)>;
    /// `arrange` brings the weights, real or integers, to the order of `multiply`.
    using Arrange = std::function<TensorIndex(TensorIndex weights)>;
    void finish_product(const Call& call, const Product& product, const Arrange& arrange,
                        const Multiply& multiply);
    void check_product(const Call& call, const Product& product) const;
    std::optional<TensorIndex> bias_of(const Call& call, const Product& product, DType sums);
    TensorIndex weights_of(Value& weights, bool is_real);
    TensorIndex quantised_sums(const Call& call, const Product& product, TensorIndex sums);
    /// Weights [O, spatial..., I] in the order of compose::convolution.
    TensorIndex filter(TensorIndex weights, std::int64_t input_channels, std::int64_t groups);

    /// One direction of an LSTM of steps [T,B,I]: [T,B,outputs].
    TensorIndex lstm_direction(const Call& call, const LstmOperands& operands,
                               const LstmLimits& limits, TensorIndex steps);
    /// One direction of an RNN, with its weights from input `first` on, and its state.
    TensorIndex rnn_direction(const Call& call, std::size_t first, Activation activation,
                              TensorIndex steps, bool is_reverse);
    /// Sets the output of a direction that has been computed for steps [T,B,...].
    void give_steps(const Call& call, TensorIndex steps, const Value* state, bool is_time_first,
                    std::size_t n = 0);
    void give_directions(const Call& call, TensorIndex forward, TensorIndex backward,
                         const Value* state, bool merges, bool is_time_first);

    /// A pool of [N,H,W,C].
    struct Pool {
        compose::Windows windows;
        Activation activation;
    };
    Pool read_pool(const Call& call);
    TensorIndex integer_means(const Call& call, const Pool& pool, Value& x);
    TensorIndex rounded_means(TensorIndex sums, const std::vector<std::int64_t>& counts,
                              const Shape& shape);

    /// Known positions, or positions at run time.
    std::optional<compose::KnownIndices> known_indices(const Value& value) const;
    static std::optional<compose::ResizeTerms> integer_terms(const compose::ResizeAxis& axis,
                                                             bool aligns, bool has_half_pixels);
    TensorIndex resized_integers(Value& x, const compose::ResizeTerms& rows,
                                 const compose::ResizeTerms& columns);
    std::vector<compose::ResizeAxis> resize_axes(const Call& call);
    /// Returns the tensor with a type that GATHER and CONCAT take: BOOL becomes INT8.
    TensorIndex movable(TensorIndex x);
    TensorIndex moved_back(TensorIndex x, DType type);

    OperatorBuilder ops_;
    Tensors t_;
    Subgraphs& subgraphs_;
};

}  // namespace okksim::sim::graph::tflite
