// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/random_input.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "isa/base/errors.h"
#include "kernels/tosa/operator_row.h"
#include "sim/check/float_format.h"

namespace okksim::sim::execution {
namespace {

/// Numbers with magnitudes between 1/16 and 1 and either sign, in the type's encoding.
class RandomFloats {
 public:
    explicit RandomFloats(graph::DType type)
        : mantissa_bits_(check::float_format(type).fraction_bits),
          exponent_bits_(tosa::storage_bits(type) - 1 - mantissa_bits_) {}

    std::int64_t operator()(std::mt19937_64& random) const {
        constexpr std::uint32_t kOctaves = 4;
        const std::uint64_t bits = random();
        const std::uint32_t bias = (1u << (exponent_bits_ - 1)) - 1;
        const std::uint32_t sign = static_cast<std::uint32_t>(bits & 1);
        const std::uint32_t exponent = bias - 1 - static_cast<std::uint32_t>(bits >> 1) % kOctaves;
        const std::uint32_t mantissa =
            static_cast<std::uint32_t>(bits >> 32) & ((1u << mantissa_bits_) - 1);
        return (((sign << exponent_bits_) | exponent) << mantissa_bits_) | mantissa;
    }

 private:
    int mantissa_bits_;
    int exponent_bits_;
};

/// Writes the values of `next`, one per element, as `bytes` bytes in little-endian order.
template <std::size_t bytes, typename Next>
void fill(std::vector<std::byte>& data, const Next& next) {
    for (std::size_t at = 0; at < data.size(); at += bytes) {
        const std::int64_t value = next();
        std::memcpy(data.data() + at, &value, bytes);
    }
}

template <typename Next>
graph::HostTensor make(graph::DType type, const graph::Shape& shape, const Next& next) {
    const std::size_t bytes = graph::host_element_bytes(type);
    std::vector<std::byte> data(graph::element_count(shape).value() * bytes);
    switch (bytes) {
        case 1: fill<1>(data, next); break;
        case 2: fill<2>(data, next); break;
        case 4: fill<4>(data, next); break;
        case 8: fill<8>(data, next); break;
        default: OKKSIM_CHECK(!"elements have a power of two of bytes");
    }
    return graph::make_host_tensor(type, shape, std::move(data));
}

/// The rules for an input whose elements are indices.
struct Places {
    std::int64_t limit = 0;  ///< end of the range of indices; 0: the elements are no indices
    bool are_unique = false;
    std::int64_t per_batch = 0;  ///< number of elements
};

/// True for operators whose result consists of elements of the first input.
bool passes_on(tosa::OpCode op) {
    const tosa::OperatorRow& row = tosa::operator_row(op);
    const bool passes_all = row.reads == tosa::Reads::kFirst || row.reads == tosa::Reads::kElement;
    return (row.work == tosa::Work::kNone && passes_all) || op == tosa::OpCode::kSlice;
}

void find_places(const graph::Block& block, graph::TensorIndex tensor, Places& places, int depth) {
    constexpr int kMostDepth = 16;
    if (depth > kMostDepth) return;
    for (const graph::Operator& op : block.operators) {
        const bool gathers = op.op == tosa::OpCode::kGather;
        const bool scatters = op.op == tosa::OpCode::kScatter;
        if ((gathers || scatters) && op.inputs.size() > 1 && op.inputs[1] == tensor) {
            const std::int64_t rows = block.tensors[op.inputs[0]].shape.get().at(1);
            places.limit = places.limit == 0 ? rows : std::min(places.limit, rows);
            places.are_unique = places.are_unique || scatters;
            places.per_batch = block.tensors[tensor].shape.back();
        }
        if (passes_on(op.op) && !op.inputs.empty() && op.inputs[0] == tensor) {
            find_places(block, op.outputs[0], places, depth + 1);
        }
    }
}

}  // namespace

graph::HostTensor random_input(graph::DType type, const graph::Shape& shape, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    switch (type) {
        case graph::DType::kBool:
            return make(type, shape, [&] { return static_cast<std::int64_t>(random() & 1); });
        case graph::DType::kI4:
            return make(type, shape, [&] { return static_cast<std::int64_t>(random() % 15) - 7; });
        case graph::DType::kI8:
        case graph::DType::kI16:
        case graph::DType::kI32:
        case graph::DType::kI48:
        case graph::DType::kShape:
            return make(type, shape,
                        [&] { return static_cast<std::int64_t>(random() % 256) - 128; });
        case graph::DType::kFp32:
        case graph::DType::kFp16:
        case graph::DType::kBf16:
        case graph::DType::kFp8E4M3:
        case graph::DType::kFp8E5M2: {
            const RandomFloats floats(type);
            return make(type, shape, [&] { return floats(random); });
        }
        case graph::DType::kUnknown: break;
    }
    OKKSIM_CHECK(false);
    return {};
}

graph::HostTensor random_graph_input(const graph::Graph& graph, std::size_t index,
                                     std::uint64_t seed) {
    const graph::Block& main = graph.main();
    const graph::Tensor& tensor = main.tensors[main.inputs.at(index)];
    Places places;
    if (tensor.type == graph::DType::kI32) find_places(main, main.inputs[index], places, 0);
    if (places.limit <= 0) return random_input(tensor.type, tensor.shape, seed);
    if (places.are_unique) {
        // The order is descending, so that it is not the identity.
        std::int64_t next = 0;
        return make(tensor.type, tensor.shape, [&] {
            const std::int64_t at = next++ % std::max<std::int64_t>(1, places.per_batch);
            return places.limit - 1 - at;
        });
    }
    std::mt19937_64 random(seed);
    return make(tensor.type, tensor.shape, [&] {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(places.limit));
    });
}

InputValues seeded_inputs(const graph::Graph& graph) {
    return [&graph](std::size_t index) {
        return random_graph_input(graph, index, kInputSeed + index);
    };
}

}  // namespace okksim::sim::execution
