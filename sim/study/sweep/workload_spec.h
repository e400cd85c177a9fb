// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace okksim::sim::sweep {

/// A workload that runs on every machine. Exactly one of graph, trace, kernel and zoo is set.
struct WorkloadSpec {
    std::string name;
    std::filesystem::path graph;      ///< a graph file
    std::filesystem::path trace;      ///< a recording of `okksim record`, or a call trace
    std::filesystem::path kernel;     ///< a library with kernels
    std::string zoo;                  ///< a network of the zoo
    std::string function;             ///< of a graph in text form
    std::vector<std::string> shapes;  ///< "NAME=SHAPE" of a graph's inputs
    std::string rounding;             ///< of a .tflite file: "", "double" or "single"
    std::filesystem::path values;  ///< recorded values for a graph's control flow (--keep-values)
    std::map<std::string, std::string> zoo_options;  ///< precision, batch, size, width
    /// Settings that axes make for this variant of the workload: "zoo.precision" = "int8".
    std::vector<std::pair<std::string, std::string>> variant;
    std::string launch;  ///< name of the kernel
    /// Arguments of a kernel, in the order of its argument struct: "i32=64", "in=a.npy",
    /// "out=f32[64]".
    std::vector<std::string> arguments;
    std::vector<std::filesystem::path> libraries;  ///< with kernels of CUSTOM operators
};

}  // namespace okksim::sim::sweep
