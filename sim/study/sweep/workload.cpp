// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/workload.h"

#include <bit>
#include <cstring>

#include "isa/base/errors.h"
#include "sim/files/mapped_file.h"

namespace okksim::sim::sweep {

std::uint64_t content_hash(std::span<const std::byte> bytes, std::uint64_t seed) {
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15u;
    std::uint64_t hash = seed ^ (bytes.size() * kFactor);
    const auto mix = [&hash](std::uint64_t word) {
        hash = std::rotl(hash ^ word, 29) * kFactor;
        hash ^= hash >> 32;
    };
    std::size_t at = 0;
    for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        mix(word);
    }
    std::uint64_t rest = 0;
    if (at < bytes.size()) std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
    mix(rest);
    return hash;
}

std::uint64_t file_hash(const std::filesystem::path& path, std::uint64_t seed) {
    const MappedFile file = map_file(path);
    return content_hash(file.bytes, seed);
}

std::unique_ptr<Workload> make_workload(const WorkloadSpec& spec, const RunSettings& settings,
                                        const RunChoice& choice, const Machine& base) {
    if (!spec.graph.empty() || !spec.zoo.empty()) {
        return make_graph_workload(spec, settings, choice, base);
    }
    if (!spec.kernel.empty()) return make_kernel_workload(spec);
    OKKSIM_CHECK(!spec.trace.empty());
    return make_trace_workload(spec);
}

}  // namespace okksim::sim::sweep
