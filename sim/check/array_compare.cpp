// SPDX-License-Identifier: Apache-2.0
#include "sim/check/array_compare.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "isa/base/errors.h"
#include "sim/check/values.h"
#include "sim/graph/element.h"

namespace okksim::sim::check {
namespace {

template <typename T>
T element(const graph::NpyArray& array, std::uint64_t index) {
    T value;
    std::memcpy(&value, array.data.data() + index * sizeof(T), sizeof(T));
    return value;
}

template <typename T>
double number_as(const graph::NpyArray& array, std::uint64_t index) {
    return static_cast<double>(element<T>(array, index));
}

using ToNumber = double (*)(const graph::NpyArray&, std::uint64_t);

struct ElementKind {
    std::string_view descr;
    ToNumber number;
};

constexpr ElementKind kKinds[] = {
    {"|b1", [](const graph::NpyArray& array,
               std::uint64_t i) { return element<std::uint8_t>(array, i) != 0 ? 1.0 : 0.0; }},
    {"|i1", number_as<std::int8_t>},
    {"|u1", number_as<std::uint8_t>},
    {"<i2", number_as<std::int16_t>},
    {"<u2", number_as<std::uint16_t>},
    {"<i4", number_as<std::int32_t>},
    {"<u4", number_as<std::uint32_t>},
    {"<i8", number_as<std::int64_t>},
    {"<u8", number_as<std::uint64_t>},
    {"<f4", number_as<float>},
    {"<f8", number_as<double>},
    {"<f2",
     [](const graph::NpyArray& array, std::uint64_t i) {
         return graph::decode_float(graph::DType::kFp16, element<std::uint16_t>(array, i));
     }},
    {"<V2",
     [](const graph::NpyArray& array, std::uint64_t i) {
         return graph::decode_float(graph::DType::kBf16, element<std::uint16_t>(array, i));
     }},
};

ToNumber number_of(const graph::NpyArray& array) {
    for (const ElementKind& kind : kKinds) {
        if (kind.descr == array.descr) return kind.number;
    }
    throw ConfigError(array.descr, "no output of a model has such elements");
}

bool is_real(const graph::NpyArray& array) { return array.descr[1] == 'f'; }

/// NaN equals NaN, and an infinity equals itself only.
double distance(double got, double wanted) {
    if (got == wanted || (std::isnan(got) && std::isnan(wanted))) return 0;
    const double distance = std::fabs(got - wanted);
    return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
}

double allowed_distance(const DifferenceRule& rule, double wanted) {
    return rule.absolute + (std::isfinite(wanted) ? rule.relative * std::fabs(wanted) : 0);
}

/// Returns why the arrays cannot be compared; empty if they can.
std::string difference_in_form(const graph::NpyArray& got, const graph::NpyArray& reference) {
    if (got.shape != reference.shape) {
        return "shape " + graph::shape_text(got.shape) + " instead of " +
               graph::shape_text(reference.shape);
    }
    if (got.descr != reference.descr && !(is_real(got) && is_real(reference))) {
        return "elements " + got.descr + " instead of " + reference.descr;
    }
    return {};
}

class ArrayJudge {
 public:
    ArrayJudge(const graph::NpyArray& got, const graph::NpyArray& reference,
               const DifferenceRule& rule, CheckResult& result)
        : got_(got),
          reference_(reference),
          rule_(rule),
          result_(result),
          got_number_(number_of(got)),
          wanted_number_(number_of(reference)) {}

    void add(std::uint64_t index) {
        const double got = got_number_(got_, index);
        const double wanted = wanted_number_(reference_, index);
        const double apart = distance(got, wanted);
        const double allowed = allowed_distance(rule_, wanted);
        near_ += apart <= rule_.near ? 1 : 0;
        const bool passes =
            apart <= allowed && (!rule_.is_exact() || is_real(got_) || has_same_bits(index));
        if (passes) {
            if (allowed > 0)
                result_.largest_error = std::fmax(result_.largest_error, apart / allowed);
            return;
        }
        ++result_.failures;
        const Mismatch mismatch{
            coordinates(index, got_.shape), number_text(got_, got), number_text(reference_, wanted),
            allowed > 0 ? fmt::format("{} to {}", wanted - allowed, wanted + allowed) : ""};
        if (!result_.first) result_.first = mismatch;
        if (!result_.worst || apart > worst_) {
            result_.worst = mismatch;
            worst_ = apart;
        }
    }

    void finish() {
        const double share = static_cast<double>(near_) / static_cast<double>(result_.elements);
        if (share >= rule_.share) return;
        result_.problem =
            fmt::format("{:.1f} % of the elements differ by at most {}, but {:.1f} % must",
                        share * 100, rule_.near, rule_.share * 100);
    }

 private:
    bool has_same_bits(std::uint64_t index) const {
        const std::size_t size = got_.element_bytes;
        return got_.descr == "|b1" || std::memcmp(got_.data.data() + index * size,
                                                  reference_.data.data() + index * size, size) == 0;
    }
    static std::string number_text(const graph::NpyArray& array, double number) {
        return is_real(array) ? real_text(number) : fmt::format("{:.0f}", number);
    }

    const graph::NpyArray& got_;
    const graph::NpyArray& reference_;
    const DifferenceRule& rule_;
    CheckResult& result_;
    ToNumber got_number_;
    ToNumber wanted_number_;
    std::uint64_t near_ = 0;
    double worst_ = 0;
};

}  // namespace

CheckResult compare_arrays(const graph::NpyArray& got, const graph::NpyArray& reference,
                           const DifferenceRule& rule) {
    CheckResult result;
    result.rule = rule_text(rule);
    result.problem = difference_in_form(got, reference);
    result.elements = graph::element_count(got.shape).value_or(0);
    if (result.problem.empty() && result.elements > 0) {
        ArrayJudge judge(got, reference, rule, result);
        for (std::uint64_t i = 0; i < result.elements; ++i) judge.add(i);
        judge.finish();
    }
    result.passed = result.failures == 0 && result.problem.empty();
    return result;
}

}  // namespace okksim::sim::check
