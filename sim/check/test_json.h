// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/base/errors.h"
#include "isa/base/json_problem.h"

namespace okksim::sim::check {

using Json = nlohmann::json;

/// A JSON object with its key path, for messages.
class Node {
 public:
    Node(const Json& json, std::string path) : json_(&json), path_(std::move(path)) {}

    [[noreturn]] void fail(const std::string& key, const std::string& message) const {
        throw ConfigError(path_ + key, message);
    }

    bool has(const std::string& key) const {
        return json_->is_object() && json_->contains(key) && !json_->at(key).is_null();
    }

    Node child(const std::string& key) const {
        if (!has(key)) fail(key, "the key is missing");
        return {json_->at(key), path_ + key + "."};
    }

    template <typename T>
    T get(const std::string& key) const {
        if (!has(key)) fail(key, "the key is missing");
        try {
            return json_->at(key).get<T>();
        } catch (const Json::exception& exception) {
            fail(key, json_problem(exception));
        }
    }

    template <typename T>
    T get_or(const std::string& key, T fallback) const {
        return has(key) ? get<T>(key) : fallback;
    }

    template <typename T>
    std::optional<T> get_optional(const std::string& key) const {
        if (!has(key)) return std::nullopt;
        return get<T>(key);
    }

    std::vector<std::string> list(const std::string& key) const {
        return get_or<std::vector<std::string>>(key, {});
    }

    const Json& json() const { return *json_; }

 private:
    const Json* json_;
    std::string path_;
};

}  // namespace okksim::sim::check
