// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace okksim::sim::check {

/// Returns the SHA-256 sum (FIPS 180-4) as 64 hexadecimal digits.
std::string sha256_text(std::span<const std::byte> bytes);

}  // namespace okksim::sim::check
