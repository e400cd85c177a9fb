// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_model.h"

#include <algorithm>

namespace okksim::sim::graph::tflite {

Model::Model(const GraphSource& source, const ReadOptions& options)
    : source_(source), options_(options), file_(source) {}

Block& Model::add_block(const std::string& name) {
    auto& blocks = graph_.regions[0].blocks;
    if (blocks.size() == kMostBlocks) {
        throw UnsupportedPart("more than " + std::to_string(kMostBlocks) + " calls of subgraphs");
    }
    blocks.emplace_back();
    blocks.back().name = name;
    return blocks.back();
}

void Model::note_unread(const std::string& what, const std::string& place, bool is_type) {
    unread_.add(what, place, is_type);
}

void Model::report_unread() const {
    if (unread_.empty()) return;
    file_.fail(unread_.place(), unread_.message(), unread_.problem(), unread_.items());
}

std::uint32_t Model::variable(const std::string& name) {
    const auto next = static_cast<std::uint32_t>(graph_.variables.size());
    const auto [entry, is_new] = variables_.emplace(name, next);
    if (is_new) {
        const std::string shown = name.empty() ? "variable" + std::to_string(next) : name;
        graph_.variables.push_back({shown, shown, DType::kUnknown, {}, {}});
    }
    return entry->second;
}

void Model::finish_variables() {
    for (Variable& variable : graph_.variables) {
        if (variable.type == DType::kUnknown) {  // never read
            variable.type = DType::kFp32;
            variable.shape = {1};
        }
        if (variable.initial_value.empty()) {
            const std::uint64_t bytes =
                storage_bytes(variable.type, *element_count(variable.shape));
            constexpr std::byte kZero{};
            variable.initial_value = graph_.own_repeated({&kZero, 1}, bytes);
        }
        if (variable.type != DType::kFp32 && variable.type != DType::kI8) {
            graph_.beyond_v1 |= feature_bit(Feature::kMlirDialect);
        }
    }
}

}  // namespace okksim::sim::graph::tflite
