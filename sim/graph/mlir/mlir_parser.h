// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/graph/mlir/mlir_lexer.h"
#include "sim/graph/mlir/mlir_value.h"

namespace okksim::sim::graph {

/// Counts a level of nesting during its lifetime.
class NestingGuard {
 public:
    static constexpr int kMost = 100;
    NestingGuard(int& depth, MlirLexer& lexer) : depth_(depth) {
        if (++depth_ > kMost) {
            --depth_;
            lexer.report().stop(lexer.token().at, "nested too deeply: more than " +
                                                      std::to_string(kMost) + " levels");
        }
    }
    NestingGuard(const NestingGuard&) = delete;
    NestingGuard& operator=(const NestingGuard&) = delete;
    ~NestingGuard() { --depth_; }

 private:
    int& depth_;
};

/// Marks parsed text as skipped during its lifetime.
class PassedOver {
 public:
    explicit PassedOver(int& count, bool is_on = true) : count_(count), by_(is_on ? 1 : 0) {
        count_ += by_;
    }
    PassedOver(const PassedOver&) = delete;
    PassedOver& operator=(const PassedOver&) = delete;
    ~PassedOver() { count_ -= by_; }

 private:
    int& count_;
    int by_;
};

/// True for a builtin type that takes "<...>" and that no graph has.
inline bool is_other_type(std::string_view word) {
    return word == "memref" || word == "vector" || word == "tuple" || word == "complex";
}

/// Parses types, attributes and locations, whose syntax does not depend on context. `graph` owns
/// the constants' bytes.
class MlirValueParser {
 public:
    MlirValueParser(MlirLexer& lexer, Graph& graph);

    MlirType parse_type();
    /// Parses the optional "{name = value}" after the type of a function's argument or result. It
    /// gives the element type in files.
    FileWords parse_notes(const MlirType& type);
    /// Parses "(t, t)", or with `allow_bare` also types without parentheses.
    std::vector<MlirType> parse_type_list(bool allow_bare);
    MlirAttribute parse_attribute();
    /// Parses the rest of "{name = value, ...}" or "<{...}>" after the opening, up to and including
    /// `close`.
    void parse_dictionary(std::string_view close, std::vector<MlirNamedAttribute>& attributes);
    /// Parses an optional "loc(...)" and returns its text for messages, such as "layer1" or
    /// net.py:3:4.
    std::string parse_location();
    /// Parses "#name = ..." or "!name = ..." at the top level. The definition is read at its use.
    void parse_alias();
    /// Parses {-# dialect_resources: ... #-}: entries by name.
    void parse_resources();
    /// Checks the entries that no constant has read: digits and alignment.
    void check_unread_resources();
    /// Skips brackets and their contents; returns the end position.
    std::size_t skip_balanced();

 private:
    MlirType parse_tensor_type(std::size_t at);
    MlirType parse_element_type(std::string_view word, std::size_t at) const;
    MlirType parse_type_alias(const MlirToken& name);
    MlirAttribute parse_array();
    MlirAttribute parse_list();
    MlirAttribute parse_attribute_alias(const MlirToken& name);
    MlirType parse_elements_type();
    [[noreturn]] void refuse_elided(std::size_t at) const;
    MlirAttribute parse_dense(std::size_t at);
    MlirAttribute parse_dense_resource(std::size_t at);
    MlirAttribute parse_number();
    std::string parse_location_body();
    std::string parse_file_location(const MlirToken& name);
    std::string parse_fused_location();
    std::string parse_location_alias(const MlirToken& name);
    void refuse_repeated(std::span<const MlirNamedAttribute> attributes);
    MlirType parse_other_type(const MlirToken& name);
    MlirAttribute parse_word(const MlirToken& word);
    MlirAttribute parse_other_attribute(const MlirToken& word);
    MlirAttribute parse_symbol(const MlirToken& token);
    void find_aliases();
    void find_resources();

    MlirLexer& lexer_;
    Graph& graph_;
    /// Text positions after the "=" of aliases. One pass over the lines finds them all, as a
    /// definition may follow its use.
    std::unordered_map<std::string_view, std::size_t> aliases_;
    // Each alias is parsed once, independently of the number of uses.
    std::unordered_map<std::string_view, MlirType> types_;
    std::unordered_map<std::string_view, MlirAttribute> attributes_;
    std::unordered_map<std::string_view, std::string> locations_;
    std::unordered_map<std::string_view, std::string_view> resources_;  ///< hex strings, quoted
    std::unordered_set<std::string_view> read_resources_;
    bool has_found_aliases_ = false;
    bool has_found_resources_ = false;
    bool are_resources_damaged_ = false;
    int depth_ = 0;
    int passed_over_ = 0;  ///< if above 0, the parsed text does not affect the graph
};

}  // namespace okksim::sim::graph
