// SPDX-License-Identifier: Apache-2.0
#include "sim/why/debug_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "isa/base/errors.h"
#include "isa/base/text_stream.h"
#include "isa/disassembler.h"
#include "sim/device/tensor_text.h"

namespace okksim::sim::why {
namespace {

constexpr std::size_t kMostPrinted = 4096;

[[noreturn]] void refuse(const std::string& word, const std::string& rule) {
    throw ConfigError(word, rule + " (\"help\" shows how)");
}

template <typename Number>
Number number_of(const std::string& word, int base = 10) {
    Number number{};
    const char* const begin = word.data() + (base == 16 && word.starts_with("0x") ? 2 : 0);
    const char* const end = word.data() + word.size();
    const auto [read_to, error] = std::from_chars(begin, end, number, base);
    if (error != std::errc{} || read_to != end) refuse(word, "is no number");
    return number;
}

std::size_t count_of(const std::vector<std::string>& words) {
    return words.size() > 1 ? number_of<std::size_t>(words[1]) : 1;
}

/// Returns the extents of "f32[4,16]" or "[4,16]".
std::vector<std::int32_t> extents_of(const std::string& word) {
    const std::size_t open = word.find('[');
    if (open == std::string::npos || !word.ends_with(']'))
        refuse(word, "is no shape like f32[4,16]");
    TextReader stream(word.substr(open + 1, word.size() - open - 2));
    std::vector<std::int32_t> extents;
    std::size_t count = 1;
    for (std::string extent; std::getline(stream, extent, ',');) {
        extents.push_back(number_of<std::int32_t>(extent));
        if (extents.back() < 1) refuse(word, "has an extent below 1");
        count *= static_cast<std::size_t>(extents.back());
        if (count > kMostPrinted) {
            refuse(word, fmt::format("has more than {} elements", kMostPrinted));
        }
    }
    if (extents.empty()) extents.push_back(1);
    return extents;
}

WordText word_form(const std::string& type) {
    if (type.empty() || type == "f32") return WordText::kFloat;
    if (type == "i32") return WordText::kInteger;
    if (type == "u32") return WordText::kUnsigned;
    if (type == "x32") return WordText::kHex;
    refuse(type, "is none of f32, i32, u32, x32");
}

}  // namespace

DebugSession::DebugSession(const Recording& recording, const Machine& machine)
    : recording_(recording), machine_(machine.params.shape()), memory_(recording, machine, false) {}

const std::vector<DebugSession::Verb>& DebugSession::verbs() {
    static const std::vector<Verb> kVerbs{
        {"help", "h", "help: this text", &DebugSession::help},
        {"where", "w", "where: the next command, its line and its number", &DebugSession::where},
        {"step", "s", "step [N]: run the next command, or N commands", &DebugSession::step},
        {"back", "b", "back [N]: undo the last command, or N commands", &DebugSession::back},
        {"goto", "g", "goto N: go to command N, as numbered by \"where\"; 0 is the beginning",
         &DebugSession::go},
        {"line", "l", "line FILE:LINE: forward to the next command of a line (kernel.c:12, or :12)",
         &DebugSession::to_line},
        {"lineback", "lb", "lineback FILE:LINE: back to the last command of a line",
         &DebugSession::back_to_line},
        {"time", "t", "time MICROSECONDS: go to the first command that has not ended by then",
         &DebugSession::to_time},
        {"writer", "wr",
         "writer ADDRESS: back to the last command that wrote ADDRESS: 0x105100000, or LANE:OFFSET",
         &DebugSession::to_writer},
        {"print", "p",
         "print ADDRESS [f32|i32|u32|x32][n,c,h,w]: values; at LANE:OFFSET a tensor in the aligned "
         "layout, at an address consecutive elements",
         &DebugSession::print},
        {"quit", "q", "quit: leave the debugger", nullptr},
    };
    return kVerbs;
}

std::string DebugSession::execute(std::string_view line, bool& goes_on) {
    goes_on = true;
    TextReader stream{std::string(line)};
    Words words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty() || words[0].starts_with('#')) return {};
    for (const Verb& verb : verbs()) {
        if (words[0] != verb.name && words[0] != verb.short_name) continue;
        if (verb.run == nullptr) {
            goes_on = false;
            return {};
        }
        return (this->*verb.run)(words);
    }
    refuse(words[0], "is no command of the debugger");
}

std::string DebugSession::help(const Words&) {
    std::string text =
        "The recording is a list of commands. The session is before one of them, with the memory "
        "of\n"
        "that moment. Try: step, where, line :12, print 0:0 f32[1,4,1,16], writer 0:0, back.\n";
    for (const Verb& verb : verbs()) {
        text += fmt::format("  {:<3} {}\n", verb.short_name, verb.help);
    }
    return text;
}

std::string DebugSession::describe(std::size_t event) {
    const auto& events = recording_.events();
    if (event >= events.size()) return fmt::format("{}: the end of the recording\n", event);
    const Event& next = events[event];
    const std::string& line = recording_.line(next);
    return fmt::format(
        "{}: {}\n    {}, launch {} {}\n", event, isa::disassemble(next.command, machine_),
        line.empty() ? "an unknown line" : line, next.launch, recording_.launch_name(next));
}

std::size_t DebugSession::command_from(std::size_t from) const {
    const auto& events = recording_.events();
    while (from < events.size() && !events[from].is_command) ++from;
    return from;
}

void DebugSession::move_to(std::size_t position) {
    // The position before a command includes the host's writes before it.
    memory_.move_to(command_from(std::min(position, recording_.events().size())));
}

std::string DebugSession::where(const Words&) {
    move_to(position());
    return describe(position());
}

std::string DebugSession::step(const Words& words) {
    for (std::size_t i = count_of(words); i > 0; --i) move_to(command_from(position()) + 1);
    return describe(position());
}

std::string DebugSession::back(const Words& words) {
    std::size_t to = position();
    for (std::size_t i = count_of(words); i > 0; --i) {
        std::size_t before = to;
        while (before > 0 && !recording_.events()[before - 1].is_command) --before;
        if (before == 0) break;
        to = before - 1;
    }
    move_to(to);
    return describe(position());
}

std::string DebugSession::go(const Words& words) {
    if (words.size() < 2) refuse("goto", "needs a number");
    move_to(number_of<std::size_t>(words[1]));
    return describe(position());
}

bool DebugSession::is_in_line(std::size_t event, const std::string& line) const {
    const Event& candidate = recording_.events()[event];
    if (!candidate.is_command) return false;
    const std::string& text = recording_.line(candidate);
    for (std::size_t at = text.find(line); at != std::string::npos; at = text.find(line, at + 1)) {
        const std::size_t behind = at + line.size();
        if (behind == text.size() || text[behind] == ' ') return true;
    }
    return false;
}

std::string DebugSession::to_line(const Words& words) {
    if (words.size() < 2) refuse("line", "needs FILE:LINE");
    for (std::size_t i = position() + 1; i < recording_.events().size(); ++i) {
        if (!is_in_line(i, words[1])) continue;
        move_to(i);
        return describe(position());
    }
    refuse(words[1], "has no command after this one");
}

std::string DebugSession::back_to_line(const Words& words) {
    if (words.size() < 2) refuse("lineback", "needs FILE:LINE");
    for (std::size_t i = position(); i-- > 0;) {
        if (!is_in_line(i, words[1])) continue;
        move_to(i);
        return describe(position());
    }
    refuse(words[1], "has no command before this one");
}

std::string DebugSession::to_time(const Words& words) {
    if (words.size() < 2) refuse("time", "needs microseconds");
    if (times_.empty()) times_ = event_times(recording_);
    double wanted = 0;
    const char* const end = words[1].data() + words[1].size();
    if (std::from_chars(words[1].data(), end, wanted).ptr != end) refuse(words[1], "is no time");
    std::size_t event = 0;
    for (; event < recording_.events().size(); ++event) {
        if (times_[event].end.microseconds() > wanted) break;
    }
    move_to(event);
    return describe(position());
}

Place DebugSession::place_of_word(const std::string& word) const {
    const std::size_t colon = word.find(':');
    if (colon == std::string::npos) {
        const auto address = number_of<std::uint64_t>(word, 16);
        if (!machine_.in_one_memory(address)) refuse(word, "is in no memory of the machine");
        return {false, 0, static_cast<std::int64_t>(address), isa::kWordBytes};
    }
    const std::string offset = word.substr(colon + 1);
    const Place place{true, number_of<std::int32_t>(word.substr(0, colon)),
                      number_of<std::int64_t>(offset, offset.starts_with("0x") ? 16 : 10),
                      isa::kWordBytes};
    if (place.lane < 0 || place.lane >= machine_.lanes || place.at < 0 ||
        place.at > machine_.local_bytes - isa::kWordBytes) {
        refuse(word, "is in no lane of the machine");
    }
    return place;
}

std::string DebugSession::to_writer(const Words& words) {
    if (words.size() < 2) refuse("writer", "needs an address");
    const Place place = place_of_word(words[1]);
    const auto& events = recording_.events();
    for (std::size_t i = position(); i-- > 0;) {
        const Event& event = events[i];
        if (!event.is_command) {
            const Place first = place_of(event, machine_);
            if (place.local != first.local || place.lane != first.lane ||
                static_cast<std::uint64_t>(place.at - first.at) >= event.data.size())
                continue;
            move_to(i);
            if (event.is_fresh) {
                return "reallocated by the host before and uninitialised since then\n" +
                       describe(position());
            }
            const std::string by =
                event.by_processor ? "control processor in " + recording_.line(event) : "host";
            return fmt::format(
                "written by the {} before\n"
                "{}",
                by, describe(position()));
        }
        for (const isa::TensorView& view : isa::tensor_views(event.command, machine_)) {
            if (view.access == isa::Access::kRead || !element_at(view, place, machine_)) continue;
            move_to(i);
            return describe(position());
        }
    }
    return words[1] + " is uninitialised before this command\n";
}

std::string DebugSession::print(const Words& words) {
    if (words.size() < 2) refuse("print", "needs an address");
    const Place place = place_of_word(words[1]);
    const std::string form = words.size() > 2 ? words[2] : "f32[1]";
    const std::string type = form.substr(0, form.find('['));
    const WordText text_form = word_form(type);
    std::vector<std::int32_t> extents = extents_of(form);
    if (extents.size() > 4) refuse(form, "has more than four dimensions");
    while (extents.size() < 4) extents.insert(extents.begin(), 1);
    const isa::TensorView view =
        tensor_at(place.local, place.lane, static_cast<std::uint64_t>(place.at),
                  {extents[0], extents[1], extents[2], extents[3]}, machine_);
    const auto text = tensor_text(view, machine_, memory_.port().local_memory(),
                                  memory_.port().system_memory(), text_form);
    if (!text) refuse(form, "is out of bounds of the memory");
    return *text;
}

}  // namespace okksim::sim::why
