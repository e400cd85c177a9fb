// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Largest rank that readers accept: MAX_RANK without a level. Validation applies the level's
/// limit.
inline constexpr std::size_t kMaxDimensions = 32;

/// The bytes of a graph file. `owner` keeps them alive; messages contain `name`.
struct GraphSource {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
    std::string name;
};

/// Options for a reader.
struct ReadOptions {
    /// The function to run if a file has several. Empty: "main", or the only function.
    std::string function = {};
    /// Reads files without weights too, to report their requirements. Such graphs cannot run.
    bool without_weights = false;
    /// Input names that the user has given, so that the reader can report unknown ones.
    std::vector<std::string> given_inputs = {};
    /// Returns the shape of an input that has open dimensions in the file, or nothing.
    std::function<std::optional<Shape>(const std::string& name)> input_shape = {};
    /// Returns the value of a shape input (TOSA 0.90 only), or nothing if it is unknown. The value
    /// becomes a constant of the graph.
    std::function<std::optional<std::vector<std::int64_t>>(const std::string& name)> shape_input =
        {};
};

/// A file format of graphs. Its reader depends on Graph, but not on other readers.
struct GraphFormat {
    std::string_view name;  ///< for people: "TOSA 1.0 FlatBuffers"
    /// True if the bytes look like this format and version. Never throws, for any bytes.
    bool (*probe)(std::span<const std::byte> bytes);
    /// Returns a structurally sound graph (schedule.h), not yet validated. GraphFileError for a
    /// damaged file, ConfigError for unsuitable options, ProgramFault kIllegalGraph for an illegal
    /// graph.
    Graph (*read)(const GraphSource& source, const ReadOptions& options);
    bool has_functions = false;  ///< ReadOptions::function applies
};

}  // namespace okksim::sim::graph
