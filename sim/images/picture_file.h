// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "sim/images/picture.h"

namespace okksim::sim::images {

/// True if the name of the file ends like that of a picture: .jpg, .jpeg or .png.
bool is_picture_name(std::string_view file);

/// Reads a JPEG or PNG file, recognised by its content. Grey pictures get three equal channels, and
/// transparent parts become white. ConfigError for a missing, damaged or too large file, and if
/// okksim is built without the library for it.
Picture read_picture(const std::filesystem::path& file);

}  // namespace okksim::sim::images
