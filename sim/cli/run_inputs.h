// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sim/cli/common_options.h"
#include "sim/execution/model_run.h"

namespace okksim::sim::cli {

/// The inputs of a run: --input, --shape, and the options for pictures.
struct RunInputFlags {
    ReaderFlags reader;
    std::vector<std::string> inputs;
    std::vector<double> mean;
    std::vector<double> scale;
    std::string layout;
    std::string resize = "crop";
    bool is_bgr = false;

    /// Sets inputs, shapes and the options of the reader. Pictures are read here, so that errors
    /// show before the simulation. Throws ConfigError if an option is invalid or without use.
    void set(execution::ModelRunOptions& options) const;
};

void add_run_inputs(CLI::App& command, RunInputFlags& flags);

/// The best classes in the report of a run: --top, --labels.
struct ClassFlags {
    int top = 0;
    std::string labels;

    /// Throws ConfigError for a file of labels that cannot be read.
    execution::ClassOptions options() const;
};

void add_class_options(CLI::App& command, ClassFlags& flags);

}  // namespace okksim::sim::cli
