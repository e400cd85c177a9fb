// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_names.h"

#include <algorithm>
#include <unordered_set>

#include "sim/graph/captures.h"
#include "sim/graph/mlir/hex_digits.h"
#include "sim/graph/mlir/mlir_characters.h"

namespace okksim::sim::graph {

namespace {

constexpr char kEscape = '$';

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '.' || c == '-';
}
bool is_upper_hex(char c) { return hex_digit(c) >= 0 && !(c >= 'a' && c <= 'f'); }

/// Returns the position of a suffix "$.digits"; the text's size if there is none.
std::size_t copy_ending(std::string_view text) {
    std::size_t at = text.size();
    while (at > 0 && is_digit(text[at - 1])) --at;
    const bool is_ending = at < text.size() && at >= 2 && text.substr(at - 2, 2) == "$.";
    return is_ending ? at - 2 : text.size();
}

/// A capture has the name of the value that it refers to.
void name_captures(Graph& graph, const Block& outer, const SubGraph& use) {
    Block& inner = graph.regions[use.block.region].blocks[use.block.block];
    for (std::size_t i = 0; i < use.captures.size(); ++i) {
        inner.tensors[inner.captures[i]].name = outer.tensors[use.captures[i]].name;
    }
}

void decode_block(Graph& graph, Block& block) {
    const auto is_encoded = [](const Tensor& tensor) {
        return !tensor.is_capture && !tensor.variable &&
               tensor.name.view().find(kEscape) != std::string_view::npos;
    };
    if (std::none_of(block.tensors.begin(), block.tensors.end(), is_encoded)) return;
    std::unordered_set<std::string> taken;
    for (const Tensor& tensor : block.tensors) taken.insert(tensor.name);
    for (Tensor& tensor : block.tensors) {
        if (!is_encoded(tensor)) continue;
        std::string name = decode_value_name(tensor.name);
        if (taken.insert(name).second) tensor.name = graph.own_text(name);
    }
}

}  // namespace

std::string encode_value_name(std::string_view name, std::uint64_t copy) {
    constexpr std::string_view kHexDigits = "0123456789ABCDEF";
    // A name is a number, or does not begin with a digit.
    const bool is_number = !name.empty() && std::all_of(name.begin(), name.end(), is_digit);
    std::string text;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool begins_wrongly = i == 0 && is_digit(name[0]) && (!is_number || copy > 0);
        if (is_plain(name[i]) && !begins_wrongly) {
            text += name[i];
            continue;
        }
        const auto byte = static_cast<unsigned char>(name[i]);
        text += {kEscape, kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    }
    if (copy > 0) text += "$." + std::to_string(copy);
    return text;
}

std::string decode_value_name(std::string_view text) {
    text = text.substr(0, copy_ending(text));
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_escape = text[i] == kEscape && i + 2 < text.size() &&
                               is_upper_hex(text[i + 1]) && is_upper_hex(text[i + 2]);
        if (is_escape) {
            name += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
            i += 2;
        } else {
            name += text[i];
        }
    }
    return name;
}

void decode_value_names(Graph& graph) {
    const auto order = blocks_inside_out(graph);
    for (auto reference = order.rbegin(); reference != order.rend(); ++reference) {
        Block& block = graph.regions[reference->region].blocks[reference->block];
        decode_block(graph, block);
        for (const Operator& op : block.operators) {
            for (const SubGraph* use : sub_graphs(op)) name_captures(graph, block, *use);
        }
    }
}

}  // namespace okksim::sim::graph
