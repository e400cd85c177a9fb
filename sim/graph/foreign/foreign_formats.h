// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace okksim::sim::graph {

/// A model format that okksim recognises but does not read.
struct ForeignFormat {
    std::string_view name;
    bool (*probe)(std::span<const std::byte> bytes);
    /// Advice to the user: the command line of a tool that converts such files, if there is one.
    std::string_view advice;
};

/// Returns the foreign format of these bytes; nullptr if none matches.
const ForeignFormat* find_foreign_format(std::span<const std::byte> bytes);

/// Throws a ConfigError with the format and a conversion advice if find_foreign_format() finds one.
void refuse_foreign_format(std::span<const std::byte> bytes, const std::string& file);

}  // namespace okksim::sim::graph
