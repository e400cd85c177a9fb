// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "sim/graph/graph_errors.h"

namespace okksim::sim::graph {

/// A legal part of the file that is not supported. The reader continues and lists all such parts.
class UnsupportedPart : public std::runtime_error {
 public:
    explicit UnsupportedPart(const std::string& what, bool is_type = false)
        : std::runtime_error(what), is_type_(is_type) {}
    bool is_type() const { return is_type_; }

 private:
    bool is_type_;
};

/// An operand is the result of an unsupported operator: one message is enough.
struct UnreadOperand {};

/// The unsupported parts of a file, each kind once with its first position and its count.
class UnreadParts {
 public:
    void add(const std::string& what, const std::string& place, bool is_type) {
        are_types_ = are_types_ && is_type;
        ++count_;
        const auto [position, is_new] = positions_.emplace(what, items_.size());
        if (is_new) items_.push_back({what, place, 0});
        ++items_[position->second].count;
    }

    bool empty() const { return items_.empty(); }
    /// Returns the number of parts, with repetitions.
    std::uint64_t count() const { return count_; }
    const UnreadItems& items() const { return items_; }
    // For the message about a file that has such parts.
    const std::string& place() const { return items_.front().place; }
    std::string message() const {
        const std::string first = items_.front().what + " is not supported";
        if (items_.size() == 1) return first;
        return first + ", nor are " + std::to_string(items_.size() - 1) +
               " more: okksim inspect lists them";
    }
    FileProblem problem() const {
        return are_types_ ? FileProblem::kUnsupportedType : FileProblem::kUnsupported;
    }

 private:
    UnreadItems items_;
    std::unordered_map<std::string, std::size_t> positions_;
    std::uint64_t count_ = 0;
    bool are_types_ = true;
};

}  // namespace okksim::sim::graph
