// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace okksim::sim::sweep {
namespace {

constexpr double kBytesPerKiB = 1024, kBytesPerMiB = 1024 * 1024;

/// The words of causes in docs/reference/reports.md, by the name of the column without its engine.
constexpr std::array<std::pair<const char*, const char*>, 8> kCauseWords{{
    {"busy", "busy"},
    {"other_engine", "waiting for the other engine"},
    {"queue", "waiting for commands"},
    {"mcu_computing", "waiting for arithmetic of the MCU"},
    {"dram_bandwidth", "DRAM bandwidth"},
    {"dram_latency", "DRAM latency"},
    {"bank_conflict", "bank conflicts"},
    {"idle", "idle"},
}};

bool has_setting(const PointSettings& settings, const std::pair<std::string, std::string>& one) {
    return std::ranges::find(settings, one) != settings.end();
}

}  // namespace

std::string value_label(const std::string& parameter, const std::string& text) {
    if (!parameter.ends_with("_bytes")) return text;
    const auto bytes = number_of(text);
    if (!bytes || *bytes < kBytesPerKiB) return text;
    const bool is_large = std::fmod(*bytes, kBytesPerMiB) == 0;
    return is_large ? fmt::format("{:g}MiB", *bytes / kBytesPerMiB)
                    : fmt::format("{:g}KiB", *bytes / kBytesPerKiB);
}

std::string axis_label(const Axis& axis, const PointSettings& settings) {
    const auto own = std::ranges::find(settings, axis.name, &PointSettings::value_type::first);
    if (own != settings.end()) return value_label(axis.name, own->second);
    for (const AxisValue& value : axis.values) {
        const bool is_set = std::ranges::all_of(
            value.settings, [&](const auto& one) { return has_setting(settings, one); });
        if (is_set && !value.settings.empty()) return value.text;
    }
    return "";
}

std::string machine_label(const SweepSpec& spec, const PointSettings& settings) {
    std::string text;
    const auto add = [&](const std::string& name, const std::string& value) {
        text += (text.empty() ? "" : " ") + name + "=" + value;
    };
    std::vector<std::string> named;
    for (const Axis& axis : spec.axes) {
        const std::string value = axis_label(axis, settings);
        if (value.empty()) continue;
        add(axis.name, value);
        for (std::string& parameter : axis.parameters()) named.push_back(std::move(parameter));
    }
    for (const auto& [path, value] : settings) {
        if (!std::ranges::count(named, path)) add(path, value_label(path, value));
    }
    return text.empty() ? "(the base machine)" : text;
}

std::string bytes_change_label(double bytes) {
    const bool is_large = std::abs(bytes) >= kBytesPerMiB;
    return is_large ? fmt::format("{:+.2f} MiB", bytes / kBytesPerMiB)
                    : fmt::format("{:+.1f} KiB", bytes / kBytesPerKiB);
}

std::string cause_label(const std::string& name) {
    std::string engine = name.substr(0, name.find('_'));
    std::string cause = name.substr(std::min(name.size(), engine.size() + 1));
    constexpr std::string_view kUnit = "_us";
    if (cause.ends_with(kUnit)) cause.resize(cause.size() - kUnit.size());
    for (const auto& [key, words] : kCauseWords) {
        if (cause == key) cause = words;
    }
    std::ranges::transform(engine, engine.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    });
    std::ranges::replace(cause, '_', ' ');
    return engine + " " + cause;
}

std::string percent_label(double percent) {
    const double rounded = std::round(percent);
    return fmt::format("{:.0f}", rounded == 0 ? 0.0 : rounded);
}

}  // namespace okksim::sim::sweep
