// SPDX-License-Identifier: Apache-2.0
#include "sim/images/picture_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <cstring>

#include "isa/base/errors.h"
#include "sim/graph/element.h"

namespace okksim::sim::images {
namespace {

using graph::DType;

/// The dimensions of an input for pictures.
struct Form {
    std::int64_t batch = 1, channels = 1, height = 1, width = 1;
    bool channels_first = false;
};

constexpr std::int64_t kColours = 3;

bool is_channel_count(std::int64_t extent) { return extent == 1 || extent == kColours; }

[[noreturn]] void refuse(const graph::Tensor& input, const std::string& why) {
    throw ConfigError("input " + input.name.text(),
                      "has the shape " + graph::shape_text(input.shape) + " " + why);
}

Form form_of(const graph::Tensor& input, Layout layout) {
    graph::Shape shape = input.shape;
    if (shape.size() == 2) shape.push_back(1);
    if (shape.size() == 3) shape.insert(shape.begin(), 1);
    if (shape.size() != 4) {
        refuse(input,
               "which is no picture: an input for a picture has 2 to 4 dimensions; give a "
               ".npy file");
    }
    bool may_be_first = is_channel_count(shape[1]) && layout != Layout::kNhwc;
    bool may_be_last = is_channel_count(shape[3]) && layout != Layout::kNchw;
    if (may_be_first && may_be_last && shape[1] != shape[3]) {
        // Three channels are more likely than a picture with an edge of three pixels.
        may_be_first = shape[1] == kColours;
        may_be_last = !may_be_first;
    }
    if (may_be_first && may_be_last && input.shape.size() > 2) {
        refuse(input, "whose channels may come first or last: give --layout nchw or --layout nhwc");
    }
    if (!may_be_first && !may_be_last) {
        refuse(input, layout == Layout::kByShape
                          ? "without 1 or 3 channels: give a .npy file"
                          : "without 1 or 3 channels in this layout: give another --layout, or a "
                            ".npy file");
    }
    if (may_be_last) return {shape[0], shape[3], shape[1], shape[2], false};
    return {shape[0], shape[1], shape[2], shape[3], true};
}

/// Returns the value of an option for each channel, in the order red, green, blue.
std::array<double, 3> per_channel(const char* option, const std::vector<double>& given,
                                  double otherwise, std::int64_t channels) {
    if (given.empty()) return {otherwise, otherwise, otherwise};
    if (given.size() == 1) return {given[0], given[0], given[0]};
    if (given.size() == 3 && channels == 3) return {given[0], given[1], given[2]};
    throw ConfigError(
        fmt::format("{} {}", option, fmt::join(given, ",")),
        fmt::format("has {} numbers, but the input has {} channel{}: give one number{}",
                    given.size(), channels, channels == 1 ? "" : "s",
                    channels == 1 ? "" : ", or one for red, green and blue"));
}

/// Returns the pixel as the options want it.
class Scaling {
 public:
    Scaling(const PictureOptions& options, const graph::Tensor& input, std::int64_t channels)
        : is_real_(graph::is_floating_point(input.type)) {
        const bool is_raw = options.mean.empty() && options.scale.empty();
        const bool is_byte = input.type == DType::kI8 && !input.is_unsigned;
        const double zero = is_raw && is_byte ? 128 : 0;
        mean_ = per_channel("--mean", options.mean, zero, channels);
        scale_ =
            per_channel("--scale", options.scale, is_raw && is_real_ ? 1.0 / 255 : 1.0, channels);
        if (is_raw) {
            text_ = is_real_ ? "pixel / 255" : is_byte ? "pixel - 128" : "pixel";
            return;
        }
        const std::size_t shown = channels == 3 ? 3 : 1;
        text_ = fmt::format("{}(pixel - {}) * {}{}", is_real_ ? "" : "the rounded ",
                            list(mean_, options.mean.size() > 1 ? shown : 1),
                            list(scale_, options.scale.size() > 1 ? shown : 1), "");
    }
    double value(double pixel, std::size_t channel) const {
        const double value = (pixel - mean_[channel]) * scale_[channel];
        return is_real_ ? value : std::round(value);
    }
    const std::string& text() const { return text_; }

 private:
    static std::string list(const std::array<double, 3>& values, std::size_t count) {
        return count == 1 ? fmt::format("{}", values[0])
                          : fmt::format("({}, {}, {})", values[0], values[1], values[2]);
    }
    bool is_real_;
    std::array<double, 3> mean_{};
    std::array<double, 3> scale_{};
    std::string text_;
};

/// Stores numbers as elements of a type; integers saturate.
class Elements {
 public:
    explicit Elements(const graph::Tensor& input) : type_(input.type) {
        const bool has_form = graph::is_floating_point(type_) || type_ == DType::kI8 ||
                              type_ == DType::kI16 || type_ == DType::kI32;
        if (!has_form || input.words != graph::FileWords::kNone) {
            throw ConfigError("input " + input.name.text(),
                              "has elements " + std::string(graph::dtype_name(type_)) +
                                  ", which hold no pixels: give a .npy file");
        }
        const int bits = graph::storage_bits(type_);
        low_ = input.is_unsigned ? 0 : -std::ldexp(1.0, bits - 1);
        high_ = std::ldexp(1.0, input.is_unsigned ? bits : bits - 1) - 1;
        size_ = graph::host_element_bytes(type_);
    }
    void add(std::vector<std::byte>& bytes, double value) const {
        const std::uint64_t bits =
            graph::is_floating_point(type_)
                ? graph::encode_float(type_, value)
                : static_cast<std::uint64_t>(std::llround(std::clamp(value, low_, high_)));
        for (std::size_t i = 0; i < size_; ++i)
            bytes.push_back(static_cast<std::byte>(bits >> 8 * i));
    }

 private:
    DType type_;
    double low_ = 0, high_ = 0;
    std::size_t size_ = 0;
};

/// Brightness as in JPEG files (ITU-R BT.601).
double grey(const std::uint8_t* pixel) {
    return std::round(0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]);
}

std::vector<std::byte> elements_of(const Picture& picture, const Form& form, bool is_bgr,
                                   const Scaling& scaling, const Elements& elements) {
    std::vector<std::byte> bytes;
    const auto add = [&](std::int64_t at, std::int64_t channel) {
        const std::uint8_t* pixel = picture.pixels.data() + 3 * at;
        if (form.channels == 1) return elements.add(bytes, scaling.value(grey(pixel), 0));
        const auto colour = static_cast<std::size_t>(is_bgr ? 2 - channel : channel);
        elements.add(bytes, scaling.value(pixel[colour], colour));
    };
    const std::int64_t pixels = form.height * form.width;
    for (std::int64_t n = 0; n < form.batch; ++n) {
        for (std::int64_t i = 0; i < pixels * form.channels; ++i) {
            if (form.channels_first) {
                add(i % pixels, i / pixels);
            } else {
                add(i / form.channels, i % form.channels);
            }
        }
    }
    return bytes;
}

std::string resize_text(const Picture& picture, const Form& form, Resize way) {
    if (picture.width == form.width && picture.height == form.height) return "";
    const bool is_similar = picture.width * form.height == picture.height * form.width;
    const char* verb = is_similar                ? "resized"
                       : way == Resize::kCrop    ? "cropped and resized"
                       : way == Resize::kStretch ? "stretched"
                                                 : "resized with black edges";
    return fmt::format(" {} to {}x{},", verb, form.width, form.height);
}

}  // namespace

PictureInput picture_input(const Picture& picture, const std::string& file,
                           const PictureOptions& options, const graph::Tensor& input) {
    const Elements elements(input);
    const Form form = form_of(input, options.layout);
    if (options.is_bgr && form.channels == 1) {
        throw ConfigError("--bgr", "needs 3 channels, but input " + input.name.text() + " has one");
    }
    const Scaling scaling(options, input, form.channels);
    const bool has_size = picture.width == form.width && picture.height == form.height;
    PictureInput made;
    made.value = graph::make_host_tensor(
        input.type, input.shape,
        elements_of(has_size ? picture : resized(picture, form.width, form.height, options.resize),
                    form, options.is_bgr, scaling, elements));
    made.value.is_unsigned = input.is_unsigned;
    const char* colours = form.channels == 1 ? "grey" : options.is_bgr ? "BGR" : "RGB";
    made.note =
        fmt::format("{} {}x{},{} {}{}, {} (on the host, before the run)", file, picture.width,
                    picture.height, resize_text(picture, form, options.resize), colours,
                    form.channels_first  ? " in nchw"
                    : form.channels == 3 ? " in nhwc"
                                         : "",
                    scaling.text());
    if (form.batch > 1) made.note += fmt::format(", {} times", form.batch);
    return made;
}

}  // namespace okksim::sim::images
