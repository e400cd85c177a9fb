// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/checkpoints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "isa/tensors.h"
#include "models/bdc/bdc_work.h"
#include "models/chip/chip_params.h"
#include "models/memory/poison_read.h"

namespace okksim::sim::trace {
namespace {

constexpr std::int64_t kPieceBytes = 4096;
/// Ranges of system memory with a smaller gap, in bytes, become one range.
constexpr std::uint64_t kGapBytes = 4096;

/// Host work of a command and of each element that it writes, in units of operations.
constexpr std::uint64_t kWorkOfCommand = 10'000;
constexpr std::uint64_t kWorkOfElement = 8;

}  // namespace

Checkpoints::Checkpoints(const Machine& machine, models::LocalMemory& local,
                         models::SystemMemory& system, std::uint64_t work_apart,
                         std::uint64_t most_bytes)
    : shape_(machine.params.shape()),
      local_start_(static_cast<std::uint64_t>(machine.params.chip->local_memory_start)),
      local_(local),
      system_(system),
      work_apart_(work_apart),
      bytes_left_(most_bytes) {}

void Checkpoints::submitted(const isa::Command& command) {
    const isa::TensorViews views = isa::tensor_views(command, shape_);
    work_ += kWorkOfCommand;
    if (command.info().engine == isa::Engine::kBdc) work_ += models::bdc_operations(command);
    for (const isa::TensorView& view : views) {
        if (view.access == isa::Access::kRead) continue;
        work_ += kWorkOfElement * view.element_count();
        if (view.local) continue;
        const isa::ByteInterval touched = isa::touched_bytes(view, shape_);
        note_written(static_cast<std::uint64_t>(touched.low),
                     static_cast<std::uint64_t>(touched.high));
    }
}

void Checkpoints::note_written(std::uint64_t begin, std::uint64_t end) {
    auto at = written_.upper_bound(begin);
    if (at != written_.begin() && std::prev(at)->second + kGapBytes >= begin) --at;
    while (at != written_.end() && at->first <= end + kGapBytes) {
        begin = std::min(begin, at->first);
        end = std::max(end, at->second);
        at = written_.erase(at);
    }
    written_.emplace(begin, end);
}

/// Adds the contents of local memory, without pieces that hold only poison.
void Checkpoints::add_lanes(std::vector<Piece>& pieces) const {
    for (std::int32_t lane = 0; lane < shape_.lanes; ++lane) {
        bool follows = false;
        for (std::int64_t at = 0; at < shape_.local_bytes; at += kPieceBytes) {
            const std::int64_t size = std::min(kPieceBytes, shape_.local_bytes - at);
            const std::byte* const bytes = local_.at(lane, at);
            if (models::all_poison(bytes, size)) {
                follows = false;
                continue;
            }
            if (follows) {
                std::span<const std::byte>& last = pieces.back().bytes;
                last = {last.data(), last.size() + static_cast<std::size_t>(size)};
            } else {
                const auto offset = static_cast<std::uint64_t>(lane * shape_.local_bytes + at);
                pieces.push_back({local_start_ + offset, {bytes, static_cast<std::size_t>(size)}});
            }
            follows = true;
        }
    }
}

void Checkpoints::add_system(std::vector<Piece>& pieces) const {
    for (const auto& [first, last] : written_) {
        for (const isa::MemoryRegion& region : shape_.memories()) {
            const std::uint64_t begin = std::max(first, region.start);
            const std::uint64_t end = std::min(last, region.start + region.bytes);
            if (begin >= end) continue;
            const std::byte* const bytes = system_.pointer(begin, end - begin);
            if (bytes != nullptr) pieces.push_back({begin, {bytes, end - begin}});
        }
    }
}

void Checkpoints::write(const std::vector<std::uint64_t>& ahead, CommandTraceWriter& writer) {
    TraceEntry entry;
    entry.kind = EntryKind::kBuffer;
    entry.name = fmt::format("{}{}", kCheckpointName, fmt::join(ahead, ","));
    if (entry.name.size() > kLongestName) return;  // try again after the next command
    work_ = 0;
    std::vector<Piece> pieces;
    add_lanes(pieces);
    add_system(pieces);
    for (const Piece& piece : pieces) entry.access.bytes += piece.bytes.size();
    if (entry.access.bytes > bytes_left_) return;
    bytes_left_ -= entry.access.bytes;
    writer.add(entry);
    for (const Piece& piece : pieces) {
        TraceEntry data;
        data.kind = EntryKind::kData;
        data.access.address = isa::SystemAddr::from(piece.address);
        data.data = piece.bytes;
        writer.add(data);
    }
}

}  // namespace okksim::sim::trace
