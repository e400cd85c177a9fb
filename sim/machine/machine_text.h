// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace okksim::sim {

/// Returns the text of a machine file. Throws ConfigError if it cannot be read or is larger than 1
/// MiB.
std::string read_machine_file(const std::string& path);

/// Parses TOML. Throws ConfigError with `name` and line if the text is invalid or nested too
/// deeply. `example` says where a correct text is.
toml::table parse_text(const std::string& text, const std::string& name,
                       std::string_view example = "`okksim machine --dump`");

/// Returns the bytes of "64KiB", "1.5 MiB" or "2 GiB", or of "kB", "MB", "GB" with powers of 1000.
/// Returns no value for other texts.
std::optional<std::int64_t> bytes_from(std::string_view text);

}  // namespace okksim::sim
