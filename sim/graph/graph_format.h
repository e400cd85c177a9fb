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

struct NpyArray;

/// The bytes of a graph file. `owner` keeps them alive; messages contain `name`. It is the path of
/// a file on disk. External data is relative to the folder of this path.
struct GraphSource {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
    std::string name;
};

/// Rounding of the integer operators of .tflite files when they rescale a sum.
enum class Rounding : std::uint8_t {
    kDouble,  ///< twice, as TensorFlow Lite's reference kernels do
    kSingle,  ///< once
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
    /// Returns the values of an integer input that decides a shape, or nothing if they are unknown.
    /// Examples are shape inputs of TOSA 0.90 and k of TopK. The reader uses them as a constant,
    /// and the input remains in Block::inputs.
    std::function<std::optional<std::vector<std::int64_t>>(const std::string& name)> shape_input =
        {};
    /// Returns the array of an input that decides a shape and needs another type, such as the
    /// scales of Resize; nullptr if it is unknown. The use is that of shape_input.
    std::function<std::shared_ptr<const NpyArray>(const std::string& name)> input_value = {};
    Rounding rounding = Rounding::kDouble;
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
    bool has_rounding = false;   ///< ReadOptions::rounding applies
};

}  // namespace okksim::sim::graph
