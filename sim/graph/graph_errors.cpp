// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/graph_errors.h"

#include <algorithm>

#include "isa/base/closest_word.h"
#include "isa/base/fault.h"

namespace okksim::sim::graph {

namespace {

std::string place_text(const std::string& table, std::optional<std::uint64_t> byte_offset,
                       const std::string& message) {
    std::string text = "graph file: ";
    if (!table.empty()) text += table + ": ";
    text += message;
    if (byte_offset) text += " (byte " + std::to_string(*byte_offset) + " of the file)";
    return text;
}

}  // namespace

GraphFileError::GraphFileError(const std::string& file, std::string table,
                               std::optional<std::uint64_t> byte_offset, const std::string& message,
                               FileProblem problem, UnreadItems unread,
                               std::vector<std::string> damages)
    : ConfigError(file, place_text(table, byte_offset, message)),
      table_(std::move(table)),
      byte_offset_(byte_offset),
      problem_(problem),
      unread_(std::move(unread)),
      damages_(std::move(damages)) {}

std::string no_such_input(const std::string& name, const std::vector<std::string>& known) {
    constexpr std::size_t kMostShown = 20;
    std::string names;
    for (std::size_t i = 0; i < std::min(known.size(), kMostShown); ++i) {
        names += (i == 0 ? "" : ", ") + known[i];
    }
    if (known.size() > kMostShown) {
        names += " and " + std::to_string(known.size() - kMostShown) + " more";
    }
    return "the model has no such input; it has: " + (names.empty() ? "none" : names) +
           did_you_mean(name, known);
}

void throw_broken_rule(const std::string& where, const std::string& argument,
                       const std::string& value, const std::string& rule,
                       const std::string& advice) {
    FaultRecord record;
    record.code = FaultCode::kIllegalGraph;
    record.function = where;
    record.argument = argument;
    record.value = value;
    record.rule = rule;
    record.advice = advice.empty() ? "correct the model or the tool that wrote it" : advice;
    record.unit = "graph";
    throw ProgramFault(std::move(record));
}

void throw_illegal_graph(const GraphFaultPlace& place, const std::string& rule,
                         std::string_view section, const std::string& advice) {
    std::string where;
    if (place.op != nullptr) {
        where = "operator " + std::to_string(place.op->index) + " " +
                std::string(op_name(place.op->op));
        const std::string origin =
            place.block == nullptr ? place.op->location.text() : place.block->origin(*place.op);
        if (!origin.empty()) where += " (" + origin + ")";
    }
    if (place.block != nullptr && !place.block->name.empty() && place.block->name != "main") {
        where += (where.empty() ? "block " : " in block ") + place.block->name;
    }
    throw_broken_rule(where, place.tensor, place.value,
                      rule + " (TOSA 1.0.1 section " + std::string(section) + ")", advice);
}

}  // namespace okksim::sim::graph
