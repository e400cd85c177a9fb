// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace okksim::isa {

static_assert(std::endian::native == std::endian::little,
              "command records and memory images are little-endian");

/// Address in local memory as the firmware writes it: lane * bytes-per-lane + offset.
struct LocalAddr {
    std::uint32_t value = 0;
    auto operator<=>(const LocalAddr&) const = default;
};

/// Address in system memory (global memory, L2-SRAM, DTCM or another that the machine has). Two
/// words so that operand structs are arrays of 32-bit words without padding.
struct SystemAddr {
    std::uint32_t low = 0;
    std::uint32_t high = 0;

    static constexpr SystemAddr from(std::uint64_t value) {
        return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
    }
    constexpr std::uint64_t value() const { return (std::uint64_t{high} << 32) | low; }
    bool operator==(const SystemAddr&) const = default;
};

/// Shape or stride (n, c, h, w). Strides count elements of the tensor's storage (seed "dim4").
struct Dim4 {
    std::int32_t n = 0;
    std::int32_t c = 0;
    std::int32_t h = 0;
    std::int32_t w = 0;
    bool operator==(const Dim4&) const = default;
    /// Number of elements; shapes are checked to be positive before this is used.
    constexpr std::int64_t count() const { return std::int64_t{n} * c * h * w; }
};

/// Two-dimensional step or spacing (h, w).
struct Dim2 {
    std::int32_t h = 0;
    std::int32_t w = 0;
    bool operator==(const Dim2&) const = default;
};

/// Rows and columns of zeros (or the pool's identity) added around a feature map.
struct Padding {
    std::int32_t top = 0;
    std::int32_t bottom = 0;
    std::int32_t left = 0;
    std::int32_t right = 0;
    bool operator==(const Padding&) const = default;
};

/// A 32-bit constant by its bit pattern, so that NaN payloads survive.
struct Bits32 {
    std::uint32_t bits = 0;
    static constexpr Bits32 from(float value) { return {std::bit_cast<std::uint32_t>(value)}; }
    constexpr float as_float() const { return std::bit_cast<float>(bits); }
    constexpr std::int32_t as_int() const { return static_cast<std::int32_t>(bits); }
    bool operator==(const Bits32&) const = default;
};

/// Kind of engine that carries out a command.
enum class Engine : std::uint8_t { kGdma = 0, kBdc = 1 };
inline constexpr std::size_t kEngineKinds = 2;

/// Fixed-point operand types of a binary operation (seed "op_type_t"). The values are the encoding.
/// Bit 0: operand width 8. Bit 3: destination width 8. Bits 1 and 2: signedness of the operands.
/// Bit 4: destination signed.
enum class OpType : std::uint32_t {
    kU16U16ToU16 = 0,
    kU8U8ToU16 = 1,
    kU16U16ToU8 = 8,
    kU8U8ToU8 = 9,
    kU16U16ToS16 = 16,
    kU8U8ToS16 = 17,
    kS16U16ToS16 = 18,
    kS8U8ToS16 = 19,
    kU16S16ToS16 = 20,
    kU8S8ToS16 = 21,
    kS16S16ToS16 = 22,
    kS8S8ToS16 = 23,
    kU16U16ToS8 = 24,
    kU8U8ToS8 = 25,
    kS16U16ToS8 = 26,
    kS8U8ToS8 = 27,
    kU16S16ToS8 = 28,
    kU8S8ToS8 = 29,
    kS16S16ToS8 = 30,
    kS8S8ToS8 = 31,
};

/// Signedness and width of one fixed-point operand.
struct FixedType {
    bool is_signed = false;
    int bits = 8;
    bool operator==(const FixedType&) const = default;
};

/// Types of the two operands and the result of a fixed-point operation.
struct FixedTypes {
    FixedType source0;
    FixedType source1;
    FixedType result;
};

/// Decodes the bits of an OpType (S8_OP_U8_TO_S16 has source 0 int8, source 1 uint8, result int16).
constexpr FixedTypes fixed_types(OpType type) {
    const auto bits = static_cast<std::uint32_t>(type);
    const int source_bits = (bits & 1) != 0 ? 8 : 16;
    const int result_bits = (bits & 8) != 0 ? 8 : 16;
    return {{(bits & 2) != 0, source_bits},
            {(bits & 4) != 0, source_bits},
            {(bits & 16) != 0, result_bits}};
}

/// Types of the 16-bit by 8-bit multiplication (seed "mul_type_t").
enum class MulType : std::uint32_t {
    kU16U8ToU16 = 0,
    kS16U8ToS16 = 5,
    kU16S8ToS16 = 6,
    kS16S8ToS16 = 7,
};

/// Types of a 16-bit by 8-bit multiplication. Bits of the encoding: source 0, source 1 and result
/// are signed.
constexpr FixedTypes fixed_types(MulType type) {
    const auto bits = static_cast<std::uint32_t>(type);
    return {{(bits & 1) != 0, 16}, {(bits & 2) != 0, 8}, {(bits & 4) != 0, 16}};
}

/// Element type of a tensor of the instruction groups beyond the API reference (okk_features.h).
enum class ElementType : std::uint32_t {
    kInt8 = 0,
    kUint8 = 1,
    kInt16 = 2,
    kUint16 = 3,
    kInt32 = 4,
    kInt48 = 5,  ///< a sign-extended word of 64 bits
    kFp16 = 6,
    kBf16 = 7,
    kFp32 = 8,
};
inline constexpr std::uint32_t kElementTypes = 9;

/// Bytes that an element takes in local memory.
constexpr std::int32_t element_bytes(ElementType type) {
    switch (type) {
        case ElementType::kInt8:
        case ElementType::kUint8: return 1;
        case ElementType::kInt16:
        case ElementType::kUint16:
        case ElementType::kFp16:
        case ElementType::kBf16: return 2;
        case ElementType::kInt32:
        case ElementType::kFp32: return 4;
        case ElementType::kInt48: return 8;
    }
    return 4;
}

/// Range of an integer element type.
struct ElementRange {
    std::int64_t low = 0;
    std::int64_t high = 0;
};
constexpr ElementRange element_range(ElementType type) {
    switch (type) {
        case ElementType::kInt8: return {INT8_MIN, INT8_MAX};
        case ElementType::kUint8: return {0, UINT8_MAX};
        case ElementType::kInt16: return {INT16_MIN, INT16_MAX};
        case ElementType::kUint16: return {0, UINT16_MAX};
        case ElementType::kInt32: return {INT32_MIN, INT32_MAX};
        case ElementType::kInt48: return {-(std::int64_t{1} << 47), (std::int64_t{1} << 47) - 1};
        case ElementType::kFp16:
        case ElementType::kBf16:
        case ElementType::kFp32: return {};
    }
    return {};
}

/// Set of element types; bit i is the type with value i.
using ElementTypeSet = std::uint16_t;
template <typename... Types>
constexpr ElementTypeSet element_set(Types... types) {
    return static_cast<ElementTypeSet>(((1u << static_cast<std::uint32_t>(types)) | ...));
}

/// Bytes of the elements that vectors hold.
inline constexpr std::int32_t kWordBytes = 4;
inline constexpr int kWordBits = 8 * kWordBytes;

/// The low 32 bits of a count or stride that rules have kept in range.
constexpr std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

/// Address range of a system memory.
struct MemoryRegion {
    std::uint64_t start = 0;
    std::uint64_t bytes = 0;

    /// True when all of [address, address + count) lies inside; false for no bytes.
    bool holds(std::uint64_t address, std::uint64_t count = 1) const {
        return count >= 1 && count <= bytes && address >= start && address - start <= bytes - count;
    }
};

/// Machine facts that commands are checked and laid out against. Sizes in bytes.
struct MachineShape {
    std::int32_t lanes = 0;
    std::int64_t local_bytes = 0;  ///< local memory of one lane
    std::int32_t local_banks = 0;
    std::int32_t vector_words = 0;  ///< 32-bit words of one vector of a lane
    std::uint32_t features = 1;     ///< bit i: has Feature i (isa/features.h); 0: the API reference
    std::uint64_t l2_start = 0;
    std::uint64_t l2_bytes = 0;
    std::uint64_t dtcm_start = 0;
    std::uint64_t dtcm_bytes = 0;
    std::uint64_t global_start = 0;
    std::uint64_t global_bytes = 0;
    /// System memories other than the three that okk.h names.
    std::vector<MemoryRegion> more_memories;

    /// Bytes of a vector, the alignment that the API reference calls "128-byte aligned".
    std::int32_t line_bytes() const { return vector_words * kWordBytes; }

    MemoryRegion global() const { return {global_start, global_bytes}; }
    MemoryRegion l2() const { return {l2_start, l2_bytes}; }
    MemoryRegion dtcm() const { return {dtcm_start, dtcm_bytes}; }
    /// Every system memory: global memory, L2-SRAM, DTCM, then the others.
    std::vector<MemoryRegion> memories() const {
        std::vector<MemoryRegion> all{global(), l2(), dtcm()};
        all.insert(all.end(), more_memories.begin(), more_memories.end());
        return all;
    }
    /// True when one of the system memories holds all of [address, address + count).
    bool in_one_memory(std::uint64_t address, std::uint64_t count = 1) const {
        if (global().holds(address, count) || l2().holds(address, count)) return true;
        if (dtcm().holds(address, count)) return true;
        for (const MemoryRegion& memory : more_memories) {
            if (memory.holds(address, count)) return true;
        }
        return false;
    }

    std::int32_t lane_of(LocalAddr addr) const {
        // Sizes are powers of two in practice, and these two are on the path of every command.
        const auto bytes = static_cast<std::uint64_t>(local_bytes);
        if ((bytes & (bytes - 1)) == 0) {
            return static_cast<std::int32_t>(std::uint64_t{addr.value} >> std::countr_zero(bytes));
        }
        return static_cast<std::int32_t>(addr.value / bytes);
    }
    std::int64_t offset_of(LocalAddr addr) const {
        if ((local_bytes & (local_bytes - 1)) == 0) {
            return std::int64_t{addr.value} & (local_bytes - 1);
        }
        return addr.value % local_bytes;
    }
};

}  // namespace okksim::isa
