// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace okksim::sim {

/// Text of a machine file, of at most 1 MiB. ConfigError when it cannot be read or is larger.
std::string read_machine_file(const std::string& path);

/// The text as TOML. ConfigError with `name` and line when it is none, or nested beyond reason.
toml::table parse_text(const std::string& text, const std::string& name);

/// "64KiB", "1.5 MiB", "2 GiB" as bytes, and "kB", "MB", "GB" by thousands; nothing for any other
/// text.
std::optional<std::int64_t> bytes_from(std::string_view text);

}  // namespace okksim::sim
