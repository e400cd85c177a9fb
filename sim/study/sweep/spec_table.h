// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace okksim::sim::sweep {

/// A table of a specification. Whoever has read all that he knows calls finish(), which refuses
/// what nobody has asked for, with the nearest name. Every complaint is a ConfigError that names
/// file, line and key.
class SpecTable {
 public:
    SpecTable(const toml::table& table, std::string file, std::string name)
        : table_(table), file_(std::move(file)), name_(std::move(name)) {}

    bool has(const char* key);
    /// Nothing when the key is not there.
    std::optional<std::string> text(const char* key);
    std::optional<std::int64_t> integer(const char* key, std::int64_t low, std::int64_t high);
    std::optional<bool> boolean(const char* key);
    std::vector<std::string> texts(const char* key);
    /// The one of `words` that the key has; nothing when it is not there.
    std::optional<std::size_t> choice(const char* key, const std::vector<std::string>& words);
    const toml::node* node(const char* key);
    /// The table of this name; nullptr when there is none.
    const toml::table* table(const char* key);
    /// The tables of a list [[key]].
    std::vector<const toml::table*> tables(const char* key);
    const toml::table& all() const { return table_; }

    void finish() const;

    /// "sweep.toml:12: axis.values", for messages.
    std::string where(const std::string& key) const;
    const std::string& file() const { return file_; }

 private:
    const toml::table& table_;
    std::string file_;
    std::string name_;
    std::vector<std::string> known_;
};

/// A number, also with a unit of bytes ("64KiB"); nothing for anything else.
std::optional<double> number_from(const toml::node& node);

}  // namespace okksim::sim::sweep
