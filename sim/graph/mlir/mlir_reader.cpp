// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_reader.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "isa/base/closest_word.h"
#include "isa/base/errors.h"
#include "sim/files/mapped_file.h"
#include "sim/graph/captures.h"
#include "sim/graph/mlir/mlir_fields.h"
#include "sim/graph/mlir/mlir_module.h"
#include "sim/graph/mlir/mlir_names.h"
#include "sim/graph/schedule.h"

namespace okksim::sim::graph {

namespace {

/// Words with which a file may begin, after comments and white space.
constexpr std::string_view kBeginnings[] = {"module", "\"builtin.module\"", "\"func.func\"",
                                            "\"tosa.variable\"", "{-#"};
constexpr std::size_t kProbedBytes = 64 << 10;

bool is_beginning_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

/// True if the text begins with an operation: dialect.name, then white space or a symbol's sign.
bool begins_with_operation(std::string_view text) {
    const auto skip_name = [&] {
        const auto end = std::find_if_not(text.begin(), text.end(), is_beginning_character);
        const auto size = static_cast<std::size_t>(end - text.begin());
        text.remove_prefix(size);
        return size > 0;
    };
    if (!skip_name() || !text.starts_with('.')) return false;
    while (text.starts_with('.')) {
        text.remove_prefix(1);
        if (!skip_name()) return false;
    }
    return !text.empty() && std::string_view(" \t\r\n@").find(text[0]) != std::string_view::npos;
}

std::string quoted_list(const std::vector<MlirFunction>& functions) {
    constexpr std::size_t kMostShown = 20;
    std::string names;
    for (std::size_t i = 0; i < std::min(functions.size(), kMostShown); ++i) {
        names += (names.empty() ? "" : ", ") + functions[i].name;
    }
    if (functions.size() > kMostShown) {
        names += " and " + std::to_string(functions.size() - kMostShown) + " more";
    }
    return names;
}

MlirFunction& choose_function(std::vector<MlirFunction>& functions, const std::string& wanted,
                              const std::string& file, std::vector<std::string>& warnings) {
    if (functions.empty()) {
        throw GraphFileError(file, "", std::nullopt,
                             "the text has no function: a graph is a func.func @main(...) {...}");
    }
    const std::string name = wanted.empty() ? "main" : wanted;
    for (MlirFunction& function : functions) {
        if (function.name == name) return function;
    }
    if (!wanted.empty()) {
        std::vector<std::string> names;
        for (const MlirFunction& function : functions) names.push_back(function.name);
        throw ConfigError("--function " + wanted,
                          "the file has no such function; it has: " + quoted_list(functions) +
                              did_you_mean(wanted, names));
    }
    if (functions.size() > 1) {
        warnings.push_back(file + ": warning: the file has several functions (" +
                           quoted_list(functions) + "), but no main: @" + functions.front().name +
                           " runs. `okksim run --function NAME` runs another");
    }
    return functions.front();
}

}  // namespace

bool probe_mlir(std::span<const std::byte> bytes) {
    std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                          std::min(bytes.size(), kProbedBytes));
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    if (text.find('\0') != std::string_view::npos) return false;
    for (;;) {
        const std::size_t start = text.find_first_not_of(" \t\r\n");
        // A text with only comments and white space counts as MLIR without a function.
        if (start == std::string_view::npos) return !bytes.empty();
        text.remove_prefix(start);
        if (!text.starts_with("//")) break;
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return true;
        text.remove_prefix(end);
    }
    // An alias: a sign with a name.
    if ((text[0] == '#' || text[0] == '!') && text.size() > 1) {
        return std::isalpha(static_cast<unsigned char>(text[1])) != 0;
    }
    return begins_with_operation(text) ||
           std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                       [&](std::string_view beginning) { return text.starts_with(beginning); });
}

Graph read_mlir(const GraphSource& source, const ReadOptions& options) {
    Graph graph;
    graph.storage.push_back(source.owner);
    graph.beyond_v1 = feature_bit(Feature::kMlirDialect);
    const std::string_view text(reinterpret_cast<const char*>(source.bytes.data()),
                                source.bytes.size());
    TextReport report(text, source.name);
    std::vector<MlirFunction> functions = read_mlir_module(text, options, graph, report);
    unmap_pages(source.bytes);
    MlirFunction& chosen =
        choose_function(functions, options.function, source.name, report.warnings());
    graph.regions.push_back({"main", {}});
    std::unordered_set<std::string> names;
    for (Block& block : chosen.blocks) {
        while (!names.insert(block.name).second) block.name += "_";  // .tosa finds blocks by name
        graph.regions[0].blocks.push_back(std::move(block));
    }
    graph.entry = {0, 0};
    graph.warnings = std::move(report.warnings());
    bind_captures(graph);
    if (chosen.has_escaped_names) decode_value_names(graph);
    schedule_graph(graph);
    return graph;
}

}  // namespace okksim::sim::graph
