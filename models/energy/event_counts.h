// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/common/units.h"

/// Events without their energy: the same counts give the energy under any parameters.
namespace okksim::models::energy {

/// Kinds of arithmetic that differ in energy.
enum class OperationKind : std::uint8_t {
    kMultiplyAdd,  ///< fp32, of convolutions and matrix products; two operations of bdc_work.h
    kFp32,
    kDivide,  ///< divisions and roots
    kInt32,   ///< integers, bits, copies, conversions, lookups
    kFixed16,
    kFixed8,
    kInt32Product,     ///< of integers of 32 bits, rescales included
    kHalfMultiplyAdd,  ///< of fp16 or bf16 with a sum in fp32; two operations
};
inline constexpr std::size_t kOperationKinds = 8;

/// Source of an event. All compute engines count as one.
enum class Unit : std::uint8_t { kBdc, kGdma, kMcu };
inline constexpr std::size_t kUnits = 3;

/// kL2 includes the memories of sections [memory.NAME].
enum class Memory : std::uint8_t { kLocal, kL2, kDtcm, kDram };
inline constexpr std::size_t kMemories = 4;

struct MemoryBytes {
    std::uint64_t read = 0;
    std::uint64_t written = 0;

    void add(const MemoryBytes& other) {
        read += other.read;
        written += other.written;
    }
    bool operator==(const MemoryBytes&) const = default;
};

/// Bytes that memories transfer, as fetched: whole bursts of DRAM, and every read of an operand by
/// the array.
struct Traffic {
    std::array<MemoryBytes, kMemories> memories{};
    std::uint64_t dram_rows = 0;  ///< opened

    MemoryBytes& operator[](Memory memory) { return memories[static_cast<std::size_t>(memory)]; }
    const MemoryBytes& operator[](Memory memory) const {
        return memories[static_cast<std::size_t>(memory)];
    }
    void add(const Traffic& other) {
        for (std::size_t i = 0; i < kMemories; ++i) memories[i].add(other.memories[i]);
        dram_rows += other.dram_rows;
    }
    bool operator==(const Traffic&) const = default;
};

/// Events of one command, independent of its time and engine.
struct CommandEvents {
    Unit unit = Unit::kBdc;
    OperationKind kind = OperationKind::kInt32;
    std::uint64_t operations = 0;  ///< none of the GDMA engine's
    Traffic traffic;
};

/// Events of a run or a part of one; parts add up.
struct EventCounts {
    std::array<std::uint64_t, kOperationKinds> operations{};
    std::array<Traffic, kUnits> traffic{};
    std::array<std::uint64_t, kUnits> commands{};  ///< carried out
    Picoseconds processor_time;  ///< of the control processor in launches, waits included

    const Traffic& of(Unit unit) const { return traffic[static_cast<std::size_t>(unit)]; }
    std::uint64_t of(OperationKind kind) const {
        return operations[static_cast<std::size_t>(kind)];
    }
    void add(const CommandEvents& command) {
        operations[static_cast<std::size_t>(command.kind)] += command.operations;
        add(command.unit, command.traffic);
        ++commands[static_cast<std::size_t>(command.unit)];
    }
    void add(Unit unit, const Traffic& more) { traffic[static_cast<std::size_t>(unit)].add(more); }
    void add(const EventCounts& other) {
        for (std::size_t i = 0; i < kOperationKinds; ++i) operations[i] += other.operations[i];
        for (std::size_t i = 0; i < kUnits; ++i) {
            traffic[i].add(other.traffic[i]);
            commands[i] += other.commands[i];
        }
        processor_time += other.processor_time;
    }
    bool operator==(const EventCounts&) const = default;
};

}  // namespace okksim::models::energy
