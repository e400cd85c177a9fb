// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tosa_v1/tosa_v1_writer.h"

#include <array>
#include <cstring>
#include <functional>
#include <unordered_map>

#include "isa/base/errors.h"
#include "isa/base/output_file.h"
#include "sim/files/mapped_file.h"
#include "sim/graph/captures.h"
#include "sim/graph/tosa_v1/tosa_v1_attribute_writer.h"

namespace okksim::sim::graph {

namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// Bytes from which a constant is written after the buffer of the tables. Such constants need no
/// copy in memory, and the tables that are read first stay close together.
constexpr std::size_t kLargeConstant = 64 << 10;
bool stands_behind(const ConstantData& data) { return data.size() >= kLargeConstant; }

/// Largest size of the tables. FlatBuffers has 32-bit offsets, and readers verify files of up to
/// 2^31 bytes. In a larger file, tensors store the positions and sizes of large constants as
/// numbers.
constexpr std::uint64_t kLargestTables = (std::uint64_t{1} << 31) - (std::uint64_t{1} << 20);

/// Estimates the size of the tables, so that the buffer need not grow.
std::size_t expected_bytes(const Graph& graph) {
    std::size_t bytes = 1024;
    for (const Region& region : graph.regions) {
        for (const Block& block : region.blocks) {
            bytes += 128 * (block.tensors.size() + 2 * block.operators.size());
            for (const Tensor& tensor : block.tensors) {
                if (!stands_behind(tensor.data)) bytes += tensor.data.size();
            }
        }
    }
    return bytes;
}

std::uint64_t large_bytes(const Graph& graph) {
    std::uint64_t bytes = 0;
    const auto add = [&](const ConstantData& data) {
        if (stands_behind(data)) bytes += data.size() + 2 * sizeof(std::uint64_t);
    };
    for (const Region& region : graph.regions) {
        for (const Block& block : region.blocks) {
            for (const Tensor& tensor : block.tensors) {
                add(tensor.variable ? graph.variables[*tensor.variable].initial_value
                                    : tensor.data);
            }
        }
    }
    return bytes;
}

/// Receives a file piece by piece.
using Sink = std::function<void(std::string_view)>;

class Writer {
 public:
    explicit Writer(const Graph& graph) : graph_(graph), builder_(expected_bytes(graph)) {
        has_positions_ = expected_bytes(graph) + large_bytes(graph) > kLargestTables;
        for (const Region& region : graph.regions) {
            for (const Block& block : region.blocks) {
                for (const Operator& op : block.operators) {
                    for (const SubGraph* inner : sub_graphs(op)) {
                        enclosing_.emplace(&graph.block(inner->block), &block);
                    }
                }
            }
        }
    }

    void write(const Sink& sink) {
        build();
        place_constants();
        const auto put = [&](const void* bytes, std::uint64_t size) {
            sink({static_cast<const char*>(bytes), size});
        };
        // Small pieces, as the receiver may copy them.
        for (std::size_t from = 0; from < builder_.GetSize(); from += kPiece) {
            put(builder_.GetBufferPointer() + from, std::min(kPiece, builder_.GetSize() - from));
        }
        std::uint64_t at = builder_.GetSize();
        for (const ConstantData& constant : constants_) {
            constexpr std::array<char, kDataAlignment> kPadding{};
            put(kPadding.data(), data_position(at) - sizeof(std::uint32_t) - at);
            const auto size = static_cast<std::uint32_t>(constant.size());
            put(&size, sizeof size);  // little-endian host
            constant.for_each_piece(kPiece, [&](std::span<const std::byte> piece, std::uint64_t) {
                put(piece.data(), piece.size());
            });
            at = data_position(at) + constant.size();
        }
    }

 private:
    static constexpr std::uint64_t kDataAlignment = 8;
    static constexpr std::size_t kPiece = 1 << 16;

    /// Returns the start of a vector's bytes; its size field is at `at` or within the alignment
    /// after it.
    static std::uint64_t data_position(std::uint64_t at) {
        return (at + sizeof(std::uint32_t) + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
    }

    void build() {
        std::vector<Offset<wire::TosaRegion>> regions;
        for (const Region& region : graph_.regions) {
            std::vector<Offset<wire::TosaBasicBlock>> blocks;
            for (const Block& block : region.blocks) blocks.push_back(write_block(block));
            regions.push_back(wire::CreateTosaRegionDirect(builder_, region.name.c_str(), &blocks));
        }
        const auto version =
            wire::CreateVersion(builder_, graph_.version.major, graph_.version.minor,
                                graph_.version.patch, graph_.version.draft);
        const auto root = wire::CreateTosaGraphDirect(builder_, version, &regions);
        wire::FinishTosaGraphBuffer(builder_, root);
    }

    /// Sets the positions of the large constants in their tensors.
    void place_constants() {
        if (constants_.empty()) return;
        std::uint64_t at = builder_.GetSize();
        auto next = constants_.begin();
        std::uint8_t* const begin = builder_.GetBufferPointer();
        const auto place = [&](const wire::TosaTensor& typed) {
            const auto& tensor = reinterpret_cast<const flatbuffers::Table&>(typed);
            const auto write = [&](flatbuffers::voffset_t field, const auto& value) {
                const std::uint8_t* address = tensor.GetAddressOf(field);
                std::memcpy(begin + (address - begin), &value, sizeof value);
            };
            const std::uint64_t data = data_position(at);
            if (has_positions_) {
                write(wire::TosaTensor::VT_OFFSET, data);
            } else {
                const auto from = static_cast<std::uint64_t>(
                    tensor.GetAddressOf(wire::TosaTensor::VT_DATA) - begin);
                write(wire::TosaTensor::VT_DATA,
                      static_cast<std::uint32_t>(data - sizeof(std::uint32_t) - from));
            }
            at = data + next->size();
            ++next;
        };
        auto is_large = large_.begin();
        for (const auto* region : *wire::GetTosaGraph(begin)->regions()) {
            for (const auto* block : *region->blocks()) {
                for (const auto* tensor : *block->tensors()) {
                    if (*is_large++) place(*tensor);
                }
            }
        }
    }

    auto names(const Block& block, std::span<const TensorIndex> indices) {
        std::vector<Offset<flatbuffers::String>> strings;
        strings.reserve(indices.size());
        for (const TensorIndex index : indices) {
            strings.push_back(name_of(block, index));
        }
        return strings;
    }

    /// Each name is written once per block.
    Offset<flatbuffers::String> name_of(const Block& block, TensorIndex index) {
        Offset<flatbuffers::String>& name = names_[index];
        if (name.IsNull()) {
            // Releases the pages of names that have been written, to save host memory.
            constexpr std::uint32_t kStep = 1 << 16;
            if (++passed_ % kStep == 0) unmap_files();
            const std::string_view text = block.tensors[index].name;
            name = builder_.CreateString(text.data(), text.size());
        }
        return name;
    }

    using ConstantsByName = std::unordered_map<std::string_view, const void*>;

    ConstantsByName constants_outside(const Block& block) const {
        ConstantsByName constants;
        const auto outer = enclosing_.find(&block);
        if (outer == enclosing_.end()) return constants;
        for (const Tensor& tensor : outer->second->tensors) {
            if (tensor.has_data) constants.emplace(tensor.name, tensor.data.identity());
        }
        return constants;
    }

    /// A constant of the enclosing block is also a constant of this block (Block::captures).
    static bool is_from_outside(const Tensor& tensor, const ConstantsByName& outside) {
        if (!tensor.has_data || tensor.producer || tensor.variable) return false;
        const auto same = outside.find(tensor.name);
        return same != outside.end() && same->second == tensor.data.identity();
    }

    Offset<wire::TosaBasicBlock> write_block(const Block& block) {
        std::vector<Offset<wire::TosaTensor>> tensors;
        std::vector<Offset<wire::TosaShape>> shapes;
        const ConstantsByName outside = constants_outside(block);
        names_.assign(block.tensors.size(), 0);
        for (TensorIndex i = 0; i < block.tensors.size(); ++i) {
            const Tensor& tensor = block.tensors[i];
            // The block uses these names without defining them.
            if (tensor.is_capture || is_from_outside(tensor, outside)) continue;
            const auto name = name_of(block, i);
            if (tensor.type == DType::kShape) {
                shapes.push_back(write_shape(tensor, name));
            } else {
                tensors.push_back(write_tensor(tensor, name));
            }
        }
        std::vector<Offset<wire::TosaOperator>> operators;
        for (const Operator& op : block.operators) operators.push_back(write_operator(block, op));
        const auto inputs = names(block, block.inputs);
        const auto outputs = names(block, block.outputs);
        return wire::CreateTosaBasicBlockDirect(builder_, block.name.c_str(), &operators, &tensors,
                                                &inputs, &outputs, &shapes);
    }

    Offset<wire::TosaTensor> write_tensor(const Tensor& tensor, Offset<flatbuffers::String> name) {
        const std::vector<std::int32_t> shape(tensor.shape.begin(), tensor.shape.end());
        const auto dimensions = builder_.CreateVector(shape);
        const Variable* variable = tensor.variable ? &graph_.variables[*tensor.variable] : nullptr;
        const ConstantData& data = variable != nullptr ? variable->initial_value : tensor.data;
        const bool is_large = stands_behind(data);
        large_.push_back(is_large);
        if (is_large) constants_.push_back(data);
        const auto bytes = data.empty() || (is_large && has_positions_) ? 0
                           : is_large ? bytes_of(builder_, std::span<const std::byte>())
                                      : bytes_of(builder_, data);
        const auto uid = variable != nullptr ? builder_.CreateString(variable->uid) : 0;
        const std::uint64_t size = is_large && has_positions_ ? data.size() : 0;
        return wire::CreateTosaTensor(builder_, name, dimensions, wire_type(tensor.type), bytes,
                                      variable != nullptr, tensor.is_unranked, uid, size, size);
    }

    Offset<wire::TosaShape> write_shape(const Tensor& tensor, Offset<flatbuffers::String> name) {
        const auto bytes = bytes_of(builder_, tensor.data);
        const auto rank = tensor.shape.empty() ? 0 : static_cast<std::uint32_t>(tensor.shape[0]);
        return wire::CreateTosaShape(builder_, name, rank, bytes);
    }

    Offset<wire::TosaOperator> write_operator(const Block& block, const Operator& op) {
        auto number = static_cast<wire::Op>(op.op);
        auto tag = static_cast<wire::Attribute>(op.op);
        std::vector<TensorIndex> inputs(op.inputs.begin(), op.inputs.end());
        std::vector<TensorIndex> outputs(op.outputs.begin(), op.outputs.end());
        if (const auto* access = op.attributes_if<VariableAttributes>()) {
            (op.op == OpCode::kVariableRead ? inputs : outputs)
                .push_back(variable_tensor(block, access->variable));
            if (op.op != OpCode::kVariable) number = wire::Op::IDENTITY;
        }
        const auto attribute = write_attributes(builder_, graph_, op);
        const auto input_names = names(block, inputs);
        const auto output_names = names(block, outputs);
        return wire::CreateTosaOperatorDirect(builder_, number, tag, attribute, &input_names,
                                              &output_names, location_of(op));
    }

    /// Operators without a location share one table.
    Offset<wire::OpLocation> location_of(const Operator& op) {
        if (op.location.empty() && !no_location_.IsNull()) return no_location_;
        const auto location = wire::CreateOpLocation(
            builder_, builder_.CreateString(op.location.data(), op.location.size()));
        if (op.location.empty()) no_location_ = location;
        return location;
    }

    static TensorIndex variable_tensor(const Block& block, std::uint32_t variable) {
        for (TensorIndex i = 0; i < block.tensors.size(); ++i) {
            if (block.tensors[i].variable == variable) return i;
        }
        OKKSIM_CHECK(!"a block that accesses a variable has its tensor");
        return 0;
    }

    const Graph& graph_;
    std::unordered_map<const Block*, const Block*> enclosing_;
    FlatBufferBuilder builder_;
    std::vector<Offset<flatbuffers::String>> names_;  ///< of the block's tensors
    Offset<wire::OpLocation> no_location_;
    std::vector<ConstantData> constants_;  ///< written after the tables
    std::vector<bool> large_;              ///< by tensor: it has the next of the large constants
    bool has_positions_ = false;           ///< as numbers
    std::uint32_t passed_ = 0;             ///< names
};

}  // namespace

std::vector<std::uint8_t> write_graph(const Graph& graph) {
    std::vector<std::uint8_t> bytes;
    Writer(graph).write(
        [&](std::string_view piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
    return bytes;
}

void save_graph(const Graph& graph, const std::filesystem::path& path) {
    OutputFile file(path.string());
    Writer(graph).write([&](std::string_view piece) { file.write(piece); });
    file.commit();
}

}  // namespace okksim::sim::graph
