// SPDX-License-Identifier: Apache-2.0
#include "isa/instructions.h"

#include <array>
#include <string>
#include <unordered_map>

#include "isa/base/errors.h"

namespace okksim::isa {
namespace {

constexpr auto kInstructions = std::to_array<InstructionInfo>({
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, semantics, feature, meaning) \
    {Opcode::name,                                                                            \
     #name,                                                                                   \
     Form::k##form,                                                                           \
     DataType::data,                                                                          \
     TimingClass::timing,                                                                     \
     InstructionKind::kind,                                                                   \
     Feature::feature,                                                                        \
     meaning,                                                                                 \
     engine_of(TimingClass::timing)},
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
});

// Operation codes are dense per engine, so a direct index finds a row without a search.
constexpr std::uint16_t kCodeLimit = 0x0400;

constexpr auto make_index() {
    std::array<std::uint8_t, kCodeLimit> index{};
    for (std::size_t row = 0; row < kInstructions.size(); ++row) {
        index[static_cast<std::uint16_t>(kInstructions[row].opcode)] =
            static_cast<std::uint8_t>(row + 1);
    }
    return index;
}
constexpr auto kIndex = make_index();
static_assert(kInstructions.size() < 255, "the index stores row + 1 in a byte");

}  // namespace

std::span<const InstructionInfo> instructions() { return kInstructions; }

const InstructionInfo* find_instruction(std::uint16_t code) {
    if (code >= kCodeLimit || kIndex[code] == 0) return nullptr;
    return &kInstructions[kIndex[code] - 1u];
}

const InstructionInfo& instruction(Opcode opcode) {
    // On the path of every command: avoids calls of exported functions, which could be interposed.
    const auto code = static_cast<std::uint16_t>(opcode);
    OKKSIM_CHECK(code < kCodeLimit && kIndex[code] != 0);
    return kInstructions[kIndex[code] - 1u];
}

const InstructionInfo* find_instruction(std::string_view name) {
    static const auto by_name = [] {
        std::unordered_map<std::string, const InstructionInfo*> map;
        for (const InstructionInfo& row : kInstructions) map.emplace(row.name, &row);
        return map;
    }();
    if (name.starts_with("okk_")) name.remove_prefix(4);
    std::string key(name);
    if (const auto dot = key.find('.'); dot != std::string::npos) key[dot] = '_';
    const auto found = by_name.find(key);
    return found == by_name.end() ? nullptr : found->second;
}

int element_bytes(DataType data) {
    switch (data) {
        case DataType::kBits16:
        case DataType::kFixed16: return 2;
        case DataType::kBits8:
        case DataType::kFixed8: return 1;
        case DataType::kFp32:
        case DataType::kInt32:
        case DataType::kBits32:
        case DataType::kFixed:
        case DataType::kTyped: return 4;
    }
    return 4;
}

}  // namespace okksim::isa
