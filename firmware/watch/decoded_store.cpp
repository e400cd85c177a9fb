// SPDX-License-Identifier: Apache-2.0
#include "firmware/watch/decoded_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

namespace okksim::firmware {
namespace {

#if defined(__x86_64__)

constexpr std::size_t kWordBytes = 4, kDoubleBytes = 8, kVectorBytes = 16;

/// An instruction with an operand in memory, as far as it is decoded.
class Instruction {
 public:
    explicit Instruction(const ucontext_t& state) : state_(state) {
        begin_ = at_ = reinterpret_cast<const std::uint8_t*>(general(REG_RIP));
    }

    std::optional<DecodedStore> store() {
        read_prefixes();
        if (is_segmented_) return std::nullopt;
        const std::uint8_t code = take();
        switch (code) {
            case 0x88: return of_register(1);
            case 0x89: return of_register(word_bytes());
            case 0xC6: return of_constant(1);
            case 0xC7: return of_constant(word_bytes());
            case 0xAA: return repeated(1, false);
            case 0xAB: return repeated(word_bytes(), false);
            case 0xA4: return repeated(1, true);
            case 0xA5: return repeated(word_bytes(), true);
            case 0x0F: return of_vector(take(), false);
            case 0xC5: return short_vex();
            case 0xC4: return long_vex();
            default: return std::nullopt;
        }
    }

 private:
    static constexpr std::uint8_t kOperandSize = 0x66, kScalarDouble = 0xF2, kScalar = 0xF3;

    std::uint8_t take() { return *at_++; }
    std::uint64_t general(int name) const {
        return static_cast<std::uint64_t>(state_.uc_mcontext.gregs[name]);
    }
    /// Returns a register by its number in instructions.
    std::uint64_t general_number(unsigned number) const {
        constexpr std::array<int, 16> kNames{REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                             REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                             REG_R12, REG_R13, REG_R14, REG_R15};
        return general(kNames[number]);
    }

    void read_prefixes() {
        for (;; ++at_) {
            switch (*at_) {
                case 0x66: has_operand_size_ = true; break;
                case 0xF2:
                case 0xF3: repeat_ = *at_; break;
                case 0x64:
                case 0x65:
                case 0x67: is_segmented_ = true; break;  // or another size of addresses
                case 0x2E:
                case 0x36:
                case 0x3E:
                case 0x26: break;
                default:
                    if ((*at_ & 0xF0) == 0x40) extension_ = take();
                    return;
            }
        }
    }
    std::size_t word_bytes() const {
        return (extension_ & 8) != 0 ? kDoubleBytes : has_operand_size_ ? 2 : kWordBytes;
    }

    /// Reads the operands; returns false if none is in memory. `behind` is the number of bytes of a
    /// constant that follows.
    bool read_operands(std::size_t behind) {
        const std::uint8_t modes = take();
        const unsigned mode = modes >> 6, base = modes & 7;
        number_ = (modes >> 3 & 7) | (extension_ & 4) << 1;
        if (mode == 3) return false;
        std::uint64_t address = 0;
        bool is_relative = false, has_base = true;
        if (base == 4) {
            const std::uint8_t scaled = take();
            const unsigned index = (scaled >> 3 & 7) | (extension_ & 2) << 2;
            if (index != 4) address += general_number(index) << (scaled >> 6);
            has_base = (scaled & 7) != 5 || mode != 0;
            if (has_base) address += general_number((scaled & 7) | (extension_ & 1) << 3);
        } else if (base == 5 && mode == 0) {
            is_relative = true;
        } else {
            address += general_number(base | (extension_ & 1) << 3);
        }
        if (mode == 1) {
            address += static_cast<std::uint64_t>(static_cast<std::int8_t>(take()));
        } else if (mode == 2 || is_relative || !has_base) {
            std::int32_t distance = 0;
            std::memcpy(&distance, at_, sizeof distance);
            at_ += sizeof distance;
            address += static_cast<std::uint64_t>(std::int64_t{distance});
        }
        if (is_relative) address += reinterpret_cast<std::uint64_t>(at_) + behind;
        address_ = address;
        return true;
    }

    std::optional<DecodedStore> made(const void* data, std::size_t bytes) const {
        DecodedStore store;
        store.address = address_;
        std::memcpy(store.data.data(), data, bytes);
        store.bytes = bytes;
        store.length = static_cast<std::size_t>(at_ - begin_);
        return store;
    }
    std::optional<DecodedStore> of_register(std::size_t bytes) {
        if (!read_operands(0)) return std::nullopt;
        // Without an extension, the single-byte registers 4 to 7 are the second bytes of the first
        // registers.
        const bool is_second = bytes == 1 && extension_ == 0 && number_ >= 4;
        const std::uint64_t value =
            is_second ? general_number(number_ - 4) >> 8 : general_number(number_);
        return made(&value, bytes);
    }
    std::optional<DecodedStore> of_constant(std::size_t bytes) {
        const std::size_t size = bytes == kDoubleBytes ? kWordBytes : bytes;
        if (!read_operands(size) || (number_ & 7) != 0) return std::nullopt;
        std::int32_t word = 0;
        std::memcpy(&word, at_, size);
        at_ += size;
        const std::int64_t value = word;
        return made(&value, bytes);
    }
    std::optional<DecodedStore> repeated(std::size_t bytes, bool copies) {
        constexpr std::uint64_t kDownward = 0x400;
        if (repeat_ == 0 || (general(REG_EFL) & kDownward) != 0) return std::nullopt;
        const std::uint64_t value = general(REG_RAX);
        address_ = general(REG_RDI);
        std::optional<DecodedStore> store = made(&value, bytes);
        store->repeats = general(REG_RCX);
        if (copies) store->source = general(REG_RSI);
        return store;
    }

    /// Returns the number of bytes that a store of a vector register writes; 0 if it is unknown.
    std::size_t vector_bytes(std::uint8_t code, std::size_t whole) const {
        const bool is_packed = repeat_ == 0;
        switch (code) {
            case 0x11: return is_packed ? whole : repeat_ == kScalar ? kWordBytes : kDoubleBytes;
            case 0x13: return is_packed ? kDoubleBytes : 0;
            case 0x29:
            case 0x2B: return is_packed ? whole : 0;
            case 0x7F: return has_operand_size_ || repeat_ == kScalar ? whole : 0;
            case 0xE7: return has_operand_size_ && is_packed ? whole : 0;
            case 0xD6: return has_operand_size_ && is_packed ? kDoubleBytes : 0;
            case 0x7E:
                if (!has_operand_size_ || !is_packed) return 0;
                return (extension_ & 8) != 0 ? kDoubleBytes : kWordBytes;
            default: return 0;
        }
    }
    std::optional<DecodedStore> of_vector(std::uint8_t code, bool is_wide) {
        const std::size_t bytes = vector_bytes(code, is_wide ? 2 * kVectorBytes : kVectorBytes);
        if (bytes == 0 || !read_operands(0)) return std::nullopt;
        std::array<std::byte, 2 * kVectorBytes> value{};
        std::memcpy(value.data(), &state_.uc_mcontext.fpregs->_xmm[number_], kVectorBytes);
        if (is_wide && !read_upper_half(&value[kVectorBytes])) return std::nullopt;
        return made(value.data(), bytes);
    }
    /// Reads the upper half of a 256-bit register from the saved state, if the system saves it
    /// (XSAVE).
    bool read_upper_half(std::byte* half) const {
        constexpr std::size_t kTag = 464, kInUse = 512, kUpperHalves = 576;
        constexpr std::uint32_t kIsExtended = 0x46505853;
        constexpr std::uint64_t kUpper = 4;
        const auto* const saved = reinterpret_cast<const std::byte*>(state_.uc_mcontext.fpregs);
        std::uint32_t tag = 0;
        std::uint64_t kept = 0, in_use = 0;
        std::memcpy(&tag, saved + kTag, sizeof tag);
        std::memcpy(&kept, saved + kTag + 8, sizeof kept);
        if (tag != kIsExtended || (kept & kUpper) == 0) return false;
        std::memcpy(&in_use, saved + kInUse, sizeof in_use);
        if ((in_use & kUpper) == 0) return true;  // zero
        std::memcpy(half, saved + kUpperHalves + kVectorBytes * number_, kVectorBytes);
        return true;
    }
    /// The last byte of a VEX prefix.
    std::optional<DecodedStore> after_vex(std::uint8_t last) {
        constexpr std::array<std::uint8_t, 4> kRepeats{0, 0, kScalar, kScalarDouble};
        has_operand_size_ = (last & 3) == 1;
        repeat_ = kRepeats[last & 3];
        return of_vector(take(), (last & 4) != 0);
    }
    std::optional<DecodedStore> short_vex() {
        const std::uint8_t only = take();
        extension_ = static_cast<std::uint8_t>((~only >> 5) & 4);
        return after_vex(only);
    }
    std::optional<DecodedStore> long_vex() {
        const std::uint8_t first = take();
        const std::uint8_t last = take();
        if ((first & 0x1F) != 1) return std::nullopt;  // another opcode table
        extension_ = static_cast<std::uint8_t>((~first >> 5 & 7) | (last >> 7 << 3));
        return after_vex(last);
    }

    const ucontext_t& state_;
    const std::uint8_t* begin_;
    const std::uint8_t* at_;
    std::uint8_t repeat_ = 0;
    std::uint8_t extension_ = 0;  ///< the REX prefix, or its equivalent
    bool has_operand_size_ = false, is_segmented_ = false;
    unsigned number_ = 0;  ///< number of the register
    std::uint64_t address_ = 0;
};

#endif

}  // namespace

std::optional<DecodedStore> decode_store(const ucontext_t& state) {
#if defined(__x86_64__)
    return Instruction(state).store();
#else
    static_cast<void>(state);
    return std::nullopt;
#endif
}

void pass_store(ucontext_t& state, const DecodedStore& store, std::uint64_t times) {
#if defined(__x86_64__)
    auto& registers = state.uc_mcontext.gregs;
    if (store.repeats > 0) {
        const auto bytes = static_cast<greg_t>(times * store.bytes);
        registers[REG_RDI] += bytes;
        if (store.source != 0) registers[REG_RSI] += bytes;
        registers[REG_RCX] -= static_cast<greg_t>(times);
        if (times < store.repeats) return;
    }
    registers[REG_RIP] += static_cast<greg_t>(store.length);
#else
    static_cast<void>(state);
    static_cast<void>(store);
    static_cast<void>(times);
#endif
}

namespace {
/// Returns a file of the program's memory that ignores access rights; -1 if the host forbids it.
int own_memory() {
    static const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    return memory;
}
}  // namespace

bool store_regardless(std::uintptr_t address, std::span<const std::byte> data) {
    return pwrite(own_memory(), data.data(), data.size(), static_cast<off_t>(address)) ==
           static_cast<ssize_t>(data.size());
}

bool load_carefully(std::uintptr_t address, std::span<std::byte> data) {
    return pread(own_memory(), data.data(), data.size(), static_cast<off_t>(address)) ==
           static_cast<ssize_t>(data.size());
}

}  // namespace okksim::firmware
