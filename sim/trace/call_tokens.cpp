// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/call_tokens.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace okksim::sim::trace {
namespace {

/// Receives the JSON parser's events; returning false stops it.
class Collector : public nlohmann::json_sax<nlohmann::json> {
 public:
    explicit Collector(CallTokens& tokens) : tokens_(tokens) { tokens_.size = 0; }

    const std::string& problem() const { return problem_; }

    bool null() override { return scalar(CallToken::Kind::kNull) != nullptr; }
    bool boolean(bool value) override {
        CallToken* token = scalar(CallToken::Kind::kBool);
        if (token != nullptr) token->integer = value ? 1 : 0;
        return token != nullptr;
    }
    bool number_integer(std::int64_t value) override { return integer(value); }
    bool number_unsigned(std::uint64_t value) override {
        constexpr auto kMost = static_cast<std::uint64_t>(INT64_MAX);
        if (value > kMost) return fail(fmt::format("the number {} is too large", value));
        return integer(static_cast<std::int64_t>(value));
    }
    bool number_float(double value, const std::string& text) override {
        if (depth_ == 2) return fail(fmt::format("expected an integer, found {}", text));
        CallToken* token = scalar(CallToken::Kind::kReal);
        if (token != nullptr) token->real = value;
        return token != nullptr;
    }
    bool string(std::string& value) override {
        if (depth_ == 2) return fail(fmt::format("expected an integer, found \"{}\"", value));
        CallToken* token = scalar(CallToken::Kind::kString);
        if (token != nullptr) token->text = value;
        return token != nullptr;
    }
    bool start_array(std::size_t) override {
        if (++depth_ == 1) return true;
        if (depth_ > 2) return fail("lists are nested too deeply");
        CallToken* token = add(CallToken::Kind::kList);
        if (token != nullptr) token->list_size = 0;
        return token != nullptr;
    }
    bool end_array() override {
        --depth_;
        return true;
    }
    bool binary(nlohmann::json::binary_t&) override { return fail("binary data"); }
    bool start_object(std::size_t) override { return fail("it is an object, not a list"); }
    bool key(std::string&) override { return false; }
    bool end_object() override { return false; }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::json::exception&) override {
        return fail(fmt::format("it is not JSON at character {}", position));
    }

 private:
    bool fail(const std::string& problem) {
        if (problem_.empty()) problem_ = problem;
        return false;
    }
    CallToken* add(CallToken::Kind kind) {
        if (tokens_.size == CallTokens::kMost) {
            fail(fmt::format("it has more than {} elements", CallTokens::kMost));
            return nullptr;
        }
        CallToken& token = tokens_.tokens[static_cast<std::size_t>(tokens_.size++)];
        token.kind = kind;
        return &token;
    }
    CallToken* scalar(CallToken::Kind kind) {
        if (depth_ == 1) return add(kind);
        fail(depth_ == 0 ? "it is not a list" : "a list holds values that are not integers");
        return nullptr;
    }
    bool integer(std::int64_t value) {
        if (depth_ == 2) {
            CallToken& token = tokens_.tokens[static_cast<std::size_t>(tokens_.size - 1)];
            if (token.list_size == CallToken::kLongestList) return fail("a list is too long");
            token.list[static_cast<std::size_t>(token.list_size++)] = value;
            return true;
        }
        CallToken* token = scalar(CallToken::Kind::kInteger);
        if (token == nullptr) return false;
        token->integer = value;
        token->real = static_cast<double>(value);
        return true;
    }

    CallTokens& tokens_;
    int depth_ = 0;
    std::string problem_;
};

}  // namespace

std::string split_call(std::string_view line, CallTokens& tokens) {
    Collector collector(tokens);
    const bool parsed = nlohmann::json::sax_parse(line.begin(), line.end(), &collector);
    if (!collector.problem().empty()) return collector.problem();
    if (!parsed) return "it is not JSON";
    if (tokens.size == 0) return "it is an empty list";
    if (tokens.tokens[0].kind != CallToken::Kind::kString) {
        return "its first element is not the function's name";
    }
    return {};
}

}  // namespace okksim::sim::trace
