// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/spec_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "isa/base/closest_word.h"
#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "sim/machine/machine_text.h"

namespace okksim::sim::sweep {

std::string SpecTable::where(const std::string& key) const {
    const auto found = table_.find(key);
    const toml::source_position at =
        found != table_.end() ? found->first.source().begin : table_.source().begin;
    const std::string path = name_.empty() ? key : name_ + "." + key;
    return fmt::format("{}:{}:{}: {}", file_, at.line, at.column, printable(path));
}

const toml::node* SpecTable::node(const char* key) {
    if (std::ranges::find(known_, key) == known_.end()) known_.emplace_back(key);
    return table_.get(key);
}

bool SpecTable::has(const char* key) { return node(key) != nullptr; }

std::optional<std::string> SpecTable::text(const char* key) {
    const toml::node* found = node(key);
    if (found == nullptr) return std::nullopt;
    const auto text = found->value<std::string>();
    if (!found->is_string() || !text) throw ConfigError(where(key), "must be a text in quotes");
    return text;
}

std::optional<std::int64_t> SpecTable::integer(const char* key, std::int64_t low,
                                               std::int64_t high) {
    const toml::node* found = node(key);
    if (found == nullptr) return std::nullopt;
    if (!found->is_integer() || found->as_integer()->get() < low ||
        found->as_integer()->get() > high) {
        throw ConfigError(where(key),
                          fmt::format("must be a whole number from {} to {}", low, high));
    }
    return found->as_integer()->get();
}

std::optional<bool> SpecTable::boolean(const char* key) {
    const toml::node* found = node(key);
    if (found == nullptr) return std::nullopt;
    if (!found->is_boolean()) throw ConfigError(where(key), "must be true or false");
    return found->as_boolean()->get();
}

std::vector<std::string> SpecTable::texts(const char* key) {
    const toml::node* found = node(key);
    if (found == nullptr) return {};
    const toml::array* array = found->as_array();
    std::vector<std::string> texts;
    if (array != nullptr) {
        for (const toml::node& entry : *array) {
            if (!entry.is_string()) {
                array = nullptr;
                break;
            }
            texts.push_back(entry.as_string()->get());
        }
    }
    if (array == nullptr) {
        throw ConfigError(where(key), "must be a list of strings: [\"a\", \"b\"]");
    }
    return texts;
}

std::optional<std::size_t> SpecTable::choice(const char* key,
                                             const std::vector<std::string>& words) {
    const auto word = text(key);
    if (!word) return std::nullopt;
    const auto found = std::ranges::find(words, *word);
    if (found == words.end()) {
        throw ConfigError(where(key), fmt::format("\"{}\" is not allowed; choose one of: {}",
                                                  printable(*word), fmt::join(words, ", ")));
    }
    return static_cast<std::size_t>(found - words.begin());
}

const toml::table* SpecTable::table(const char* key) {
    const toml::node* found = node(key);
    if (found != nullptr && !found->is_table()) {
        throw ConfigError(where(key), fmt::format("must be a section: [{}]", key));
    }
    return found == nullptr ? nullptr : found->as_table();
}

std::vector<const toml::table*> SpecTable::tables(const char* key) {
    std::vector<const toml::table*> tables;
    const toml::node* found = node(key);
    if (found == nullptr) return tables;
    const toml::array* array = found->as_array();
    const bool is_list = array != nullptr && std::ranges::all_of(*array, [](const toml::node& n) {
                             return n.is_table();
                         });
    if (!is_list) {
        throw ConfigError(where(key), fmt::format("must be sections of a list: [[{}]]", key));
    }
    for (const toml::node& entry : *array) tables.push_back(entry.as_table());
    return tables;
}

void SpecTable::finish() const {
    for (const auto& [key, node] : table_) {
        const std::string name(key.str());
        if (std::ranges::find(known_, name) != known_.end()) continue;
        throw ConfigError(where(name),
                          fmt::format("is no key of this section; its keys are {}{}",
                                      fmt::join(known_, ", "), did_you_mean(name, known_)));
    }
}

std::optional<double> number_from(const toml::node& node) {
    if (const auto* integer = node.as_integer()) return static_cast<double>(integer->get());
    if (const auto* floating = node.as_floating_point()) return floating->get();
    if (node.is_string()) {
        if (const auto bytes = bytes_from(node.as_string()->get())) {
            return static_cast<double>(*bytes);
        }
    }
    return std::nullopt;
}

}  // namespace okksim::sim::sweep
