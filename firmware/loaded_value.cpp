// SPDX-License-Identifier: Apache-2.0
#include "firmware/loaded_value.h"

#include <dlfcn.h>

#include <string_view>

#include "firmware/host_pages.h"
#include "firmware/kernel_exit.h"

#if defined(OKKSIM_ZYDIS) && defined(__x86_64__)
#include <Zydis/Zydis.h>
#define OKKSIM_FOLLOWS 1
#else
#define OKKSIM_FOLLOWS 0
#endif

namespace okksim::firmware {

#if OKKSIM_FOLLOWS

namespace {

constexpr std::size_t kMostLength = 15;  ///< of an instruction
constexpr int kVectors = 16;             ///< their bits follow those of the general registers
constexpr std::size_t kMostArgument = 8;

/// The bit of a register; 0: it holds no values.
std::uint64_t bit_of(ZydisRegister name) {
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
    if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15) {
        return std::uint64_t{1} << (whole - ZYDIS_REGISTER_RAX);
    }
    if (whole >= ZYDIS_REGISTER_ZMM0 && whole <= ZYDIS_REGISTER_ZMM31) {
        return std::uint64_t{1} << (whole - ZYDIS_REGISTER_ZMM0 + kVectors);
    }
    return 0;
}

/// Where the calling convention has arguments.
std::uint64_t argument_registers() {
    std::uint64_t bits = std::uint64_t{0xFF} << kVectors;
    for (const ZydisRegister name : {ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDX,
                                     ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_R8, ZYDIS_REGISTER_R9}) {
        bits |= bit_of(name);
    }
    return bits;
}

std::uintptr_t value_of(ZydisRegister name, const ucontext_t& state) {
    constexpr std::array<int, 16> kNames{REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                         REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                         REG_R12, REG_R13, REG_R14, REG_R15};
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
    if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15) return 0;
    const auto number = static_cast<std::size_t>(whole - ZYDIS_REGISTER_RAX);
    return static_cast<std::uintptr_t>(state.uc_mcontext.gregs[kNames[number]]);
}

/// Whether an instruction only moves its operand, in whole or in parts.
bool is_move(std::string_view name) {
    if (name.starts_with('v')) name.remove_prefix(1);
    if (name.starts_with("movmsk")) return false;
    for (const std::string_view begin :
         {"mov",        "punpck", "unpck",  "shuf",   "pshuf",   "perm",  "palignr",
          "blend",      "pblend", "insert", "pinsr",  "extract", "pextr", "broadcast",
          "pbroadcast", "lddqu",  "pmovzx", "pmovsx", "cmov",    "push",  "pop",
          "stos",       "lods",   "cdqe",   "cwde",   "cbw",     "xchg",  "bswap"}) {
        if (name.starts_with(begin)) return true;
    }
    return false;
}

/// Whether an instruction gives the same whatever is in a register that it names twice.
bool may_clear(std::string_view name) {
    if (name.starts_with('v')) name.remove_prefix(1);
    for (const std::string_view begin : {"xor", "pxor", "sub", "psub", "pcmpeq", "pandn", "andn"}) {
        if (name.starts_with(begin)) return true;
    }
    return false;
}

const void* module_of(const void* code) {
    Dl_info found{};
    return dladdr(code, &found) == 0 ? nullptr : found.dli_fbase;
}

}  // namespace

/// An instruction and what it does with followed values.
class LoadedValue::Reading {
 public:
    explicit Reading(const ucontext_t& state) : state_(state) {
        static const ZydisDecoder decoder = [] {
            ZydisDecoder made;
            ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
            return made;
        }();
        const void* const code = program_counter_of(state);
        const auto at = reinterpret_cast<std::uintptr_t>(code);
        // There may be nothing behind the page, unless the instruction goes on there.
        const std::size_t in_page = page_of(at) + page_bytes() - at;
        is_known_ = decodes(decoder, code, std::min(in_page, kMostLength)) ||
                    (in_page < kMostLength && decodes(decoder, code, kMostLength));
        if (!is_known_) return;
        const char* const name = ZydisMnemonicGetString(instruction_.mnemonic);
        if (name != nullptr) name_ = name;
    }

    bool is_known() const { return is_known_; }
    std::string_view name() const { return name_; }
    bool is_nop() const {
        return instruction_.meta.category == ZYDIS_CATEGORY_NOP ||
               instruction_.meta.category == ZYDIS_CATEGORY_WIDENOP;
    }
    bool is_branch() const { return instruction_.meta.category == ZYDIS_CATEGORY_COND_BR; }
    bool is_string_move() const {
        return instruction_.meta.category == ZYDIS_CATEGORY_STRINGOP && is_move(name_);
    }

    template <typename Visitor>
    void for_each_operand(const Visitor& visit) const {
        for (std::size_t i = 0; i < instruction_.operand_count; ++i) visit(operands_[i]);
    }
    static bool reads(const ZydisDecodedOperand& operand) {
        return (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    }
    static bool writes(const ZydisDecodedOperand& operand) {
        return (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    }
    static bool is_register(const ZydisDecodedOperand& operand) {
        return operand.type == ZYDIS_OPERAND_TYPE_REGISTER;
    }
    static bool is_memory(const ZydisDecodedOperand& operand) {
        return operand.type == ZYDIS_OPERAND_TYPE_MEMORY;
    }
    Slot place_of(const ZydisDecodedOperand& operand) const {
        std::uintptr_t at = static_cast<std::uintptr_t>(operand.mem.disp.value);
        if (operand.mem.base == ZYDIS_REGISTER_RIP) {
            at +=
                reinterpret_cast<std::uintptr_t>(program_counter_of(state_)) + instruction_.length;
        } else {
            at += value_of(operand.mem.base, state_);
        }
        at += value_of(operand.mem.index, state_) * operand.mem.scale;
        // What a push stores lies below the stack pointer.
        if (name_.starts_with("push")) at -= operand.size / 8;
        return {at, at + operand.size / 8};
    }
    /// Names a register twice, of which it makes the same whatever it holds.
    bool clears() const {
        if (!may_clear(name_) || instruction_.operand_count_visible < 2) return false;
        const auto last = static_cast<std::size_t>(instruction_.operand_count_visible) - 1;
        return is_register(operands_[last]) && is_register(operands_[last - 1]) &&
               operands_[last].reg.value == operands_[last - 1].reg.value;
    }

 private:
    bool decodes(const ZydisDecoder& decoder, const void* code, std::size_t most) {
        return ZYAN_SUCCESS(
            ZydisDecoderDecodeFull(&decoder, code, most, &instruction_, operands_.data()));
    }

    const ucontext_t& state_;
    bool is_known_ = false;
    ZydisDecodedInstruction instruction_{};
    std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands_{};
    std::string_view name_;
};

std::size_t LoadedValue::loaded_bytes(const ucontext_t& state) {
    const Reading reading(state);
    std::size_t bytes = 0;
    if (!reading.is_known()) return 0;
    reading.for_each_operand([&](const ZydisDecodedOperand& operand) {
        if (Reading::is_memory(operand) && Reading::reads(operand)) bytes = operand.size / 8;
    });
    return bytes;
}

std::size_t LoadedValue::stored_bytes(const ucontext_t& state) {
    const Reading reading(state);
    std::size_t bytes = 0;
    if (!reading.is_known() || reading.is_string_move()) return 0;
    reading.for_each_operand([&](const ZydisDecodedOperand& operand) {
        if (Reading::is_memory(operand) && Reading::writes(operand)) bytes = operand.size / 8;
    });
    return bytes;
}

LoadedValue::Fate LoadedValue::load(const ucontext_t& state, bool whole) {
    const Reading reading(state);
    if (!reading.is_known()) return Fate::kGone;
    if (module_ == nullptr) module_ = module_of(program_counter_of(state));
    is_whole_ = is_whole_ && whole;
    if (reading.is_string_move() || reading.name().starts_with("push")) return Fate::kGone;
    if (!is_move(reading.name())) return Fate::kUsed;
    std::uint64_t loaded = 0;
    std::size_t bytes = 0;
    reading.for_each_operand([&](const ZydisDecodedOperand& operand) {
        if (Reading::is_register(operand) && Reading::writes(operand) &&
            operand.visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT) {
            loaded |= bit_of(operand.reg.value);
        }
        if (Reading::is_memory(operand)) bytes = operand.size / 8;
    });
    registers_ |= loaded;
    arguments_ = bytes <= kMostArgument ? arguments_ | loaded : arguments_ & ~loaded;
    return registers_ == 0 ? Fate::kGone : Fate::kCarried;
}

LoadedValue::Fate LoadedValue::step(const ucontext_t& state) {
    storing_ = nullptr;
    const void* const code = program_counter_of(state);
    const std::uintptr_t page = page_of(reinterpret_cast<std::uintptr_t>(code));
    if (page != known_page_) {
        if (module_of(code) != module_) {
            // A function of another library, of the simulator above all.
            return (arguments_ & registers_ & argument_registers()) != 0 ? Fate::kUsed
                                                                         : Fate::kGone;
        }
        known_page_ = page;
    }
    const Reading reading(state);
    if (!reading.is_known()) return Fate::kGone;
    if (reading.is_nop()) return Fate::kCarried;
    if (reading.is_branch()) arguments_ = 0;

    bool takes = false, is_used = false;
    std::uint64_t taken = 0;
    const auto overlaps = [](const Slot& a, const Slot& b) {
        return a.begin < b.end && b.begin < a.end;
    };
    reading.for_each_operand([&](const ZydisDecodedOperand& operand) {
        if (Reading::is_memory(operand)) {
            const std::uint64_t address = bit_of(operand.mem.base) | bit_of(operand.mem.index);
            is_used = is_used || (address & registers_) != 0;
            if (!Reading::reads(operand)) return;
            const Slot place = reading.place_of(operand);
            for (const Slot& slot : slots_) takes = takes || overlaps(slot, place);
        } else if (Reading::is_register(operand) && Reading::reads(operand)) {
            taken |= bit_of(operand.reg.value) & registers_;
        }
    });
    if (reading.clears()) taken = 0;
    takes = takes || taken != 0;
    const bool moves = is_move(reading.name());
    if (is_used || (takes && !moves)) return Fate::kUsed;

    reading.for_each_operand([&](const ZydisDecodedOperand& operand) {
        if (!Reading::writes(operand)) return;
        if (Reading::is_register(operand)) {
            const std::uint64_t bit = bit_of(operand.reg.value);
            const bool is_hidden = operand.visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT;
            if (takes && is_hidden) return;  // pointers of stacks and strings, parts of a value
            registers_ = takes ? registers_ | bit : registers_ & ~bit;
            arguments_ =
                takes && operand.size / 8 <= kMostArgument ? arguments_ | bit : arguments_ & ~bit;
            // Scalars in registers of vectors.
            if (takes && bit >= std::uint64_t{1} << kVectors &&
                (reading.name().starts_with("movs") || reading.name().starts_with("vmovs"))) {
                arguments_ |= bit;
            }
        } else if (Reading::is_memory(operand)) {
            const Slot place = reading.place_of(operand);
            for (Slot& slot : slots_) {
                if (place.begin <= slot.begin && slot.end <= place.end) slot = {};
            }
            if (!takes) return;
            arguments_ &= ~taken;
            storing_ = code;
            slots_[next_slot_] = place;
            next_slot_ = (next_slot_ + 1) % slots_.size();
        }
    });
    for (const Slot& slot : slots_) takes = takes || slot.end != 0;
    return registers_ == 0 && !takes ? Fate::kGone : Fate::kCarried;
}

#else

std::size_t LoadedValue::loaded_bytes(const ucontext_t&) { return 0; }
std::size_t LoadedValue::stored_bytes(const ucontext_t&) { return 0; }
LoadedValue::Fate LoadedValue::load(const ucontext_t&, bool) { return Fate::kGone; }
LoadedValue::Fate LoadedValue::step(const ucontext_t&) { return Fate::kGone; }

#endif

}  // namespace okksim::firmware
