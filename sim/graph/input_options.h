// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/graph_format.h"

namespace okksim::sim::graph {

/// Shapes of inputs by name.
using InputShapes = std::map<std::string, Shape>;
/// .npy files of inputs by name.
using InputFiles = std::map<std::string, std::filesystem::path>;

/// Returns the shape of e.g. "1x224x224x3"; nothing for an invalid text.
std::optional<Shape> parse_shape(std::string_view text);
/// Adds the shapes of texts "NAME=SHAPE". ConfigError, which names `option`, for other texts and
/// for a name that is given twice.
void add_shapes(const std::vector<std::string>& texts, const std::string& option,
                InputShapes& known);

/// Returns the options of a reader that concern inputs: shapes and values come from the shapes that
/// the user gives, and then from the files.
ReadOptions input_options(InputShapes shapes, InputFiles files);

}  // namespace okksim::sim::graph
