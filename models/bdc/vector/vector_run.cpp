// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/vector/vector_run.h"

#include <algorithm>
#include <cstring>

namespace okksim::models {
namespace {

constexpr std::int64_t kWordBytes = isa::kWordBytes;
/// Elements that a strided row gathers before it computes.
constexpr std::int64_t kChunk = 64;

/// A command ready to run; kTensors counts the destination.
template <std::size_t kTensors>
struct Job {
    LaneWalk<kTensors> walk;
    VectorRow row = nullptr;
    VectorParams params;
    bool in_order = false;  ///< sources and destination overlap
};

/// Any strides: gathers a chunk of every source, computes, scatters. With a chunk of one element
/// this is the defining element-by-element order.
template <std::size_t kTensors, typename Address>
void strided_row(const Job<kTensors>& job, const Address& row, const WalkNest<kTensors>& nest,
                 std::int64_t chunk) {
    std::uint32_t gathered[4][kChunk];
    std::array<SourceRow, 3> sources{};
    for (std::size_t s = 1; s < kTensors; ++s) sources[s - 1].data = gathered[s];
    for (std::int64_t begin = 0; begin < nest.count; begin += chunk) {
        const std::int64_t size = std::min(chunk, nest.count - begin);
        for (std::size_t s = 1; s < kTensors; ++s) {
            const std::byte* from = row(s) + begin * nest.row_stride[s];
            for (std::int64_t i = 0; i < size; ++i) {
                std::memcpy(&gathered[s][i], from + i * nest.row_stride[s], kWordBytes);
            }
        }
        job.row(job.params, gathered[0], sources, static_cast<std::size_t>(size));
        std::byte* to = row(0) + begin * nest.row_stride[0];
        for (std::int64_t i = 0; i < size; ++i) {
            std::memcpy(to + i * nest.row_stride[0], &gathered[0][i], kWordBytes);
        }
    }
}

template <std::size_t kTensors>
bool is_contiguous(const Job<kTensors>& job, const WalkNest<kTensors>& nest) {
    if (job.in_order) return false;
    bool contiguous = nest.row_stride[0] == kWordBytes || nest.count == 1;
    for (std::size_t s = 1; s < kTensors; ++s) {
        contiguous &=
            nest.row_stride[s] == kWordBytes || nest.row_stride[s] == 0 || nest.count == 1;
    }
    return contiguous;
}

/// Rows of contiguous or constant sources and a contiguous destination.
template <std::size_t kTensors>
void contiguous_lane(const Job<kTensors>& job, std::int64_t lane) {
    const WalkNest<kTensors>& nest = job.walk.nest(lane);
    alignas(64) std::uint32_t repeated[3][kMaxVectorWords];
    std::array<SourceRow, 3> sources;
    job.walk.for_each_row(lane, [&](const auto& row) {
        for (std::size_t s = 1; s < kTensors; ++s) {
            const auto* data = reinterpret_cast<const std::uint32_t*>(row(s));
            const bool constant = nest.row_stride[s] == 0;
            if (constant) {
                std::fill_n(repeated[s - 1], kMaxVectorWords, *data);
                data = repeated[s - 1];
            }
            sources[s - 1] = {data, constant ? 0u : 1u};
        }
        job.row(job.params, reinterpret_cast<std::uint32_t*>(row(0)), sources,
                static_cast<std::size_t>(nest.count));
    });
}

/// The common case, where every lane is one row that needs no preparation.
template <std::size_t kTensors>
void single_rows(const Job<kTensors>& job, std::int64_t begin, std::int64_t end) {
    std::array<SourceRow, 3> sources{};
    for (std::int64_t lane = begin; lane < end; ++lane) {
        const auto at = [&](std::size_t t) { return job.walk.tensors[t].lane(lane); };
        for (std::size_t s = 1; s < kTensors; ++s) {
            sources[s - 1].data = reinterpret_cast<const std::uint32_t*>(at(s));
        }
        job.row(job.params, reinterpret_cast<std::uint32_t*>(at(0)), sources,
                static_cast<std::size_t>(job.walk.nest(lane).count));
    }
}

template <std::size_t kTensors>
bool is_single_row(const WalkNest<kTensors>& nest) {
    bool single = nest.extent[0] * nest.extent[1] * nest.extent[2] == 1;
    for (std::size_t s = 1; s < kTensors; ++s) {
        single &= nest.count == 1 || nest.row_stride[s] != 0;
    }
    return single;
}

template <std::size_t kTensors>
void run_lanes(const Job<kTensors>& job, std::int64_t begin, std::int64_t end) {
    const FlushDenormals flush;
    const bool full = is_contiguous(job, job.walk.full);
    const bool rest = is_contiguous(job, job.walk.rest);
    if (full && rest && is_single_row(job.walk.full) && is_single_row(job.walk.rest)) {
        return single_rows(job, begin, end);
    }
    for (std::int64_t lane = begin; lane < end; ++lane) {
        const WalkNest<kTensors>& nest = job.walk.nest(lane);
        if (lane < job.walk.full_lanes ? full : rest) {
            contiguous_lane(job, lane);
            continue;
        }
        const bool repeats = nest.row_stride[0] == 0 && nest.count > 1;
        const std::int64_t chunk = job.in_order || repeats ? 1 : kChunk;
        job.walk.for_each_row(lane, [&](const auto& row) { strided_row(job, row, nest, chunk); });
    }
}

}  // namespace

template <std::size_t kTensors>
void run_vector(const VectorOperation& operation, const VectorParams& params,
                const isa::Dim4& shape, std::int32_t lanes,
                const std::array<WalkTensor, kTensors>& tensors, LanePool& pool) {
    Job<kTensors> job{make_walk<kTensors>(shape, lanes, tensors), operation.row, params};
    for (std::size_t s = 1; s < kTensors; ++s) {
        job.in_order |= order_matters(tensors[0], tensors[s], job.walk.extents, kWordBytes);
    }
    if (pool.threads() == 1) return run_lanes(job, 0, job.walk.lanes);
    const double element = operation.nanoseconds + operation.nanoseconds_per_term * params.terms;
    pool.parallel_for(job.walk.lanes, element * static_cast<double>(job.walk.lane_elements()),
                      [&job](std::int64_t begin, std::int64_t end) { run_lanes(job, begin, end); });
}

template void run_vector<1>(const VectorOperation&, const VectorParams&, const isa::Dim4&,
                            std::int32_t, const std::array<WalkTensor, 1>&, LanePool&);
template void run_vector<2>(const VectorOperation&, const VectorParams&, const isa::Dim4&,
                            std::int32_t, const std::array<WalkTensor, 2>&, LanePool&);
template void run_vector<3>(const VectorOperation&, const VectorParams&, const isa::Dim4&,
                            std::int32_t, const std::array<WalkTensor, 3>&, LanePool&);
template void run_vector<4>(const VectorOperation&, const VectorParams&, const isa::Dim4&,
                            std::int32_t, const std::array<WalkTensor, 4>&, LanePool&);

}  // namespace okksim::models
