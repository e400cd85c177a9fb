// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "isa/tensors.h"
#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"

namespace okksim::sim {

/// The text form of 32-bit words.
enum class WordText : std::uint8_t { kFloat, kInteger, kUnsigned, kHex };

/// Returns a word as text.
std::string word_text(std::uint32_t bits, WordText form);

/// Returns a tensor of 32-bit words. It is at byte `at` of a lane in the aligned layout, or at
/// address `at` of system memory without gaps.
isa::TensorView tensor_at(bool local, std::int32_t lane, std::uint64_t at, const isa::Dim4& shape,
                          const isa::MachineShape& machine);

/// Returns a tensor's values, one line "[n,c,h] v v v" per row, or no value if it is out of bounds.
std::optional<std::string> tensor_text(const isa::TensorView& view,
                                       const isa::MachineShape& machine, models::LocalMemory& local,
                                       models::SystemMemory& system, WordText form);

}  // namespace okksim::sim
