// SPDX-License-Identifier: Apache-2.0
#include "models/energy/event_laws.h"

#include <array>
#include <utility>

#include "models/bdc/bdc_work.h"
#include "models/mcu/mcu_timing.h"

namespace okksim::models::energy {
namespace {

/// Classes whose kind of arithmetic does not follow from the type of their elements.
constexpr std::pair<isa::TimingClass, OperationKind> kOtherArithmetic[] = {
    {isa::TimingClass::kConvolution, OperationKind::kMultiplyAdd},
    {isa::TimingClass::kDepthwise, OperationKind::kMultiplyAdd},
    {isa::TimingClass::kMatmul, OperationKind::kMultiplyAdd},
    {isa::TimingClass::kDivide, OperationKind::kDivide},
    {isa::TimingClass::kDivideConstant, OperationKind::kDivide},
    {isa::TimingClass::kReciprocal, OperationKind::kDivide},
    {isa::TimingClass::kRsqrt, OperationKind::kDivide},
    {isa::TimingClass::kSqrt, OperationKind::kDivide},
    {isa::TimingClass::kConvert, OperationKind::kInt32},
    {isa::TimingClass::kIntDivide, OperationKind::kDivide},
    {isa::TimingClass::kRescale, OperationKind::kInt32Product},
    {isa::TimingClass::kIntConvolution, OperationKind::kFixed8},
    {isa::TimingClass::kIntDepthwise, OperationKind::kFixed8},
    {isa::TimingClass::kIntPool, OperationKind::kFixed8},
    {isa::TimingClass::kHalfConvolution, OperationKind::kHalfMultiplyAdd},
    {isa::TimingClass::kHalfDepthwise, OperationKind::kHalfMultiplyAdd},
    {isa::TimingClass::kHalfArithmetic, OperationKind::kHalfMultiplyAdd},
    {isa::TimingClass::kHalfConstant, OperationKind::kHalfMultiplyAdd},
};

/// Kind of arithmetic of a row of the instruction table, for elements of 32 bits.
constexpr OperationKind kind_of(isa::Opcode opcode, isa::TimingClass timing, isa::DataType data) {
    // An integer product takes the time of a sum and the energy of a product.
    if (opcode == isa::Opcode::bdc_int_mul) return OperationKind::kInt32Product;
    for (const auto& [other, kind] : kOtherArithmetic) {
        if (other == timing) return kind;
    }
    return data == isa::DataType::kFp32 ? OperationKind::kFp32 : OperationKind::kInt32;
}

constexpr std::array<OperationKind, isa::kInstructionCount> kKinds{
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, ...) \
    kind_of(isa::Opcode::name, isa::TimingClass::timing, isa::DataType::data),
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
};

OperationKind kind_of(const isa::Command& command, const BdcWork& work) {
    constexpr int kBits8 = 8;
    constexpr int kBits16 = 16;
    if (work.source_bits == kBits8) return OperationKind::kFixed8;
    if (work.source_bits == kBits16) return OperationKind::kFixed16;
    return kKinds[isa::row_index(command.info())];
}

}  // namespace

EventLaws::EventLaws(const MachineParams& machine)
    : shape_(machine.shape()), bdc_(machine.bdc), mcu_(machine.mcu), dram_(machine.dram) {}

void EventLaws::add_request(const MemoryRequest& request, MemoryDirection direction,
                            Traffic& traffic) const {
    const auto add = [&](Memory memory, std::uint64_t bytes) {
        MemoryBytes& total = traffic[memory];
        (direction == MemoryDirection::kRead ? total.read : total.written) += bytes;
    };
    if (shape_.global().holds(request.address)) {
        const MemoryWork work = memory_work(request, *dram_);
        traffic.dram_rows += work.rows;
        return add(Memory::kDram, work.bytes);
    }
    add(shape_.dtcm().holds(request.address) ? Memory::kDtcm : Memory::kL2, request.bytes());
}

CommandEvents EventLaws::of_transfer(const GdmaTransfer& transfer) const {
    CommandEvents events;
    events.unit = Unit::kGdma;
    if (transfer.read) {
        add_request(*transfer.read, MemoryDirection::kRead, events.traffic);
    } else if (transfer.reads_local) {
        events.traffic[Memory::kLocal].read = transfer.bytes;
    }
    if (transfer.write) {
        add_request(*transfer.write, MemoryDirection::kWrite, events.traffic);
    } else {
        events.traffic[Memory::kLocal].written = transfer.bytes;
    }
    return events;
}

CommandEvents EventLaws::of(const isa::Command& command) const {
    if (command.info().engine == isa::Engine::kGdma) {
        return of_transfer(gdma_transfer(command, shape_));
    }
    CommandEvents events;
    const BdcWork work = bdc_work(command, shape_, *bdc_);
    events.kind = kind_of(command, work);
    events.operations = work.operations;
    events.traffic[Memory::kLocal] = {work.bytes_read, work.bytes_written};
    return events;
}

Traffic EventLaws::of(const isa::ProcessorAccess& access) const {
    Traffic traffic;
    const MemoryDirection direction = direction_of(access.kind);
    if (const auto request = processor_request(access, shape_, *mcu_)) {
        add_request(*request, direction, traffic);
    } else {
        MemoryBytes& dtcm = traffic[Memory::kDtcm];
        (direction == MemoryDirection::kRead ? dtcm.read : dtcm.written) += access.bytes;
    }
    return traffic;
}

}  // namespace okksim::models::energy
