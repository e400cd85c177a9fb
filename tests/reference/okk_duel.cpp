// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/okk_duel.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <sstream>
#include <stdexcept>

#include "firmware/calls/call_by_name.h"
#include "tests/reference/okk/okk_reference.h"
#include "tests/support/random_values.h"

namespace okksim::tests {

namespace {

firmware::ContextOptions context_options(bool sdk_quirks) {
    firmware::ContextOptions options;
    options.sdk_quirks = sdk_quirks;
    options.call_stacks = false;
    return options;
}

std::uint32_t word_at(const void* bytes, std::size_t offset, std::size_t size) {
    std::uint32_t word = 0;
    const std::size_t start = offset / 4 * 4;
    std::memcpy(&word, static_cast<const std::uint8_t*>(bytes) + start,
                std::min<std::size_t>(4, size - start));
    return word;
}

/// Describes the first differing word of two equally long runs and how many bytes differ.
std::optional<std::string> first_difference(const std::string& place, const void* actual,
                                            const void* expected, std::size_t size) {
    if (std::memcmp(actual, expected, size) == 0) return std::nullopt;
    const auto* a = static_cast<const std::uint8_t*>(actual);
    const auto* b = static_cast<const std::uint8_t*>(expected);
    std::size_t first = 0;
    while (a[first] == b[first]) ++first;
    std::size_t count = 0;
    for (std::size_t i = first; i < size; ++i) count += a[i] != b[i] ? 1 : 0;
    std::ostringstream text;
    text << place << " byte " << first << ": got 0x" << std::hex << word_at(a, first, size)
         << ", expected 0x" << word_at(b, first, size) << std::dec << " (" << count
         << " bytes differ there)";
    return text.str();
}

}  // namespace

OkkDuel::OkkDuel(const isa::MachineShape& machine, bool sdk_quirks, int threads)
    : machine_(machine),
      sdk_quirks_(sdk_quirks),
      port_(machine, threads),
      context_(port_, context_options(sdk_quirks)),
      image_(machine.lanes, machine.local_bytes, 0xCD) {
    for (const isa::MemoryRegion& memory : machine.memories()) {
        image_.system.push_back(
            {memory.start, std::vector<std::uint8_t>(RandomCalls::kSystemBytes, 0xCD)});
    }
    image_.line_bytes = machine.line_bytes();
    context_.begin_launch();
}

void OkkDuel::copy_to_model() {
    for (std::int32_t lane = 0; lane < machine_.lanes; ++lane) {
        std::memcpy(port_.local_memory().at(lane, 0), image_.lane_at(lane, 0, machine_.local_bytes),
                    static_cast<std::size_t>(machine_.local_bytes));
    }
    for (std::size_t i = 0; i < image_.system.size(); ++i) {
        std::memcpy(window(i), image_.system[i].bytes.data(), image_.system[i].bytes.size());
    }
}

void OkkDuel::copy_from_model() {
    for (std::int32_t lane = 0; lane < machine_.lanes; ++lane) {
        std::memcpy(image_.lane_at(lane, 0, machine_.local_bytes), port_.local_memory().at(lane, 0),
                    static_cast<std::size_t>(machine_.local_bytes));
    }
    for (std::size_t i = 0; i < image_.system.size(); ++i) {
        std::memcpy(image_.system[i].bytes.data(), window(i), image_.system[i].bytes.size());
    }
}

void OkkDuel::fill(RandomSource& random) {
    fill_random(random, image_.local);
    for (reference::Image::Window& each : image_.system) fill_random(random, each.bytes);
    copy_to_model();
}

void OkkDuel::forgive_work(const RandomCall& call) {
    for (const RandomCall::LaneBytes& range : call.work) {
        const std::int64_t high = std::min(range.high, machine_.local_bytes);
        for (std::int32_t lane = 0; lane < machine_.lanes; ++lane) {
            std::memcpy(image_.lane_at(lane, range.low, high - range.low),
                        port_.local_memory().at(lane, range.low),
                        static_cast<std::size_t>(high - range.low));
        }
    }
}

std::optional<std::string> OkkDuel::compare() {
    for (std::int32_t lane = 0; lane < machine_.lanes; ++lane) {
        auto difference =
            first_difference("lane " + std::to_string(lane), port_.local_memory().at(lane, 0),
                             image_.lane_at(lane, 0, machine_.local_bytes),
                             static_cast<std::size_t>(machine_.local_bytes));
        if (difference) return difference;
    }
    for (std::size_t i = 0; i < image_.system.size(); ++i) {
        auto difference =
            first_difference("system memory " + std::to_string(image_.system[i].start), window(i),
                             image_.system[i].bytes.data(), image_.system[i].bytes.size());
        if (difference) return difference;
    }
    return std::nullopt;
}

std::optional<std::string> OkkDuel::run(const RandomCall& call) {
    return run_against(call, call.function);
}

std::optional<std::string> OkkDuel::run_against(const RandomCall& call,
                                                const std::string& reference_function) {
    std::optional<std::string> problem;
    {
        firmware::Context::Binding binding(context_);
        try {
            firmware::call_function(call.function, call.arguments);
        } catch (const std::exception& error) {
            problem = std::string("the call was refused: ") + error.what();
        }
    }
    try {
        reference::execute(image_, reference_function, call.arguments, {.sdk_quirks = sdk_quirks_});
    } catch (const std::out_of_range&) {
        if (!sdk_quirks_) throw;
        copy_from_model();
        if (problem) return std::nullopt;
        return "the reference leaves memory, the call does not";
    }
    forgive_work(call);
    if (!problem) problem = compare();
    if (problem) copy_to_model();
    return problem;
}

}  // namespace okksim::tests
