// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/machine.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <utility>

#include "isa/base/closest_word.h"
#include "isa/base/errors.h"
#include "isa/base/fnv1a.h"
#include "isa/base/printable.h"
#include "isa/base/text_stream.h"
#include "models/chip/machine_description.h"
#include "sim/machine/machine_checks.h"
#include "sim/machine/machine_text.h"

namespace okksim::sim {

extern const char* const kBm1684Text;
extern const char* const kCv1835Text;
extern const char* const kBm1684Int8Text;
extern const char* const kOkkNextText;

namespace {

/// A given value and its source.
struct GivenValue {
    double number = 0;
    bool is_boolean = false;
    bool is_integer = false;
    bool is_bytes = false;  ///< written with a unit of bytes
    bool is_word = false;   ///< text that is no number
    std::int64_t integer = 0;
    std::string text;
    std::string source;
};
using GivenValues = std::map<std::string, GivenValue>;

/// Returns comments after the values of a machine file, by key path. They are the sources of
/// built-in values.
std::map<std::string, std::string> comments_by_path(const std::string& text) {
    std::map<std::string, std::string> comments;
    TextReader lines(text);
    std::string line;
    std::string section;
    while (std::getline(lines, line)) {
        if (line.starts_with('[')) section = line.substr(1, line.find(']') - 1);
        const auto equals = line.find('=');
        const auto hash = line.find('#');
        if (equals == std::string::npos || hash == std::string::npos || hash < equals) continue;
        const auto key_end = line.find_first_of(" =");
        const auto comment = line.find_first_not_of("# ", hash);
        if (comment == std::string::npos) continue;
        comments[section + "." + line.substr(0, key_end)] = line.substr(comment);
    }
    return comments;
}

/// Visits every parameter to map its former path to the present one.
class FormerPaths {
 public:
    void section(const char* name, const char*) { section_ = name; }

    template <typename Field>
    void operator()(Field&, const char* key, const models::ParameterInfo& info) {
        if (info.former_path != nullptr) paths[info.former_path] = section_ + "." + key;
    }

    std::map<std::string, std::string> paths;

 private:
    std::string section_;
};

GivenValue read_value(const toml::node& node, const std::string& path, std::string source) {
    GivenValue value;
    value.source = std::move(source);
    if (const auto* boolean = node.as_boolean()) {
        value.is_boolean = true;
        value.integer = boolean->get() ? 1 : 0;
        value.number = static_cast<double>(value.integer);
    } else if (const auto* integer = node.as_integer()) {
        value.is_integer = true;
        value.integer = integer->get();
        value.number = static_cast<double>(value.integer);
    } else if (const auto* floating = node.as_floating_point()) {
        value.number = floating->get();
    } else if (const auto bytes = bytes_from(node.value_or(std::string_view()))) {
        value.is_integer = true;
        value.is_bytes = true;
        value.integer = *bytes;
        value.number = static_cast<double>(*bytes);
        value.text = std::to_string(*bytes);
        return value;
    } else if (const auto word = node.value<std::string>()) {
        value.is_word = true;
        value.text = *word;
        return value;
    } else {
        throw ConfigError(path,
                          "must be a number, a size such as \"64 KiB\", a word, true or "
                          "false (" +
                              value.source + ")");
    }
    TextWriter text;
    text << toml::node_view<const toml::node>(node);
    value.text = text.str();
    return value;
}

/// Returns the shortest text of the same number, with a decimal point. The machine is therefore
/// independent of a file's notation.
std::string real_text(double value) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
}

/// Adds the values of a section and its subsections, by their present key paths.
template <typename SourceOf>
void collect_section(const toml::table& section, const std::string& name, GivenValues& values,
                     const SourceOf& source_of) {
    for (const auto& [key, node] : section) {
        const std::string path = name + "." + std::string(key.str());
        if (const toml::table* inner = node.as_table()) {
            collect_section(*inner, path, values, source_of);
        } else {
            GivenValue value = read_value(node, path, source_of(path, node));
            const std::string source = value.source;
            const std::string today = path_of_today(path);
            if (!values.emplace(today, std::move(value)).second) {
                throw ConfigError(
                    today,
                    fmt::format(
                        "is given twice, with its present and its former name; remove one ({})",
                        source));
            }
        }
    }
}

/// Adds all "section.key" values of a parsed file. `source_of` returns the file and line of a
/// value.
template <typename SourceOf>
void collect(const toml::table& file, const std::string& name, GivenValues& values,
             const SourceOf& source_of) {
    GivenValues of_file;
    for (const auto& [section_key, section] : file) {
        const std::string section_name(section_key.str());
        if (section_name == "base") continue;
        const toml::table* table = section.as_table();
        if (table == nullptr) {
            throw ConfigError(section_name,
                              fmt::format("expected a section in {}; write [{}] and its keys below",
                                          name, section_name));
        }
        collect_section(*table, section_name, of_file, source_of);
    }
    for (auto& [path, value] : of_file) values.insert_or_assign(path, std::move(value));
}

/// Names and texts of the built-in machines, the reference machine first.
const auto& builtin_texts() {
    static const std::array<std::pair<std::string, const char*>, 4> texts{
        {{"bm1684", kBm1684Text},
         {"bm1684-int8", kBm1684Int8Text},
         {"cv1835", kCv1835Text},
         {"okk-next", kOkkNextText}}};
    return texts;
}

const char* builtin_text(const std::string& name) {
    const auto at =
        std::ranges::find(builtin_texts(), name, &std::pair<std::string, const char*>::first);
    OKKSIM_CHECK(at != builtin_texts().end());
    return at->second;
}

void collect_builtin(const std::string& name, GivenValues& values) {
    const std::string text = builtin_text(name);
    const toml::table table = parse_text(text, name);
    if (table.contains("base")) collect_builtin(builtin_machines().front(), values);
    const auto comments = comments_by_path(text);
    collect(table, name, values, [&](const std::string& path, const toml::node&) {
        const auto found = comments.find(path);
        return found == comments.end() ? name : found->second;
    });
}

bool is_builtin(const std::string& name) {
    const auto& names = builtin_machines();
    return std::find(names.begin(), names.end(), name) != names.end();
}

void collect_file(const std::string& path, GivenValues& values) {
    const toml::table file = parse_text(read_machine_file(path), path);
    if (const auto* base = file.get("base")) {
        const auto name = base->value<std::string>();
        if (!name || !is_builtin(*name)) {
            throw ConfigError("base", fmt::format("\"{}\" in {} is not a built-in machine ({})",
                                                  name.value_or("(not a string)"), path,
                                                  fmt::join(builtin_machines(), ", ")));
        }
        collect_builtin(*name, values);
    }
    collect(file, path, values, [&](const std::string&, const toml::node& node) {
        return fmt::format("{}:{}", path, node.source().begin.line);
    });
}

/// True for the word of a choice, which needs no quotes on the command line.
bool is_word(const std::string& text) {
    constexpr std::string_view kNoWords[] = {"true", "false", "inf", "nan"};
    const bool letters = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || c == '_';
    });
    return letters &&
           std::find(std::begin(kNoWords), std::end(kNoWords), text) == std::end(kNoWords);
}

/// True for digits with an unknown unit, such as "4MBit". Numbers such as 1e6 and 0x10 have none.
bool has_unknown_unit(const std::string& value) {
    const std::size_t unit = value.find_first_not_of("0123456789. ");
    if (unit == 0 || unit == std::string::npos) return false;
    return std::string_view("eExbo_-:T").find(value[unit]) == std::string_view::npos;
}

/// True for a number with a decimal comma, such as "32,5" and "1,5MiB".
bool has_decimal_comma(const std::string& value) {
    const std::size_t comma = value.find(',');
    if (comma == std::string::npos || comma + 1 == value.size()) return false;
    const auto is_digit = [&](std::size_t at) {
        return std::isdigit(static_cast<unsigned char>(value[at])) != 0;
    };
    return value.find_first_not_of("0123456789.,-+_") > comma && is_digit(comma + 1) &&
           (comma == 0 || is_digit(comma - 1) || value[comma - 1] == '-');
}

void collect_setting(const std::string& setting, GivenValues& values) {
    const auto equals = setting.find('=');
    const auto dot = setting.find('.');
    if (equals == std::string::npos || dot == std::string::npos || dot > equals) {
        throw ConfigError("--set " + setting, "expected section.key=value, e.g. chip.lanes=8");
    }
    const std::string path = path_of_today(setting.substr(0, equals));
    std::string value = setting.substr(equals + 1);
    value.erase(0, value.find_first_not_of(' '));
    if (has_decimal_comma(value)) {
        throw ConfigError("--set " + setting,
                          "is no number; numbers have a decimal point: 32.5, and no separators of "
                          "thousands");
    }
    if (bytes_from(value) || is_word(value)) value = '"' + value + '"';
    if (has_unknown_unit(value)) {
        throw ConfigError("--set " + setting,
                          "is no size; write 64KiB, 1.5MiB, 2GiB, or 500kB, 64MB, 2GB (powers of "
                          "1000); a size is a whole number of bytes");
    }
    const toml::table line = parse_text("value = " + value, "--set " + setting);
    values[path] = read_value(*line.get("value"), path, "--set");
}

/// Fills the params struct from the given values and records provenance.
class Filler {
 public:
    Filler(GivenValues& values, Machine& machine) : values_(values), machine_(machine) {}

    void section(const char* name, const char*) { section_ = name; }

    template <typename Field>
    void operator()(Field& field, const char* key, models::ParameterInfo info) {
        const std::string path = section_ + "." + key;
        const auto found = values_.find(path);
        if (info.is_of_reference) info.standard = reference_value(path).number;
        if (found == values_.end()) {
            if (info.is_of_reference) {
                return take_standard(field, path, info, reference_value(path).source);
            }
            if (info.standard) return take_standard(field, path, info, "standard: not given");
            throw ConfigError(path, fmt::format("is missing ({}, {}); give it or start from a "
                                                "built-in with base = \"bm1684\"",
                                                info.meaning, info.unit));
        }
        GivenValue& given = found->second;
        if (info.choices != nullptr) take_choice(path, info, given);
        if (given.is_word) {
            throw ConfigError(
                path, fmt::format("\"{}\" must be {} ({})", given.text,
                                  std::is_same_v<Field, bool> ? "true or false" : "a number",
                                  given.source));
        }
        check(path, given, info, std::is_same_v<Field, bool>, std::is_same_v<Field, std::int64_t>);
        std::string text = given.text;
        if constexpr (std::is_same_v<Field, double>) {
            field = given.number;
            text = real_text(field);
        } else {
            field = static_cast<Field>(given.integer);
        }
        const bool is_standard = info.standard && *info.standard == given.number;
        machine_.parameters.push_back({path, std::move(text), info.unit, info.meaning, given.source,
                                       is_standard, group(info)});
        values_.erase(found);
    }

    void finish() const {
        if (values_.empty()) return;
        const auto& [path, value] = *values_.begin();
        std::vector<std::string> known;
        for (const ParameterRecord& parameter : machine_.parameters)
            known.push_back(parameter.path);
        throw ConfigError(path,
                          fmt::format("is not a parameter ({}){}{} `okksim machine --dump` lists "
                                      "all of them",
                                      value.source, did_you_mean(path, known),
                                      closest_word(path, known).empty() ? ";" : ""));
    }

 private:
    /// Returns the reference machine's value of a parameter that machine files may omit.
    static const GivenValue& reference_value(const std::string& path) {
        static const GivenValues values = [] {
            GivenValues reference;
            collect_builtin(builtin_machines().front(), reference);
            return reference;
        }();
        const auto found = values.find(path);
        OKKSIM_CHECK(found != values.end());
        return found->second;
    }

    template <typename Field>
    void take_standard(Field& field, const std::string& path, const models::ParameterInfo& info,
                       const std::string& source) {
        field = static_cast<Field>(*info.standard);
        std::string text = fmt::format("{}", field);
        if constexpr (std::is_same_v<Field, double>) text = real_text(field);
        machine_.parameters.push_back(
            {path, standard_text(info, text), info.unit, info.meaning, source, true, group(info)});
    }

    static std::string group(const models::ParameterInfo& info) {
        return info.group == nullptr ? "" : info.group;
    }

    /// Replaces a given word by its number. The text stays.
    static void take_choice(const std::string& path, const models::ParameterInfo& info,
                            GivenValue& given) {
        TextReader words(info.choices);
        std::string word;
        std::int64_t number = 0;
        for (; words >> word; ++number) {
            if (!given.is_word || word != given.text) continue;
            given.text = '"' + word + '"';
            given.is_word = false;
            given.is_integer = true;
            given.integer = number;
            given.number = static_cast<double>(number);
            return;
        }
        throw ConfigError(path, fmt::format("\"{}\" is not allowed; choose one of: {} ({})",
                                            given.text, info.choices, given.source));
    }

    /// Returns the text of a standard value.
    static std::string standard_text(const models::ParameterInfo& info, const std::string& number) {
        if (info.choices == nullptr) return number;
        TextReader words(info.choices);
        std::string word;
        for (int i = 0; i <= static_cast<int>(*info.standard); ++i) words >> word;
        return '"' + word + '"';
    }

    static void check(const std::string& path, const GivenValue& given,
                      const models::ParameterInfo& info, bool wants_boolean, bool wants_integer) {
        if (wants_boolean != given.is_boolean) {
            throw ConfigError(
                path, fmt::format("{} must be {} ({})", given.text,
                                  wants_boolean ? "true or false" : "a number", given.source));
        }
        if (given.is_bytes && std::string_view(info.unit) != "bytes") {
            throw ConfigError(path, fmt::format("is given in bytes, but counts {} ({})", info.unit,
                                                given.source));
        }
        const bool counts = std::string_view(info.unit) != "-";  // otherwise it has no unit
        if (wants_integer && !given.is_integer) {
            throw ConfigError(
                path, fmt::format("{} must be a whole number{}{} ({})", given.text,
                                  counts ? " of " : "", counts ? info.unit : "", given.source));
        }
        if (!(given.number >= info.low && given.number <= info.high)) {
            throw ConfigError(path, fmt::format("{} is outside [{:.15g}, {:.15g}]{}{} ({})",
                                                given.text, info.low, info.high, counts ? " " : "",
                                                counts ? info.unit : "", given.source));
        }
    }

    GivenValues& values_;
    Machine& machine_;
    std::string section_;
};

/// Returns the memories of sections [memory.NAME], sorted by name.
std::vector<models::NamedMemoryParams> named_memories(const GivenValues& values) {
    const std::string prefix = "memory.";
    std::vector<models::NamedMemoryParams> memories;
    for (const auto& [path, value] : values) {
        if (!path.starts_with(prefix)) continue;
        const std::string name = path.substr(prefix.size(), path.rfind('.') - prefix.size());
        const bool is_name = path.rfind('.') > prefix.size() &&
                             std::all_of(name.begin(), name.end(), [](unsigned char c) {
                                 return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
                             });
        if (!is_name) {
            throw ConfigError(path, fmt::format("is not a parameter of a memory ({}); write "
                                                "[memory.NAME] with a name of lower-case letters, "
                                                "digits and underscores, and its keys below",
                                                value.source));
        }
        if (memories.empty() || memories.back().name != name) memories.emplace_back().name = name;
    }
    return memories;
}

}  // namespace

std::string path_of_today(const std::string& path) {
    static const std::map<std::string, std::string> former = [] {
        FormerPaths visitor;
        models::MachineParams params;
        models::describe_machine(params, visitor);
        return visitor.paths;
    }();
    const auto found = former.find(path);
    return found == former.end() ? path : found->second;
}

const std::vector<std::string>& builtin_machines() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const auto& [name, text] : builtin_texts()) all.push_back(name);
        return all;
    }();
    return names;
}

struct MachineFamily::Values {
    GivenValues given;
};

MachineFamily::MachineFamily(const std::string& name_or_path) {
    GivenValues values;
    if (is_builtin(name_or_path)) {
        collect_builtin(name_or_path, values);
    } else {
        if (!std::filesystem::exists(name_or_path)) {
            throw ConfigError("--machine " + name_or_path,
                              fmt::format("is neither a built-in machine ({}) nor a file{}",
                                          fmt::join(builtin_machines(), ", "),
                                          did_you_mean(name_or_path, builtin_machines())));
        }
        collect_file(name_or_path, values);
        file_ = name_or_path;
    }
    const std::filesystem::path path(name_or_path);
    name_ = printable(path.stem().string());
    // A file with the name of a built-in machine is a different machine.
    if (!is_builtin(name_or_path) && is_builtin(name_)) name_ = printable(path.filename().string());
    values_ = std::make_shared<const Values>(Values{std::move(values)});
}

MachineFamily MachineFamily::of_text(const std::string& text, const std::string& name) {
    Values values;
    collect(parse_text(text, name), name, values.given,
            [&](const std::string&, const toml::node&) { return name; });
    return {name, std::make_shared<const Values>(std::move(values))};
}

Machine MachineFamily::with(const std::vector<std::string>& settings) const {
    try {
        return filled(settings);
    } catch (const ConfigError& error) {
        const std::string text = error.what();
        const bool is_of_setting = std::ranges::any_of(settings, [&](const std::string& setting) {
            return path_of_today(setting.substr(0, setting.find('='))) == error.where();
        });
        // Errors of a value name file and line; a missing key and rules between keys have none.
        if (file_.empty() || is_of_setting || text.find(printable(file_)) != std::string::npos ||
            text.starts_with("--set")) {
            throw;
        }
        throw ConfigError(file_, text);
    }
}

Machine MachineFamily::filled(const std::vector<std::string>& settings) const {
    GivenValues values = values_->given;
    for (const std::string& setting : settings) collect_setting(setting, values);
    Machine machine;
    machine.name = name_;
    machine.overrides = settings;
    *machine.params.memories = named_memories(values);
    Filler filler(values, machine);
    models::describe_machine(machine.params, filler);
    filler.finish();
    check_machine(machine.params);
    return machine;
}

Machine load_machine(const std::string& name_or_path, const std::vector<std::string>& settings) {
    return MachineFamily(name_or_path).with(settings);
}

std::string Machine::label() const {
    if (overrides.empty()) return name;
    return fmt::format("{} with {}", name, fmt::join(overrides, ", "));
}

std::uint64_t Machine::hash() const {
    isa::Fnv1a hash;
    for (const ParameterRecord& parameter : parameters) {
        if (parameter.is_standard) continue;
        hash.add(parameter.path + '=' + parameter.value + '\n');
    }
    return hash.value();
}

}  // namespace okksim::sim
