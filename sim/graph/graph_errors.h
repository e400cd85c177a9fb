// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "isa/errors.h"
#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// A graph file is damaged or of a version that is not read. Names the place in the file.
class GraphFileError : public ConfigError {
 public:
    /// `table` is the path of the table or field, e.g. "regions[0].blocks[0].operators[3].inputs";
    /// `byte_offset` the position in the file of the table or value, where one is known.
    GraphFileError(const std::string& file, std::string table,
                   std::optional<std::uint64_t> byte_offset, const std::string& message);
    const std::string& table() const { return table_; }
    std::optional<std::uint64_t> byte_offset() const { return byte_offset_; }

 private:
    std::string table_;
    std::optional<std::uint64_t> byte_offset_;
};

/// What a graph fault is about. Fields that do not apply stay empty.
struct GraphFaultPlace {
    const Block* block = nullptr;
    const Operator* op = nullptr;
    std::string tensor;  ///< tensor or attribute name
    std::string value;   ///< offending value
};

/// Throws ProgramFault (kIllegalGraph): the graph breaks `rule` of TOSA 1.0.1 section `section`.
[[noreturn]] void throw_illegal_graph(const GraphFaultPlace& place, const std::string& rule,
                                      std::string_view section, const std::string& advice = "");

}  // namespace okksim::sim::graph
