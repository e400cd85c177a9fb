// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>

#include "firmware/host/report_json.h"
#include "isa/base/errors.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/graph/npy.h"
#include "sim/machine/provenance.h"
#include "sim/why/origin_report.h"
#include "sim/why/run_parting.h"
#include "sim/why/value_origins.h"

namespace okksim::sim::cli {
namespace {

/// Seconds of processor time for the search for repairs.
constexpr double kRepairSeconds = 3;

struct WhyFlags {
    std::string recording;
    std::string element;
    std::string expect;
    std::string reference;
    ToleranceFlags tolerance;
    why::OriginLimits limits;
    ReportForms report;
};

/// The element in question: its number in a buffer, or an address in memory.
struct Target {
    std::optional<why::Buffer> buffer;
    std::optional<std::uint64_t> element;
    std::uint64_t address = 0;
};

std::optional<std::uint64_t> address_of(const std::string& text) {
    if (!text.starts_with("0x")) return std::nullopt;
    std::uint64_t address = 0;
    const char* const end = text.data() + text.size();
    const auto [read_to, error] = std::from_chars(text.data() + 2, end, address, 16);
    if (error != std::errc{} || read_to != end) return std::nullopt;
    return address;
}

/// Returns the number of the element with an index such as "2,0,5".
std::uint64_t element_number(const std::string& what, const std::string& index,
                             const why::Buffer& buffer) {
    std::uint64_t number = 0;
    std::size_t dimension = 0;
    const char* at = index.data();
    const char* const end = index.data() + index.size();
    for (; at < end && dimension < buffer.shape.size(); ++dimension) {
        std::int64_t value = -1;
        const auto [read_to, error] = std::from_chars(at, end, value);
        if (error != std::errc{} || value < 0 || value >= buffer.shape[dimension]) break;
        number = number * static_cast<std::uint64_t>(buffer.shape[dimension]) +
                 static_cast<std::uint64_t>(value);
        at = read_to < end && *read_to == ',' ? read_to + 1 : read_to;
    }
    if (at != end || dimension != buffer.shape.size()) {
        throw ConfigError(what, fmt::format("is no element of {}, whose shape is [{}]", buffer.name,
                                            fmt::join(buffer.shape, ",")));
    }
    return number;
}

/// True if a name stands for a buffer: the file, with or without its folder or suffix.
bool is_name_of(const std::string& name, const why::Buffer& buffer) {
    const std::filesystem::path path(buffer.name);
    return name == buffer.name || name == path.filename() || name == path.stem();
}

Target find_target(const std::string& text, const why::Recording& recording) {
    Target target;
    if (const auto address = address_of(text)) {
        target.address = *address;
        return target;
    }
    const std::size_t bracket = text.ends_with(']') ? text.rfind('[') : std::string::npos;
    const std::string name = text.substr(0, bracket);
    for (const why::Buffer& buffer : recording.buffers()) {
        if (is_name_of(name, buffer)) target.buffer = buffer;
    }
    if (!target.buffer) {
        std::vector<std::string> names;
        for (const why::Buffer& buffer : recording.buffers()) names.push_back(buffer.name);
        throw ConfigError(
            text, fmt::format("is no buffer of the recording; it has {}",
                              names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    target.address = target.buffer->address;
    if (bracket == std::string::npos) return target;
    target.element =
        element_number(text, text.substr(bracket + 1, text.size() - bracket - 2), *target.buffer);
    target.address += *target.element * target.buffer->element_bytes();
    return target;
}

bool differs(double got, double expected, const ToleranceFlags& tolerance) {
    if (std::isnan(got) && std::isnan(expected)) return false;
    if (got == expected) return false;
    return !(std::abs(got - expected) <=
             tolerance.absolute + tolerance.relative * std::abs(expected));
}

CLI::Validator number_or_file() {
    return {[](const std::string& text) -> std::string {
                char* read_to = nullptr;
                std::strtod(text.c_str(), &read_to);
                const bool is_number = !text.empty() && *read_to == '\0';
                return is_number || text.ends_with(".npy")
                           ? ""
                           : "\"" + text + "\" is neither a number nor the name of a .npy file";
            },
            ""};
}

/// Chooses the first element that differs from the expected file if none is named. Returns the
/// element's expected value as text.
std::optional<std::string> compare(const WhyFlags& flags, const why::Recording& recording,
                                   const Machine& machine, Target& target,
                                   graph::NpyArray& expected) {
    if (flags.expect.empty()) return std::nullopt;
    if (!flags.expect.ends_with(".npy")) return flags.expect;
    expected = graph::read_npy(flags.expect);
    const why::Buffer& buffer = target.buffer.value();
    if (expected.descr != buffer.descr || expected.data.size() != buffer.bytes) {
        throw ConfigError(flags.expect, fmt::format("holds {} bytes of {}, {} holds {} of {}",
                                                    expected.data.size(), expected.descr,
                                                    buffer.name, buffer.bytes, buffer.descr));
    }
    why::OriginTree nothing;
    nothing.asked.place = {false, 0, static_cast<std::int64_t>(buffer.address), 1};
    const why::Reexecution run =
        fill_values(recording, machine, nothing, buffer.address, buffer.bytes);
    const std::uint64_t step = buffer.element_bytes();
    const auto expected_at = [&](std::uint64_t element) {
        return why::number_at(expected.data.data() + element * step, buffer.descr);
    };
    for (std::uint64_t i = 0; !target.element && i < buffer.bytes / step; ++i) {
        const double got = why::number_at(run.bytes.data() + i * step, buffer.descr);
        if (!differs(got, expected_at(i), flags.tolerance)) continue;
        target.element = i;
        target.address = buffer.address + i * step;
    }
    if (!target.element) return std::nullopt;
    return fmt::format("{}", expected_at(*target.element));
}

/// True if the element's value is not the expected one.
bool is_unexpected(const WhyFlags& flags, const why::Recording& recording, const Machine& machine,
                   const Target& target, const why::Question& question) {
    if (!question.expected) return false;
    const std::uint64_t bytes = why::element_bytes_of(question.descr);
    why::OriginTree nothing;
    nothing.asked.place = {false, 0, static_cast<std::int64_t>(target.address), 1};
    const why::Reexecution run = fill_values(recording, machine, nothing, target.address, bytes);
    return differs(why::number_at(run.bytes.data(), question.descr), std::stod(*question.expected),
                   flags.tolerance);
}

/// Returns the changes of one line that correct the whole buffer.
std::vector<why::Repair> look_for_repairs(const WhyFlags& flags, const why::Recording& recording,
                                          const Machine& machine, const Target& target,
                                          const why::OriginTree& tree,
                                          const graph::NpyArray& expected) {
    if (expected.data.empty() || !target.buffer || !target.element) return {};
    return why::find_repairs(recording, machine, tree,
                             {.address = target.buffer->address,
                              .descr = target.buffer->descr,
                              .values = expected.data,
                              .relative = flags.tolerance.relative,
                              .absolute = flags.tolerance.absolute,
                              .first_wrong = *target.element},
                             kRepairSeconds);
}

/// Returns the first difference from a reference run as text; empty without a reference run.
std::string compare_with_reference(const WhyFlags& flags, const why::Recording& recording,
                                   const isa::MachineShape& shape) {
    if (flags.reference.empty()) return {};
    const why::Recording reference(flags.reference);
    const auto parting = find_parting(recording, reference, shape);
    if (!parting) return fmt::format("all results equal those of {}\n", flags.reference);
    return parting_text(*parting, recording, reference, shape);
}

int run(const WhyFlags& flags) {
    ReportOutput output(flags.report);
    const why::Recording recording(flags.recording);
    print_error(recording.changed_libraries());
    const Machine machine = recording.machine();
    const isa::MachineShape shape = machine.params.shape();
    Target target = find_target(flags.element, recording);
    const bool is_file = flags.expect.ends_with(".npy");
    if (is_file && !target.buffer) {
        throw ConfigError(flags.element,
                          "a file of expected values needs a buffer, not an address");
    }
    why::Question question;
    graph::NpyArray expected;
    question.expected = compare(flags, recording, machine, target, expected);
    if (target.buffer && !target.element) {
        if (!is_file) {
            throw ConfigError(flags.element, "names a buffer; name an element of it, such as " +
                                                 flags.element + "[0], or give --expect FILE.npy");
        }
        if (output.wants_json()) {
            nlohmann::ordered_json json{{"buffer", target.buffer->name}, {"as_expected", true}};
            add_provenance(json, machine);
            output.write_json(firmware::host::json_text(json));
        }
        if (output.wants_text()) {
            format_out("{} is as expected\n{}\n", target.buffer->name, provenance_text(machine));
        }
        return kSuccess;
    }
    const std::string element =
        target.buffer ? target.buffer->element_text(target.address)
                      : recording.element_text(target.address, recording.events().size());
    question.name = element.empty() ? flags.element : element;
    question.descr = target.buffer ? target.buffer->descr : "<f4";
    const why::Place place{false, 0, static_cast<std::int64_t>(target.address),
                           static_cast<std::int32_t>(why::element_bytes_of(question.descr))};
    if (!shape.in_one_memory(target.address)) {
        throw ConfigError(flags.element, "is in no memory of the machine");
    }
    why::OriginTree tree = find_origins(recording, shape, place, flags.limits);
    question.deviates = fill_values(recording, machine, tree, target.address, 0).deviates;
    fill_times(recording, tree);
    // A reference run already shows the line.
    if (question.expected && flags.reference.empty()) {
        question.repairs = look_for_repairs(flags, recording, machine, target, tree, expected);
    }
    question.parting = compare_with_reference(flags, recording, shape);
    if (output.wants_json()) {
        nlohmann::ordered_json json = origin_json(question, tree, recording, shape);
        add_provenance(json, machine);
        output.write_json(firmware::host::json_text(json));
    }
    if (output.wants_text()) {
        write_text(origin_text(question, tree, recording, shape));
        format_out("{}\n", provenance_text(machine));
    }
    return is_unexpected(flags, recording, machine, target, question) ? kDifferences : kSuccess;
}

}  // namespace

void add_why_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<WhyFlags>();
    CLI::App* command = app.add_subcommand(
        "why",
        "Show where a value of a recorded run comes from: the command and line that wrote it, the "
        "values\n"
        "that this command read, the commands that wrote those, and so on, down to the inputs. "
        "The\n"
        "recording must have data (--record-data; host programs: OKKSIM_RECORD_DATA=1, where the\n"
        "buffers that the host has read are named read1, read2, ...). Examples:\n"
        "  okksim kernel k.so --launch k --out y.npy:f32[3,4] --in x.npy \\\n"
        "      --record r --record-data\n"
        "  okksim why r y --expect right.npy      # the first element that differs\n"
        "  okksim why r y[2,0] --reference ok     # where it differs from a correct run\n"
        "  okksim run net.tosa --record r --record-data && okksim why r scores[0,3]\n"
        "  okksim why r 0x105100040               # any address");
    command->add_option("recording", flags->recording, "command trace with data")->required();
    command->add_option("element", flags->element, "BUFFER[i,j,...], BUFFER, or 0xADDRESS")
        ->required();
    command
        ->add_option("--expect", flags->expect,
                     "the correct value, or a .npy file with the correct values; a value "
                     "that differs ends with exit code 1")
        ->check(number_or_file());
    command->add_option(
        "--reference", flags->reference,
        "recording with data of a correct run: the first command whose result differs is named");
    add_tolerance_options(*command, flags->tolerance);
    constexpr std::size_t kMost = 1000;
    command->add_option("--depth", flags->limits.depth, "length of a chain of commands to follow")
        ->check(CLI::Range(std::size_t{1}, kMost))
        ->capture_default_str();
    command->add_option("--width", flags->limits.width, "number of writers to follow per operand")
        ->check(CLI::Range(std::size_t{1}, kMost))
        ->capture_default_str();
    command->add_option("--most", flags->limits.most, "total number of commands to follow")
        ->check(CLI::Range(std::size_t{1}, 1000 * kMost))
        ->capture_default_str();
    add_json_option(*command, flags->report);
    command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace okksim::sim::cli
