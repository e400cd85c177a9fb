// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tosa_features.h"

namespace okksim::sim::graph {

std::string_view feature_name(Feature feature) {
    switch (feature) {
        case Feature::kProInt: return "PRO-INT";
        case Feature::kProFp: return "PRO-FP";
        case Feature::kExtInt16: return "EXT-INT16";
        case Feature::kExtInt4: return "EXT-INT4";
        case Feature::kExtBf16: return "EXT-BF16";
        case Feature::kExtFp8E4M3: return "EXT-FP8E4M3";
        case Feature::kExtFp8E5M2: return "EXT-FP8E5M2";
        case Feature::kExtFft: return "EXT-FFT";
        case Feature::kExtVariable: return "EXT-VARIABLE";
        case Feature::kExtControlFlow: return "EXT-CONTROLFLOW";
        case Feature::kExtDynamic: return "EXT-DYNAMIC";
        case Feature::kExtDoubleRound: return "EXT-DOUBLEROUND";
        case Feature::kExtInexactRound: return "EXT-INEXACTROUND";
        case Feature::kTosa090: return "TOSA-0.90";
        case Feature::kMlirDialect: return "MLIR-DIALECT";
    }
    return "invalid";
}

FeatureNeed parse_feature_need(std::string_view text) {
    FeatureSet named = 0;
    for (int i = 0; i < kFeatureCount; ++i) {
        const auto feature = static_cast<Feature>(i);
        const std::string_view name = feature_name(feature);
        for (std::size_t at = text.find(name); at != std::string_view::npos;
             at = text.find(name, at + 1)) {
            // The feature's name must match a whole word.
            const std::size_t end = at + name.size();
            if (end == text.size() || text[end] == ' ') named |= feature_bit(feature);
        }
    }
    const bool is_choice = text.find(" or ") != std::string_view::npos;
    return is_choice ? FeatureNeed{0, named} : FeatureNeed{named, 0};
}

}  // namespace okksim::sim::graph
