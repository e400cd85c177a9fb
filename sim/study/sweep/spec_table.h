// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace okksim::sim::sweep {

/// A table of a specification. After reading all known keys, the caller calls finish(), which
/// rejects unknown keys and suggests the nearest name. Every error is a ConfigError that names
/// file, line, column and key.
class SpecTable {
 public:
    SpecTable(const toml::table& table, std::string file, std::string name)
        : table_(table), file_(std::move(file)), name_(std::move(name)) {}

    bool has(const char* key);
    /// The functions below return nothing if the key is missing.
    std::optional<std::string> text(const char* key);
    std::optional<std::int64_t> integer(const char* key, std::int64_t low, std::int64_t high);
    std::optional<bool> boolean(const char* key);
    std::vector<std::string> texts(const char* key);
    /// Returns the index of the key's value in `words`; nothing if the key is missing.
    std::optional<std::size_t> choice(const char* key, const std::vector<std::string>& words);
    const toml::node* node(const char* key);
    /// Returns the table of this name; nullptr if it is missing.
    const toml::table* table(const char* key);
    /// Returns the tables of a list [[key]].
    std::vector<const toml::table*> tables(const char* key);
    const toml::table& all() const { return table_; }

    void finish() const;

    /// Returns "sweep.toml:12:1: axis.values", for messages.
    std::string where(const std::string& key) const;
    const std::string& file() const { return file_; }

 private:
    const toml::table& table_;
    std::string file_;
    std::string name_;
    std::vector<std::string> known_;
};

/// Returns a number, with an optional unit of bytes ("64KiB"); nothing for anything else.
std::optional<double> number_from(const toml::node& node);

}  // namespace okksim::sim::sweep
