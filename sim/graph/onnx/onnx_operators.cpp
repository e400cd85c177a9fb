// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_operators.h"

#include <map>
#include <utility>

namespace okksim::sim::graph::onnx {

namespace {

constexpr OperatorRow kRows[] = {
#define OKKSIM_ONNX_OPERATOR(domain, type, known, folding, lowering) \
    {domain, type, known, &fold::folding, &lower::lowering},
#include "sim/graph/onnx/onnx_operators.def"
#undef OKKSIM_ONNX_OPERATOR
};

constexpr Refusal kRefusals[] = {
#define OKKSIM_ONNX_REFUSED(domain, type, reason) {domain, type, reason},
#include "sim/graph/onnx/onnx_refused.def"
#undef OKKSIM_ONNX_REFUSED
};

}  // namespace

std::span<const OperatorRow> operator_rows() { return kRows; }

const OperatorRow* find_operator(std::string_view domain, std::string_view type) {
    static const auto table = [] {
        std::map<std::pair<std::string_view, std::string_view>, const OperatorRow*> result;
        for (const OperatorRow& row : kRows) result.emplace(std::pair(row.domain, row.type), &row);
        return result;
    }();
    const auto row = table.find({domain, type});
    return row == table.end() ? nullptr : row->second;
}

std::span<const Refusal> refusals() { return kRefusals; }

std::string_view refusal(std::string_view domain, std::string_view type) {
    for (const Refusal& each : kRefusals) {
        if (each.domain == domain && each.type == type) return each.reason;
    }
    return {};
}

bool fold::nothing(const Call&) { return false; }

void lower::unknown(const Call&) {
    throw UnsupportedPart("operands that are known only at run time");
}

}  // namespace okksim::sim::graph::onnx
