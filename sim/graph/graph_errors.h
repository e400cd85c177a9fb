// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/errors.h"
#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// What kind of problem a graph file has.
enum class FileProblem {
    kDamaged,      ///< no graph can be made of it
    kUnsupported,  ///< of a version or form, or with operators, that are not read; it may be legal
    kUnsupportedType,  ///< computes with a data type that the chip has nothing exact for
};

/// What to do about a damaged file, behind the message.
inline constexpr const char* kFetchOrCorrect =
    "; fetch the file again, or correct the tool that wrote it";

/// A kind of operator or attribute that a file has and that is not read.
struct UnreadItem {
    std::string what;   ///< "operator number 99", "tosa.foo"
    std::string place;  ///< of the first one
    std::uint64_t count = 0;
};
using UnreadItems = std::vector<UnreadItem>;

/// A graph file is damaged or of a version that is not read. Names the place in the file.
class GraphFileError : public ConfigError {
 public:
    /// `table` is the path of the table or field, e.g. "regions[0].blocks[0].operators[3].inputs";
    /// `byte_offset` the position in the file of the table or value, where one is known.
    GraphFileError(const std::string& file, std::string table,
                   std::optional<std::uint64_t> byte_offset, const std::string& message,
                   FileProblem problem = FileProblem::kDamaged, UnreadItems unread = {},
                   std::vector<std::string> damages = {});
    const std::string& table() const { return table_; }
    std::optional<std::uint64_t> byte_offset() const { return byte_offset_; }
    FileProblem problem() const { return problem_; }
    /// All operators and attributes of the file that are not read; empty when it is damaged first.
    const UnreadItems& unread() const { return unread_; }
    /// What is wrong beside them, with places; of texts alone, the first ten.
    const std::vector<std::string>& damages() const { return damages_; }

 private:
    std::string table_;
    std::optional<std::uint64_t> byte_offset_;
    FileProblem problem_;
    UnreadItems unread_;
    std::vector<std::string> damages_;
};

/// What is wrong with the name of an input that a graph with the inputs `known` does not have.
std::string no_such_input(const std::string& name, const std::vector<std::string>& known);

/// What a graph fault is about. Fields that do not apply stay empty.
struct GraphFaultPlace {
    const Block* block = nullptr;
    const Operator* op = nullptr;
    std::string tensor;  ///< tensor or attribute name
    std::string value;   ///< offending value
};

/// Throws ProgramFault (kIllegalGraph) of a rule that is not TOSA 1.0's: `where` names the operator
/// or block, `argument` the tensor or attribute; `rule` says whose it is.
[[noreturn]] void throw_broken_rule(const std::string& where, const std::string& argument,
                                    const std::string& value, const std::string& rule,
                                    const std::string& advice = "");

/// Throws ProgramFault (kIllegalGraph): the graph breaks `rule` of TOSA 1.0.1 section `section`.
[[noreturn]] void throw_illegal_graph(const GraphFaultPlace& place, const std::string& rule,
                                      std::string_view section, const std::string& advice = "");

}  // namespace okksim::sim::graph
