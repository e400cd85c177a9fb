// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace okksim::sim::sweep {

/// An expression over named numbers, with the operators and functions of muParser and the units
/// KiB, MiB, GiB: "chip.lanes * local_memory_bytes <= 32MiB".
class Formula {
 public:
    /// ConfigError, with `where`, when the text is none.
    Formula(std::string text, std::string where);
    ~Formula();
    Formula(Formula&&) noexcept;
    Formula& operator=(Formula&&) noexcept;

    const std::string& text() const { return text_; }
    /// The names in it.
    const std::vector<std::string>& names() const;
    /// Its value where a name has the number that `value_of` says; nothing when it says nothing
    /// of one, or the value is no number.
    std::optional<double> value(
        const std::function<std::optional<double>(const std::string&)>& value_of) const;

 private:
    struct Parsed;
    std::string text_;
    std::unique_ptr<Parsed> parsed_;
};

}  // namespace okksim::sim::sweep
