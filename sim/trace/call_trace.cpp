// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/call_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "sim/trace/call_tokens.h"

namespace okksim::sim::trace {
namespace {

using isa::OperandKind;
using Kind = CallToken::Kind;

constexpr std::uint64_t kPage = 4096;
/// Limit on calls, far above any recorded kernel: a guard against a damaged first line.
constexpr std::uint64_t kMostCalls = 1'000'000'000;

/// The error in an argument; the reader adds the position.
struct BadArgument {
    std::string message;
};

std::optional<ControlCall> control_call(std::string_view name) {
    if (name == "okk_initialize") return ControlCall::kInitialize;
    if (name == "okk_poll") return ControlCall::kPoll;
    if (name == "okk_parallel_start") return ControlCall::kParallelStart;
    if (name == "okk_parallel_end") return ControlCall::kParallelEnd;
    return std::nullopt;
}

/// Returns the first address of a buffer. Each tensor gets a third of global memory, so that no
/// call can reach from one tensor into another by accident.
std::optional<std::uint64_t> buffer_start(std::string_view name, const isa::MachineShape& machine) {
    constexpr std::array<std::string_view, 3> kTensors{"in", "out", "w"};
    const std::uint64_t share = machine.global_bytes / kTensors.size() / kPage * kPage;
    for (std::size_t i = 0; i < kTensors.size(); ++i) {
        if (name == kTensors[i]) return machine.global_start + i * share;
    }
    if (name == "l2") return machine.l2_start;
    if (name == "dtcm") return machine.dtcm_start;
    return std::nullopt;
}

std::int64_t integer(const CallToken& token, std::int64_t low, std::int64_t high) {
    if (token.kind != Kind::kInteger) throw BadArgument{"is not an integer"};
    if (token.integer < low || token.integer > high) {
        throw BadArgument{fmt::format("is {}; allowed are {} to {}", token.integer, low, high)};
    }
    return token.integer;
}

std::uint32_t word(std::int64_t value) { return static_cast<std::uint32_t>(value); }

/// Returns the system address of "buffer+offset".
std::uint64_t system_address(const CallToken& token, const isa::MachineShape& machine) {
    if (token.kind != Kind::kString) throw BadArgument{"is not \"buffer+offset\""};
    const std::string_view text = token.text;
    const std::size_t plus = text.find('+');
    std::uint64_t offset = 0;
    bool valid = plus != std::string_view::npos;
    if (valid) {
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + plus + 1, end, offset);
        valid = error == std::errc{} && stop == end && offset <= machine.global_bytes;
    }
    if (!valid) throw BadArgument{fmt::format("is \"{}\", not \"buffer+offset\"", text)};
    const auto start = buffer_start(text.substr(0, plus), machine);
    if (!start) {
        throw BadArgument{
            fmt::format("names \"{}\"; buffers are in, out, w, l2, dtcm", text.substr(0, plus))};
    }
    return *start + offset;
}

float real(const CallToken& token) {
    if (token.kind == Kind::kReal || token.kind == Kind::kInteger) {
        return static_cast<float>(token.real);
    }
    if (token.kind == Kind::kString) {
        if (token.text == "inf") return std::numeric_limits<float>::infinity();
        if (token.text == "-inf") return -std::numeric_limits<float>::infinity();
        if (token.text == "nan") return std::numeric_limits<float>::quiet_NaN();
    }
    throw BadArgument{"is not a number"};
}

std::uint32_t constant_bits(const CallToken& token) {
    const std::string_view text = token.text;
    std::uint32_t bits = 0;
    bool valid = token.kind == Kind::kString && text.starts_with("0x");
    if (valid) {
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + 2, end, bits, 16);
        valid = error == std::errc{} && stop == end;
    }
    if (!valid) throw BadArgument{"is not a constant \"0x...\" of 32 bits"};
    return bits;
}

/// Stores a list of integers. Returns false for a NULL pointer.
bool list(const CallToken& token, int size, std::uint32_t* words) {
    if (token.kind == Kind::kNull) return false;
    if (token.kind != Kind::kList || token.list_size != size) {
        throw BadArgument{fmt::format("is not a list of {} integers or null", size)};
    }
    for (int i = 0; i < size; ++i) {
        const std::int64_t value = token.list[static_cast<std::size_t>(i)];
        if (value < INT32_MIN || value > INT32_MAX) {
            throw BadArgument{fmt::format("holds {}, which has more than 32 bits", value)};
        }
        words[i] = word(value);
    }
    return true;
}

/// Stores one argument in the command's words. Returns false when it is a NULL pointer.
bool store(const isa::OperandInfo& operand, const CallToken& token,
           const isa::MachineShape& machine, std::uint32_t* words) {
    switch (operand.kind) {
        case OperandKind::kLocal: words[0] = word(integer(token, 0, UINT32_MAX)); return true;
        case OperandKind::kSystem: {
            const std::uint64_t address = system_address(token, machine);
            words[0] = static_cast<std::uint32_t>(address);
            words[1] = static_cast<std::uint32_t>(address >> 32);
            return true;
        }
        case OperandKind::kShape:
        case OperandKind::kStride:
        case OperandKind::kPadding: return list(token, 4, words);
        case OperandKind::kStep: return list(token, 2, words);
        case OperandKind::kInt: words[0] = word(integer(token, INT32_MIN, UINT32_MAX)); return true;
        case OperandKind::kFloat: words[0] = isa::Bits32::from(real(token)).bits; return true;
        case OperandKind::kBits: words[0] = constant_bits(token); return true;
        case OperandKind::kBool:
            if (token.kind != Kind::kBool) throw BadArgument{"is neither true nor false"};
            words[0] = word(token.integer);
            return true;
        case OperandKind::kOpTypes:
        case OperandKind::kMulTypes:
        case OperandKind::kElement: words[0] = word(integer(token, 0, UINT32_MAX)); return true;
    }
    OKKSIM_CHECK(false);
}

/// True if the function takes the operand as an argument: functions with a fixed layout have no
/// strides.
bool is_argument(const isa::InstructionInfo& info, const isa::OperandInfo& operand) {
    return info.kind != isa::InstructionKind::kAlignedLayout ||
           operand.kind != OperandKind::kStride;
}

/// Builds the command of an engine call.
void build(const isa::InstructionInfo& info, const CallTokens& tokens,
           const isa::MachineShape& machine, const std::string& where, RecordedCall& call) {
    const auto operands = info.operands();
    const auto arguments = std::count_if(operands.begin(), operands.end(),
                                         [&](const auto& each) { return is_argument(info, each); });
    if (tokens.size != arguments + 1) {
        throw ConfigError(where, fmt::format("okk_{} has {} arguments, not {}", info.name,
                                             arguments, tokens.size - 1));
    }
    call.command = {};
    call.command.opcode = info.opcode;
    call.nulls = {};
    std::size_t next = 1;
    for (const isa::OperandInfo& operand : operands) {
        if (!is_argument(info, operand)) {
            call.nulls.next(true);
            continue;
        }
        try {
            call.nulls.next(!store(operand, tokens.tokens[next++], machine,
                                   &call.command.words[operand.first_word]));
        } catch (const BadArgument& bad) {
            throw ConfigError(
                where, fmt::format("okk_{}: argument {} {}", info.name, operand.name, bad.message));
        }
    }
}

std::uint64_t count(const nlohmann::json& json, const char* key, const std::string& where) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number_unsigned() ||
        found->get<std::uint64_t>() > kMostCalls) {
        throw ConfigError(where,
                          fmt::format("\"{}\" must be a count of at most {}", key, kMostCalls));
    }
    return found->get<std::uint64_t>();
}

std::string text(const nlohmann::json& json, const char* key, const std::string& where) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string()) {
        throw ConfigError(where, fmt::format("\"{}\" must be a string", key));
    }
    return found->get<std::string>();
}

CallTraceHeader parse_header(std::string_view line, const std::string& where) {
    const nlohmann::json json = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
    if (!json.is_object()) {
        throw ConfigError(where,
                          "this is no recording: the first line of a call trace is a JSON object "
                          "with op, case, params, contestant, calls, gdma_calls, bdc_calls. "
                          "okksim run MODEL --record FILE makes a recording of a graph, okksim "
                          "kernel --record FILE of a kernel");
    }
    CallTraceHeader header;
    header.op = text(json, "op", where);
    header.case_number = static_cast<int>(count(json, "case", where));
    header.params = text(json, "params", where);
    header.contestant = text(json, "contestant", where);
    header.calls = count(json, "calls", where);
    header.gdma_calls = count(json, "gdma_calls", where);
    header.bdc_calls = count(json, "bdc_calls", where);
    return header;
}

}  // namespace

CallTraceReader::CallTraceReader(const std::filesystem::path& path,
                                 const isa::MachineShape& machine)
    : machine_(machine), lines_(path) {
    const auto line = lines_.next();
    if (!line) throw ConfigError(path.string(), "is empty; a call trace has a first line");
    header_ = parse_header(*line, lines_.where());
}

void CallTraceReader::check_end() const {
    if (calls_ == header_.calls && gdma_calls_ == header_.gdma_calls &&
        bdc_calls_ == header_.bdc_calls) {
        return;
    }
    throw ConfigError(
        where(), fmt::format("the trace ends after {} calls ({} GDMA, {} BDC), but its first line "
                             "announces {} ({}, {}); it is cut off or edited",
                             calls_, gdma_calls_, bdc_calls_, header_.calls, header_.gdma_calls,
                             header_.bdc_calls));
}

bool CallTraceReader::next(RecordedCall& call) {
    const auto line = lines_.next();
    if (!line) {
        check_end();
        return false;
    }
    if (++calls_ > header_.calls) {
        throw ConfigError(where(),
                          fmt::format("the trace has more calls than its first line announces ({})",
                                      header_.calls));
    }
    CallTokens tokens;
    if (const std::string problem = split_call(*line, tokens); !problem.empty()) {
        throw ConfigError(where(), "the line is no call: " + problem);
    }
    const std::string& name = tokens.tokens[0].text;
    call.control = control_call(name);
    if (call.control) {
        if (tokens.size == 1) return true;
        throw ConfigError(where(), name + " has no arguments");
    }
    const isa::InstructionInfo* info =
        name.starts_with("okk_") ? isa::find_instruction(name) : nullptr;
    if (info == nullptr || !info->is_function()) {
        throw ConfigError(where(), fmt::format("\"{}\" is not a function of the okk API", name));
    }
    build(*info, tokens, machine_, where(), call);
    ++(info->engine == isa::Engine::kGdma ? gdma_calls_ : bdc_calls_);
    return true;
}

}  // namespace okksim::sim::trace
