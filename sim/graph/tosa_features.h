// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace okksim::sim::graph {

/// Profiles and extensions (TOSA 1.0.1 section 1.6) as a bit set.
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
    kTosa090,      ///< not part of 1.0: additional features of TOSA 0.90 graphs
    kMlirDialect,  ///< not part of 1.0: additional features of MLIR texts
};
inline constexpr int kFeatureCount = 15;

constexpr FeatureSet feature_bit(Feature feature) {
    return FeatureSet{1} << static_cast<int>(feature);
}
inline constexpr FeatureSet kAllFeatures = (FeatureSet{1} << kFeatureCount) - 1;
inline constexpr FeatureSet kBeyondV1Features =
    feature_bit(Feature::kTosa090) | feature_bit(Feature::kMlirDialect);

/// Returns the specification's name: "PRO-INT", "EXT-FP8E4M3", ...
std::string_view feature_name(Feature feature);

/// The requirement of a row in a data-type table: all of `all_of`, and one of `any_of` unless it is
/// empty.
struct FeatureNeed {
    FeatureSet all_of = 0;
    FeatureSet any_of = 0;
    bool met_by(FeatureSet features) const {
        return (all_of & ~features) == 0 && (any_of == 0 || (any_of & features) != 0);
    }
};

/// Parses the first column of a data-type table: "PRO-INT or PRO-FP", "EXT-BF16 and EXT-FP8E4M3",
/// ...
FeatureNeed parse_feature_need(std::string_view text);

}  // namespace okksim::sim::graph
