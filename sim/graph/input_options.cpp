// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/input_options.h"

#include <algorithm>

#include "isa/base/errors.h"
#include "sim/graph/host_tensor.h"
#include "sim/graph/npy.h"

namespace okksim::sim::graph {

std::optional<Shape> parse_shape(std::string_view text) {
    constexpr std::size_t kMostDigits = 18;
    Shape shape;
    while (!text.empty()) {
        const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
        if (digits == 0 || digits > kMostDigits) return std::nullopt;
        shape.push_back(std::stoll(std::string(text.substr(0, digits))));
        text.remove_prefix(digits);
        if (text.empty()) return shape;
        if (text[0] != 'x') return std::nullopt;
        text.remove_prefix(1);
    }
    return std::nullopt;
}

void add_shapes(const std::vector<std::string>& texts, const std::string& option,
                InputShapes& known) {
    for (const std::string& text : texts) {
        const std::size_t sign = text.rfind('=');
        const bool has_name = sign != std::string::npos && sign > 0;
        const auto shape =
            has_name ? parse_shape(std::string_view(text).substr(sign + 1)) : std::nullopt;
        if (!shape) {
            throw ConfigError(option + " " + text,
                              "is not of the form NAME=SHAPE, e.g. image=1x3x224x224");
        }
        const std::string name = text.substr(0, sign);
        if (known.emplace(name, *shape).second) continue;
        throw ConfigError(option + " " + name, "is given twice: give the shape of each input once");
    }
}

ReadOptions input_options(InputShapes shapes, InputFiles files) {
    ReadOptions options;
    for (const auto& [name, file] : files) options.given_inputs.push_back(name);
    for (const auto& [name, shape] : shapes) options.given_inputs.push_back(name);
    const auto own_files = std::make_shared<const InputFiles>(std::move(files));
    const auto file_of = [own_files](const std::string& name) {
        const auto file = own_files->find(name);
        return file == own_files->end() ? nullptr : &file->second;
    };
    options.input_shape = [shapes = std::move(shapes),
                           file_of](const std::string& name) -> std::optional<Shape> {
        const auto shape = shapes.find(name);
        if (shape != shapes.end()) return shape->second;
        const auto* file = file_of(name);
        if (file == nullptr) return std::nullopt;
        return read_npy(*file).shape;
    };
    options.shape_input = [file_of](const std::string& name) {
        const auto* file = file_of(name);
        return file == nullptr ? std::nullopt : std::optional(load_shape(*file));
    };
    options.input_value = [file_of](const std::string& name) {
        const auto* file = file_of(name);
        return file == nullptr ? nullptr : std::make_shared<const NpyArray>(read_npy(*file));
    };
    return options;
}

}  // namespace okksim::sim::graph
