// SPDX-License-Identifier: Apache-2.0
// Events of single commands: operations by kind, bytes by memory and direction, rows.
#include "models/energy/event_laws.h"

#include "isa/layout.h"
#include "models/bdc/bdc_params.h"
#include "models/chip/chip_params.h"
#include "models/chip/memory_params.h"
#include "models/dram/dram_params.h"
#include "models/mcu/mcu_params.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::models::energy;
using isa::Opcode;

constexpr std::uint64_t kGlobal = 0x100000000;
constexpr std::uint64_t kL2 = 0x10000000;
constexpr std::uint64_t kDtcm = 0x2000000;

/// 4 lanes of 4 units; bursts of 64 bytes, rows of 1024.
models::MachineParams machine(double row_bytes = 1024) {
    models::MachineParams machine;
    *machine.chip = {
        .lanes = 4, .local_memory_bytes = 65536, .local_memory_banks = 8, .vector_words = 4};
    machine.bdc->execution_units = 4;
    machine.l2->start = kL2;
    machine.l2->bytes = 65536;
    machine.dtcm->start = kDtcm;
    machine.dtcm->bytes = 65536;
    machine.global->start = kGlobal;
    machine.global->bytes = 1 << 20;
    machine.dram->burst_bytes = 64;
    machine.dram->row_bytes = row_bytes;
    machine.mcu->line_bytes = 32;
    return machine;
}

template <typename Form>
CommandEvents events(Opcode opcode, const Form& form) {
    return EventLaws(machine()).of(isa::Command::make(opcode, form));
}

isa::GdmaCopyToLocal load(std::uint64_t address, const isa::Dim4& shape,
                          const isa::Dim4& src_stride) {
    isa::GdmaCopyToLocal form;
    form.src_addr = isa::SystemAddr::from(address);
    form.shape = shape;
    form.dst_stride = isa::continuous_stride(shape);
    form.src_stride = src_stride;
    return form;
}

isa::ProcessorAccess access(std::uint64_t address, std::uint64_t bytes, isa::AccessKind kind) {
    return {isa::SystemAddr::from(address), bytes, kind};
}

TEST_CASE("events/element-wise commands read and write every operand once") {
    isa::VectorAccumulate mac;
    mac.shape = {2, 3, 5, 7};  // 210
    const CommandEvents events = ::events(Opcode::bdc_mac, mac);
    CHECK(events.unit == Unit::kBdc);
    CHECK(events.kind == OperationKind::kFp32);
    CHECK(events.operations == 420);
    // Two sources and the old result are read.
    CHECK(events.traffic[Memory::kLocal] == MemoryBytes{3 * 210 * 4, 210 * 4});
}

TEST_CASE("events/kinds go by class and type") {
    isa::VectorBinary binary;
    binary.shape = {1, 1, 1, 10};
    CHECK(events(Opcode::bdc_add, binary).kind == OperationKind::kFp32);
    CHECK(events(Opcode::bdc_div, binary).kind == OperationKind::kDivide);
    CHECK(events(Opcode::bdc_32bit_and, binary).kind == OperationKind::kInt32);
    // A rescale counts as one product for every source type. An integer product also counts as one
    // and takes as long as a sum.
    isa::IntRescaleConstant rescale;
    rescale.shape = {1, 1, 1, 1};
    CHECK(events(Opcode::bdc_rescale_C, rescale).kind == OperationKind::kInt32Product);
    isa::IntProduct product;
    product.shape = {1, 1, 1, 1};
    CHECK(events(Opcode::bdc_int_mul, product).kind == OperationKind::kInt32Product);
    isa::IntBinary sum;
    sum.shape = {1, 1, 1, 1};
    CHECK(events(Opcode::bdc_int_add, sum).kind == OperationKind::kInt32);
    CHECK(events(Opcode::bdc_int_div, sum).kind == OperationKind::kDivide);
    isa::VectorUnary copy;
    copy.shape = {1, 1, 1, 10};
    CHECK(events(Opcode::bdc_32bit_cpy, copy).kind == OperationKind::kInt32);
    isa::FixedBinary fixed;
    fixed.shape = {5, 1, 1, 10};
    fixed.op_type = isa::OpType::kS8S8ToS8;
    const CommandEvents bytes = events(Opcode::bdc_fixed_point_packed_add, fixed);
    CHECK(bytes.kind == OperationKind::kFixed8);
    CHECK(bytes.operations == 50);
    // Five batches in words of four: two words.
    CHECK(bytes.traffic[Memory::kLocal] == MemoryBytes{2 * 2 * 10 * 4, 2 * 10 * 4});
    fixed.op_type = isa::OpType::kS16S16ToS16;
    CHECK(events(Opcode::bdc_fixed_point_packed_add, fixed).kind == OperationKind::kFixed16);
}

TEST_CASE("events/a convolution reads pixels for all lanes and weights for a group of pixels") {
    isa::Convolution convolution;
    convolution.input_shape = {2, 5, 9, 9};
    convolution.output_c = 6;
    convolution.kernel_h = 3;
    convolution.kernel_w = 2;
    convolution.stride = {1, 1};
    convolution.dilation = {1, 1};
    convolution.using_bias = 1;
    const CommandEvents events = ::events(Opcode::bdc_conv2d, convolution);
    CHECK(events.kind == OperationKind::kMultiplyAdd);
    // 7 x 8 outputs: 14 groups of 4 units. 6 channels are two slots of 4 lanes.
    const std::uint64_t taps = 2 * 5 * 3 * 2;
    CHECK(events.operations == 2 * taps * 6 * 56);
    const std::uint64_t pixels = taps * 2 * 56;
    const std::uint64_t weights = taps * 6 * 14;
    CHECK(events.traffic[Memory::kLocal] ==
          MemoryBytes{(pixels + weights + 6) * 4, 2 * 6 * 56 * 4});
    convolution.result_add = 1;  // reads its result
    CHECK(::events(Opcode::bdc_conv2d, convolution).traffic[Memory::kLocal].read ==
          (pixels + weights + 6 + 2 * 6 * 56) * 4);
}

TEST_CASE("events/a convolution of 16 bits reads half the bytes of one of 32") {
    isa::HalfConvolution convolution;
    convolution.input_shape = {2, 5, 9, 9};
    convolution.output_c = 6;
    convolution.kernel_h = 3;
    convolution.kernel_w = 2;
    convolution.stride = {1, 1};
    convolution.dilation = {1, 1};
    convolution.using_bias = 1;
    convolution.input_type = isa::ElementType::kFp16;
    convolution.output_type = isa::ElementType::kFp16;
    const CommandEvents events = ::events(Opcode::bdc_half_conv2d, convolution);
    CHECK(events.kind == OperationKind::kHalfMultiplyAdd);
    // 7 x 8 outputs make 14 groups, as above.
    const std::uint64_t taps = 2 * 5 * 3 * 2;
    CHECK(events.operations == 2 * taps * 6 * 56);
    const std::uint64_t values = taps * (2 * 56 + 6 * 14);
    CHECK(events.traffic[Memory::kLocal] == MemoryBytes{values * 2 + 6 * 4, 2 * 6 * 56 * 2});
}

TEST_CASE("events/pools, depthwise convolutions and matrix products read for every term") {
    isa::Pool pool;
    pool.input_shape = {2, 5, 9, 9};
    pool.kernel_h = 3;
    pool.kernel_w = 2;
    pool.stride = {1, 1};
    const std::uint64_t outputs = 2 * 5 * 56;
    CHECK(events(Opcode::bdc_max_pool2d, pool).traffic[Memory::kLocal] ==
          MemoryBytes{outputs * 6 * 4, outputs * 4});
    isa::Depthwise depthwise;
    depthwise.input_shape = {2, 5, 9, 9};
    depthwise.kernel_h = 3;
    depthwise.kernel_w = 2;
    depthwise.stride = {1, 1};
    depthwise.dilation = {1, 1};
    // A weight for each of 14 groups of pixels.
    CHECK(events(Opcode::bdc_depthwise2d, depthwise).traffic[Memory::kLocal] ==
          MemoryBytes{(outputs * 6 + 2 * 5 * 14 * 6) * 4, outputs * 4});
    isa::MatrixMultiply product;
    product.left_rows = 3;
    product.left_cols = 11;
    product.left_cols_per_channel = 4;
    product.right_cols = 13;
    product.right_cols_per_channel = 2;
    // 7 channels are two slots of one group of columns.
    CHECK(events(Opcode::bdc_matmul, product).traffic[Memory::kLocal] ==
          MemoryBytes{3 * 11 * (13 + 2) * 4, 3 * 13 * 4});
}

TEST_CASE("events/a transfer has a memory at either end, DRAM in whole bursts") {
    // 4 runs of 16 bytes, 128 apart: each a burst of 64, 4 x 128 bytes of a row of 1024.
    const isa::Dim4 shape{4, 1, 1, 4};
    const CommandEvents apart =
        events(Opcode::gdma_32bit_cpy_S2L, load(kGlobal, shape, {32, 4, 4, 1}));
    CHECK(apart.unit == Unit::kGdma);
    CHECK(apart.operations == 0);
    CHECK(apart.traffic[Memory::kDram] == MemoryBytes{4 * 64, 0});
    CHECK(apart.traffic[Memory::kLocal] == MemoryBytes{0, 64});
    CHECK(apart.traffic.dram_rows == 1);
    const CommandEvents dense =
        events(Opcode::gdma_32bit_cpy_S2L, load(kGlobal, {1, 1, 1, 600}, {600, 600, 600, 1}));
    CHECK(dense.traffic[Memory::kDram] == MemoryBytes{2400, 0});
    CHECK(dense.traffic.dram_rows == 3);  // 2.34 rows

    const CommandEvents from_l2 =
        events(Opcode::gdma_32bit_cpy_S2L, load(kL2, shape, {32, 4, 4, 1}));
    CHECK(from_l2.traffic[Memory::kL2] == MemoryBytes{64, 0});
    CHECK(from_l2.traffic.dram_rows == 0);

    isa::GdmaCopyLocal within;
    within.shape = shape;
    within.dst_stride = within.src_stride = isa::continuous_stride(shape);
    CHECK(events(Opcode::gdma_32bit_cpy_L2L, within).traffic[Memory::kLocal] ==
          MemoryBytes{64, 64});
    isa::GdmaFillLocal fill;
    fill.shape = shape;
    fill.dst_stride = isa::continuous_stride(shape);
    CHECK(events(Opcode::gdma_32bit_set_C_local, fill).traffic[Memory::kLocal] ==
          MemoryBytes{0, 64});
}

TEST_CASE("events/a memory without rows opens none, one of rows of a byte opens one for each") {
    const isa::Command command = isa::Command::make(
        Opcode::gdma_32bit_cpy_S2L, load(kGlobal, {1, 1, 1, 600}, {600, 600, 600, 1}));
    CHECK(EventLaws(machine(0)).of(command).traffic.dram_rows == 0);
    CHECK(EventLaws(machine(1)).of(command).traffic.dram_rows == 2400);
}

TEST_CASE("events/the processor moves whole lines, but of DTCM its bytes") {
    const EventLaws laws(machine());
    using isa::AccessKind;
    const Traffic lines = laws.of(access(kGlobal + 16, 40, AccessKind::kLoad));  // of two lines
    CHECK(lines[Memory::kDram] == MemoryBytes{64, 0});
    CHECK(lines.dram_rows == 1);
    CHECK(laws.of(access(kL2, 4, AccessKind::kStore))[Memory::kL2] == MemoryBytes{0, 32});
    CHECK(laws.of(access(kDtcm, 4, AccessKind::kStore))[Memory::kDtcm] == MemoryBytes{0, 4});
}

}  // namespace
