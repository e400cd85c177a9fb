// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/open_dimensions.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "sim/graph/graph_errors.h"

namespace okksim::sim::graph {
namespace {

std::string name_of(const DeclaredInput& input, std::size_t dimension) {
    return dimension < input.dimension_names.size() ? input.dimension_names[dimension] : "";
}

/// Returns e.g. "[batch,3,?,?]".
std::string declared_text(const DeclaredInput& input) {
    if (!input.has_rank) return "no rank";
    std::string text;
    for (std::size_t i = 0; i < input.shape.size(); ++i) {
        const std::string name = name_of(input, i);
        const bool is_open = input.shape[i] == kOpenDimension;
        text += i == 0 ? "" : ",";
        text += !is_open ? std::to_string(input.shape[i]) : name.empty() ? "?" : printable(name);
    }
    return "[" + text + "]";
}

bool is_open(const DeclaredInput& input) {
    return !input.has_rank || std::ranges::find(input.shape, kOpenDimension) != input.shape.end();
}

/// True for a name that a converter has made up: it says nothing about the dimension.
bool is_made_up(std::string_view name) {
    return name.empty() || name.starts_with("unk__") || name == "none" || name == "?" ||
           name.find("dynamicdimension") != std::string_view::npos || name.starts_with("dim");
}

/// Exporters name the batch "batch", "batch_size" or "N". A first dimension with a
/// made-up name is one, too.
bool looks_like_batch(std::string name, std::size_t dimension) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (dimension == 0 && is_made_up(name)) return true;
    return name == "n" || name.find("batch") != std::string::npos;
}

void require_fit(const DeclaredInput& input, const Shape& given) {
    const bool has_fitting_rank = !input.has_rank || given.size() == input.shape.size();
    bool fits = has_fitting_rank;
    for (std::size_t i = 0; input.has_rank && fits && i < given.size(); ++i) {
        fits = input.shape[i] == kOpenDimension || input.shape[i] == given[i];
    }
    if (fits) return;
    throw ConfigError("input " + printable(input.name),
                      "the given shape " + shape_text(given) + " does not fit the model's input, " +
                          declared_text(input) +
                          (has_fitting_rank ? ": only open dimensions can change"
                                            : ": give a size for each of its dimensions"));
}

/// Returns the advice to give the shape, with an example that fits.
std::string shape_advice(const DeclaredInput& input) {
    if (!input.has_rank) return "give it with --shape " + input.name + "=SHAPE (1x3x224x224)";
    std::string example;
    for (std::size_t i = 0; i < input.shape.size(); ++i) {
        constexpr std::int64_t kExample = 224;
        const bool is_batch = looks_like_batch(name_of(input, i), i);
        const std::int64_t open = is_batch ? 1 : kExample;
        example += (i == 0 ? "" : "x") +
                   std::to_string(input.shape[i] == kOpenDimension ? open : input.shape[i]);
    }
    return "give it with --shape " + input.name + "=SHAPE, such as " + example;
}

class Binder {
 public:
    Binder(const std::vector<DeclaredInput>& inputs, const ReadOptions& options,
           std::vector<std::string>& warnings)
        : inputs_(inputs), options_(options), warnings_(warnings) {
        for (const DeclaredInput& input : inputs) note_given(input);
    }

    Shape bind(const DeclaredInput& input) {
        const auto given = given_.find(input.name);
        if (given != given_.end()) return given->second;
        if (!input.has_rank) fail(input, "the file gives no rank");
        Shape shape = input.shape;
        bool has_assumed = false;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (shape[i] != kOpenDimension) continue;
            const std::string name = name_of(input, i);
            const auto known = sizes_.find(name);
            if (known != sizes_.end()) {
                shape[i] = known->second;
            } else if (looks_like_batch(name, i)) {
                shape[i] = 1;
                has_assumed = true;
            } else {
                fail(input, "the file leaves dimension " + std::to_string(i) + " open");
            }
        }
        if (has_assumed) {
            warnings_.push_back("input " + printable(input.name) + " is " + shape_text(shape) +
                                ": the file leaves the batch of " + declared_text(input) +
                                " open, and --shape " + input.name + "=SHAPE gives another one");
        }
        return shape;
    }

 private:
    /// Notes the sizes of named dimensions that the user gives.
    void note_given(const DeclaredInput& input) {
        if (!options_.input_shape || !is_open(input)) return;
        const auto given = options_.input_shape(input.name);
        if (!given) return;
        require_fit(input, *given);
        given_[input.name] = *given;
        for (std::size_t i = 0; i < input.shape.size(); ++i) {
            const std::string name = name_of(input, i);
            if (input.shape[i] == kOpenDimension && !name.empty()) {
                sizes_.emplace(name, given->at(i));
            }
        }
    }

    [[noreturn]] void fail(const DeclaredInput& input, const std::string& why) const {
        throw ConfigError("input " + printable(input.name),
                          why + " (" + declared_text(input) + "), but every shape must be known: " +
                              shape_advice(input) + unknown_names());
    }
    /// Returns the given names that no input has.
    std::string unknown_names() const {
        std::vector<std::string> known;
        for (const DeclaredInput& input : inputs_) known.push_back(input.name);
        std::string text;
        for (const std::string& name : options_.given_inputs) {
            if (std::ranges::find(known, name) != known.end()) continue;
            text += "; " + name + ": " + no_such_input(name, known);
        }
        return text;
    }

    const std::vector<DeclaredInput>& inputs_;
    const ReadOptions& options_;
    std::vector<std::string>& warnings_;
    std::map<std::string, Shape> given_;
    std::map<std::string, std::int64_t> sizes_;
};

}  // namespace

std::vector<Shape> bind_input_shapes(const std::vector<DeclaredInput>& inputs,
                                     const ReadOptions& options,
                                     std::vector<std::string>& warnings) {
    Binder binder(inputs, options, warnings);
    std::vector<Shape> shapes;
    for (const DeclaredInput& input : inputs) shapes.push_back(binder.bind(input));
    return shapes;
}

}  // namespace okksim::sim::graph
