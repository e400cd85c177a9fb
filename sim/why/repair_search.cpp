// SPDX-License-Identifier: Apache-2.0
#include "sim/why/repair_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <ctime>
#include <optional>
#include <set>

#include "models/bdc/typed/float_elements.h"
#include "sim/why/changed_run.h"

namespace okksim::sim::why {
namespace {

/// Maximum number of reported repairs.
constexpr std::size_t kMostRepairs = 4;
/// Minimum number of runs that the time must allow; otherwise the search does not start.
constexpr double kFewestRuns = 20;
/// Maximum number of events of a recording; the search skips longer recordings.
constexpr std::size_t kMostEvents = 20'000;
/// Precision of a constant that is computed from a result: scale for rounding, and relative
/// tolerance of results.
constexpr double kFoundDigits = 1e5;
constexpr double kFoundTolerance = 1e-5;
/// Tolerance relative to the buffer's largest number, for results in which terms nearly cancel.
constexpr double kCancelledTolerance = 1e-6;
constexpr int kSearchSteps = 10;
constexpr double kSmallStep = 1e-3;

double thread_seconds() {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

/// Commands of one source line; a command without a line is alone.
struct Line {
    std::string text;
    std::vector<std::size_t> events;  ///< in ascending order; all of the same instruction
};

class RepairSearch {
 public:
    RepairSearch(const Recording& recording, const Machine& machine, const Expectation& expected,
                 double seconds)
        : recording_(recording),
          run_(recording, machine.params.shape()),
          expected_(expected),
          seconds_(seconds),
          end_(thread_seconds() + seconds) {
        for (const Event& event : recording.events()) {
            if (event.is_command) known_.add(event.command);
        }
    }

    std::vector<Repair> run(const OriginTree& tree) {
        if (recording_.events().size() > kMostEvents) return {};
        if (expected_.descr.ends_with("f4")) cancelled_ = kCancelledTolerance * largest_expected();
        const double start = thread_seconds();
        const auto before = results(nullptr, {});
        const bool is_too_long = (thread_seconds() - start) * kFewestRuns > seconds_;
        if (!before || is_too_long) return {};
        before_ = *before;
        if (is_expected(before_)) return {};
        std::vector<Line> lines = lines_of(tree);
        // The likely errors of all lines come before the unlikely ones.
        for (const auto& kinds : kRounds) {
            for (const Line& line : lines) try_line(line, kinds);
        }
        return std::move(repairs_);
    }

 private:
    using Kind = LineChange::Kind;
    using Kinds = std::array<Kind, 2>;
    static constexpr std::array<Kinds, 5> kRounds{{{Kind::kConstant, Kind::kSwap},
                                                   {Kind::kValue, Kind::kOpcode},
                                                   {Kind::kAddress, Kind::kAddress},
                                                   {Kind::kLeftOut, Kind::kLeftOut},
                                                   {Kind::kPart, Kind::kPart}}};

    std::vector<Line> lines_of(const OriginTree& tree) const {
        std::vector<Line> lines;
        std::set<std::pair<std::string, isa::Opcode>> seen;
        for (const Origin& origin : tree.origins) {
            const Event& event = recording_.events()[origin.event];
            const std::string& text = recording_.line(event);
            if (text.empty()) {
                lines.push_back({"an unknown line", {origin.event}});
                continue;
            }
            if (!seen.insert({text, event.command.opcode}).second) continue;
            Line line{text, {}};
            for (std::size_t i = 0; i < recording_.events().size(); ++i) {
                const Event& other = recording_.events()[i];
                if (other.is_command && other.command.opcode == event.command.opcode &&
                    recording_.line(other) == text) {
                    line.events.push_back(i);
                }
            }
            lines.push_back(std::move(line));
        }
        return lines;
    }

    void try_line(const Line& line, const Kinds& kinds) {
        const isa::Command& first = recording_.events()[line.events.front()].command;
        for (LineChange change : possible_changes(first, known_)) {
            if (repairs_.size() == kMostRepairs || thread_seconds() > end_) return;
            if (std::find(kinds.begin(), kinds.end(), change.kind) == kinds.end()) continue;
            const bool mends = change.kind == Kind::kConstant ? finds_constant(change, line)
                                                              : mends_all(change, line);
            if (!mends) continue;
            const bool is_known = std::any_of(repairs_.begin(), repairs_.end(),
                                              [&](const Repair& r) { return r.line == line.text; });
            if (!is_known) repairs_.push_back({line.text, change.text(first)});
            return;
        }
    }

    /// Finds a constant that corrects the element in question. Returns true if it also corrects all
    /// others.
    bool finds_constant(LineChange& change, const Line& line) {
        const auto value_of = [&](std::uint32_t bits) {
            return static_cast<double>(std::bit_cast<float>(bits));
        };
        const auto sets = [&](double value) {
            change.value = std::bit_cast<std::uint32_t>(static_cast<float>(value));
        };
        const isa::Command& first = recording_.events()[line.events.front()].command;
        const double own = value_of(first.words[change.operand->first_word]);
        // Candidates: the wanted value for limits and selections, start values of sums and
        // products, the other sign.
        for (const double value : {number_of(expected_.values), 0.0, 1.0, -1.0, -own}) {
            sets(value);
            if (mends_all(change, line)) return true;
        }
        // A large step gets past a limit on the value; a small one avoids a pole of a division.
        return follows_line(change, line, own, 1, sets) ||
               follows_line(change, line, own, kSmallStep * std::max(std::abs(own), 1.0), sets);
    }

    /// Searches with the secant method, starting from the constants `x0` and `x0 + step_size`.
    template <typename Sets>
    bool follows_line(LineChange& change, const Line& line, double x0, double step_size,
                      const Sets& sets) {
        const double wanted = number_of(expected_.values);
        double y0 = number_of(before_);
        double x1 = x0 + step_size;
        for (int step = 0; step < kSearchSteps; ++step) {
            sets(x1);
            const auto got = results(&change, line.events);
            if (!got) return false;
            const double y1 = number_of(*got);
            if (!std::isfinite(y1) || y1 == y0) return false;
            const double x = x1 + (wanted - y1) / (y1 - y0) * (x1 - x0);
            for (const double found : {rounded(x), x}) {
                sets(found);
                if (mends_all(change, line)) return true;
            }
            x0 = x1;
            y0 = y1;
            x1 = x;
        }
        return false;
    }

    static double rounded(double value) {
        if (value == 0 || !std::isfinite(value)) return value;
        const double scale = kFoundDigits / std::pow(10.0, std::floor(std::log10(std::abs(value))));
        return std::round(value * scale) / scale;
    }

    double number_of(std::span<const std::byte> buffer) const {
        const std::uint64_t step = element_bytes_of(expected_.descr);
        return number_at(buffer.data() + expected_.first_wrong * step, expected_.descr);
    }

    bool mends_all(const LineChange& change, const Line& line) {
        const auto got = results(&change, line.events);
        return got && is_expected(*got);
    }

    double largest_expected() const {
        const std::uint64_t step = element_bytes_of(expected_.descr);
        double largest = 0;
        for (std::size_t at = 0; at + step <= expected_.values.size(); at += step) {
            const double value = number_at(expected_.values.data() + at, expected_.descr);
            if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
        }
        return largest;
    }

    bool is_expected(std::span<const std::byte> got) const {
        const std::uint64_t step = element_bytes_of(expected_.descr);
        const bool is_float = expected_.descr.ends_with("f4");
        const double relative = std::max(expected_.relative, is_float ? kFoundTolerance : 0);
        for (std::size_t at = 0; at + step <= got.size(); at += step) {
            const double value = number_at(got.data() + at, expected_.descr);
            const double wanted = number_at(expected_.values.data() + at, expected_.descr);
            if (std::isnan(value) && std::isnan(wanted)) continue;
            const double room =
                expected_.absolute + std::max(relative * std::abs(wanted), cancelled_);
            if (!(value == wanted || std::abs(value - wanted) <= room)) return false;
        }
        return true;
    }

    /// Returns the buffer's contents at the end, or nothing if the machine rejects a command.
    std::optional<std::vector<std::byte>> results(const LineChange* change,
                                                  std::span<const std::size_t> events) {
        return run_.results(change, events, expected_.address, expected_.values.size());
    }

    const Recording& recording_;
    ChangedRun run_;
    const Expectation& expected_;
    double seconds_, end_;
    KnownAddresses known_;
    std::vector<std::byte> before_;
    double cancelled_ = 0;  ///< absolute tolerance from kCancelledTolerance
    std::vector<Repair> repairs_;
};

}  // namespace

double number_at(const std::byte* at, const std::string& descr) {
    std::uint32_t bits = 0;
    const std::uint64_t bytes = std::min<std::uint64_t>(element_bytes_of(descr), sizeof bits);
    std::memcpy(&bits, at, bytes);
    if (descr.ends_with("f4")) return std::bit_cast<float>(bits);
    if (descr.ends_with("f2")) {
        return models::half_value(isa::ElementType::kFp16, static_cast<std::uint16_t>(bits));
    }
    if (descr.find('i') == std::string::npos) return bits;
    if (bytes == 1) return static_cast<std::int8_t>(bits);
    if (bytes == 2) return static_cast<std::int16_t>(bits);
    return static_cast<std::int32_t>(bits);
}

std::vector<Repair> find_repairs(const Recording& recording, const Machine& machine,
                                 const OriginTree& tree, const Expectation& expected,
                                 double seconds) {
    return RepairSearch(recording, machine, expected, seconds).run(tree);
}

}  // namespace okksim::sim::why
