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
    /// ConfigError with `where` if the text is not a formula.
    Formula(std::string text, std::string where);
    ~Formula();
    Formula(Formula&&) noexcept;
    Formula& operator=(Formula&&) noexcept;

    const std::string& text() const { return text_; }
    /// Returns the names in the formula.
    const std::vector<std::string>& names() const;
    /// Returns the result, with the number that `value_of` returns for each name. Returns nothing
    /// if a name has no number or the result is not finite.
    std::optional<double> value(
        const std::function<std::optional<double>(const std::string&)>& value_of) const;

 private:
    struct Parsed;
    std::string text_;
    std::unique_ptr<Parsed> parsed_;
};

}  // namespace okksim::sim::sweep
