// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace okksim::sim::graph {

/// A model format that is recognised and not read.
struct ForeignFormat {
    std::string_view name;
    bool (*probe)(std::span<const std::byte> bytes);
    /// What to do; where there is one, the command line of the tools that turn such files into a
    /// form that is read.
    std::string_view advice;
};

/// The foreign format of these bytes, or nothing.
const ForeignFormat* find_foreign_format(std::span<const std::byte> bytes);

/// ConfigError, naming the format and how to convert the file, when find_foreign_format() finds
/// one.
void refuse_foreign_format(std::span<const std::byte> bytes, const std::string& file);

}  // namespace okksim::sim::graph
