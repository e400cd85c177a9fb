// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sim/images/picture.h"

namespace okksim::sim::images {

/// Decodes a picture; messages contain `name`. ConfigError as for read_picture().
Picture decode_jpeg(std::span<const std::byte> bytes, const std::string& name);
Picture decode_png(std::span<const std::byte> bytes, const std::string& name);

/// ConfigError if the picture has no pixels, or too many.
void require_size(std::uint64_t width, std::uint64_t height, const std::string& name);

}  // namespace okksim::sim::images
