// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/machine_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

#include "isa/base/errors.h"
#include "isa/base/input_file.h"
#include "isa/base/text_stream.h"

namespace okksim::sim {
namespace {

/// Rejects lines with many dots. toml++ makes a nested table of every part of a key and frees them
/// recursively. Keys of a machine file have at most three parts, and a line has one key.
void refuse_deep_keys(const std::string& text, const std::string& name) {
    constexpr std::ptrdiff_t kMostDots = 16;
    TextReader lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const auto end = std::find(line.begin(), line.end(), '#');
        if (std::count(line.begin(), end, '.') <= kMostDots) continue;
        throw ConfigError(fmt::format("{}:{}", name, number),
                          "the keys are nested too deep; parameters are section.key");
    }
}

}  // namespace

std::optional<std::int64_t> bytes_from(std::string_view text) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, problem] = std::from_chars(text.data(), end, number);
    if (problem != std::errc{} || !(number >= 0)) return std::nullopt;
    std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    constexpr std::pair<std::string_view, double> kUnits[] = {
        {"B", 1.0},  {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0},
        {"kB", 1e3}, {"MB", 1e6},     {"GB", 1e9}};
    for (const auto& [name, factor] : kUnits) {
        const double bytes = number * factor;
        constexpr double kExact = 9007199254740992.0;  // whole numbers up to 2^53 are doubles
        if (unit != name || bytes > kExact || bytes != std::floor(bytes)) continue;
        return static_cast<std::int64_t>(bytes);
    }
    return std::nullopt;
}

namespace {

/// Returns advice if the line at fault has a number with a decimal comma, such as `key = 32,5`.
std::string advice_about_comma(const std::string& text, std::size_t line) {
    std::size_t begin = 0;
    for (std::size_t i = 1; i < line && begin != std::string::npos; ++i) {
        begin = text.find('\n', begin);
        if (begin != std::string::npos) ++begin;
    }
    if (begin == std::string::npos) return {};
    std::string_view row = std::string_view(text).substr(begin, text.find('\n', begin) - begin);
    row = row.substr(0, row.find('#'));
    const auto is_digit = [&](std::size_t at) {
        return at < row.size() && std::isdigit(static_cast<unsigned char>(row[at])) != 0;
    };
    const std::size_t comma = row.find(',');
    const bool is_list = row.find('[') != row.npos;
    if (comma == row.npos || comma == 0 || is_list || !is_digit(comma - 1) ||
        !is_digit(comma + 1)) {
        return {};
    }
    return "; numbers have a decimal point: 32.5, and no separators of thousands";
}

}  // namespace

toml::table parse_text(const std::string& text, const std::string& name, std::string_view example) {
    refuse_deep_keys(text, name);
    try {
        return toml::parse(text, name);
    } catch (const toml::parse_error& error) {
        const auto line = error.source().begin.line;
        throw ConfigError(
            line == 0 ? name : fmt::format("{}:{}", name, line),
            fmt::format("not valid TOML: {}{}; see {} for an example", error.description(),
                        advice_about_comma(text, line), example));
    }
}

std::string read_machine_file(const std::string& path) {
    constexpr std::size_t kMostBytes = std::size_t{1} << 20;
    std::ifstream file = open_input(path, "give a TOML file");
    std::string text(kMostBytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) throw ConfigError(path, "cannot be read; give a TOML file");
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMostBytes) {
        throw ConfigError(
            path, fmt::format("is no machine file: it is larger than {} bytes", kMostBytes));
    }
    return text;
}

}  // namespace okksim::sim
