// SPDX-License-Identifier: Apache-2.0
#include "sim/why/origin_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "isa/base/hex.h"
#include "isa/disassembler.h"
#include "models/bdc/typed/float_elements.h"
#include "sim/why/lost_value.h"

namespace okksim::sim::why {
namespace {

constexpr int kIndent = 2;

constexpr const char* kBfloat = "bf2";  // not a .npy type name

const char* descr_of(isa::ElementType type) {
    using enum isa::ElementType;
    switch (type) {
        case kInt8: return "<i1";
        case kUint8: return "<u1";
        case kInt16: return "<i2";
        case kUint16: return "<u2";
        case kInt32:
        case kInt48: return "<i4";  // the low word
        case kFp16: return "<f2";
        case kBf16: return kBfloat;
        case kFp32: return "<f4";
    }
    __builtin_unreachable();
}

/// Returns the element type that the command encodes for an operand, or nullptr if it encodes none.
const char* own_descr_of(const isa::Command& command, std::string_view operand) {
    for (const isa::OperandInfo& each : command.info().operands()) {
        if (each.name != operand || each.element_word == isa::OperandInfo::kNoWord) continue;
        const auto word = static_cast<std::size_t>(each.element_word);
        return descr_of(static_cast<isa::ElementType>(command.words[word]));
    }
    return nullptr;
}

/// Returns the type of a command's operands. Words that are only moved have the type `asked`.
std::string descr_of(const isa::Command& command, const std::string& asked) {
    if (command.info().data == isa::DataType::kFp32) return "<f4";
    if (command.info().data == isa::DataType::kInt32) return "<i4";
    const bool moves = command.info().engine == isa::Engine::kGdma ||
                       command.opcode == isa::Opcode::bdc_32bit_cpy ||
                       command.opcode == isa::Opcode::bdc_32bit_set_C;
    return moves ? asked : "<u4";
}

/// Returns the type of one operand.
std::string descr_of(const isa::Command& command, const char* operand, const std::string& asked) {
    const char* own = own_descr_of(command, operand);
    return own != nullptr && command.info().engine == isa::Engine::kBdc ? own
                                                                        : descr_of(command, asked);
}

/// Returns the type of a command's result from operands of type `operands`.
std::string result_descr_of(const isa::Command& command, const std::string& operands) {
    const bool computes = command.info().engine == isa::Engine::kBdc;
    const char* own = own_descr_of(command, command.info().operands()[0].name);
    if (own != nullptr && computes) return own;
    if (command.info().timing == isa::TimingClass::kConvert) return "<i4";
    if (command.info().timing == isa::TimingClass::kLookup) return "<f4";
    return operands;
}

/// True if a command only moves data.
bool is_move(const isa::Command& command) {
    if (command.info().engine == isa::Engine::kGdma) return true;
    return command.opcode == isa::Opcode::bdc_32bit_cpy;
}

std::string line_of(const Recording& recording, const Event& event) {
    const std::string& line = recording.line(event);
    return line.empty() ? "an unknown line" : line;
}

/// Describes the commands around an event in its launch: "between bdc.add (scale at k.c:12) and
/// gdma.32bit_cpy_L2S (scale at k.c:14)".
std::string neighbours_of(const Recording& recording, std::size_t event) {
    const auto& events = recording.events();
    const std::uint32_t launch = events[event].launch;
    const auto name = [&](std::size_t i) {
        return fmt::format("{} ({})", isa::mnemonic(events[i].command.info()),
                           line_of(recording, events[i]));
    };
    std::string before = "the launch's begin", behind = "its end";
    for (std::size_t i = event; i-- > 0 && events[i].launch == launch;) {
        if (!events[i].is_command) continue;
        before = name(i);
        break;
    }
    for (std::size_t i = event; i < events.size() && events[i].launch == launch; ++i) {
        if (!events[i].is_command) continue;
        behind = name(i);
        break;
    }
    return "between " + before + " and " + behind;
}

class Printer {
 public:
    Printer(const Question& question, const OriginTree& tree, const Recording& recording,
            const isa::MachineShape& machine)
        : question_(question), tree_(tree), recording_(recording), machine_(machine) {}

    std::string text() {
        const Written& asked = tree_.asked;
        out_ += fmt::format("{} = {}, at {}\n", question_.name,
                            value_text(asked.value, question_.descr), asked.place.text());
        if (question_.expected) out_ += fmt::format("expected {}\n", *question_.expected);
        out_ += question_.parting;
        for (const Repair& repair : question_.repairs) {
            out_ += fmt::format("probably wrong: {}: with {} all values are as expected\n",
                                repair.line, repair.change);
        }
        add_summary();
        if (recording_.stores_lost() && !recording_.events().empty()) add_lost_stores();
        if (question_.deviates) add_deviation();
        out_ += '\n';
        print(asked, question_.descr, 0);
        return std::move(out_);
    }

 private:
    const Event& event(const Written& written) const { return recording_.events()[*written.event]; }

    /// Adds the line that stored the value, and the nearest source line that does not only move it.
    void add_summary() {
        const Written* written = &tree_.asked;
        if (!written->event) return;
        if (event(*written).by_processor) {
            out_ +=
                "stored by the control processor in " + line_of(recording_, event(*written)) + "\n";
        }
        if (!event(*written).is_command) return;
        out_ += "stored by " + line_of(recording_, event(*written)) + "\n";
        while (written->origin && is_move(event(*written).command)) {
            const auto& operands = tree_.origins[*written->origin].operands;
            if (operands.empty() || operands.front().writers.empty()) return;
            written = &operands.front().writers.front();
        }
        if (written == &tree_.asked || !written->event || !event(*written).is_command) return;
        out_ += "computed by " + line_of(recording_, event(*written)) + "\n";
    }

    void add_lost_stores() {
        const std::size_t first = *recording_.stores_lost();
        out_ += fmt::format(
            "warning: stores of the control processor {} and later in that launch are too many to "
            "record; announce stores with okk_store_addr() (okk_access.h)\n",
            neighbours_of(recording_, std::min(first, recording_.events().size() - 1)));
    }

    void add_deviation() {
        const Event& first = recording_.events()[*question_.deviates];
        out_ += fmt::format(
            "warning: from {} in {} on, values may be wrong: the control processor has changed "
            "memory unannounced (okk_access.h), or commands have a data race\n",
            isa::mnemonic(first.command.info()), line_of(recording_, first));
    }

    /// Prints the writer of a value and the writer's operands.
    void print(const Written& written, const std::string& descr, int indent) {
        const std::string space(static_cast<std::size_t>(indent), ' ');
        if (!written.event) {
            out_ += space + "uninitialised\n";
            return;
        }
        const Event& writer = event(written);
        if (writer.by_processor) {
            out_ += fmt::format(
                "{}the control processor in {} = {}\n"
                "{}  {}\n",
                space, line_of(recording_, writer), value_text(written.value, descr), space,
                neighbours_of(recording_, *written.event));
            return;
        }
        if (!writer.is_command) {
            std::string element;
            if (!written.place.local) {
                element = recording_.element_text(static_cast<std::uint64_t>(written.place.at),
                                                  *written.event);
            }
            out_ += fmt::format("{}input: {} = {}\n", space,
                                element.empty() ? written.place.text() : element,
                                value_text(written.value, descr));
            return;
        }
        out_ += fmt::format("{}{} in {}\n", space, isa::mnemonic(writer.command.info()),
                            line_of(recording_, writer));
        if (!written.origin) {
            out_ += space + "  (not followed further: raise --depth, --width or --most)\n";
            return;
        }
        const Origin& origin = tree_.origins[*written.origin];
        if (!printed_.insert(*written.origin).second) {
            out_ += space + "  (as above)\n";
            return;
        }
        out_ +=
            fmt::format("{}  launch {} {}, {} {}, {:.3f} to {:.3f} us\n{}  {}\n", space,
                        writer.launch, recording_.launch_name(writer),
                        writer.command.info().engine == isa::Engine::kGdma ? "GDMA" : "BDC",
                        writer.command.id, origin.start.microseconds(), origin.end.microseconds(),
                        space, isa::disassemble_operation(writer.command, machine_));
        const std::string operand_descr = descr_of(writer.command, descr);
        out_ +=
            fmt::format("{}  result {} at {}\n", space,
                        value_text(origin.value, result_descr_of(writer.command, operand_descr)),
                        origin.place.text());
        if (const auto lost = find_lost_value(recording_, machine_, *written.event, origin.place)) {
            const Event& earlier = recording_.events()[*lost];
            out_ +=
                fmt::format("{}  overwrites a result of {} in {}, which nothing has read\n", space,
                            isa::mnemonic(earlier.command.info()), line_of(recording_, earlier));
        }
        for (const OriginOperand& operand : origin.operands) {
            const std::string source_descr = descr_of(writer.command, operand.name, descr);
            for (const Written& source : operand.writers) {
                const std::string others = operand.elements == 1
                                               ? ""
                                               : fmt::format(" (first of {} of {} elements)",
                                                             source.count, operand.elements);
                out_ += fmt::format("{}  {} {} at {}{}\n", space, operand.name,
                                    value_text(source.value, source_descr), source.place.text(),
                                    others);
                print(source, source_descr, indent + 2 * kIndent);
            }
        }
    }

    const Question& question_;
    const OriginTree& tree_;
    const Recording& recording_;
    const isa::MachineShape& machine_;
    std::string out_;
    std::set<std::size_t> printed_;
};

nlohmann::ordered_json written_json(const Written& written, const Recording& recording,
                                    const std::string& descr) {
    nlohmann::ordered_json json{{"at", written.place.text()},
                                {"bits", written.value},
                                {"value", value_text(written.value, descr)},
                                {"elements", written.count}};
    if (!written.event) {
        json["writer"] = "nobody";
    } else if (recording.events()[*written.event].is_command) {
        json["writer"] = "command";
        json["line"] = recording.line(recording.events()[*written.event]);
        if (written.origin) json["origin"] = *written.origin;
    } else if (recording.events()[*written.event].by_processor) {
        json["writer"] = "processor";
        json["line"] = recording.line(recording.events()[*written.event]);
        json["between"] = neighbours_of(recording, *written.event);
    } else {
        json["writer"] = "input";
        if (!written.place.local) {
            json["element"] = recording.element_text(static_cast<std::uint64_t>(written.place.at),
                                                     *written.event);
        }
    }
    return json;
}

}  // namespace

std::string value_text(std::uint32_t bits, const std::string& descr) {
    const std::string hex = isa::hex(bits, 8);
    if (descr.ends_with("f4")) return fmt::format("{} ({})", std::bit_cast<float>(bits), hex);
    const bool is_bf16 = descr == kBfloat;
    if (is_bf16 || descr.ends_with("f2")) {
        const auto type = is_bf16 ? isa::ElementType::kBf16 : isa::ElementType::kFp16;
        const float value = models::half_value(type, static_cast<std::uint16_t>(bits));
        return fmt::format("{} ({})", value, isa::hex(bits, 4));
    }
    if (descr.find('i') != std::string::npos) {
        const std::uint64_t bytes = element_bytes_of(descr);
        if (bytes == 1) return fmt::format("{} ({})", static_cast<std::int8_t>(bits), hex);
        if (bytes == 2) return fmt::format("{} ({})", static_cast<std::int16_t>(bits), hex);
        return fmt::format("{} ({})", static_cast<std::int32_t>(bits), hex);
    }
    return fmt::format("{} ({})", bits, hex);
}

std::string origin_text(const Question& question, const OriginTree& tree,
                        const Recording& recording, const isa::MachineShape& machine) {
    return Printer(question, tree, recording, machine).text();
}

nlohmann::ordered_json origin_json(const Question& question, const OriginTree& tree,
                                   const Recording& recording, const isa::MachineShape& machine) {
    nlohmann::ordered_json json{{"element", question.name},
                                {"asked", written_json(tree.asked, recording, question.descr)},
                                {"reexecution_deviates", question.deviates.has_value()},
                                {"processor_stores_lost", recording.stores_lost().has_value()},
                                {"origins", nlohmann::ordered_json::array()}};
    if (question.expected) json["expected"] = *question.expected;
    if (!question.parting.empty()) json["parting"] = question.parting;
    if (!question.repairs.empty()) {
        json["probably_wrong"] = nlohmann::ordered_json::array();
        for (const Repair& repair : question.repairs) {
            json["probably_wrong"].push_back({{"line", repair.line}, {"change", repair.change}});
        }
    }
    for (const Origin& origin : tree.origins) {
        const Event& event = recording.events()[origin.event];
        const std::string descr = descr_of(event.command, question.descr);
        nlohmann::ordered_json row{
            {"command", isa::disassemble_operation(event.command, machine)},
            {"line", recording.line(event)},
            {"launch", event.launch},
            {"id", event.command.id},
            {"start_us", origin.start.microseconds()},
            {"end_us", origin.end.microseconds()},
            {"at", origin.place.text()},
            {"value", value_text(origin.value, result_descr_of(event.command, descr))},
            {"operands", nlohmann::ordered_json::array()}};
        for (const OriginOperand& operand : origin.operands) {
            nlohmann::ordered_json writers = nlohmann::ordered_json::array();
            for (const Written& source : operand.writers) {
                const std::string own = descr_of(event.command, operand.name, descr);
                writers.push_back(written_json(source, recording, own));
            }
            row["operands"].push_back(
                {{"name", operand.name}, {"elements", operand.elements}, {"writers", writers}});
        }
        json["origins"].push_back(std::move(row));
    }
    return json;
}

}  // namespace okksim::sim::why
