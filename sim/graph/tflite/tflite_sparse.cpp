// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_sparse.h"

#include <cstring>
#include <numeric>

#include "sim/graph/tflite/tflite_types.h"

namespace okksim::sim::graph::tflite {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;

/// A level of the storage tree: a dimension of the tensor, or of the blocks.
struct Level {
    bool is_sparse = false;
    std::int64_t size = 0;               ///< of a dense level
    std::vector<std::int64_t> segments;  ///< of a sparse level: first position of each parent
    std::vector<std::int64_t> indices;
};

template <typename Get>
std::vector<std::int64_t> index_list(const wire::DimensionMetadata& source,
                                     wire::SparseIndexVector type, Get&& get) {
    switch (type) {
        case wire::SparseIndexVector::Int32Vector:
            return integers(get.template operator()<wire::Int32Vector>(source)->values());
        case wire::SparseIndexVector::Uint16Vector:
            return integers(get.template operator()<wire::Uint16Vector>(source)->values());
        case wire::SparseIndexVector::Uint8Vector:
            return integers(get.template operator()<wire::Uint8Vector>(source)->values());
        default: return {};
    }
}

class Decoder {
 public:
    Decoder(const File& file, const wire::SparsityParameters& sparsity, const Shape& shape,
            TensorType type, std::span<const std::byte> data, const std::string& where)
        : file_(file), where_(where + ".sparsity"), shape_(shape), data_(data) {
        if (type == TensorType::INT4) throw UnsupportedPart("sparse tensors of INT4", true);
        element_ = file_bytes(type, 1);
        order_ = integers(sparsity.traversal_order());
        blocks_ = integers(sparsity.block_map());
        read_levels(sparsity);
        check_order();
        const std::uint64_t bytes = file_bytes(type, *element_count(shape));
        if (bytes > kMostBytes) throw UnsupportedPart("sparse tensors of more than 4 GiB");
        result_.resize(bytes);
    }

    std::vector<std::byte> decode() {
        position_.assign(levels_.size(), 0);
        visit(0, 0);
        return std::move(result_);
    }

 private:
    [[noreturn]] void fail(const std::string& message) const { file_.fail(where_, message); }

    void read_levels(const wire::SparsityParameters& sparsity) {
        if (sparsity.dim_metadata() == nullptr) fail("has no dim_metadata");
        for (const auto* source : *sparsity.dim_metadata()) {
            Level level;
            level.is_sparse = source->format() == wire::DimensionType::SPARSE_CSR;
            level.size = source->dense_size();
            if (level.is_sparse) {
                level.segments = index_list(*source, source->array_segments_type(),
                                            []<typename T>(const auto& from) {
                                                return static_cast<const T*>(from.array_segments());
                                            });
                level.indices = index_list(*source, source->array_indices_type(),
                                           []<typename T>(const auto& from) {
                                               return static_cast<const T*>(from.array_indices());
                                           });
            }
            levels_.push_back(std::move(level));
        }
    }

    void check_order() {
        const std::size_t rank = shape_.size();
        if (order_.size() != levels_.size() || order_.size() != rank + blocks_.size()) {
            fail("traversal_order, block_map and dim_metadata have different lengths");
        }
        std::vector<bool> is_seen(order_.size(), false);
        for (const std::int64_t i : order_) {
            if (i < 0 || static_cast<std::size_t>(i) >= order_.size() ||
                is_seen[static_cast<std::size_t>(i)]) {
                fail("traversal_order is not a permutation");
            }
            is_seen[static_cast<std::size_t>(i)] = true;
        }
        block_size_.assign(rank, 1);
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const auto at = static_cast<std::size_t>(order_[i]);
            if (at < rank) {
                if (levels_[i].size < 0 || levels_[i].size > shape_[at]) {
                    fail("a dimension exceeds that of the shape");
                }
                continue;
            }
            const std::int64_t dimension = blocks_[at - rank];
            if (dimension < 0 || static_cast<std::size_t>(dimension) >= rank ||
                levels_[i].is_sparse || levels_[i].size < 1 ||
                levels_[i].size > shape_[static_cast<std::size_t>(dimension)]) {
                fail("block_map names no dimension, or a block is not dense");
            }
            block_size_[static_cast<std::size_t>(dimension)] = levels_[i].size;
        }
    }

    void store() {
        const std::size_t rank = shape_.size();
        std::vector<std::int64_t> at(rank, 0);
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const auto dimension = static_cast<std::size_t>(order_[i]);
            if (dimension < rank) {
                at[dimension] += position_[i] * block_size_[dimension];
            } else {
                at[static_cast<std::size_t>(blocks_[dimension - rank])] += position_[i];
            }
        }
        std::uint64_t offset = 0;
        for (std::size_t i = 0; i < rank; ++i) {
            if (at[i] < 0 || at[i] >= shape_[i]) fail("an index exceeds its dimension");
            offset =
                offset * static_cast<std::uint64_t>(shape_[i]) + static_cast<std::uint64_t>(at[i]);
        }
        if (next_ + element_ > data_.size()) fail("the buffer has too few values");
        std::memcpy(result_.data() + offset * element_, data_.data() + next_, element_);
        next_ += element_;
    }

    /// `parent` is the position in the level above.
    void visit(std::size_t depth, std::int64_t parent) {
        if (depth == levels_.size()) return store();
        const Level& level = levels_[depth];
        if (!level.is_sparse) {
            for (std::int64_t i = 0; i < level.size; ++i) {
                position_[depth] = i;
                visit(depth + 1, parent * level.size + i);
            }
            return;
        }
        if (parent < 0 || static_cast<std::size_t>(parent) + 1 >= level.segments.size()) {
            fail("a segment is missing");
        }
        const std::int64_t end = level.segments[static_cast<std::size_t>(parent) + 1];
        for (std::int64_t i = level.segments[static_cast<std::size_t>(parent)]; i < end; ++i) {
            if (i < 0 || static_cast<std::size_t>(i) >= level.indices.size()) {
                fail("an index is missing");
            }
            position_[depth] = level.indices[static_cast<std::size_t>(i)];
            visit(depth + 1, i);
        }
    }

    const File& file_;
    std::string where_;
    const Shape& shape_;
    std::span<const std::byte> data_;
    std::size_t element_ = 1;
    std::vector<std::int64_t> order_, blocks_;
    std::vector<Level> levels_;
    std::vector<std::int64_t> block_size_, position_;
    std::vector<std::byte> result_;
    std::size_t next_ = 0;
};

}  // namespace

std::vector<std::byte> dense_bytes(const File& file, const wire::SparsityParameters& sparsity,
                                   const Shape& shape, TensorType type,
                                   std::span<const std::byte> data, const std::string& where) {
    return Decoder(file, sparsity, shape, type, data, where).decode();
}

}  // namespace okksim::sim::graph::tflite
