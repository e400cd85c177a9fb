// SPDX-License-Identifier: Apache-2.0
// MatMulNBits: a product with weights of 2, 4 or 8 bits in blocks, which the host dequantises.
#include <string>

#include "sim/graph/compose/products.h"
#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_matrix_shapes.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_window_attributes.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

/// The layout of weights: [columns][blocks][block_size] numbers of `bits` bits, lowest bits first.
struct BlockLayout {
    std::int64_t rows = 0;     ///< K
    std::int64_t columns = 0;  ///< N
    std::int64_t bits = 0;
    std::int64_t block_size = 0;

    std::int64_t blocks() const { return (rows + block_size - 1) / block_size; }
    std::int64_t block_bytes() const { return block_size * bits / 8; }
    std::int64_t zero_point_bytes() const { return (blocks() * bits + 7) / 8; }
};

BlockLayout block_layout(const Call& call) {
    const BlockLayout layout{call.required_integer("K"), call.required_integer("N"),
                             call.integer("bits", 4), call.integer("block_size", 0)};
    const bool has_size = layout.rows > 0 && layout.columns > 0;
    call.require(has_size, "K, N", shape_text({layout.rows, layout.columns}),
                 "both are greater than 0");
    call.require(layout.bits == 2 || layout.bits == 4 || layout.bits == 8, "bits",
                 std::to_string(layout.bits), "the weights have 2, 4 or 8 bits");
    const bool is_power = layout.block_size >= 16 && layout.block_size <= (1 << 20) &&
                          (layout.block_size & (layout.block_size - 1)) == 0;
    call.require(is_power, "block_size", std::to_string(layout.block_size),
                 "the size is a power of 2 from 16 to 2^20");
    return layout;
}

/// Refuses an operand with another number of elements than the layout has.
const HostArray& block_operand(const Call& call, std::size_t n, std::int64_t count,
                               const char* role) {
    const HostArray& array = call.known(n, role);
    call.require(array.count() == static_cast<std::size_t>(count), "input " + std::to_string(n),
                 shape_text(array.shape), "the operand has " + std::to_string(count) + " elements");
    return array;
}

std::int64_t packed_number(const HostArray& array, std::int64_t byte, std::int64_t index,
                           std::int64_t bits) {
    const std::int64_t bit = index * bits;
    const auto value =
        static_cast<std::int64_t>(array.bytes[static_cast<std::size_t>(byte + bit / 8)]);
    return (value >> (bit % 8)) & ((1 << bits) - 1);
}

/// Returns the zero point of each block of each column.
std::vector<double> block_zero_points(const Call& call, const BlockLayout& layout) {
    const std::int64_t blocks = layout.blocks();
    const auto count = static_cast<std::size_t>(blocks * layout.columns);
    if (!call.has_input(3)) {
        return std::vector<double>(count, static_cast<double>(1 << (layout.bits - 1)));
    }
    if (is_real(call.input(3).type)) {
        return reals(block_operand(call, 3, blocks * layout.columns, "zero points"));
    }
    call.require(call.input(3).type == ElementType::kUint8, "input 3",
                 std::string(element_name(call.input(3).type)), "packed zero points are uint8");
    const HostArray& packed =
        block_operand(call, 3, layout.columns * layout.zero_point_bytes(), "zero points");
    std::vector<double> values;
    for (std::int64_t column = 0; column < layout.columns; ++column) {
        for (std::int64_t block = 0; block < blocks; ++block) {
            values.push_back(static_cast<double>(
                packed_number(packed, column * layout.zero_point_bytes(), block, layout.bits)));
        }
    }
    return values;
}

/// Returns the weights [K, N].
HostArray dequantised_blocks(const Call& call, const BlockLayout& layout) {
    const std::int64_t blocks = layout.blocks();
    call.require(call.input(1).type == ElementType::kUint8, "input 1",
                 std::string(element_name(call.input(1).type)), "packed weights are uint8");
    require_host_size(call, static_cast<double>(layout.rows) * static_cast<double>(layout.columns));
    const HostArray& packed =
        block_operand(call, 1, layout.columns * blocks * layout.block_bytes(), "weights");
    const std::vector<double> scales =
        reals(block_operand(call, 2, layout.columns * blocks, "scales"));
    const std::vector<double> zeros = block_zero_points(call, layout);
    std::vector<double> values(static_cast<std::size_t>(layout.rows * layout.columns));
    for (std::int64_t column = 0; column < layout.columns; ++column) {
        for (std::int64_t row = 0; row < layout.rows; ++row) {
            const std::int64_t block = row / layout.block_size;
            const auto at = static_cast<std::size_t>(column * blocks + block);
            const std::int64_t number =
                packed_number(packed, static_cast<std::int64_t>(at) * layout.block_bytes(),
                              row % layout.block_size, layout.bits);
            values[static_cast<std::size_t>(row * layout.columns + column)] =
                (static_cast<double>(number) - zeros[at]) * scales[at];
        }
    }
    return make_array(call.input(0).type, {layout.rows, layout.columns}, values);
}

}  // namespace

void block_product(const Call& call) {
    call.require_inputs(3, 6);
    const Value& a = call.input(0);
    require_real(call, a);
    if (call.has_input(4)) throw UnsupportedPart("g_idx, which permutes the blocks");
    const BlockLayout layout = block_layout(call);
    call.require(a.rank() >= 1 && a.shape.back() == layout.rows, "input 0", shape_text(a.shape),
                 "the last dimension is K " + std::to_string(layout.rows));
    const TensorIndex weights =
        call.tensors().constant(dequantised_blocks(call, layout), "weights");
    OperatorBuilder& ops = call.ops();
    TensorIndex result = compose::matmul(ops, call.tensor(0), weights);
    if (call.has_input(5)) {
        const Value& bias = call.input(5);
        call.require(bias.shape == Shape{layout.columns} && bias.type == a.type, "input 5",
                     shape_text(bias.shape), "the bias has N elements of the type of input 0");
        result = ops.binary(OpCode::kAdd, result, call.tensor(5), "with_bias");
    }
    Shape shape = a.shape;
    shape.back() = layout.columns;
    call.set_tensor(0, a.type, shape, result);
}

}  // namespace okksim::sim::graph::onnx::lower
