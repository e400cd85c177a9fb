// SPDX-License-Identifier: Apache-2.0
#include "models/gdma/gdma_timing.h"

#include "isa/layout.h"
#include "models/gdma/gdma_params.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace {

using namespace okksim;
using models::GdmaCost;
using models::GdmaParams;

constexpr std::int32_t kLanes = 64;

isa::MachineShape machine() { return tests::small_machine(kLanes, 512 * 1024); }

/// Costs of round numbers: 100 cycles of set-up, 1 per piece, 2 per shifted beat of 32 bytes up to
/// 256. Port widths in bytes per cycle: 64, planes 32, local copies 16, transposing 8, system 128.
/// Pieces at 64-byte addresses are aligned.
GdmaParams round_params() {
    GdmaParams params;
    params.clock_mhz = 1000;
    params.setup_cycles = 100;
    params.piece_cycles = 1;
    params.system_copy_piece_cycles = 5;
    params.alignment_bytes = 64;
    params.beat_bytes = 32;
    params.realign_cycles_per_beat = 2;
    params.realign_bytes = 256;
    params.local_bytes_per_cycle = 64;
    params.plane_bytes_per_cycle = 32;
    params.local_copy_bytes_per_cycle = 16;
    params.system_bytes_per_cycle = 128;
    params.transpose_bytes_per_cycle = 8;
    return params;
}

template <typename Form>
GdmaCost cost_of(isa::Opcode opcode, const Form& form) {
    return models::gdma_cost(isa::Command::make(opcode, form), machine(), round_params());
}

isa::GdmaCopyToLocal load(const isa::Dim4& shape, std::uint64_t offset = 0) {
    isa::GdmaCopyToLocal form;
    form.src_addr = isa::SystemAddr::from(machine().global_start + offset);
    form.shape = shape;
    form.dst_stride = isa::aligned_stride(0, shape, 32, kLanes, 128);
    form.src_stride = isa::continuous_stride(shape);
    return form;
}

GdmaCost load_cost(const isa::GdmaCopyToLocal& form) {
    return cost_of(isa::Opcode::gdma_32bit_cpy_S2L, form);
}

isa::GdmaMatrixToLocal load_matrix(std::int32_t rows, std::int32_t cols, std::int32_t per_channel,
                                   std::int32_t row_stride) {
    isa::GdmaMatrixToLocal form;
    form.src_addr = isa::SystemAddr::from(machine().global_start);
    form.rows = rows;
    form.cols = cols;
    form.cols_per_channel = per_channel;
    form.row_stride = row_stride;
    return form;
}

}  // namespace

TEST_CASE("a dense tensor is one run in system memory and one piece per channel and batch") {
    const GdmaCost cost = load_cost(load({2, 3, 1, 64}));
    CHECK(cost.setup.value == 100);
    CHECK(cost.bytes == 2 * 3 * 64 * 4);
    REQUIRE(cost.read);
    CHECK_FALSE(cost.write);
    CHECK(*cost.read == models::MemoryRequest{1, 1536, 0, machine().global_start});
    CHECK(cost.pieces == 6);
    CHECK(cost.overhead.value == 6);  // 256-byte steps need no shift
    CHECK(cost.port.value == 24);     // 1536 bytes / 64
}

TEST_CASE("planes of several lines go through the narrower port") {
    CHECK(load_cost(load({1, 2, 16, 16})).port.value == 64);   // 2048 bytes / 32
    CHECK(load_cost(load({1, 2, 2, 256})).port.value == 128);  // two lines are: 4096 bytes / 32
    CHECK(load_cost(load({1, 2, 256, 2})).port.value == 128);  // and lines of two elements
    // One line, or lines of one element, are not planes.
    CHECK(load_cost(load({1, 2, 1, 256})).port.value == 32);
    CHECK(load_cost(load({1, 2, 256, 1})).port.value == 32);
    // Lines that are not contiguous in system memory are separate pieces: 1 x 2 x 16 of 64 bytes.
    isa::GdmaCopyToLocal apart = load({1, 2, 16, 16});
    apart.src_stride = {1024, 512, 32, 1};
    const GdmaCost cost = load_cost(apart);
    CHECK(cost.port.value == 32);
    CHECK(cost.pieces == 32);
    CHECK(*cost.read == models::MemoryRequest{32, 64, 128, machine().global_start});
}

TEST_CASE("pieces at unaligned system addresses are shifted") {
    // 4 channels of 80 bytes begin at 0, 16, 32 and 48 within 64: three of four are shifted.
    // 1 + 3 / 4 * 80 / 32 * 2 = 4.75 cycles each.
    CHECK(load_cost(load({1, 4, 1, 20})).overhead.value == 19);
    // From address 4 all of them are: 6 cycles each.
    CHECK(load_cost(load({1, 4, 1, 20}, 4)).overhead.value == 24);
    // From address 16, one of four is not.
    CHECK(load_cost(load({1, 4, 1, 20}, 16)).overhead.value == 19);
    // 4 channels of 512 bytes from address 4: 1 + 256 / 32 * 2 = 17 cycles each.
    CHECK(load_cost(load({1, 4, 1, 128}, 4)).overhead.value == 68);
    CHECK(load_cost(load({1, 4, 1, 128})).overhead.value == 4);
}

TEST_CASE("matrix rows are runs of system memory; each channel's columns are a piece") {
    // 10 rows of 100 columns, 32 to a channel: 4 channels, the last with 4 columns.
    const GdmaCost cost =
        cost_of(isa::Opcode::gdma_32bit_matrix_S2L, load_matrix(10, 100, 32, 128));
    CHECK(cost.bytes == 10 * 100 * 4);
    CHECK(*cost.read == models::MemoryRequest{10, 400, 512, machine().global_start});
    CHECK(cost.pieces == 40);
    CHECK(cost.overhead.value == 40);
    CHECK(cost.port.value == 63);  // 4000 / 64, rounded up
    // Contiguous rows form one run.
    const GdmaCost dense =
        cost_of(isa::Opcode::gdma_32bit_matrix_S2L, load_matrix(10, 128, 32, 128));
    CHECK(*dense.read == models::MemoryRequest{1, 5120, 0, machine().global_start});
    CHECK(dense.pieces == 40);
    // Fewer columns than a channel holds: pieces of 12 bytes, 15 of 16 of them shifted:
    // 1 + 15 / 16 * 12 / 32 * 2 = 1.703 cycles.
    const GdmaCost narrow = cost_of(isa::Opcode::gdma_32bit_matrix_S2L, load_matrix(8, 3, 16, 3));
    CHECK(narrow.pieces == 8);
    CHECK(narrow.overhead.value == 14);
}

TEST_CASE("copies inside one memory and fills ask for their own sides only") {
    isa::GdmaCopyLocal local;
    local.shape = {1, 64, 1, 32};
    local.dst_addr = {4096};
    local.dst_stride = local.src_stride = isa::aligned_stride(0, local.shape, 32, kLanes, 128);
    const GdmaCost copy = cost_of(isa::Opcode::gdma_32bit_cpy_L2L, local);
    CHECK_FALSE(copy.read);
    CHECK_FALSE(copy.write);
    CHECK(copy.port.value == 512);  // 8192 bytes / 16
    CHECK(copy.overhead.value == 64);

    isa::GdmaCopySystem system;
    system.shape = {1, 1, 1, 1024};
    system.src_addr = isa::SystemAddr::from(machine().global_start);
    system.dst_addr = isa::SystemAddr::from(machine().global_start + 8192);
    system.dst_stride = system.src_stride = isa::continuous_stride(system.shape);
    const GdmaCost moved = cost_of(isa::Opcode::gdma_32bit_cpy_S2S, system);
    REQUIRE(moved.read);
    REQUIRE(moved.write);
    CHECK(moved.write->address == machine().global_start + 8192);
    CHECK(moved.overhead.value == 6);  // one piece: 1 + 5
    CHECK(moved.port.value == 64);     // 4096 / 64

    isa::GdmaFillLocal fill;
    fill.shape = {1, 64, 1, 32};
    fill.dst_stride = isa::aligned_stride(0, fill.shape, 32, kLanes, 128);
    CHECK(cost_of(isa::Opcode::gdma_32bit_set_C_local, fill).port.value == 128);
}

namespace {

/// Loads pixels of `channels` bytes, `width` to a row, into lanes.
isa::GdmaTransposeToLocal load_pixels(const isa::Dim4& shape, const isa::Dim4& from) {
    isa::GdmaTransposeToLocal form;
    form.src_addr = isa::SystemAddr::from(machine().global_start);
    form.shape = shape;
    form.dst_stride = isa::aligned_stride(0, shape, 8, kLanes, 128);
    form.src_stride = from;
    form.element_type = isa::ElementType::kInt8;
    return form;
}
GdmaCost pixels_cost(const isa::GdmaTransposeToLocal& form) {
    return cost_of(isa::Opcode::gdma_transpose_S2L, form);
}

/// Cost of storing bytes from lanes to system memory.
GdmaCost stored_cost(const isa::Dim4& shape, const isa::Dim4& to) {
    isa::GdmaTransposeToSystem form;
    form.dst_addr = isa::SystemAddr::from(machine().global_start);
    form.shape = shape;
    form.dst_stride = to;
    form.src_stride = isa::aligned_stride(0, shape, 8, kLanes, 128);
    form.element_type = isa::ElementType::kInt8;
    return cost_of(isa::Opcode::gdma_transpose_L2S, form);
}

}  // namespace

TEST_CASE("a transposing copy meets both sides in the order in which they lie in memory") {
    // 10 rows of 20 pixels of 3 channels: one run of 600 bytes in system memory, and a run in each
    // of three lanes.
    const GdmaCost cost = pixels_cost(load_pixels({1, 3, 10, 20}, {600, 1, 60, 3}));
    CHECK(cost.setup.value == 100);
    CHECK(cost.bytes == 600);
    REQUIRE(cost.read);
    CHECK(*cost.read == models::MemoryRequest{1, 600, 0, machine().global_start});
    CHECK_FALSE(cost.write);
    CHECK(cost.pieces == 4);
    CHECK(cost.overhead.value == 4);
    CHECK(cost.port.value == 75);  // 600 bytes / 8
    // The store writes the same bytes that the load reads.
    const GdmaCost stored = stored_cost({1, 3, 10, 20}, {600, 1, 60, 3});
    CHECK(*stored.write == *cost.read);
    CHECK(stored.pieces == 4);
}

TEST_CASE("a reader passes over gaps below a vector, a writer begins anew") {
    // Every second of 40 pixels of 3 bytes in 10 rows. A row has 38 pixels and 3 bytes from its
    // first byte to its last pixel; 3 bytes are between two rows.
    const GdmaCost gaps = pixels_cost(load_pixels({1, 3, 10, 20}, {1200, 1, 120, 6}));
    CHECK(*gaps.read == models::MemoryRequest{1, 9 * 120 + 117, 0, machine().global_start});
    // Rows 117 + 127 bytes apart form one run; rows with a gap of a vector (128 bytes) form ten.
    const GdmaCost near = pixels_cost(load_pixels({1, 3, 10, 20}, {9999, 1, 244, 6}));
    CHECK(near.read->runs == 1);
    const GdmaCost far = pixels_cost(load_pixels({1, 3, 10, 20}, {9999, 1, 245, 6}));
    CHECK(*far.read == models::MemoryRequest{10, 117, 245, machine().global_start});
    CHECK(far.pieces == 13);
    // Stores of single bytes six apart.
    const GdmaCost stored = stored_cost({1, 1, 10, 20}, {1200, 1, 120, 6});
    CHECK(*stored.write == models::MemoryRequest{200, 1, 6, machine().global_start});
    CHECK(stored.pieces == 201);
}

TEST_CASE("backwards a transposing copy begins at its lowest address") {
    isa::GdmaTransposeToLocal form = load_pixels({1, 1, 1, 20}, {20, 20, 20, -1});
    form.src_addr = isa::SystemAddr::from(machine().global_start + 19);
    const GdmaCost cost = pixels_cost(form);
    CHECK(*cost.read == models::MemoryRequest{1, 20, 0, machine().global_start});
    CHECK(cost.pieces == 2);
}

TEST_CASE("rows of a list are pieces, and the list is moved, too") {
    // 6 rows of 2 x 10 words out of 40, in two batches of 3. The lines of a row are 12 words apart
    // at the source and contiguous at the target.
    isa::GdmaGather gather{};
    gather.dst_addr = isa::SystemAddr::from(machine().global_start);
    gather.src_addr = isa::SystemAddr::from(machine().global_start + 65536);
    gather.index_addr = isa::SystemAddr::from(machine().global_start + 32768);
    gather.shape = {2, 3, 2, 10};
    gather.src_shape = {2, 40, 2, 10};
    gather.dst_stride = {60, 20, 10, 1};
    gather.src_stride = {1200, 30, 12, 1};
    gather.index_stride = {3, 1, 1, 1};
    gather.element_type = isa::ElementType::kFp32;
    const GdmaCost cost = cost_of(isa::Opcode::gdma_gather_S2S, gather);
    CHECK(cost.setup.value == 100);
    CHECK(cost.bytes == 6 * (80 + 4));
    CHECK(*cost.read == models::MemoryRequest{12, 40, 120, machine().global_start + 65536});
    CHECK(*cost.write == models::MemoryRequest{1, 480, 0, machine().global_start});
    CHECK(cost.pieces == 12);
    CHECK(cost.overhead.value == 12 * (1 + 5));
    CHECK(cost.port.value == 4);  // 504 bytes / 128
    // The opposite direction.
    isa::GdmaScatter scatter{};
    scatter.dst_addr = gather.src_addr;
    scatter.src_addr = gather.dst_addr;
    scatter.index_addr = gather.index_addr;
    scatter.shape = gather.shape;
    scatter.dst_shape = gather.src_shape;
    scatter.dst_stride = gather.src_stride;
    scatter.src_stride = gather.dst_stride;
    scatter.index_stride = gather.index_stride;
    scatter.element_type = gather.element_type;
    const GdmaCost back = cost_of(isa::Opcode::gdma_scatter_S2S, scatter);
    CHECK(*back.read == *cost.write);
    CHECK(*back.write == *cost.read);
    CHECK(back.pieces == 12);
}

TEST_CASE("a port counts when it takes longer than the memory and the pieces together") {
    // At 1 GHz a cycle is a nanosecond. Set-up takes 100 and pieces take 50. The memory ends 180
    // after the set-up, including 20 of latency.
    const models::Clock clock(1000.0);
    const models::Picoseconds start = models::from_nanoseconds(1000);
    GdmaCost cost;
    cost.setup = {100};
    cost.overhead = {50};
    const models::MemoryReply reply{start + models::from_nanoseconds(260),
                                    models::from_nanoseconds(20)};
    const auto time = [&](std::int64_t port) {
        cost.port = {port};
        return models::gdma_time(cost, clock, start, reply, std::nullopt);
    };
    for (const std::int64_t port : {0, 181, 200, 230}) {  // up to 180 + 50
        CAPTURE(port);
        CHECK(time(port).work == models::from_nanoseconds(150));
        CHECK(time(port).memory_latency == models::from_nanoseconds(20));
        CHECK(time(port).memory_bandwidth == models::from_nanoseconds(160));
    }
    CHECK(time(231).work == models::from_nanoseconds(331));
    CHECK(time(231).memory_latency == models::Picoseconds{});
    CHECK(time(231).memory_bandwidth == models::Picoseconds{});
}

TEST_CASE("of two replies the one that ends later counts, by however little") {
    GdmaCost cost;
    cost.setup = {100};  // 100 ns: more than the time between the replies
    const models::Clock clock(1000);
    const models::MemoryReply read{{350'000}, {50'000}};
    const models::MemoryReply write{{360'000}, {30'000}};
    const auto time = models::gdma_time(cost, clock, {0}, read, write);
    CHECK(time.memory_latency.value == 50'000);
    CHECK(time.memory_bandwidth.value == 400'000 - 100'000 - 50'000);
}

TEST_CASE("of two replies that end together the first one's latency counts") {
    GdmaCost cost;
    cost.setup = {0};
    const models::Clock clock(1000);
    const models::MemoryReply read{{100'000}, {50'000}};
    for (const std::int64_t later : {0, 1}) {
        const models::MemoryReply write{{120'000 + later}, {30'000}};
        const auto time = models::gdma_time(cost, clock, {0}, read, write);
        CHECK(time.memory_latency.value == (later == 0 ? 50'000 : 30'000));
        CHECK(time.memory_bandwidth.value == (later == 0 ? 100'000 : 120'001));
    }
}

TEST_CASE("a reply that has been taken back is none") {
    // The withdrawn reply leaves its numbers in memory.
    GdmaCost cost;
    cost.setup = {100};
    const models::Clock clock(1000);
    std::optional<models::MemoryReply> none(std::in_place,
                                            models::MemoryReply{{900'000}, {50'000}});
    none.reset();
    const auto time = models::gdma_time(cost, clock, {0}, none, none);
    CHECK(time.work.value == 100'000);
    CHECK(time.memory_latency.value == 0);
    CHECK(time.memory_bandwidth.value == 0);
}

TEST_CASE("of two replies the later one counts, whenever the command begins") {
    GdmaCost cost;
    cost.setup = {100};
    const models::Clock clock(1000);
    // From 1 us on: the read ends 300 + 50 ns later, the write 290 + 30 ns.
    const models::Picoseconds start{1'000'000};
    const models::MemoryReply read{{1'300'000}, {50'000}};
    const models::MemoryReply write{{1'290'000}, {30'000}};
    const auto time = models::gdma_time(cost, clock, start, read, write);
    CHECK(time.memory_latency.value == 50'000);
    CHECK(time.memory_bandwidth.value == 350'000 - 100'000 - 50'000);
}
