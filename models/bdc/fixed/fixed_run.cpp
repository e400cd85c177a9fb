// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/fixed/fixed_run.h"

#include <algorithm>
#include <cstring>

#include "models/bdc/vector/vector_rows.h"

namespace okksim::models {
namespace {

constexpr std::int64_t kWordBytes = isa::kWordBytes;
/// Words that are gathered at a time.
constexpr std::int64_t kChunk = 256;

/// Groups of batch elements that share words: four when any tensor has 8 bits, else two. A 16-bit
/// tensor has two words ("planes") per group of four. All groups of a pass have the same number of
/// existing elements.
template <std::size_t kTensors>
struct Pass {
    LaneWalk<kTensors> walk;                      ///< n counts groups
    std::array<std::int64_t, kTensors> second{};  ///< bytes to the second plane
    std::array<int, kTensors> bits{};
    std::array<std::uint32_t, 2> written{};  ///< bits of the planes that exist
    int valid = 0;
    bool in_order = false;
    FixedRow row = nullptr;
    FixedRowArguments arguments;

    bool has_plane(std::size_t tensor, int plane) const {
        return valid * bits[tensor] > 32 * plane;
    }
    int per_word(std::size_t tensor) const { return 32 / bits[tensor]; }
};

/// Words of a chunk: the result, and the sources that are not contiguous. Whole vectors may be
/// read.
struct Buffers {
    alignas(64) std::uint32_t words[4][2][kChunk];
};

template <std::size_t kTensors>
class ChunkRunner {
 public:
    ChunkRunner(const Pass<kTensors>& pass, const WalkNest<kTensors>& nest, Buffers& buffers)
        : pass_(pass), nest_(nest), buffers_(buffers), arguments_(pass.arguments) {
        chunk_ = pass.in_order || nest.row_stride[0] == 0 ? 1 : kChunk;
        for (std::size_t t = 1; t < kTensors; ++t) {
            arguments_.sources[t - 1].step = nest.row_stride[t] == 0 ? 0 : 1;
        }
    }

    template <typename Row>
    void run(const Row& row) {
        for (std::int64_t begin = 0; begin < nest_.count; begin += chunk_) {
            const std::int64_t size = std::min(chunk_, nest_.count - begin);
            gather(row, begin, size);
            compute(size);
            scatter(row, begin, size);
        }
    }

 private:
    template <typename Row>
    std::byte* address(const Row& row, std::size_t tensor, int plane, std::int64_t index) const {
        return row(tensor) + plane * pass_.second[tensor] + index * nest_.row_stride[tensor];
    }

    template <typename Row>
    void gather(const Row& row, std::int64_t begin, std::int64_t size) {
        for (std::size_t t = 1; t < kTensors; ++t) {
            const std::int64_t stride = nest_.row_stride[t];
            for (int plane = 0; plane < 2 && pass_.has_plane(t, plane); ++plane) {
                const std::byte* from = address(row, t, plane, begin);
                std::uint32_t* to = buffers_.words[t][plane];
                words_[t][plane] = to;
                if (stride == kWordBytes) {
                    // Whole vectors are read; data after the row or the lane does not matter.
                    words_[t][plane] = reinterpret_cast<const std::uint32_t*>(from);
                } else if (stride == 0) {
                    std::uint32_t word = 0;
                    std::memcpy(&word, from, kWordBytes);
                    std::fill_n(to, kMaxVectorWords, word);
                } else {
                    for (std::int64_t i = 0; i < size; ++i) {
                        std::memcpy(to + i, from + i * stride, kWordBytes);
                    }
                }
            }
        }
    }

    void compute(std::int64_t size) {
        for (std::uint32_t* plane : {buffers_.words[0][0], buffers_.words[0][1]}) {
            std::memset(plane, 0, static_cast<std::size_t>(size * kWordBytes));
        }
        for (int element = 0; element < pass_.valid; ++element) {
            for (std::size_t t = 1; t < kTensors; ++t) {
                FixedSource& source = arguments_.sources[t - 1];
                source.data = words_[t][element / pass_.per_word(t)];
                source.field.shift = pass_.bits[t] * (element % pass_.per_word(t));
            }
            arguments_.result = buffers_.words[0][element / pass_.per_word(0)];
            arguments_.result_field.shift = pass_.bits[0] * (element % pass_.per_word(0));
            pass_.row(arguments_, static_cast<std::size_t>(size));
        }
    }

    template <typename Row>
    void scatter(const Row& row, std::int64_t begin, std::int64_t size) const {
        const std::int64_t stride = nest_.row_stride[0];
        for (int plane = 0; plane < 2 && pass_.has_plane(0, plane); ++plane) {
            const std::uint32_t mask = pass_.written[static_cast<std::size_t>(plane)];
            const std::uint32_t* from = buffers_.words[0][plane];
            std::byte* to = address(row, 0, plane, begin);
            if (mask == 0xFFFFFFFFu && stride == kWordBytes) {
                std::memcpy(to, from, static_cast<std::size_t>(size * kWordBytes));
                continue;
            }
            for (std::int64_t i = 0; i < size; ++i) {
                std::uint32_t word = 0;
                std::memcpy(&word, to + i * stride, kWordBytes);
                word = (word & ~mask) | from[i];
                std::memcpy(to + i * stride, &word, kWordBytes);
            }
        }
    }

    const Pass<kTensors>& pass_;
    const WalkNest<kTensors>& nest_;
    Buffers& buffers_;
    FixedRowArguments arguments_;
    const std::uint32_t* words_[kTensors][2] = {};  ///< of the sources: in place or in the buffers
    std::int64_t chunk_ = kChunk;
};

template <std::size_t kTensors>
void run_lanes(const Pass<kTensors>& pass, std::int64_t begin, std::int64_t end) {
    Buffers buffers;
    for (std::int64_t lane = begin; lane < end; ++lane) {
        ChunkRunner<kTensors> runner(pass, pass.walk.nest(lane), buffers);
        pass.walk.for_each_row(lane, [&](const auto& row) { runner.run(row); });
    }
}

FixedField field_of(isa::FixedType type) {
    return {0, (1u << type.bits) - 1u, type.is_signed ? 1u << (type.bits - 1) : 0u};
}

template <std::size_t kTensors>
FixedRowArguments make_arguments(const FixedJob<kTensors>& job) {
    FixedRowArguments arguments;
    for (std::size_t s = 1; s < kTensors; ++s) {
        arguments.sources[s - 1].field = field_of(job.tensor[s].type);
    }
    const isa::FixedType result = job.tensor[0].type;
    arguments.result_field = field_of(result);
    arguments.low = result.is_signed ? -(1 << (result.bits - 1)) : 0;
    arguments.high = result.is_signed ? (1 << (result.bits - 1)) - 1 : (1 << result.bits) - 1;
    arguments.lshift = job.lshift;
    arguments.rshift = job.rshift;
    return arguments;
}

/// Bytes [first, second) that a tensor touches, counted from its base.
std::pair<std::int64_t, std::int64_t> reach(const WalkTensor& tensor, std::int64_t second,
                                            const WalkExtents& extents) {
    std::pair<std::int64_t, std::int64_t> bytes{std::min<std::int64_t>(second, 0),
                                                std::max<std::int64_t>(second, 0) + kWordBytes};
    for (std::size_t d = 0; d < extents.size(); ++d) {
        const std::int64_t span = (extents[d] - 1) * tensor.stride[d];
        (span < 0 ? bytes.first : bytes.second) += span;
    }
    return bytes;
}

template <std::size_t kTensors>
bool order_decides(const Pass<kTensors>& pass, std::size_t source) {
    const WalkTensor& to = pass.walk.tensors[0];
    const WalkTensor& from = pass.walk.tensors[source];
    if (pass.bits[0] == pass.bits[source]) {
        return order_matters(to, from, pass.walk.extents, kWordBytes);
    }
    const auto written = reach(to, pass.second[0], pass.walk.extents);
    const auto read = reach(from, pass.second[source], pass.walk.extents);
    const auto meet = [&](std::int64_t distance) {
        return distance + written.second > read.first && distance + written.first < read.second;
    };
    // After the wrap-around, lanes hold both tensors one channel slot further.
    const std::int64_t distance = to.base - from.base;
    return meet(distance) || meet(distance + to.stride[1] - from.stride[1]);
}

/// Runs `groups` groups from group `first` on, each with `valid` of its `group` elements.
template <std::size_t kTensors>
void run_pass(const FixedJob<kTensors>& job, int group, std::int32_t first, std::int32_t groups,
              int valid, LanePool& pool) {
    Pass<kTensors> pass;
    pass.valid = valid;
    pass.row = job.row;
    pass.arguments = make_arguments(job);
    std::array<WalkTensor, kTensors> tensors;
    for (std::size_t t = 0; t < kTensors; ++t) {
        tensors[t] = job.tensor[t].words;
        pass.bits[t] = job.tensor[t].type.bits;
        const int planes = group * pass.bits[t] / 32;
        pass.second[t] = tensors[t].stride[0];
        tensors[t].stride[0] *= planes;
        tensors[t].base += first * tensors[t].stride[0];
    }
    for (int plane = 0; plane < 2; ++plane) {
        const int bits = std::clamp(valid * pass.bits[0] - 32 * plane, 0, 32);
        pass.written[static_cast<std::size_t>(plane)] =
            bits == 32 ? 0xFFFFFFFFu : (1u << bits) - 1u;
    }
    isa::Dim4 shape = job.shape;
    shape.n = groups;
    pass.walk = make_walk<kTensors>(shape, job.lanes, tensors);
    for (std::size_t s = 1; s < kTensors; ++s) pass.in_order |= order_decides(pass, s);
    constexpr double kNanosecondsPerWord = 2.0;
    pool.parallel_for(
        pass.walk.lanes, kNanosecondsPerWord * static_cast<double>(pass.walk.lane_elements()),
        [&pass](std::int64_t begin, std::int64_t end) { run_lanes(pass, begin, end); });
}

}  // namespace

template <std::size_t kTensors>
void run_fixed(const FixedJob<kTensors>& job, LanePool& pool) {
    int group = 2;
    for (std::size_t t = 0; t < kTensors; ++t) {
        if (job.tensor[t].type.bits == 8) group = 4;
    }
    const std::int32_t groups = job.shape.n / group;
    const int rest = job.shape.n % group;
    if (groups > 0) run_pass<kTensors>(job, group, 0, groups, group, pool);
    if (rest > 0) run_pass<kTensors>(job, group, groups, 1, rest, pool);
}

template void run_fixed<2>(const FixedJob<2>&, LanePool&);
template void run_fixed<3>(const FixedJob<3>&, LanePool&);
template void run_fixed<4>(const FixedJob<4>&, LanePool&);

}  // namespace okksim::models
