// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/graph/host_tensor.h"
#include "sim/images/picture_size.h"

namespace okksim::sim::images {

enum class Layout : std::uint8_t { kByShape, kNchw, kNhwc };

/// The form in which a model expects pictures.
struct PictureOptions {
    /// (pixel - mean) * scale for pixels from 0 to 255: one number, or one for red, green and blue.
    /// Without both, floating-point inputs get pixel / 255, unsigned integers the pixel, and 8-bit
    /// signed ones pixel - 128.
    std::vector<double> mean;
    std::vector<double> scale;
    Layout layout = Layout::kByShape;
    Resize resize = Resize::kCrop;
    bool is_bgr = false;  ///< blue comes first
};

/// An input that the host has made from a picture.
struct PictureInput {
    graph::HostTensor value;
    std::string note;  ///< one line for the report: everything that was done
};

/// Makes the value of an input from a picture. `file` is for messages. ConfigError if the input has
/// no form for pictures, or if an option does not fit.
PictureInput picture_input(const Picture& picture, const std::string& file,
                           const PictureOptions& options, const graph::Tensor& input);

}  // namespace okksim::sim::images
