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

/// Dimensions that readers take: MAX_RANK without a level; validation applies the level's own
/// limit.
inline constexpr std::size_t kMaxDimensions = 32;

/// The bytes of a graph file. `owner` keeps them alive; `name` stands in messages.
struct GraphSource {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
    std::string name;
};

/// What a reader is told beside the file.
struct ReadOptions {
    /// The function to run, where a file has several; empty: "main", or the only one.
    std::string function = {};
    /// Files whose weights are gone are read all the same: to say what they need, not to run them.
    bool without_weights = false;
    /// Names of inputs that the user has said something of, to tell him which of them do not exist.
    std::vector<std::string> given_inputs = {};
    /// Gives the shape of an input that has open dimensions in the file, or nothing.
    std::function<std::optional<Shape>(const std::string& name)> input_shape = {};
    /// Gives the value of an input that is a shape (only TOSA 0.90 has such), or nothing when it is
    /// not known yet. Such values become constants of the graph.
    std::function<std::optional<std::vector<std::int64_t>>(const std::string& name)> shape_input =
        {};
};

/// A form in which graphs are written down. A reader knows Graph and no other reader.
struct GraphFormat {
    std::string_view name;  ///< for people: "TOSA 1.0 FlatBuffers"
    /// True when the bytes look like this format and version; never throws, whatever the bytes.
    bool (*probe)(std::span<const std::byte> bytes);
    /// A structurally sound graph (schedule.h), not yet validated. Errors: GraphFileError
    /// (damaged), ConfigError (options that do not fit), ProgramFault kIllegalGraph.
    Graph (*read)(const GraphSource& source, const ReadOptions& options);
    bool has_functions = false;  ///< ReadOptions::function means something
};

}  // namespace okksim::sim::graph
