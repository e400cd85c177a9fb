// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/typed/typed_run.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace okksim::models {
namespace {

constexpr std::size_t kTensors = 1 + kMostTypedSources;
using Walk = LaneWalk<kTensors>;

/// Host nanoseconds per element and source.
constexpr double kNanoseconds = 1.0;

/// Bytes that a tensor touches in a lane, as the union over the lanes.
struct Bytes {
    const std::byte* low;
    const std::byte* high;
};
Bytes touched(const TypedTensor& tensor, const Walk& walk) {
    const std::byte* first = tensor.walk.base;
    Bytes bytes{first, first + isa::element_bytes(tensor.type)};
    WalkExtents extents = walk.extents;
    // After the wrap-around, lanes hold all data one channel slot further.
    if (tensor.walk.wrap_lane < walk.lanes) ++extents[1];
    for (std::size_t i = 0; i < extents.size(); ++i) {
        const std::int64_t reach = (extents[i] - 1) * tensor.walk.stride[i];
        (reach < 0 ? bytes.low : bytes.high) += reach;
    }
    return bytes;
}

/// True if elements of a result may share bytes.
bool may_repeat(const TypedTensor& result, const WalkExtents& extents) {
    std::array<std::pair<std::int64_t, std::int64_t>, 4> steps{};  // distance, extent
    for (std::size_t i = 0; i < extents.size(); ++i) {
        steps[i] = {extents[i] > 1 ? std::abs(result.walk.stride[i]) : 0, extents[i]};
    }
    std::sort(steps.begin(), steps.end());
    std::int64_t reach = isa::element_bytes(result.type);
    for (const auto& [distance, extent] : steps) {
        if (extent > 1 && distance < reach) return true;
        reach += distance * (extent - 1);
    }
    return false;
}

/// True if a result may be written before the source of another element is read.
bool may_disturb(const TypedCommand& command, const Walk& walk) {
    const TypedTensor& result = command.tensors[0];
    const Bytes written = touched(result, walk);
    const bool repeats = may_repeat(result, walk.extents);
    for (std::size_t i = 1; i < command.count; ++i) {
        const TypedTensor& source = command.tensors[i];
        if (!repeats && source.walk.base == result.walk.base &&
            source.walk.stride == result.walk.stride &&
            isa::element_bytes(source.type) == isa::element_bytes(result.type)) {
            continue;  // every element is computed in place
        }
        const Bytes read = touched(source, walk);
        if (read.low < written.high && written.low < read.high) return true;
    }
    if (command.table == nullptr) return false;
    const std::byte* table = command.table->walk.lane(0);
    return table < written.high && written.low < table + command.table->bytes;
}

class Run {
 public:
    Run(const TypedCommand& command, const void* operation, TypedStep step, std::int32_t lanes)
        : command_(command), operation_(operation), step_(step) {
        std::array<WalkTensor, kTensors> tensors{};
        for (std::size_t i = 0; i < command.count; ++i) tensors[i] = command.tensors[i].walk;
        walk_ = make_walk<kTensors>(command.shape, lanes, tensors);
        buffers_ = may_disturb(command, walk_);
    }

    const Walk& walk() const { return walk_; }

    void lane(std::int64_t lane) const {
        if (!buffers_) {
            each_chunk(lane, [&](const auto& results, const IntegerRow& to, std::int64_t count) {
                store_integers(to, count, results.data(), command_.saturates);
            });
            return;
        }
        std::vector<std::int64_t> kept;
        each_chunk(lane, [&](const auto& results, const IntegerRow&, std::int64_t count) {
            kept.insert(kept.end(), results.begin(), results.begin() + count);
        });
        const std::int64_t* next = kept.data();
        const WalkNest<kTensors>& nest = walk_.nest(lane);
        walk_.for_each_row(lane, [&](const auto& row) {
            store_integers({row(0), nest.row_stride[0], command_.tensors[0].type}, nest.count, next,
                           command_.saturates);
            next += nest.count;
        });
    }

 private:
    template <typename Take>
    void each_chunk(std::int64_t lane, const Take& take) const {
        const WalkNest<kTensors>& nest = walk_.nest(lane);
        std::array<std::int64_t, kTypedChunk> sources[kMostTypedSources];
        std::array<std::int64_t, kTypedChunk> results{};
        const std::byte* table =
            command_.table != nullptr ? command_.table->walk.lane(lane) : nullptr;
        walk_.for_each_row(lane, [&](const auto& row) {
            for (std::int64_t begin = 0; begin < nest.count; begin += kTypedChunk) {
                const std::int64_t count = std::min(kTypedChunk, nest.count - begin);
                const auto part = [&](std::size_t i) {
                    return IntegerRow{row(i) + begin * nest.row_stride[i], nest.row_stride[i],
                                      command_.tensors[i].type};
                };
                for (std::size_t i = 1; i < command_.count; ++i) {
                    load_integers(part(i), count, sources[i - 1].data());
                }
                step_(operation_, table, sources, results.data(), count);
                take(results, part(0), count);
            }
        });
    }

    const TypedCommand& command_;
    const void* operation_;
    TypedStep step_;
    Walk walk_;
    bool buffers_ = false;
};

}  // namespace

void run_typed(const TypedCommand& command, const void* operation, TypedStep step,
               std::int32_t lanes, LanePool& pool) {
    const Run run(command, operation, step, lanes);
    const double lane_nanoseconds = kNanoseconds * static_cast<double>(command.count) *
                                    static_cast<double>(run.walk().lane_elements());
    pool.parallel_for(run.walk().lanes, lane_nanoseconds,
                      [&run](std::int64_t begin, std::int64_t end) {
                          for (std::int64_t lane = begin; lane < end; ++lane) run.lane(lane);
                      });
}

}  // namespace okksim::models
