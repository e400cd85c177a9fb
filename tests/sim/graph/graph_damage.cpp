// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/graph/graph_damage.h"

#include <algorithm>
#include <cstring>

namespace okksim::tests {
namespace {

using sim::graph::Block;
using sim::graph::Graph;
using sim::graph::Operator;
using sim::graph::Shape;
using sim::graph::Tensor;
using sim::graph::TensorIndex;
using sim::graph::TensorList;

std::size_t pick_index(RandomSource& random, std::size_t size) {
    return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(size)));
}

/// Small numbers, and numbers near limits of the specification or of integer types.
std::int64_t treacherous(RandomSource& random) {
    return random.pick({0,
                        1,
                        2,
                        3,
                        4,
                        5,
                        7,
                        8,
                        16,
                        63,
                        64,
                        65,
                        255,
                        256,
                        8192,
                        8193,
                        16383,
                        65536,
                        1 << 20,
                        1 << 30,
                        0x7FFFFFFF,
                        0x80000000LL,
                        0xFFFFFFFFLL,
                        0xFFFFFFFCLL,
                        -1,
                        -2});
}

void put_word(FileBytes& bytes, RandomSource& random) {
    if (bytes.size() < 4) return;
    const std::size_t at = pick_index(random, bytes.size() - 3) / 4 * 4;
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    switch (random.below(4)) {
        case 0: word = static_cast<std::uint32_t>(treacherous(random)); break;
        case 1: word += static_cast<std::uint32_t>(random.between(-4, 4)); break;
        case 2: word = static_cast<std::uint32_t>(pick_index(random, bytes.size())); break;
        default: word *= 2; break;
    }
    std::memcpy(bytes.data() + at, &word, sizeof word);
}

void splice(FileBytes& bytes, const FileBytes& other, RandomSource& random) {
    if (other.empty()) return;
    const FileBytes source = other;
    const std::size_t from = pick_index(random, source.size());
    const std::size_t length = std::min<std::size_t>(
        source.size() - from, static_cast<std::size_t>(random.between(1, 64)));
    const auto begin = source.begin() + static_cast<std::ptrdiff_t>(from);
    const std::size_t at = pick_index(random, bytes.size() + 1);
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    if (random.one_in(2)) {
        bytes.insert(place, begin, begin + static_cast<std::ptrdiff_t>(length));
    } else {
        std::copy_n(begin, std::min(length, bytes.size() - at), place);
    }
}

void damage_shape(Shape& shape, RandomSource& random) {
    const std::int64_t size = random.one_in(3) ? treacherous(random) : random.between(1, 6);
    switch (shape.empty() ? 3 : random.below(4)) {
        case 0: shape.erase(shape.begin()); break;
        case 1: std::swap(shape[pick_index(random, shape.size())], shape[0]); break;
        case 2: shape[pick_index(random, shape.size())] = size; break;
        default: shape.push_back(random.one_in(2) ? 1 : size); break;
    }
}

/// Changes one number of every list of an attribute struct.
template <typename T>
void damage_attributes(T& attributes, RandomSource& random) {
    const auto number = [&] { return static_cast<std::int32_t>(treacherous(random)); };
    const auto damage_list = [&](auto& list) { list[pick_index(random, list.size())] = number(); };
    if constexpr (requires { attributes.axis; }) attributes.axis = number();
    if constexpr (requires { attributes.pad; }) damage_list(attributes.pad);
    if constexpr (requires { attributes.stride; }) damage_list(attributes.stride);
    if constexpr (requires { attributes.kernel; }) damage_list(attributes.kernel);
    if constexpr (requires { attributes.perms; }) {
        attributes.perms.push_back(static_cast<std::int32_t>(random.between(-1, 4)));
        std::swap(attributes.perms.front(), attributes.perms.back());
        if (random.one_in(2)) attributes.perms.pop_back();
    }
}

void damage_operator(Block& block, RandomSource& random) {
    if (block.operators.empty() || block.tensors.empty()) return;
    Operator& op = block.operators[pick_index(random, block.operators.size())];
    const auto any = static_cast<std::uint32_t>(pick_index(random, block.tensors.size()));
    const bool is_result = random.one_in(4);
    std::vector<TensorIndex> list = is_result ? TensorList(op.outputs) : op.inputs;
    switch (random.below(6)) {
        case 0: list.push_back(any); break;
        case 1:
            if (!list.empty()) list.pop_back();
            break;
        case 2:
            if (!list.empty()) list[pick_index(random, list.size())] = any;
            break;
        case 3: {
            // Another operator with the same kind of attributes.
            const Operator& other = block.operators[pick_index(random, block.operators.size())];
            if (other.attributes.get().index() == op.attributes.get().index()) op.op = other.op;
            break;
        }
        case 4: {
            // Many operators have no attributes: most are element-wise.
            const auto code = static_cast<tosa::OpCode>(random.between(12, 48));
            if ((op.attributes_if<tosa::NoAttributes>() != nullptr) &&
                code != tosa::OpCode::kArithmeticRightShift && code != tosa::OpCode::kMaximum &&
                code != tosa::OpCode::kMinimum) {
                op.op = code;
            }
            break;
        }
        default:
            std::visit([&](auto& attributes) { damage_attributes(attributes, random); },
                       op.attributes.edit());
    }
    if (is_result) {
        op.outputs = list;
    } else {
        op.inputs = list;
    }
}

}  // namespace

void damage_bytes(FileBytes& bytes, const FileBytes& other, RandomSource& random) {
    for (std::int64_t n = random.between(1, 5); n > 0 && !bytes.empty(); --n) {
        const std::size_t at = pick_index(random, bytes.size());
        switch (random.below(8)) {
            case 0: bytes[at] ^= static_cast<std::uint8_t>(1U << random.below(8)); break;
            case 1: bytes[at] = static_cast<std::uint8_t>(random.bits()); break;
            case 2:
                if (random.one_in(4)) bytes.resize(at);
                break;
            case 3: splice(bytes, bytes, random); break;
            case 4: splice(bytes, other, random); break;
            default: put_word(bytes, random); break;
        }
    }
}

void damage_graph(Graph& graph, RandomSource& random) {
    for (std::int64_t n = random.between(1, 3); n > 0; --n) {
        auto& blocks = graph.regions[pick_index(random, graph.regions.size())].blocks;
        if (blocks.empty()) continue;
        Block& block = blocks[pick_index(random, blocks.size())];
        if (block.tensors.empty()) continue;
        Tensor& tensor = block.tensors[pick_index(random, block.tensors.size())];
        switch (random.below(5)) {
            case 0: damage_shape(tensor.shape.edit(), random); break;
            case 1: tensor.type = static_cast<tosa::DType>(random.between(0, 13)); break;
            case 2:
                if (!tensor.data.empty()) {
                    tensor.data = tensor.data.bytes().first(pick_index(random, tensor.data.size()));
                }
                break;
            default: damage_operator(block, random); break;
        }
    }
}

}  // namespace okksim::tests
