// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run_inputs.h"

#include <cmath>

#include "isa/base/errors.h"
#include "sim/images/picture_file.h"
#include "sim/images/picture_input.h"

namespace okksim::sim::cli {
namespace {

constexpr int kMostClasses = 1000;
constexpr int kUsualClasses = 5;

images::PictureOptions picture_options(const RunInputFlags& flags) {
    images::PictureOptions options;
    options.mean = flags.mean;
    options.scale = flags.scale;
    if (flags.layout == "nchw") options.layout = images::Layout::kNchw;
    if (flags.layout == "nhwc") options.layout = images::Layout::kNhwc;
    if (flags.resize == "fit") options.resize = images::Resize::kFit;
    if (flags.resize == "stretch") options.resize = images::Resize::kStretch;
    options.is_bgr = flags.is_bgr;
    return options;
}

execution::InputMaker picture_maker(const std::string& file,
                                    const images::PictureOptions& options) {
    return [file, options, picture = images::read_picture(file)](const graph::Tensor& input) {
        images::PictureInput made = images::picture_input(picture, file, options, input);
        return execution::MadeInput{std::move(made.value), std::move(made.note)};
    };
}

/// Options for pictures are without use if no input is one.
void require_picture(const RunInputFlags& flags) {
    const std::pair<const char*, bool> given[] = {{"--mean", !flags.mean.empty()},
                                                  {"--scale", !flags.scale.empty()},
                                                  {"--layout", !flags.layout.empty()},
                                                  {"--bgr", flags.is_bgr}};
    for (const auto& [option, is_given] : given) {
        if (!is_given) continue;
        throw ConfigError(option,
                          "is for pictures, and no --input is a .jpg or .png file: drop the "
                          "option, or give a picture");
    }
}

}  // namespace

void RunInputFlags::set(execution::ModelRunOptions& options) const {
    options.function = reader.function;
    options.rounding = reader.chosen_rounding();
    const images::PictureOptions form = picture_options(*this);
    for (const std::string& input : inputs) {
        if (images::is_picture_name(input) && input.find('=') == std::string::npos) {
            if (options.made_inputs.contains("")) refuse_second_input(input);
            options.made_inputs[""] = picture_maker(input, form);
            continue;
        }
        const auto [name, text] = split_input(
            input, "NAME=FILE.npy, NAME=PICTURE.jpg or NAME=SHAPE; only a picture needs no NAME");
        if (options.input_shapes.contains(name) || options.inputs.contains(name) ||
            options.made_inputs.contains(name)) {
            refuse_second_input(name);
        }
        if (const auto shape = graph::parse_shape(text)) {
            options.input_shapes[name] = *shape;
        } else if (images::is_picture_name(text)) {
            options.made_inputs[name] = picture_maker(text, form);
        } else {
            options.inputs[name] = text;
        }
    }
    if (options.made_inputs.empty()) require_picture(*this);
    if (options.made_inputs.contains("") &&
        options.made_inputs.size() + options.inputs.size() > 1) {
        throw ConfigError("--input FILE",
                          "names no input, and other inputs are given: give --input NAME=FILE");
    }
    graph::add_shapes(reader.shapes, "--shape", options.input_shapes);
}

void add_run_inputs(CLI::App& command, RunInputFlags& flags) {
    command
        .add_option(
            "--input", flags.inputs,
            "NAME=FILE: the value of an input, as .npy or picture (.jpg, .png). A picture for "
            "the only input needs no NAME. NAME=SHAPE: the same as --shape")
        ->allow_extra_args(false);
    add_reader_options(command, flags.reader);
    const CLI::Validator finite{[](std::string& text) {
                                    char* end = nullptr;
                                    const double value = std::strtod(text.c_str(), &end);
                                    return !text.empty() && *end == '\0' && std::isfinite(value)
                                               ? std::string()
                                               : "\"" + text + "\" is not a finite number";
                                },
                                ""};
    command
        .add_option("--mean", flags.mean,
                    "pictures become (pixel - mean) * scale, for pixels from 0 to 255: one number, "
                    "or R,G,B")
        ->delimiter(',')
        ->check(finite)
        ->allow_extra_args(false);
    command
        .add_option("--scale", flags.scale,
                    "see --mean: one number, or R,G,B; without both options, floating-point inputs "
                    "get pixel / 255, uint8 the pixel, int8 pixel - 128")
        ->delimiter(',')
        ->check(finite)
        ->allow_extra_args(false);
    command
        .add_option("--layout", flags.layout,
                    "order of a picture's dimensions: nchw or nhwc; default: by the input's shape")
        ->check(CLI::IsMember({"nchw", "nhwc"}));
    command
        .add_option(
            "--resize", flags.resize,
            "how a picture gets the input's size. crop: cut off equal edges; fit: add black "
            "edges; stretch: change the proportions")
        ->check(CLI::IsMember({"crop", "fit", "stretch"}))
        ->capture_default_str();
    command.add_flag("--bgr", flags.is_bgr, "the model expects blue, green, red");
}

execution::ClassOptions ClassFlags::options() const {
    execution::ClassOptions options;
    options.count = static_cast<std::size_t>(top);
    if (labels.empty()) return options;
    options.labels = execution::read_labels(labels);
    options.labels_file = labels;
    if (top == 0) options.count = kUsualClasses;
    return options;
}

void add_class_options(CLI::App& command, ClassFlags& flags) {
    command
        .add_option("--top", flags.top,
                    "print this many best classes of each output with one value per class, [N] or "
                    "[1,N]; with --labels the default is 5")
        ->check(CLI::Range(1, kMostClasses));
    command.add_option("--labels", flags.labels,
                       "file with the name of each class, one per line, in their order");
}

}  // namespace okksim::sim::cli
