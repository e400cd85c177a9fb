// SPDX-License-Identifier: Apache-2.0
#include "firmware/watch/loaded_value.h"

#include <dlfcn.h>

#include <algorithm>

#include "firmware/launch/host_pages.h"
#include "firmware/launch/interrupted_state.h"

namespace okksim::firmware {

#if OKKSIM_KNOWS_INSTRUCTIONS

namespace {

using Operand = HostInstruction::Operand;

constexpr std::size_t kMostArgument = 8;
constexpr std::size_t kMostSlot = 64;

/// Returns the registers of arguments in the calling convention, a bit for each.
std::uint64_t argument_registers() {
    std::uint64_t bits = std::uint64_t{0xFF} << kGeneralRegisters;
    for (const ZydisRegister name : {ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDX,
                                     ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_R8, ZYDIS_REGISTER_R9}) {
        bits |= std::uint64_t{1} << *register_number(name);
    }
    return bits;
}

/// The second bytes of general registers have separate names.
bool is_second_byte(ZydisRegister name) {
    return name >= ZYDIS_REGISTER_AH && name <= ZYDIS_REGISTER_BH;
}

/// Returns whether an instruction reads the memory of an operand and does not only compute its
/// address.
bool loads_from(const Operand& operand) {
    return HostInstruction::is_memory(operand) && HostInstruction::reads(operand) &&
           operand.mem.type == ZYDIS_MEMOP_TYPE_MEM;
}

const void* module_of(const void* code) {
    Dl_info found{};
    return dladdr(code, &found) == 0 ? nullptr : found.dli_fbase;
}

}  // namespace

/// The uninitialised bytes that operands hold.
class LoadedValue::Held : public HeldBytes {
 public:
    /// `loaded` has the uninitialised bytes of the memory that the instruction loads from.
    Held(const LoadedValue& value, const HostInstruction& instruction, std::uint64_t loaded)
        : value_(value), instruction_(instruction), loaded_(loaded) {}

    UndefinedBytes of(const Operand& operand, std::size_t bytes) const override {
        if (HostInstruction::is_register(operand)) {
            const auto number = register_number(operand.reg.value);
            if (!number) return {};
            const UndefinedBytes& held = value_.registers_[*number];
            return is_second_byte(operand.reg.value) ? held.from(1).first(1) : held.first(bytes);
        }
        if (!loads_from(operand)) return {};
        const UndefinedBytes loaded{loaded_, loaded_};
        return loaded.with(in_slots(instruction_.place_of(operand))).first(bytes);
    }

 private:
    UndefinedBytes in_slots(const HostInstruction::Range& place) const {
        UndefinedBytes found;
        for (const Slot& slot : value_.slots_) {
            if (place.end <= slot.begin || slot.end <= place.begin) continue;
            found = found.with(place.begin >= slot.begin ? slot.bytes.from(place.begin - slot.begin)
                                                         : slot.bytes.at(slot.begin - place.begin));
        }
        return found;
    }

    const LoadedValue& value_;
    const HostInstruction& instruction_;
    std::uint64_t loaded_;
};

std::size_t LoadedValue::loaded_bytes(const ucontext_t& state) {
    const HostInstruction instruction(state);
    std::size_t bytes = 0;
    if (!instruction.is_known()) return 0;
    instruction.for_each_operand([&](const Operand& operand) {
        if (loads_from(operand)) bytes = operand.size / 8;
    });
    return bytes;
}

std::size_t LoadedValue::used_bytes(const ucontext_t& state) {
    const HostInstruction instruction(state);
    return !instruction.is_known() || instruction.is_move() ? 0 : loaded_bytes(state);
}

std::size_t LoadedValue::stored_bytes(const ucontext_t& state) {
    const HostInstruction instruction(state);
    std::size_t bytes = 0;
    if (!instruction.is_known() || instruction.is_string_move()) return 0;
    instruction.for_each_operand([&](const Operand& operand) {
        if (HostInstruction::is_memory(operand) && HostInstruction::writes(operand)) {
            bytes = operand.size / 8;
        }
    });
    return bytes;
}

bool LoadedValue::holds_any() const {
    const auto holds = [](const UndefinedBytes& bytes) { return bytes.maybe != 0; };
    return std::any_of(registers_.begin(), registers_.end(), holds) ||
           std::any_of(slots_.begin(), slots_.end(),
                       [&](const Slot& slot) { return holds(slot.bytes); });
}

LoadedValue::Fate LoadedValue::load(const ucontext_t& state, std::uint64_t undefined) {
    const HostInstruction instruction(state);
    if (!instruction.is_known()) return Fate::kGone;
    if (module_ == nullptr) module_ = module_of(program_counter_of(state));
    if (instruction.is_string_move() || instruction.name().starts_with("push")) return Fate::kGone;
    if (!instruction.is_move()) return Fate::kUsed;
    const Held held(*this, instruction, undefined);
    std::array<UndefinedBytes, ZYDIS_MAX_OPERAND_COUNT> results;
    std::size_t count = 0;
    const auto is_target = [](const Operand& operand) {
        return HostInstruction::is_register(operand) && HostInstruction::writes(operand) &&
               HostInstruction::is_explicit(operand);
    };
    instruction.for_each_operand([&](const Operand& operand) {
        if (is_target(operand)) results[count++] = moved(instruction, operand, held);
    });
    count = 0;
    instruction.for_each_operand([&](const Operand& operand) {
        if (is_target(operand)) write_register(operand, results[count++]);
    });
    note_arguments(instruction, true);
    return holds_any() ? Fate::kCarried : Fate::kGone;
}

/// Returns whether the instruction reads followed bytes: in its operands or as an address.
bool LoadedValue::takes(const HostInstruction& instruction) const {
    const Held held(*this, instruction, 0);
    bool takes = false;
    instruction.for_each_operand([&](const Operand& operand) {
        if (!HostInstruction::reads(operand)) return;
        const std::size_t bytes = instruction.bytes_of(operand);
        takes = takes || held.of(operand, bytes).first(bytes).maybe != 0;
    });
    return takes;
}

void LoadedValue::write_register(const Operand& operand, const UndefinedBytes& value) {
    const auto number = register_number(operand.reg.value);
    if (!number) return;
    UndefinedBytes& held = registers_[*number];
    const std::size_t bytes = operand.size / 8;
    const bool is_general = *number < kGeneralRegisters;
    if (is_second_byte(operand.reg.value)) {
        held = held.without(2).with(value.first(1).at(1));
    } else if (is_general ? bytes < 4 : bytes < 16) {
        held = held.without(first_bytes(bytes)).with(value.first(bytes));
    } else {
        held = value.first(std::max<std::size_t>(bytes, 16));
    }
}

void LoadedValue::write_memory(const HostInstruction& instruction, const Operand& operand,
                               const UndefinedBytes& value) {
    const HostInstruction::Range place = instruction.place_of(operand);
    for (Slot& slot : slots_) {
        if (place.end <= slot.begin || slot.end <= place.begin) continue;
        const std::uintptr_t begin = std::max(place.begin, slot.begin) - slot.begin;
        const std::uintptr_t end = std::min(place.end, slot.end) - slot.begin;
        slot.bytes = slot.bytes.without(first_bytes(end) & ~first_bytes(begin));
        if (slot.bytes.maybe == 0) slot = {};
    }
    if (value.maybe == 0) return;
    slots_[next_slot_] = {place.begin, std::min(place.end, place.begin + kMostSlot), value};
    next_slot_ = (next_slot_ + 1) % slots_.size();
}

/// Updates the registers that may be arguments of the next call. `moves` is set if the instruction
/// only copies.
void LoadedValue::note_arguments(const HostInstruction& instruction, bool moves) {
    std::size_t most = kMostArgument;
    instruction.for_each_operand([&](const Operand& operand) {
        if (HostInstruction::is_memory(operand) && HostInstruction::writes(operand)) most = 0;
    });
    instruction.for_each_operand([&](const Operand& operand) {
        if (!HostInstruction::is_register(operand)) return;
        const auto number = register_number(operand.reg.value);
        if (!number) return;
        const std::uint64_t bit = std::uint64_t{1} << *number;
        if (HostInstruction::reads(operand) && most == 0)
            arguments_ &= ~bit;  // the instruction stores it
        if (!HostInstruction::writes(operand)) return;
        const std::size_t bytes = instruction.bytes_of(operand);
        const bool is_scalar = instruction.name() == "movss" || instruction.name() == "movsd" ||
                               instruction.name() == "movd" || instruction.name() == "movq";
        const bool holds = registers_[*number].maybe != 0;
        const bool is_one = holds && moves && (bytes <= kMostArgument || is_scalar);
        arguments_ = is_one ? arguments_ | bit : arguments_ & ~bit;
    });
}

/// Returns whether followed values are arguments of a call into another library, such as the
/// simulator.
bool LoadedValue::passes_arguments() const {
    const std::uint64_t may_be = arguments_ & argument_registers();
    for (std::size_t i = 0; i < registers_.size(); ++i) {
        if ((may_be >> i & 1) != 0 && registers_[i].maybe != 0) return true;
    }
    return false;
}

/// Returns whether an address contains followed bytes.
bool LoadedValue::is_address_of(const HostInstruction& instruction) const {
    bool found = false;
    instruction.for_each_operand([&](const Operand& operand) {
        if (!HostInstruction::is_memory(operand)) return;
        for (const ZydisRegister name : {operand.mem.base, operand.mem.index}) {
            const auto number = register_number(name);
            found = found || (number && registers_[*number].maybe != 0);
        }
    });
    return found;
}

/// Carries out an instruction that at most moves followed bytes.
void LoadedValue::carry(const HostInstruction& instruction, bool takes_any, const void* code) {
    const Held held(*this, instruction, 0);
    std::array<UndefinedBytes, ZYDIS_MAX_OPERAND_COUNT> results{};
    std::size_t count = 0;
    instruction.for_each_operand([&](const Operand& operand) {
        if (HostInstruction::writes(operand) && takes_any) {
            results[count] = moved(instruction, operand, held);
        }
        ++count;
    });
    count = 0;
    instruction.for_each_operand([&](const Operand& operand) {
        const UndefinedBytes& value = results[count++];
        if (!HostInstruction::writes(operand)) return;
        if (HostInstruction::is_register(operand)) {
            if (takes_any && instruction.is_pointer(operand)) return;
            return write_register(operand, value);
        }
        if (!HostInstruction::is_memory(operand)) return;
        write_memory(instruction, operand, value);
        storing_ = code;
        stored_ = value.surely;
    });
    note_arguments(instruction, takes_any);
}

LoadedValue::Fate LoadedValue::step(const ucontext_t& state) {
    storing_ = nullptr;
    stored_ = 0;
    const void* const code = program_counter_of(state);
    const std::uintptr_t page = page_of(reinterpret_cast<std::uintptr_t>(code));
    if (page != known_page_) {
        if (module_of(code) != module_) return passes_arguments() ? Fate::kUsed : Fate::kGone;
        known_page_ = page;
    }
    const HostInstruction instruction(state);
    if (!instruction.is_known()) return Fate::kGone;
    if (instruction.is_nop()) return Fate::kCarried;
    if (instruction.is_branch()) arguments_ = 0;
    const bool takes_any = !instruction.clears() && takes(instruction);
    if (is_address_of(instruction) || (takes_any && !instruction.is_move())) return Fate::kUsed;
    carry(instruction, takes_any, code);
    return holds_any() ? Fate::kCarried : Fate::kGone;
}

#else

std::size_t LoadedValue::loaded_bytes(const ucontext_t&) { return 0; }
std::size_t LoadedValue::used_bytes(const ucontext_t&) { return 0; }
std::size_t LoadedValue::stored_bytes(const ucontext_t&) { return 0; }
LoadedValue::Fate LoadedValue::load(const ucontext_t&, std::uint64_t) { return Fate::kGone; }
LoadedValue::Fate LoadedValue::step(const ucontext_t&) { return Fate::kGone; }

#endif

}  // namespace okksim::firmware
