// SPDX-License-Identifier: Apache-2.0
#include "firmware/watch/moved_bytes.h"

#if OKKSIM_KNOWS_INSTRUCTIONS

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace okksim::firmware {
namespace {

using Operand = HostInstruction::Operand;

constexpr std::size_t kRegisterBytes = 16, kPartBytes = 4, kParts = kRegisterBytes / kPartBytes;

/// Indices into the words of two vectors, the second after the first; they select the words of the
/// result.
using WordOrder = std::array<std::uint8_t, kParts>;

struct NamedOrder {
    std::string_view name;
    WordOrder order;
};
constexpr std::array<NamedOrder, 14> kOrders{{
    {"unpcklps", {0, 4, 1, 5}},
    {"punpckldq", {0, 4, 1, 5}},
    {"unpckhps", {2, 6, 3, 7}},
    {"punpckhdq", {2, 6, 3, 7}},
    {"unpcklpd", {0, 1, 4, 5}},
    {"punpcklqdq", {0, 1, 4, 5}},
    {"movlhps", {0, 1, 4, 5}},
    {"movhps", {0, 1, 4, 5}},
    {"movhpd", {0, 1, 4, 5}},
    {"unpckhpd", {2, 3, 6, 7}},
    {"punpckhqdq", {2, 3, 6, 7}},
    {"movhlps", {6, 7, 2, 3}},
    {"movlps", {4, 5, 2, 3}},
    {"movlpd", {4, 5, 2, 3}},
}};

std::optional<WordOrder> order_of(const HostInstruction& instruction) {
    const std::string_view name = instruction.name();
    const Operand& last = instruction.operand(instruction.visible() - 1);
    const auto choice = static_cast<unsigned>(last.imm.value.u);
    const auto chosen = [&](unsigned i) { return static_cast<std::uint8_t>(choice >> 2 * i & 3); };
    const auto second = [&](unsigned i) { return static_cast<std::uint8_t>(kParts + chosen(i)); };
    if (name == "shufps") return WordOrder{chosen(0), chosen(1), second(2), second(3)};
    if (name == "pshufd") return WordOrder{second(0), second(1), second(2), second(3)};
    for (const NamedOrder& known : kOrders) {
        if (known.name == name) return known.order;
    }
    return std::nullopt;
}

/// Returns the result of a copy of words between vectors; nothing for unknown instructions.
std::optional<UndefinedBytes> moved_words(const HostInstruction& instruction,
                                          const Operand& destination, const HeldBytes& held) {
    const bool is_vector = HostInstruction::is_register(destination) &&
                           register_number(destination.reg.value).value_or(0) >= kGeneralRegisters;
    if (!is_vector || destination.size > 8 * kRegisterBytes || instruction.visible() < 2) return {};
    const auto order = order_of(instruction);
    if (!order) return {};
    const bool has_three = instruction.visible() > 2 &&
                           HostInstruction::is_register(instruction.operand(1)) &&
                           instruction.operand(2).type != ZYDIS_OPERAND_TYPE_IMMEDIATE;
    const Operand& first = instruction.operand(has_three ? 1 : 0);
    const Operand& second = instruction.operand(has_three ? 2 : 1);
    const UndefinedBytes both =
        held.of(first, kRegisterBytes)
            .first(kRegisterBytes)
            .with(held.of(second, kRegisterBytes).first(kRegisterBytes).at(kRegisterBytes));
    UndefinedBytes result;
    for (std::size_t i = 0; i < kParts; ++i) {
        const UndefinedBytes word = both.from(std::size_t{(*order)[i]} * kPartBytes);
        result = result.with(word.first(kPartBytes).at(i * kPartBytes));
    }
    return result;
}

/// Returns whether an instruction copies the first bytes of one operand.
bool is_plain(std::string_view name) {
    constexpr std::array<std::string_view, 14> kNames{
        "mov",    "movd", "movq", "movss",  "movsd",  "movzx", "movsx",
        "movsxd", "push", "pop",  "movlps", "movlpd", "lddqu", "cdqe"};
    constexpr std::array<std::string_view, 6> kBegins{"movap",  "movup", "movdqa",
                                                      "movdqu", "movnt", "movabs"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
           std::any_of(kBegins.begin(), kBegins.end(),
                       [&](std::string_view begin) { return name.starts_with(begin); });
}

/// The operands that a move reads. Pointers of stacks and strings do not count.
struct Sources {
    std::size_t count = 0;
    bool is_partial = false;  ///< some bytes stay unchanged, or are dropped
    UndefinedBytes only;
    std::size_t only_bytes = 0;
    bool any = false, all = true;
};

Sources sources_of(const HostInstruction& instruction, const HeldBytes& held) {
    Sources sources;
    instruction.for_each_operand([&](const Operand& operand) {
        if (HostInstruction::is_register(operand) && !register_number(operand.reg.value)) {
            // The operand is a mask. The first mask register stands for no mask.
            sources.is_partial |=
                operand.reg.value > ZYDIS_REGISTER_K0 && operand.reg.value <= ZYDIS_REGISTER_K7;
            return;
        }
        const bool has_value =
            HostInstruction::is_register(operand) || HostInstruction::is_memory(operand);
        if (!HostInstruction::reads(operand) || !has_value || instruction.is_pointer(operand)) {
            return;
        }
        const std::size_t bytes = instruction.bytes_of(operand);
        const UndefinedBytes value = held.of(operand, bytes).first(bytes);
        ++sources.count;
        sources.only = value;
        sources.only_bytes = bytes;
        sources.any |= value.maybe != 0;
        sources.all &= value.surely == first_bytes(bytes);
    });
    return sources;
}

}  // namespace

UndefinedBytes moved(const HostInstruction& instruction, const Operand& destination,
                     const HeldBytes& held) {
    const std::size_t bytes = destination.size / 8;
    if (const auto words = moved_words(instruction, destination, held)) return *words;
    const bool is_upper_store = HostInstruction::is_memory(destination) &&
                                (instruction.name() == "movhps" || instruction.name() == "movhpd");
    if (is_upper_store)
        return held.of(instruction.operand(1), kRegisterBytes).from(bytes).first(bytes);
    const Sources sources = sources_of(instruction, held);
    if (sources.count == 1 && !sources.is_partial && is_plain(instruction.name()) &&
        !instruction.is_string_move()) {
        UndefinedBytes result = sources.only;
        const bool extends =
            instruction.name().starts_with("movsx") || instruction.name() == "cdqe";
        const std::size_t top = sources.only_bytes - 1;
        if (extends && (result.maybe >> top & 1) != 0) result.maybe |= ~first_bytes(top);
        if (extends && (result.surely >> top & 1) != 0) result.surely |= ~first_bytes(top);
        return result.first(bytes);
    }
    const bool all = sources.count > 0 && sources.all && !sources.is_partial;
    UndefinedBytes result{sources.any ? ~std::uint64_t{0} : 0, all ? ~std::uint64_t{0} : 0};
    if ((destination.actions & ZYDIS_OPERAND_ACTION_CONDWRITE) != 0) {
        const UndefinedBytes before = held.of(destination, bytes);
        result = {result.maybe | before.maybe, result.surely & before.surely};
    }
    return result.first(bytes);
}

}  // namespace okksim::firmware

#endif
