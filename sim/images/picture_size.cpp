// SPDX-License-Identifier: Apache-2.0
#include "sim/images/picture_size.h"

#include <algorithm>
#include <cmath>

namespace okksim::sim::images {
namespace {

constexpr std::int64_t kChannels = 3;

/// Part of a line of pixels; the ends may lie within a pixel.
struct Extent {
    double begin = 0;
    double length = 0;
};

/// Weights of consecutive source pixels for one result pixel. Their sum is 1.
struct Taps {
    std::int64_t first = 0;
    std::vector<double> weights;
};

/// Returns the taps of the triangle filter for every pixel of the result. The filter is as wide as
/// one pixel of the source or of the result, whichever is larger.
std::vector<Taps> triangle_taps(Extent from, std::int64_t source, std::int64_t result) {
    const double step = from.length / static_cast<double>(result);
    const double reach = std::max(step, 1.0);
    std::vector<Taps> all;
    for (std::int64_t i = 0; i < result; ++i) {
        const double centre = from.begin + (static_cast<double>(i) + 0.5) * step;
        const auto first = std::max<std::int64_t>(0, std::llround(centre - reach));
        const auto last = std::min<std::int64_t>(source, std::llround(centre + reach));
        Taps taps{first, {}};
        double sum = 0;
        for (std::int64_t at = first; at < last; ++at) {
            const double distance = std::fabs(static_cast<double>(at) + 0.5 - centre) / reach;
            sum += taps.weights.emplace_back(std::max(0.0, 1 - distance));
        }
        for (double& weight : taps.weights) weight /= sum;
        all.push_back(std::move(taps));
    }
    return all;
}

/// Resizes the columns, then the rows, and rounds once.
Picture resampled(const Picture& picture, Extent columns, Extent rows, std::int64_t width,
                  std::int64_t height) {
    const std::vector<Taps> across = triangle_taps(columns, picture.width, width);
    const std::vector<Taps> down = triangle_taps(rows, picture.height, height);
    std::vector<float> narrow(static_cast<std::size_t>(picture.height * width * kChannels));
    std::size_t next = 0;
    for (std::int64_t y = 0; y < picture.height; ++y) {
        for (const Taps& taps : across) {
            const std::uint8_t* from =
                picture.pixels.data() + (y * picture.width + taps.first) * kChannels;
            for (std::int64_t c = 0; c < kChannels; ++c) {
                double sum = 0;
                for (std::size_t i = 0; i < taps.weights.size(); ++i) {
                    sum += taps.weights[i] * from[static_cast<std::int64_t>(i) * kChannels + c];
                }
                narrow[next++] = static_cast<float>(sum);
            }
        }
    }
    Picture result{width, height, {}};
    for (const Taps& taps : down) {
        for (std::int64_t x = 0; x < width * kChannels; ++x) {
            double sum = 0;
            for (std::size_t i = 0; i < taps.weights.size(); ++i) {
                const std::int64_t y = taps.first + static_cast<std::int64_t>(i);
                sum += taps.weights[i] *
                       static_cast<double>(
                           narrow[static_cast<std::size_t>(y * width * kChannels + x)]);
            }
            result.pixels.push_back(
                static_cast<std::uint8_t>(std::clamp(std::round(sum), 0.0, 255.0)));
        }
    }
    return result;
}

/// Puts a picture into the middle of a black one.
Picture framed(const Picture& picture, std::int64_t width, std::int64_t height) {
    Picture result{width, height, {}};
    result.pixels.resize(static_cast<std::size_t>(width * height * kChannels));
    const std::int64_t left = (width - picture.width) / 2, top = (height - picture.height) / 2;
    for (std::int64_t y = 0; y < picture.height; ++y) {
        std::copy_n(picture.pixels.begin() + y * picture.width * kChannels,
                    picture.width * kChannels,
                    result.pixels.begin() + ((top + y) * width + left) * kChannels);
    }
    return result;
}

}  // namespace

Picture resized(const Picture& picture, std::int64_t width, std::int64_t height, Resize way) {
    const auto w = static_cast<double>(picture.width), h = static_cast<double>(picture.height);
    const double across = static_cast<double>(width) / w, down = static_cast<double>(height) / h;
    Extent columns{0, w}, rows{0, h};
    if (way == Resize::kCrop) {
        const double scale = std::max(across, down);
        columns.length = static_cast<double>(width) / scale;
        rows.length = static_cast<double>(height) / scale;
        columns.begin = (w - columns.length) / 2;
        rows.begin = (h - rows.length) / 2;
    }
    if (way != Resize::kFit) return resampled(picture, columns, rows, width, height);
    const double scale = std::min(across, down);
    const auto inner = [scale](double length, std::int64_t most) {
        return std::clamp<std::int64_t>(std::llround(length * scale), 1, most);
    };
    return framed(resampled(picture, columns, rows, inner(w, width), inner(h, height)), width,
                  height);
}

}  // namespace okksim::sim::images
