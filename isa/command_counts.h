// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "isa/types.h"

namespace okksim::isa {

/// "GDMA" or "BDC".
const char* engine_name(Engine kind);

/// Commands by kind of engine.
class CommandCounts {
 public:
    std::uint64_t& operator[](Engine kind) { return counts_[static_cast<std::size_t>(kind)]; }
    std::uint64_t operator[](Engine kind) const { return counts_[static_cast<std::size_t>(kind)]; }
    std::uint64_t total() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t count : counts_) sum += count;
        return sum;
    }
    CommandCounts& operator+=(const CommandCounts& other) {
        for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
        return *this;
    }
    bool operator==(const CommandCounts&) const = default;

    /// Calls `visit(kind, count)` for every kind, in order.
    template <typename Visit>
    void visit(const Visit& visit) const {
        for (std::size_t i = 0; i < counts_.size(); ++i) visit(static_cast<Engine>(i), counts_[i]);
    }
    /// "3 GDMA and 4 BDC commands".
    std::string text() const;

 private:
    std::array<std::uint64_t, kEngineKinds> counts_{};
};

/// Name of an engine's count in reports: "gdma_commands".
std::string count_name(Engine kind);

}  // namespace okksim::isa
