// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/machine_checks.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "isa/base/errors.h"
#include "models/chip/chip_params.h"
#include "models/chip/feature_params.h"
#include "models/chip/memory_params.h"

namespace okksim::sim {
namespace {

constexpr std::int64_t kLocalAddressSpace = std::int64_t{1} << 32;

struct Range {
    std::string section;
    std::int64_t start;
    std::int64_t bytes;
};

void check_local_memory(const models::ChipParams& chip) {
    const std::int64_t unit = chip.vector_words * isa::kWordBytes * chip.local_memory_banks;
    if (chip.local_memory_bytes % unit != 0) {
        throw ConfigError(
            "chip.local_memory_bytes",
            fmt::format("{} is not a multiple of {} (a vector of chip.vector_words = {} "
                        "words times chip.local_memory_banks = {}); choose a multiple",
                        chip.local_memory_bytes, unit, chip.vector_words, chip.local_memory_banks));
    }
    if (chip.lanes * chip.local_memory_bytes > kLocalAddressSpace) {
        throw ConfigError("chip.local_memory_bytes",
                          fmt::format("{} bytes times chip.lanes = {} exceed the 4 GiB that a "
                                      "32-bit local address reaches; lower one of them",
                                      chip.local_memory_bytes, chip.lanes));
    }
}

void check_memories(const models::MachineParams& params) {
    std::vector<Range> ranges{{"l2", params.l2->start, params.l2->bytes},
                              {"dtcm", params.dtcm->start, params.dtcm->bytes},
                              {"global", params.global->start, params.global->bytes}};
    for (const models::NamedMemoryParams& memory : *params.memories) {
        ranges.push_back({"memory." + memory.name, memory.start, memory.bytes});
    }
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        for (std::size_t j = i + 1; j < ranges.size(); ++j) {
            const Range& a = ranges[i];
            const Range& b = ranges[j];
            if (a.start < b.start + b.bytes && b.start < a.start + a.bytes) {
                throw ConfigError(
                    fmt::format("{}.start", a.section),
                    fmt::format("[{:#x}, {:#x}) overlaps {} at [{:#x}, {:#x}); memories must not "
                                "overlap, move one",
                                a.start, a.start + a.bytes, b.section, b.start, b.start + b.bytes));
            }
        }
    }
}

/// Checks that instruction groups have the groups that they build on.
void check_features(const models::FeatureParams& features) {
    if (!features.base) {
        throw ConfigError("features.base",
                          "false: every machine has the functions of the API reference; set it to "
                          "true");
    }
    const std::uint32_t present = features.present();
    for (const isa::FeatureInfo& group : isa::kFeatures) {
        if ((present & isa::feature_bit(group.feature)) == 0) continue;
        for (const isa::FeatureInfo& needed : isa::kFeatures) {
            const std::uint32_t bit = isa::feature_bit(needed.feature);
            if ((group.needs & bit & ~present) == 0) continue;
            throw ConfigError(
                fmt::format("features.{}", group.key),
                fmt::format("true needs features.{} ({}); set both to true, or this one to false",
                            needed.key, needed.meaning));
        }
    }
}

}  // namespace

void check_machine(const models::MachineParams& params) {
    check_local_memory(*params.chip);
    check_memories(params);
    check_features(*params.features);
    if (params.global->reserved_bytes >= params.global->bytes) {
        throw ConfigError("global.reserved_bytes",
                          fmt::format("{} leaves nothing of global.bytes = {}; lower it",
                                      params.global->reserved_bytes, params.global->bytes));
    }
    // The first allocation starts there, and commands need addresses of words.
    if (params.global->reserved_bytes % isa::kWordBytes != 0) {
        throw ConfigError("global.reserved_bytes",
                          fmt::format("{} is not a multiple of {}, the bytes of a word; choose a "
                                      "multiple",
                                      params.global->reserved_bytes, isa::kWordBytes));
    }
}

}  // namespace okksim::sim
