// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/flatbuffer/file_version.h"

#include "sim/graph/flatbuffer/file_check.h"

namespace okksim::sim::graph {

namespace {

// Positions in the field lists of the tables, which are the same in all versions.
constexpr flatbuffers::voffset_t kVersionOfGraph = 4;
constexpr flatbuffers::voffset_t kMajorOfVersion = 4;
constexpr flatbuffers::voffset_t kMinorOfVersion = 6;
constexpr std::size_t kLeastBytes = 12;

}  // namespace

bool is_tosa_flatbuffer(std::span<const std::byte> bytes) {
    return bytes.size() >= kLeastBytes &&
           flatbuffers::BufferHasIdentifier(bytes.data(), kTosaIdentifier);
}

std::optional<FileVersion> find_file_version(std::span<const std::byte> bytes) {
    if (!is_tosa_flatbuffer(bytes)) return std::nullopt;
    const auto* base = reinterpret_cast<const std::uint8_t*>(bytes.data());
    const std::size_t size = std::min(bytes.size(), kMaxFlatBuffer);
    flatbuffers::Verifier verifier(base, size, verifier_options(size));
    const auto root = verifier.VerifyOffset(0);
    if (root == 0) return std::nullopt;
    const auto& graph = *reinterpret_cast<const flatbuffers::Table*>(base + root);
    if (!graph.VerifyTableStart(verifier) || !graph.VerifyOffset(verifier, kVersionOfGraph)) {
        return std::nullopt;
    }
    const auto* version = graph.GetPointer<const flatbuffers::Table*>(kVersionOfGraph);
    if (version == nullptr || !version->VerifyTableStart(verifier) ||
        !version->VerifyField<std::int32_t>(verifier, kMajorOfVersion, 4) ||
        !version->VerifyField<std::int32_t>(verifier, kMinorOfVersion, 4)) {
        return std::nullopt;
    }
    return FileVersion{version->GetField<std::int32_t>(kMajorOfVersion, -1),
                       version->GetField<std::int32_t>(kMinorOfVersion, -1)};
}

}  // namespace okksim::sim::graph
