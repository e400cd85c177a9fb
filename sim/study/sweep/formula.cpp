// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/formula.h"

#include <muParser.h>

#include <cmath>
#include <deque>
#include <string_view>

#include "isa/base/errors.h"

namespace okksim::sim::sweep {
namespace {

double kibibytes(double value) { return value * 1024; }
double mebibytes(double value) { return value * 1024 * 1024; }
double gibibytes(double value) { return value * 1024 * 1024 * 1024; }

/// True if the text has a "=" that is not part of a comparison.
bool assigns(const std::string& text) {
    for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
        const bool ends = at > 0 && std::string_view("<>!").find(text[at - 1]) != std::string::npos;
        const bool doubled = at + 1 < text.size() && text[at + 1] == '=';
        if (doubled && !ends) {
            ++at;  // both letters of "=="
        } else if (!ends) {
            return true;
        }
    }
    return false;
}

}  // namespace

struct Formula::Parsed {
    mu::Parser parser;
    std::vector<std::string> names;
    std::deque<double> values;  ///< of the names; the deque keeps their addresses stable

    static double* add(const char* name, void* self) {
        auto* parsed = static_cast<Parsed*>(self);
        parsed->names.emplace_back(name);
        return &parsed->values.emplace_back(1.0);
    }
};

Formula::Formula(std::string text, std::string where)
    : text_(std::move(text)), parsed_(std::make_unique<Parsed>()) {
    mu::Parser& parser = parsed_->parser;
    try {
        parser.DefineNameChars("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
        parser.SetVarFactory(&Parsed::add, parsed_.get());
        parser.DefinePostfixOprt("KiB", &kibibytes);
        parser.DefinePostfixOprt("MiB", &mebibytes);
        parser.DefinePostfixOprt("GiB", &gibibytes);
        parser.SetExpr(text_);
        (void)parser.Eval();
        if (assigns(text_)) {
            throw mu::Parser::exception_type("\"=\" changes a value; \"==\" compares two values");
        }
        if (parser.GetNumResults() != 1) {
            throw mu::Parser::exception_type("\",\" separates several formulas");
        }
    } catch (const mu::Parser::exception_type& error) {
        throw ConfigError(std::move(where), "\"" + text_ + "\" is no formula: " + error.GetMsg() +
                                                "; an example: \"chip.lanes * "
                                                "chip.local_memory_bytes <= 32MiB\"");
    }
}

Formula::~Formula() = default;
Formula::Formula(Formula&&) noexcept = default;
Formula& Formula::operator=(Formula&&) noexcept = default;

const std::vector<std::string>& Formula::names() const { return parsed_->names; }

std::optional<double> Formula::value(
    const std::function<std::optional<double>(const std::string&)>& value_of) const {
    for (std::size_t i = 0; i < parsed_->names.size(); ++i) {
        const auto value = value_of(parsed_->names[i]);
        if (!value) return std::nullopt;
        parsed_->values[i] = *value;
    }
    try {
        const double value = parsed_->parser.Eval();
        if (std::isfinite(value)) return value;
    } catch (const mu::Parser::exception_type&) {
        // An error counts as a result that is not a number.
    }
    return std::nullopt;
}

}  // namespace okksim::sim::sweep
