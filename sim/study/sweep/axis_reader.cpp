// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/axis_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "isa/base/closest_word.h"
#include "isa/base/errors.h"
#include "isa/base/printable.h"

namespace okksim::sim::sweep {
namespace {

/// Limit on the number of values of one axis; larger numbers indicate a mistake.
constexpr double kMostValues = 1e6;

/// A parameter that an axis varies, with the base machine's value.
struct Parameter {
    std::string name;
    std::optional<double> base;  ///< nothing for a run parameter or a word
    bool is_whole = false;
};

Parameter find_parameter(const std::string& name, const Machine& base, const std::string& where) {
    const auto& runs = run_parameters();
    if (std::ranges::find(runs, name) != runs.end()) return {name, std::nullopt, true};
    std::vector<std::string> known = runs;
    for (const ParameterRecord& record : base.parameters) {
        known.push_back(record.path);
        if (record.path != path_of_today(name)) continue;
        Parameter parameter{name, std::nullopt, false};
        double number = 0;
        const char* end = record.value.data() + record.value.size();
        const auto parsed = std::from_chars(record.value.data(), end, number);
        if (parsed.ec == std::errc() && parsed.ptr == end) parameter.base = number;
        parameter.is_whole = record.value.find_first_of(".en") == std::string::npos;
        return parameter;
    }
    throw ConfigError(where, fmt::format("\"{}\" is no parameter of the machine or the run{}; "
                                         "`okksim machine --dump` lists the machine's parameters",
                                         printable(name), did_you_mean(name, known)));
}

std::string number_text(double value, bool is_whole) {
    if (is_whole && std::abs(value) < 9e15) return fmt::format("{}", std::llround(value));
    // Twelve significant digits remove rounding noise: 0.1 * 3 prints as 0.3.
    return fmt::format("{}", std::stod(fmt::format("{:.12g}", value)));
}

/// Parses the factor of a text such as "x2".
std::optional<double> factor_from(const std::string& text) {
    if (text.size() < 2 || text[0] != 'x') return std::nullopt;
    double factor = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + 1, end, factor);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    return factor;
}

/// Returns the text that a value has in a setting.
std::string setting_text(const toml::node& node, const Parameter& parameter,
                         const std::string& where) {
    if (node.is_boolean()) return node.as_boolean()->get() ? "true" : "false";
    if (node.is_integer()) return fmt::format("{}", node.as_integer()->get());
    if (node.is_floating_point()) return fmt::format("{}", node.as_floating_point()->get());
    if (!node.is_string()) throw ConfigError(where, "must be a number, a word, true or false");
    const std::string& text = node.as_string()->get();
    const auto factor = factor_from(text);
    if (!factor) return text;
    if (!parameter.base) {
        throw ConfigError(
            where, fmt::format("\"{}\" is a factor, but {} of the base machine is no number", text,
                               parameter.name));
    }
    const double value = *parameter.base * *factor;
    if (parameter.is_whole && value != std::floor(value)) {
        throw ConfigError(where, fmt::format("\"{}\" of {} is {}, and {} must be whole", text,
                                             *parameter.base, value, parameter.name));
    }
    return number_text(value, parameter.is_whole);
}

AxisValue list_value(const toml::node& node, const Parameter& parameter, const std::string& where) {
    const std::string text = setting_text(node, parameter, where);
    return {text, {{parameter.name, text}}};
}

/// Reads a value of a bundle: a table with a name and settings.
AxisValue bundle_value(const toml::node& node, const Machine& base, const std::string& where,
                       std::size_t number) {
    const toml::table* table = node.as_table();
    if (table == nullptr) {
        throw ConfigError(where, "must be a table: {name = \"7nm\", \"bdc.clock_mhz\" = 900}");
    }
    AxisValue value{fmt::format("{}", number + 1), {}};
    for (const auto& [key, entry] : *table) {
        const std::string name(key.str());
        if (name == "name") {
            value.text = entry.value_or(std::string("(no text)"));
            continue;
        }
        const Parameter parameter = find_parameter(name, base, where);
        value.settings.emplace_back(name, setting_text(entry, parameter, where));
    }
    if (value.settings.empty()) throw ConfigError(where, "sets nothing");
    return value;
}

double bound(SpecTable& range, const char* key) {
    const toml::node* node = range.node(key);
    if (node == nullptr) throw ConfigError(range.where(key), "is missing");
    const auto number = number_from(*node);
    if (!number || !std::isfinite(*number)) {
        throw ConfigError(range.where(key), "must be a number, or a size such as \"64KiB\"");
    }
    return *number;
}

/// Reads a range. With a step, factor or count it becomes a list of values; otherwise it stays an
/// interval.
void read_range(SpecTable& range, bool is_log, const Parameter& parameter, bool samples,
                Axis& axis) {
    const double low = bound(range, "from"), high = bound(range, "to");
    if (!(low < high) || (is_log && !(low > 0))) {
        throw ConfigError(range.where("to"),
                          fmt::format("{} to {} is no range{}; give two rising numbers", low, high,
                                      is_log && !(low > 0) ? " of a logarithm" : ""));
    }
    const char* const key = is_log ? "factor" : "step";
    const bool has_step = range.has(key);
    const auto count = range.integer("count", 2, static_cast<std::int64_t>(kMostValues));
    range.finish();
    if (has_step && count) throw ConfigError(range.where("count"), "contradicts the step");
    const auto add = [&](double value) {
        axis.values.push_back({number_text(value, parameter.is_whole),
                               {{parameter.name, number_text(value, parameter.is_whole)}}});
    };
    if (has_step) {
        const double step = bound(range, key);
        const double steps = is_log ? std::log(high / low) / std::log(step) : (high - low) / step;
        if (!(step > (is_log ? 1 : 0)) || steps > kMostValues) {
            throw ConfigError(range.where(key), fmt::format("{} makes {} values; give another step",
                                                            step, step > 0 ? steps : INFINITY));
        }
        // The tolerance keeps the end of the range despite rounding errors.
        for (int i = 0; i <= static_cast<int>(steps + 1e-9); ++i) {
            add(is_log ? low * std::pow(step, i) : low + step * i);
        }
        return;
    }
    axis.interval = Interval{low, high, is_log, parameter.is_whole};
    if (!count) {
        if (samples) return;
        throw ConfigError(range.where(key), fmt::format("is missing: a grid needs \"{}\" or "
                                                        "\"count\" for every range",
                                                        key));
    }
    const Interval interval = *axis.interval;
    axis.interval.reset();
    for (std::int64_t i = 0; i < *count; ++i) {
        const double part = static_cast<double>(i) / static_cast<double>(*count - 1);
        add(is_log ? interval.low * std::pow(interval.high / interval.low, part)
                   : interval.low + (interval.high - interval.low) * part);
    }
}

void read_list(SpecTable& table, const Machine& base, const std::optional<Parameter>& parameter,
               Axis& axis) {
    const std::string where = table.where("values");
    const toml::node* values = table.node("values");
    const toml::array* array = values == nullptr ? nullptr : values->as_array();
    if (array == nullptr || array->empty()) {
        throw ConfigError(where, array == nullptr ? "must be a list of values: [16, 32, \"x2\"]"
                                                  : "is empty; give at least one value");
    }
    for (const toml::node& node : *array) {
        axis.values.push_back(parameter ? list_value(node, *parameter, where)
                                        : bundle_value(node, base, where, axis.values.size()));
    }
}

}  // namespace

const std::vector<std::string>& run_parameters() {
    static const std::vector<std::string> names{"run.effort", "zoo.precision", "zoo.batch",
                                                "zoo.size", "zoo.width"};
    return names;
}

namespace {

/// True if the machine stays valid with this setting.
bool can_be(const MachineFamily& family, const std::string& path, const std::string& value) {
    try {
        (void)family.with({path + '=' + value});
        return true;
    } catch (const ConfigError&) {
        return false;
    }
}

}  // namespace

std::vector<Axis> axes_of_all_parameters(const Machine& base, double share) {
    const MachineFamily family = MachineFamily::of_text(dump_machine(base), base.name);
    std::vector<Axis> axes;
    for (const ParameterRecord& record : base.parameters) {
        const Parameter parameter = find_parameter(record.path, base, record.path);
        if (!parameter.base || *parameter.base == 0) continue;
        Axis axis{record.path, {}, std::nullopt};
        for (const bool up : {false, true}) {
            // A size that must be a multiple or a power of two is doubled or halved instead.
            for (const double factor : {up ? 1 + share : 1 - share, up ? 2.0 : 0.5}) {
                double value = *parameter.base * factor;
                if (parameter.is_whole) value = std::round(value);
                if (value == *parameter.base) break;
                const std::string text = number_text(value, parameter.is_whole);
                if (!can_be(family, record.path, text)) continue;
                axis.values.push_back({text, {{record.path, text}}});
                break;
            }
        }
        if (!axis.values.empty()) axes.push_back(std::move(axis));
    }
    return axes;
}

Axis read_axis(SpecTable& table, const Machine& base, bool samples) {
    const auto parameter = table.text("parameter");
    const auto bundle = table.text("bundle");
    if (parameter.has_value() == bundle.has_value()) {
        throw ConfigError(table.where("parameter"),
                          "give parameter = \"section.key\", or bundle = \"NAME\" whose values "
                          "set several");
    }
    Axis axis{parameter ? *parameter : *bundle, {}, std::nullopt};
    std::optional<Parameter> found;
    if (parameter) found = find_parameter(*parameter, base, table.where("parameter"));
    const bool has_list = table.has("values");
    const toml::table* range = table.table("range");
    const toml::table* log = table.table("log");
    const int given = (has_list ? 1 : 0) + (range != nullptr ? 1 : 0) + (log != nullptr ? 1 : 0);
    if (given != 1 || (bundle && !has_list)) {
        throw ConfigError(table.where("values"),
                          "give one of: values = [...], range = {from, to, step}, log = {from, "
                          "to, factor}; a bundle has values");
    }
    table.finish();
    if (has_list) {
        read_list(table, base, found, axis);
    } else {
        SpecTable inner(range != nullptr ? *range : *log, table.file(),
                        range != nullptr ? "axis.range" : "axis.log");
        read_range(inner, log != nullptr, *found, samples, axis);
    }
    return axis;
}

}  // namespace okksim::sim::sweep
