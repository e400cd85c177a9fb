// SPDX-License-Identifier: Apache-2.0
#include "firmware/watch/host_instruction.h"

#include <algorithm>
#include <cstring>

#include "firmware/launch/host_pages.h"
#include "firmware/launch/interrupted_state.h"

#if OKKSIM_KNOWS_INSTRUCTIONS

namespace okksim::firmware {
namespace {

constexpr std::size_t kMostLength = 15;  ///< bytes of an instruction
constexpr std::size_t kBits = 8;         ///< bits of a byte

ZydisRegister whole_of(ZydisRegister name) {
    return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
}

/// The indices of the general registers in a saved state, in the order of their numbers.
constexpr std::array<int, kGeneralRegisters> kStateNames{
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

std::uintptr_t value_of(ZydisRegister name, const ucontext_t& state) {
    const auto number = register_number(name);
    if (!number || *number >= kStateNames.size()) return 0;
    return static_cast<std::uintptr_t>(state.uc_mcontext.gregs[kStateNames[*number]]);
}

template <std::size_t kCount>
bool begins_with_any(std::string_view name, const std::array<std::string_view, kCount>& begins) {
    return std::any_of(begins.begin(), begins.end(),
                       [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace

std::optional<std::size_t> register_number(ZydisRegister name) {
    const ZydisRegister whole = whole_of(name);
    if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15) {
        return static_cast<std::size_t>(whole - ZYDIS_REGISTER_RAX);
    }
    if (whole >= ZYDIS_REGISTER_ZMM0 && whole <= ZYDIS_REGISTER_ZMM31) {
        return static_cast<std::size_t>(whole - ZYDIS_REGISTER_ZMM0) + kGeneralRegisters;
    }
    return std::nullopt;
}

HostInstruction::HostInstruction(const ucontext_t& state) : state_(state) {
    static const ZydisDecoder decoder = [] {
        ZydisDecoder made;
        ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
        return made;
    }();
    const void* const code = program_counter_of(state);
    const auto at = reinterpret_cast<std::uintptr_t>(code);
    // The next page may be unmapped, unless the instruction extends into it.
    const std::size_t in_page = page_of(at) + page_bytes() - at;
    is_known_ = decodes(decoder, code, std::min(in_page, kMostLength)) ||
                (in_page < kMostLength && decodes(decoder, code, kMostLength));
    if (!is_known_) return;
    const char* const name = ZydisMnemonicGetString(instruction_.mnemonic);
    if (name != nullptr) name_ = name;
    is_wide_form_ = name_.starts_with('v');
    if (is_wide_form_) name_.remove_prefix(1);
}

bool HostInstruction::decodes(const ZydisDecoder& decoder, const void* code, std::size_t most) {
    return ZYAN_SUCCESS(
        ZydisDecoderDecodeFull(&decoder, code, most, &instruction_, operands_.data()));
}

bool HostInstruction::is_nop() const {
    return instruction_.meta.category == ZYDIS_CATEGORY_NOP ||
           instruction_.meta.category == ZYDIS_CATEGORY_WIDENOP;
}

bool HostInstruction::is_move() const {
    constexpr std::array<std::string_view, 26> kBegins{
        "mov",        "punpck", "unpck",  "shuf",  "pshuf",   "perm",  "palignr",
        "blend",      "pblend", "insert", "pinsr", "extract", "pextr", "broadcast",
        "pbroadcast", "lddqu",  "pmovzx", "cmov",  "pmovsx",  "push",  "pop",
        "stos",       "lods",   "cdqe",   "cwde",  "cbw"};
    if (name_.starts_with("movmsk") || name_ == "popcnt") return false;
    return begins_with_any(name_, kBegins) || name_ == "xchg" || name_ == "bswap";
}

bool HostInstruction::clears() const {
    constexpr std::array<std::string_view, 7> kBegins{"xor",    "pxor",  "sub", "psub",
                                                      "pcmpeq", "pandn", "andn"};
    if (visible() < 2 || !begins_with_any(name_, kBegins)) return false;
    const Operand& last = operands_[visible() - 1];
    const Operand& other = operands_[visible() - 2];
    return is_register(last) && is_register(other) && last.reg.value == other.reg.value;
}

bool HostInstruction::is_pointer(const Operand& operand) const {
    // Only the first operand holds the copied value.
    return is_register(operand) && operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
           register_number(operand.reg.value).value_or(0) != 0;
}

std::size_t HostInstruction::bytes_of(const Operand& operand) const {
    const std::size_t bytes = operand.size / kBits;
    // Wide forms of scalar instructions pass the rest of their first operand on.
    const bool is_scalar = is_wide_form_ && (name_.ends_with("ss") || name_.ends_with("sd"));
    if (is_scalar && is_register(operand)) {
        return std::min<std::size_t>(bytes, name_.ends_with("ss") ? 4 : 8);
    }
    return bytes;
}

HostInstruction::Range HostInstruction::place_of(const Operand& operand) const {
    std::uintptr_t at = static_cast<std::uintptr_t>(operand.mem.disp.value);
    if (operand.mem.base == ZYDIS_REGISTER_RIP) {
        at += reinterpret_cast<std::uintptr_t>(program_counter_of(state_)) + instruction_.length;
    } else {
        at += value_of(operand.mem.base, state_);
    }
    at += value_of(operand.mem.index, state_) * operand.mem.scale;
    const std::uintptr_t bytes = operand.size / kBits;
    // A push stores below the stack pointer.
    if (name_.starts_with("push")) at -= bytes;
    return {at, at + bytes};
}

const HostInstruction::Operand* HostInstruction::plain_load() const {
    constexpr std::array<std::string_view, 13> kNames{
        "mov",    "movzx",  "movsx",  "movsxd", "movss", "movsd", "movups",
        "movaps", "movdqu", "movdqa", "movd",   "movq",  "lddqu"};
    const bool is_plain = std::find(kNames.begin(), kNames.end(), name_) != kNames.end();
    if (!is_plain || is_wide_form_ || is_string_move() || visible() != 2) return nullptr;
    const bool loads = is_register(operands_[0]) && is_memory(operands_[1]);
    return loads ? &operands_[1] : nullptr;
}

bool finish_load(ucontext_t& state, const HostInstruction& instruction,
                 std::span<const std::byte> data) {
    const HostInstruction::Operand& to = instruction.operand(0);
    const auto number = register_number(to.reg.value);
    if (!number || data.size() > 16) return false;
    if (*number >= kGeneralRegisters) {
        const std::size_t vector = *number - kGeneralRegisters;
        if (vector >= 16 || state.uc_mcontext.fpregs == nullptr) return false;
        std::array<std::byte, 16> value{};
        std::copy(data.begin(), data.end(), value.begin());
        std::memcpy(&state.uc_mcontext.fpregs->_xmm[vector], value.data(), value.size());
    } else {
        const std::size_t bytes = to.size / kBits;
        if (data.size() > 8 || bytes < 4) return false;  // the rest of the register does not change
        std::uint64_t value = 0;
        std::memcpy(&value, data.data(), data.size());
        const std::size_t unused = 64 - kBits * data.size();
        if (instruction.name().starts_with("movsx")) {
            value =
                static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
        }
        if (bytes == 4) value &= 0xFFFFFFFF;
        state.uc_mcontext.gregs[kStateNames[*number]] = static_cast<greg_t>(value);
    }
    state.uc_mcontext.gregs[REG_RIP] += static_cast<greg_t>(instruction.length());
    return true;
}

}  // namespace okksim::firmware

#endif
