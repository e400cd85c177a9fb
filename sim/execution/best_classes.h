// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/graph/host_tensor.h"

namespace okksim::sim::execution {

/// The classes that the report of a run lists.
struct ClassOptions {
    std::size_t count = 0;            ///< of the best classes; 0: none
    std::vector<std::string> labels;  ///< name of each class; empty: numbers only
    std::string labels_file;          ///< for messages
};

/// One class of a classification.
struct BestClass {
    std::int64_t number = 0;
    std::string label;
    double value = 0;  ///< element of the output
    std::optional<double> probability;
};

/// The best classes of an output, best first. Equal values are in order of their numbers.
struct ClassTable {
    std::string output;
    std::string meaning;  ///< origin of the probabilities
    std::vector<BestClass> best;
};

/// Reads a file with one label per line. ConfigError if it is missing or empty.
std::vector<std::string> read_labels(const std::filesystem::path& file);

/// True for outputs with one value per class: [N] or [1,N].
bool has_classes(const graph::Tensor& output);

/// ConfigError if no output of the block has classes, or if the number of labels differs from that
/// of the classes.
void check_classes(const graph::Block& main, const ClassOptions& options);

/// Returns the best classes of an output in its file form. Values from 0 to 1 with the sum 1 are
/// probabilities, other floating-point values become ones by softmax. 8-bit integers are
/// probabilities in steps of 1/256 if their sum is about 1.
ClassTable best_classes(const std::string& name, const graph::HostTensor& output,
                        const ClassOptions& options);

}  // namespace okksim::sim::execution
