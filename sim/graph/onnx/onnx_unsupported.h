// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace okksim::sim::graph::onnx {

/// A legal part of the file that is not supported. The reader continues and lists all such parts.
class UnsupportedPart : public std::runtime_error {
 public:
    explicit UnsupportedPart(const std::string& what, bool is_type = false)
        : std::runtime_error(what), is_type_(is_type) {}
    bool is_type() const { return is_type_; }

 private:
    bool is_type_;
};

/// An operand is the result of an unsupported node: one message is enough.
struct UnreadOperand {};

}  // namespace okksim::sim::graph::onnx
