// SPDX-License-Identifier: Apache-2.0
#include "models/gdma/gdma_timing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <span>

#include "isa/base/errors.h"
#include "isa/tensors.h"
#include "models/gdma/gdma_params.h"

namespace okksim::models {
namespace {

using isa::TensorView;

constexpr int kDimensions = 4;

/// Extents or strides from the innermost dimension (w) outwards.
using Inwards = std::array<std::int64_t, kDimensions>;
constexpr int kH = 1;
constexpr int kC = 2;

Inwards inwards(const isa::Dim4& value) { return {value.w, value.h, value.c, value.n}; }

/// One side of a transfer over the command's common iteration space.
struct PricedSide {
    bool local = false;
    std::int64_t element_bytes = 0;
    std::uint64_t offset = 0;  ///< byte address
    Inwards stride{};          ///< elements
};

/// The iteration space of a transfer and its one or two sides. A matrix is walked in the shape that
/// it has in local memory; the last channel may hold fewer columns than the others.
struct Transfer {
    Inwards extent{};
    std::array<PricedSide, 2> side_storage{};
    int side_count = 0;
    std::span<const PricedSide> sides() const {
        return {side_storage.data(), static_cast<std::size_t>(side_count)};
    }
};

PricedSide make_side(const TensorView& view) {
    PricedSide side;
    side.local = view.local;
    side.element_bytes = view.element_bytes;
    side.offset = view.local ? view.local_addr.value : view.system_addr.value();
    side.stride = inwards(view.stride);
    return side;
}

Transfer make_transfer(const isa::TensorViews& views) {
    Transfer transfer;
    const TensorView* matrix = nullptr;
    for (const TensorView& view : views) {
        if (view.last_channel_w != 0) matrix = &view;
    }
    transfer.extent = inwards(matrix != nullptr ? matrix->shape : views[0].shape);
    if (matrix != nullptr && matrix->shape.c == 1) transfer.extent[0] = matrix->last_channel_w;
    for (const TensorView& view : views) {
        PricedSide side = make_side(view);
        if (matrix != nullptr && !view.local) side.stride[kC] = matrix->shape.w;
        transfer.side_storage[static_cast<std::size_t>(transfer.side_count++)] = side;
    }
    return transfer;
}

/// Contiguous run: dimensions merge from the innermost outwards while the next stride of every side
/// continues the run. Neighbouring channels of local memory are in different lanes.
struct Run {
    std::int64_t elements = 1;
    int dimensions = 0;  ///< dimensions that the run spans; those with extent 1 count as spanned
};

Run common_run(const Inwards& extent, std::span<const PricedSide> sides) {
    Run run;
    for (; run.dimensions < kDimensions; ++run.dimensions) {
        const auto d = static_cast<std::size_t>(run.dimensions);
        if (extent[d] == 1) continue;
        for (const PricedSide& side : sides) {
            const bool next_lane = side.local && run.dimensions >= kC;
            if (next_lane || side.stride[d] != run.elements) return run;
        }
        run.elements *= extent[d];
    }
    return run;
}

std::int64_t count(const Inwards& extent, int first_dimension) {
    std::int64_t product = 1;
    for (int d = first_dimension; d < kDimensions; ++d) {
        product *= extent[static_cast<std::size_t>(d)];
    }
    return product;
}

/// Returns the share of pieces with a system address that is not a multiple of `alignment`. Start
/// offsets modulo the alignment are taken as equally frequent.
double misaligned_share(const Transfer& transfer, const Run& run, std::uint64_t alignment) {
    for (const PricedSide& side : transfer.sides()) {
        if (side.local) continue;
        std::uint64_t step = alignment;  // between the start addresses of pieces
        for (int d = run.dimensions; d < kDimensions; ++d) {
            const auto i = static_cast<std::size_t>(d);
            if (transfer.extent[i] == 1) continue;
            step = std::gcd(
                step, static_cast<std::uint64_t>(std::abs(side.stride[i] * side.element_bytes)));
        }
        if (side.offset % step != 0) return 1;
        return 1 - static_cast<double>(step) / static_cast<double>(alignment);
    }
    return 0;
}

/// Returns the runs of one system side alone, which may be longer than the pieces.
MemoryRequest system_request(const TensorView& view) {
    const PricedSide side = make_side(view);
    const Inwards extent = inwards(view.shape);
    const Run run = common_run(extent, {&side, 1});
    MemoryRequest request;
    request.address = side.offset;
    request.run_bytes = static_cast<std::uint64_t>(run.elements * side.element_bytes);
    request.runs = static_cast<std::uint64_t>(count(extent, run.dimensions));
    if (run.dimensions < kDimensions) {
        const std::int64_t step = side.stride[static_cast<std::size_t>(run.dimensions)];
        request.pitch_bytes = static_cast<std::uint64_t>(std::abs(step * side.element_bytes));
    }
    return request;
}

/// Returns the runs of one side in the order of its addresses, whatever the order of its
/// dimensions. This is the traffic of a transposing engine. A reader reads through gaps below
/// `line` bytes instead of starting a new run. Each channel in local memory is a separate run.
MemoryRequest memory_order_request(const TensorView& view, std::int64_t line) {
    const PricedSide side = make_side(view);
    const Inwards extent = inwards(view.shape);
    const bool reads = view.access == isa::Access::kRead;
    std::array<std::size_t, kDimensions> order{0, 1, 2, 3};
    const auto distance = [&](std::size_t d) {
        return view.local && d == kC ? std::numeric_limits<std::int64_t>::max()
                                     : std::abs(side.stride[d]) * side.element_bytes;
    };
    std::ranges::stable_sort(order, {}, distance);
    MemoryRequest request;
    std::int64_t run = side.element_bytes;
    request.runs = 1;
    for (const std::size_t d : order) {
        if (extent[d] == 1) continue;
        const std::int64_t gap = distance(d) - run;
        if (request.runs == 1 && (gap == 0 || (reads && gap < line))) {
            run += (extent[d] - 1) * distance(d);
        } else {
            if (request.runs == 1 && !view.local) {
                request.pitch_bytes = static_cast<std::uint64_t>(distance(d));
            }
            request.runs *= static_cast<std::uint64_t>(extent[d]);
        }
    }
    request.run_bytes = static_cast<std::uint64_t>(run);
    request.address = side.offset;
    for (std::size_t d = 0; d < kDimensions && !view.local; ++d) {
        const std::int64_t reach = (extent[d] - 1) * side.stride[d] * side.element_bytes;
        if (reach < 0) request.address -= static_cast<std::uint64_t>(-reach);
    }
    return request;
}

template <typename Request>
GdmaTransfer transfer_of(const isa::TensorViews& views, const Request& request) {
    GdmaTransfer moved;
    // The system side of a matrix gives the number of its columns.
    for (const TensorView& view : views) {
        const std::uint64_t bytes =
            view.element_count() * static_cast<std::uint64_t>(view.element_bytes);
        moved.bytes = moved.bytes == 0 ? bytes : std::min(moved.bytes, bytes);
        const bool reads = view.access == isa::Access::kRead;
        if (!view.local) (reads ? moved.read : moved.write) = request(view);
        if (view.local && reads) moved.reads_local = true;
    }
    return moved;
}

/// Returns the transfer of a transposing copy.
GdmaTransfer transposed_transfer(const isa::TensorViews& views, const isa::MachineShape& machine) {
    return transfer_of(views, [&](const TensorView& view) {
        return memory_order_request(view, machine.line_bytes());
    });
}

/// Returns the transfer of a copy by a list: dst, src, index. `table` is the index of the tensor
/// whose rows the list names.
GdmaTransfer indexed_transfer(const isa::TensorViews& views, std::size_t table) {
    const TensorView& index = views[2];
    const auto rows = index.element_count();
    TensorView row = views[table];
    row.shape.n = row.shape.c = 1;
    const std::uint64_t row_bytes =
        row.element_count() * static_cast<std::uint64_t>(row.element_bytes);
    MemoryRequest named = system_request(row);
    named.runs *= rows;
    named.pitch_bytes = static_cast<std::uint64_t>(
        std::abs(std::int64_t{views[table].stride.c} * views[table].element_bytes));
    GdmaTransfer moved;
    moved.bytes = rows * (row_bytes + static_cast<std::uint64_t>(index.element_bytes));
    const bool gathers = table == 1;
    moved.read = gathers ? named : system_request(views[1]);
    moved.write = gathers ? system_request(views[0]) : named;
    return moved;
}

/// Returns the requests of a command to the memories.
GdmaTransfer transfer_of(const isa::Command& command, const isa::MachineShape& machine) {
    const isa::TensorViews views = isa::tensor_views(command, machine);
    switch (command.info().timing) {
        case isa::TimingClass::kGdmaTranspose: return transposed_transfer(views, machine);
        case isa::TimingClass::kGdmaGather: return indexed_transfer(views, 1);
        case isa::TimingClass::kGdmaScatter: return indexed_transfer(views, 0);
        default: return transfer_of(views, system_request);
    }
}

/// True if pieces are planes of several lines in one lane.
bool moves_planes(const Transfer& transfer, const Run& run) {
    const bool lines = transfer.extent[0] > 1 && transfer.extent[kH] > 1;
    return lines && run.dimensions > kH;
}

double port_bytes_per_cycle(const Transfer& transfer, const Run& run, const GdmaParams& params) {
    int local_sides = 0;
    double rate = params.local_bytes_per_cycle;
    for (const PricedSide& side : transfer.sides()) {
        if (side.local) {
            ++local_sides;
        } else {
            rate = std::min(rate, params.system_bytes_per_cycle);
        }
    }
    if (local_sides == 2) return std::min(rate, params.local_copy_bytes_per_cycle);
    const bool between_memories = local_sides == 1 && transfer.side_count == 2;
    if (between_memories && moves_planes(transfer, run)) {
        rate = std::min(rate, params.plane_bytes_per_cycle);
    }
    return rate;
}

Cycles whole_cycles(double cycles) { return {static_cast<std::int64_t>(std::ceil(cycles))}; }

// Cost formulas of the GDMA engine; rows of isa/timing_classes.def name them.
namespace laws {

/// Pieces that pass the engine's ports and the memories at these ports (models/gdma/README.md).
GdmaCost transfer(const isa::Command& command, const isa::MachineShape& machine,
                  const GdmaParams& params) {
    const isa::TensorViews views = isa::tensor_views(command, machine);
    const Transfer transfer = make_transfer(views);
    const Run run = common_run(transfer.extent, transfer.sides());

    GdmaCost cost;
    cost.setup = {params.setup_cycles};
    cost.pieces = static_cast<std::uint64_t>(count(transfer.extent, run.dimensions));
    const GdmaTransfer moved = transfer_of(views, system_request);
    cost.bytes = moved.bytes;
    cost.read = moved.read;
    cost.write = moved.write;

    double cycles_per_piece = params.piece_cycles;
    if (cost.read && cost.write) cycles_per_piece += params.system_copy_piece_cycles;
    const bool between_memories = transfer.side_count == 2 && (cost.read || cost.write);
    if (between_memories) {
        const auto piece_bytes =
            static_cast<double>(run.elements * transfer.side_storage[0].element_bytes);
        cycles_per_piece +=
            misaligned_share(transfer, run, static_cast<std::uint64_t>(params.alignment_bytes)) *
            std::min(piece_bytes, params.realign_bytes) / params.beat_bytes *
            params.realign_cycles_per_beat;
    }
    cost.overhead = whole_cycles(static_cast<double>(cost.pieces) * cycles_per_piece);
    cost.port =
        whole_cycles(static_cast<double>(cost.bytes) / port_bytes_per_cycle(transfer, run, params));
    return cost;
}

/// Both sides in the order of their addresses, at the rate of the transposing buffer.
GdmaCost transposition(const isa::Command& command, const isa::MachineShape& machine,
                       const GdmaParams& params) {
    const isa::TensorViews views = isa::tensor_views(command, machine);
    const GdmaTransfer moved = transposed_transfer(views, machine);
    GdmaCost cost;
    cost.setup = {params.setup_cycles};
    cost.bytes = moved.bytes;
    cost.read = moved.read;
    cost.write = moved.write;
    for (const auto& request : {moved.read, moved.write}) {
        if (request) cost.pieces += request->runs;
    }
    for (const TensorView& view : views) {
        if (view.local) cost.pieces += memory_order_request(view, machine.line_bytes()).runs;
    }
    cost.overhead = whole_cycles(static_cast<double>(cost.pieces) * params.piece_cycles);
    cost.port = whole_cycles(static_cast<double>(cost.bytes) / params.transpose_bytes_per_cycle);
    return cost;
}

/// One piece for every run of a row at either end and for every index. Bytes take the rate of
/// copies between memories; the bytes of the list are added.
GdmaCost indexed(const isa::Command& command, const isa::MachineShape& machine,
                 const GdmaParams& params) {
    const GdmaTransfer moved = transfer_of(command, machine);
    GdmaCost cost;
    cost.setup = {params.setup_cycles};
    cost.bytes = moved.bytes;
    cost.read = moved.read;
    cost.write = moved.write;
    cost.pieces = std::max(moved.read->runs, moved.write->runs);
    cost.overhead = whole_cycles(static_cast<double>(cost.pieces) *
                                 (params.piece_cycles + params.system_copy_piece_cycles));
    cost.port = whole_cycles(static_cast<double>(cost.bytes) / params.system_bytes_per_cycle);
    return cost;
}

}  // namespace laws

using Law = GdmaCost (*)(const isa::Command& command, const isa::MachineShape& machine,
                         const GdmaParams& params);
/// Cost formula of every timing class; nullptr for classes of the compute engine.
constexpr auto kLaws = std::to_array<Law>({
#define OKKSIM_LAW_kGdma(law) laws::law
#define OKKSIM_LAW_kBdc(law) nullptr
#define OKKSIM_TIMING_CLASS(name, engine, law, ...) OKKSIM_LAW_##engine(law),
#include "isa/timing_classes.def"
#undef OKKSIM_TIMING_CLASS
#undef OKKSIM_LAW_kGdma
#undef OKKSIM_LAW_kBdc
});

}  // namespace

GdmaTransfer gdma_transfer(const isa::Command& command, const isa::MachineShape& machine) {
    return transfer_of(command, machine);
}

GdmaCost gdma_cost(const isa::Command& command, const isa::MachineShape& machine,
                   const GdmaParams& params) {
    const Law law = kLaws[static_cast<std::size_t>(command.info().timing)];
    OKKSIM_CHECK(law != nullptr);
    return law(command, machine, params);
}

CommandCost gdma_time(const GdmaCost& cost, const Clock& clock, Picoseconds start,
                      const std::optional<MemoryReply>& read,
                      const std::optional<MemoryReply>& write) {
    const Picoseconds setup = clock.duration(cost.setup);
    const Picoseconds overhead = clock.duration(cost.overhead);
    CommandCost time;
    Picoseconds memory;  // time beyond the set-up
    for (const auto& reply : {read, write}) {
        if (!reply || reply->end() - start - setup <= memory) continue;
        memory = reply->end() - start - setup;
        time.memory_latency = reply->latency;
        time.memory_bandwidth = memory - reply->latency;
    }
    const Picoseconds port = clock.duration(cost.port);
    if (port > memory + overhead) return {.work = setup + port};
    time.work = setup + overhead;
    return time;
}

CommandCost gdma_time(const isa::Command& command, const isa::MachineShape& machine,
                      const GdmaParams& params, const Clock& clock, Picoseconds start,
                      MemorySystem& memories) {
    const GdmaCost cost = gdma_cost(command, machine, params);
    const Picoseconds arrival = start + clock.duration(cost.setup);
    const auto ask = [&](const MemoryRequest& request, MemoryDirection direction) {
        return memories.serve({request, direction, arrival, Arbitration::kArrival, &command});
    };
    std::optional<MemoryReply> read;
    std::optional<MemoryReply> write;
    if (cost.read) read = ask(*cost.read, MemoryDirection::kRead);
    if (cost.write) write = ask(*cost.write, MemoryDirection::kWrite);
    return gdma_time(cost, clock, start, read, write);
}

}  // namespace okksim::models
