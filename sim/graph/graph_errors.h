// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/base/errors.h"
#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// The kind of problem in a graph file.
enum class FileProblem {
    kDamaged,          ///< the file contains no valid graph
    kUnsupported,      ///< version, format or operators are not supported, but may be legal
    kUnsupportedType,  ///< needs a data type that the chip cannot compute exactly
};

/// Advice appended to the message about a damaged file.
inline constexpr const char* kFetchOrCorrect =
    "; fetch the file again, or correct the tool that wrote it";

/// An unsupported kind of operator or attribute in a file.
struct UnreadItem {
    std::string what;   ///< "operator number 99", "tosa.foo"
    std::string place;  ///< of the first one
    std::uint64_t count = 0;
};
using UnreadItems = std::vector<UnreadItem>;

/// A graph file that is damaged or has an unsupported version. Names the position in the file.
class GraphFileError : public ConfigError {
 public:
    /// `table` is the path of a table or field, such as "regions[0].blocks[0].operators[3].inputs".
    /// `byte_offset` is its position in the file, if known.
    GraphFileError(const std::string& file, std::string table,
                   std::optional<std::uint64_t> byte_offset, const std::string& message,
                   FileProblem problem = FileProblem::kDamaged, UnreadItems unread = {},
                   std::vector<std::string> damages = {});
    const std::string& table() const { return table_; }
    std::optional<std::uint64_t> byte_offset() const { return byte_offset_; }
    FileProblem problem() const { return problem_; }
    /// Returns all unsupported operators and attributes; empty if the file is damaged before them.
    const UnreadItems& unread() const { return unread_; }
    /// Returns the other errors with their positions (texts only, at most ten).
    const std::vector<std::string>& damages() const { return damages_; }

 private:
    std::string table_;
    std::optional<std::uint64_t> byte_offset_;
    FileProblem problem_;
    UnreadItems unread_;
    std::vector<std::string> damages_;
};

/// Returns a message about an input name that a graph with the inputs `known` lacks.
std::string no_such_input(const std::string& name, const std::vector<std::string>& known);

/// The subject of a graph fault. Fields that do not apply are empty.
struct GraphFaultPlace {
    const Block* block = nullptr;
    const Operator* op = nullptr;
    std::string tensor;  ///< tensor or attribute name
    std::string value;   ///< offending value
};

/// Throws ProgramFault (kIllegalGraph) for a rule that is not part of TOSA 1.0. `where` names the
/// operator or block, `argument` the tensor or attribute. `rule` names its source.
[[noreturn]] void throw_broken_rule(const std::string& where, const std::string& argument,
                                    const std::string& value, const std::string& rule,
                                    const std::string& advice = "");

/// Throws ProgramFault (kIllegalGraph): the graph breaks `rule` of TOSA 1.0.1 section `section`.
[[noreturn]] void throw_illegal_graph(const GraphFaultPlace& place, const std::string& rule,
                                      std::string_view section, const std::string& advice = "");

}  // namespace okksim::sim::graph
