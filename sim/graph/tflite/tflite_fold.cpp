// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_fold.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "sim/graph/tflite/tflite_numbers.h"
#include "sim/graph/tflite/tflite_slices.h"

namespace okksim::sim::graph::tflite {

namespace {

constexpr std::uint64_t kMostElements = 4096;

/// Known numbers: integers up to 2^53, or fp32 numbers.
struct Numbers {
    Shape shape;
    std::vector<double> values;
};

bool is_plain(TensorType type) {
    return type == TensorType::INT32 || type == TensorType::INT64 || type == TensorType::BOOL ||
           type == TensorType::FLOAT32;
}

Numbers numbers_of(const Value& value) {
    Numbers result{value.shape, {}};
    if (value.is_real()) {
        for (const float real : known_reals(value)) result.values.push_back(real);
    } else {
        for (const std::int64_t n : known_integers(value)) {
            result.values.push_back(static_cast<double>(n));
        }
    }
    return result;
}

template <typename T>
void append(std::vector<std::byte>& bytes, T value) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof(T));
    std::memcpy(bytes.data() + at, &value, sizeof(T));
}

Folded encoded(const Numbers& numbers, TensorType type) {
    Folded result{numbers.shape, {}};
    for (const double value : numbers.values) {
        switch (type) {
            case TensorType::INT64: append(result.data, static_cast<std::int64_t>(value)); break;
            case TensorType::BOOL:
                append(result.data, static_cast<std::uint8_t>(value != 0));
                break;
            case TensorType::FLOAT32: append(result.data, static_cast<float>(value)); break;
            default:
                append(result.data, static_cast<std::int32_t>(static_cast<std::int64_t>(value)));
        }
    }
    return result;
}

class Folder {
 public:
    explicit Folder(const Call& call) : call_(call) {}

    /// The results in fp32 arithmetic would differ from doubles by one rounding.
    std::optional<Numbers> compute() {
        switch (call_.number) {
            case kAdd: return each([](double x, double y) { return x + y; });
            case kSub: return each([](double x, double y) { return x - y; });
            case kMul: return each([](double x, double y) { return x * y; });
            case kDiv:
                return each([this](double x, double y) {
                    return call_.output().is_real() ? x / y : std::trunc(x / y);
                });
            case kFloorDiv: return each([](double x, double y) { return std::floor(x / y); });
            case kFloorMod:
                return each([](double x, double y) { return x - y * std::floor(x / y); });
            case kMaximum: return each([](double x, double y) { return std::max(x, y); });
            case kMinimum: return each([](double x, double y) { return std::min(x, y); });
            case kEqual: return each([](double x, double y) { return double(x == y); });
            case kNotEqual: return each([](double x, double y) { return double(x != y); });
            case kLess: return each([](double x, double y) { return double(x < y); });
            case kLessEqual: return each([](double x, double y) { return double(x <= y); });
            case kGreater: return each([](double x, double y) { return double(x > y); });
            case kGreaterEqual: return each([](double x, double y) { return double(x >= y); });
            case kNeg: return mapped([](double x) { return -x; });
            case kAbs: return mapped([](double x) { return std::abs(x); });
            case kCeil: return mapped([](double x) { return std::ceil(x); });
            case kFloor: return mapped([](double x) { return std::floor(x); });
            case kCast: return cast();
            case kPack: return packed();
            case kConcatenation: return joined();
            case kGather: return gathered();
            case kStridedSlice: return strided();
            case kSlice: return sliced();
            case kRange: return ranged();
            case kFill: return filled();
            case kReduceProd: return reduced([](double x, double y) { return x * y; }, 1);
            case kSum: return reduced([](double x, double y) { return x + y; }, 0);
            case kBroadcastArgs: return broadcast();
            default: return std::nullopt;
        }
    }

 private:
    Numbers input(std::size_t n) const { return numbers_of(call_.input(n)); }

    template <typename Function>
    std::optional<Numbers> each(Function&& function) const {
        const Numbers x = input(0), y = input(1);
        if (x.shape != y.shape && x.values.size() != 1 && y.values.size() != 1) return {};
        const bool is_x = x.values.size() > y.values.size() ||
                          (x.values.size() == y.values.size() && x.shape.size() >= y.shape.size());
        Numbers result{is_x ? x.shape : y.shape, {}};
        if (x.values.size() == 0 || y.values.size() == 0) return {};
        for (std::size_t i = 0; i < std::max(x.values.size(), y.values.size()); ++i) {
            const double b = y.values[y.values.size() == 1 ? 0 : i];
            const bool divides =
                call_.number == kDiv || call_.number == kFloorDiv || call_.number == kFloorMod;
            if (divides && b == 0) return {};
            result.values.push_back(function(x.values[x.values.size() == 1 ? 0 : i], b));
        }
        return result;
    }

    template <typename Function>
    std::optional<Numbers> mapped(Function&& function) const {
        Numbers result = input(0);
        for (double& value : result.values) value = function(value);
        return result;
    }

    std::optional<Numbers> cast() const {
        if (call_.output().type == TensorType::BOOL || call_.output().is_real()) return input(0);
        for (const double value : input(0).values) {
            if (!(std::abs(value) < 0x1p31)) return {};
        }
        return mapped([](double x) { return std::trunc(x); });
    }

    std::optional<Numbers> packed() const {
        const Numbers first = input(0);
        if (!first.shape.empty()) return {};
        Numbers result{{static_cast<std::int64_t>(call_.inputs.size())}, {}};
        for (std::size_t n = 0; n < call_.inputs.size(); ++n) {
            if (!call_.input(n).shape.empty()) return {};
            result.values.push_back(input(n).values[0]);
        }
        return result;
    }

    std::optional<Numbers> joined() const {
        Numbers result;
        for (std::size_t n = 0; n < call_.inputs.size(); ++n) {
            const Numbers part = input(n);
            if (part.shape.size() != 1) return {};
            result.values.insert(result.values.end(), part.values.begin(), part.values.end());
        }
        result.shape = {static_cast<std::int64_t>(result.values.size())};
        return result;
    }

    std::optional<Numbers> gathered() const {
        const Numbers x = input(0), at = input(1);
        if (x.shape.size() != 1) return {};
        Numbers result{at.shape, {}};
        for (const double index : at.values) {
            if (index < 0 || index >= static_cast<double>(x.values.size())) return {};
            result.values.push_back(x.values[static_cast<std::size_t>(index)]);
        }
        return result;
    }

    std::optional<Numbers> strided() const {
        const Numbers x = input(0);
        if (x.shape.size() != 1) return {};
        const SlicePlan plan = plan_slice(call_, x.shape);
        Numbers result{plan.shape, {}};
        for (std::int64_t i = 0; i < plan.elements[0].count; ++i) {
            const std::int64_t at = plan.elements[0].first + i * plan.ranges[0].step;
            result.values.push_back(x.values.at(static_cast<std::size_t>(at)));
        }
        return result;
    }

    std::optional<Numbers> sliced() const {
        const Numbers x = input(0), begin = input(1), size = input(2);
        if (x.shape.size() != 1 || begin.values.size() != 1 || size.values.size() != 1) return {};
        const auto count = static_cast<double>(x.values.size());
        const double first = begin.values[0];
        const double taken = size.values[0] == -1 ? count - first : size.values[0];
        if (first < 0 || taken < 0 || first + taken > count) return {};
        const auto at = x.values.begin() + static_cast<std::ptrdiff_t>(first);
        return Numbers{{static_cast<std::int64_t>(taken)},
                       {at, at + static_cast<std::ptrdiff_t>(taken)}};
    }

    std::optional<Numbers> ranged() const {
        for (std::size_t n = 0; n < 3; ++n) {
            if (input(n).values.size() != 1) return {};
        }
        const double start = input(0).values[0], limit = input(1).values[0],
                     step = input(2).values[0];
        const double count = std::ceil((limit - start) / step);
        constexpr double kMostCount = 1 << 24;
        if (!(count > 0) || count > kMostCount) return {};
        Numbers result{{static_cast<std::int64_t>(count)}, {}};
        for (double i = 0; i < count; ++i) result.values.push_back(start + i * step);
        return result;
    }

    std::optional<Numbers> filled() const {
        const Numbers sizes = input(0), value = input(1);
        const Shape shape = known_integers(call_.input(0));
        const auto count = element_count(shape);
        if (!count || *count > kMostElements || value.values.size() != 1) return {};
        return Numbers{shape, std::vector<double>(*count, value.values[0])};
    }

    template <typename Function>
    std::optional<Numbers> reduced(Function&& function, double initial) const {
        const Numbers x = input(0);
        if (x.shape.size() != 1 || x.values.empty()) return {};
        const double result = std::accumulate(x.values.begin(), x.values.end(), initial, function);
        const bool keeps = call_.options<wire::ReducerOptions>().keep_dims();
        return Numbers{keeps ? Shape{1} : Shape{}, {result}};
    }

    std::optional<Numbers> broadcast() const {
        Numbers x = input(0), y = input(1);
        if (x.values.size() < y.values.size()) std::swap(x, y);
        const std::size_t shift = x.values.size() - y.values.size();
        for (std::size_t i = 0; i < y.values.size(); ++i) {
            if (x.values[shift + i] == 1) x.values[shift + i] = y.values[i];
        }
        return x;
    }

    const Call& call_;
};

std::optional<std::vector<Folded>> folded_parts(const Call& call) {
    const std::size_t n = call.number == kSplit ? 1 : 0;
    if (call.number == kSplitV) return {};
    const Numbers x = numbers_of(call.input(n));
    if (x.shape.size() != 1 || call.outputs.empty() || x.values.size() % call.outputs.size() != 0) {
        return {};
    }
    const std::size_t each = x.values.size() / call.outputs.size();
    if (call.number == kUnpack && each != 1) return {};
    std::vector<Folded> results;
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
        const auto at = x.values.begin() + static_cast<std::ptrdiff_t>(i * each);
        Numbers part{{}, {at, at + static_cast<std::ptrdiff_t>(each)}};
        if (call.number == kSplit) part.shape = {static_cast<std::int64_t>(each)};
        results.push_back(encoded(part, call.output(i).type));
    }
    return results;
}

}  // namespace

std::optional<std::vector<Folded>> fold(const Call& call) {
    if (call.outputs.empty() || call.inputs.empty() || !is_plain(call.output().type)) return {};
    if (call.number == kShape || call.number == kRank) {
        const Shape& shape = call.input(0).shape;
        Numbers result{{}, {static_cast<double>(shape.size())}};
        if (call.number == kShape) {
            result.shape = {static_cast<std::int64_t>(shape.size())};
            result.values.assign(shape.begin(), shape.end());
        }
        return std::vector{encoded(result, call.output().type)};
    }
    for (const Value* value : call.inputs) {
        if (value == nullptr || !value->is_known || !is_plain(value->type) ||
            *element_count(value->shape) > kMostElements) {
            return {};
        }
    }
    if (call.number == kUnpack || call.number == kSplit) return folded_parts(call);
    const std::optional<Numbers> result = Folder(call).compute();
    if (!result) return {};
    return std::vector{encoded(*result, call.output().type)};
}

}  // namespace okksim::sim::graph::tflite
