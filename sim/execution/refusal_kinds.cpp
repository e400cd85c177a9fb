// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/refusal_kinds.h"

#include <algorithm>
#include <array>

namespace okksim::sim::execution {

namespace {

/// Kinds whose name contains `part`, and the words of which a message of that kind has at least
/// one. The first row that fits a kind decides.
struct KindRow {
    std::string_view part;
    std::array<std::string_view, 6> words;
};
constexpr KindRow kRows[] = {
    {"CondIf", {"_graph", "condition", "bool"}},
    {"CondGraph", {"_graph", "condition", "bool"}},
    {"BodyGraph", {"_graph"}},
    {"InputListOutputList", {"_list", "_graph", "its arguments"}},
    {"List", {"its arguments", "inputs", "outputs", "input =", "output ="}},
    {"BiasType", {"bias", "type"}},
    {"Bias", {"bias", "BC"}},
    {"Type", {"type", "value of", "values are", "a table for"}},
    {"ScaleTrue", {"scale32"}},
    {"ScaleNotTrue", {"scale32"}},
    {"Unsigned", {"unsigned"}},
    {"ShapeOfAxis", {"shape", "axis"}},
    {"Axis", {"axis"}},
    {"ZeroPoint", {"_zp", "zero point"}},
    {"Rank", {"rank", "RANK", "dimension", "shape"}},
    {"NonInteger", {"%", "idiv_check"}},
    {"PowerOfTwo", {"power_of_two"}},
    {"ShapeMismatch", {"shape", "dimension", "idiv_check", "W !=", "H !=", "D !="}},
    {"DimensionMismatch", {"shape", "dimension"}},
    {"ShapesMismatch", {"shape", "dimension"}},
    {"BatchMismatch", {"shape", "dimension"}},
    {"ChannelMismatch", {"shape", "dimension"}},
    {"Concat", {"shape", "dimension", "axis"}},
    {"MaxSmallerMin", {"max_val", "min_val"}},
    {"Pad", {"pad"}},
    {"Kernel", {"kernel"}},
    {"Stride", {"stride"}},
    {"Dilation", {"dilation"}},
    {"Scale", {"scale"}},
    {"Offset", {"offset"}},
    {"Border", {"border"}},
    {"Start", {"start", "size"}},
    {"Size", {"size", "start", "shape"}},
    {"Index", {"index", "perms"}},
};

}  // namespace

bool agrees_with_kind(std::string_view kind, std::string_view message) {
    for (const KindRow& row : kRows) {
        if (kind.find(row.part) == std::string_view::npos) continue;
        return std::any_of(row.words.begin(), row.words.end(), [&](std::string_view word) {
            return !word.empty() && message.find(word) != std::string_view::npos;
        });
    }
    return true;
}

}  // namespace okksim::sim::execution
