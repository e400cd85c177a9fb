// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace okksim::sim::graph {

/// Profiles and extensions (TOSA 1.0.1 section 1.6) as bits of a set.
using FeatureSet = std::uint32_t;

enum class Feature {
    kProInt,
    kProFp,
    kExtInt16,
    kExtInt4,
    kExtBf16,
    kExtFp8E4M3,
    kExtFp8E5M2,
    kExtFft,
    kExtVariable,
    kExtControlFlow,
    kExtDynamic,
    kExtDoubleRound,
    kExtInexactRound,
    kTosa090,      ///< not of 1.0: what graphs of TOSA 0.90 may have besides
    kMlirDialect,  ///< not of 1.0: what text of the MLIR dialect may have besides
};
inline constexpr int kFeatureCount = 15;

constexpr FeatureSet feature_bit(Feature feature) {
    return FeatureSet{1} << static_cast<int>(feature);
}
inline constexpr FeatureSet kAllFeatures = (FeatureSet{1} << kFeatureCount) - 1;
inline constexpr FeatureSet kBeyondV1Features =
    feature_bit(Feature::kTosa090) | feature_bit(Feature::kMlirDialect);

/// The specification's name: "PRO-INT", "EXT-FP8E4M3", ...
std::string_view feature_name(Feature feature);

/// What a row of a data-type table asks for: all of `all_of`, and one of `any_of` unless that is
/// empty.
struct FeatureNeed {
    FeatureSet all_of = 0;
    FeatureSet any_of = 0;
    bool met_by(FeatureSet features) const {
        return (all_of & ~features) == 0 && (any_of == 0 || (any_of & features) != 0);
    }
};

/// Reads the first column of a data-type table: "PRO-INT or PRO-FP", "EXT-BF16 and EXT-FP8E4M3",
/// ...
FeatureNeed parse_feature_need(std::string_view text);

}  // namespace okksim::sim::graph
