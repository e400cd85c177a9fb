// SPDX-License-Identifier: Apache-2.0
// Inputs, outputs, constants and single operators.
#include "sim/zoo/network_builder.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "isa/base/errors.h"

namespace okksim::sim::zoo {

using namespace okksim::tosa;

namespace {

std::size_t count_of(const Shape& shape) { return graph::element_count(shape).value(); }

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

/// Encodes elements of a feature map in its type, as constants are encoded.
template <typename Next>
std::vector<std::byte> encode(DType type, std::size_t count, const Quantisation& quantisation,
                              const Next& next) {
    const auto fill = [&]<typename T>(std::vector<T> values, const auto& convert) {
        for (T& value : values) value = convert(next());
        return bytes_of(values);
    };
    switch (type) {
        case DType::kFp32:
            return fill(std::vector<float>(count), [](double x) { return static_cast<float>(x); });
        case DType::kFp16: return fill(std::vector<std::uint16_t>(count), to_fp16);
        default:
            return fill(std::vector<std::int8_t>(count),
                        [&](double x) { return quantisation.quantise(x); });
    }
}

}  // namespace

DType NetworkBuilder::type() const {
    switch (options_.precision) {
        case Precision::kFp32: return DType::kFp32;
        case Precision::kFp16: return DType::kFp16;
        case Precision::kInt8: return DType::kI8;
    }
    return DType::kUnknown;
}

std::int64_t NetworkBuilder::scaled(std::int64_t channels) const {
    if (options_.width == 1.0) return channels;
    const double share = static_cast<double>(channels) * options_.width;
    return std::max<std::int64_t>(8, static_cast<std::int64_t>(std::nearbyint(share / 8.0)) * 8);
}

double NetworkBuilder::rounding() const {
    // Rounding errors are uniform over half a unit in the last place of a number between 1 and 2.
    const double unit =
        options_.precision == Precision::kFp16 ? std::ldexp(1.0, -11) : std::ldexp(1.0, -24);
    return unit * unit / 3.0;
}

Feature NetworkBuilder::input(const std::string& name, const Shape& shape) {
    Feature feature{graph_.input(type(), shape, name), shape, {0.0, 1.0}, {}, 0.0};
    feature.quantisation = quantise_range(range_of(Activation::kNone, feature.moments));
    Random random = next_stream();
    std::vector<std::byte> bytes =
        encode(type(), count_of(shape), feature.quantisation, [&] { return random.normal(); });
    model_.inputs.push_back({name, graph::make_host_tensor(type(), shape, std::move(bytes))});
    return feature;
}

Feature NetworkBuilder::index_input(const std::string& name, const Shape& shape,
                                    std::int64_t limit) {
    Random random = next_stream();
    std::vector<std::int32_t> values(count_of(shape));
    for (std::int32_t& value : values) {
        value = static_cast<std::int32_t>(random.uniform() * static_cast<double>(limit));
    }
    model_.inputs.push_back({name, graph::make_host_tensor(DType::kI32, shape, bytes_of(values))});
    return {graph_.input(DType::kI32, shape, name), shape, {}, {}, 0.0};
}

Feature NetworkBuilder::random_constant(const Shape& shape, double deviation) {
    Feature feature{0, shape, {0.0, deviation * deviation}, {}, 0.0};
    feature.quantisation = quantise_range(range_of(Activation::kNone, feature.moments));
    Random random = next_stream();
    feature.tensor = graph_.constant_bytes(type(), shape,
                                           encode(type(), count_of(shape), feature.quantisation,
                                                  [&] { return deviation * random.normal(); }));
    return feature;
}

void NetworkBuilder::output(const Feature& feature, const std::string& name) {
    graph_.output(feature.tensor);
    output_names_.emplace_back(feature.tensor, name);
    if (is_quantised()) return;
    // An element's error sums many roundings, so it is nearly normal: 6 deviations cover it.
    const double deviation = std::sqrt(feature.error);
    const double absolute = 6.0 * deviation * std::sqrt(feature.moments.square());
    model_.absolute_tolerance = std::max(model_.absolute_tolerance, absolute);
    model_.relative_tolerance = std::max(model_.relative_tolerance, 6.0 * deviation);
}

ZooModel NetworkBuilder::finish() {
    model_.graph = graph_.finish();
    const BlockReference entry = model_.graph.entry;
    graph::Block& main = model_.graph.regions[entry.region].blocks[entry.block];
    for (const auto& [tensor, name] : output_names_) {
        main.tensors[tensor].name = model_.graph.own_text(name);
    }
    return std::move(model_);
}

TensorIndex NetworkBuilder::op(OpCode code, Attributes attributes, std::vector<TensorIndex> inputs,
                               DType type, Shape shape) {
    return graph_.add(code, std::move(attributes), std::move(inputs), type, std::move(shape));
}

TensorIndex NetworkBuilder::op(OpCode code, std::vector<TensorIndex> inputs, DType type,
                               Shape shape) {
    return op(code, NoAttributes{}, std::move(inputs), type, std::move(shape));
}

TensorIndex NetworkBuilder::integers(DType type, const std::vector<std::int64_t>& values) {
    return graph_.constant(type, {static_cast<std::int64_t>(values.size())}, values);
}

TensorIndex NetworkBuilder::reals(DType type, Shape shape, const std::vector<double>& values) {
    std::size_t next = 0;
    return graph_.constant_bytes(type, std::move(shape),
                                 encode(type, values.size(), {}, [&] { return values[next++]; }));
}

TensorIndex NetworkBuilder::multiply(TensorIndex a, TensorIndex b, DType type, Shape shape,
                                     int shift) {
    return op(OpCode::kMul, {a, b, integers(DType::kI8, {shift})}, type, std::move(shape));
}

TensorIndex NetworkBuilder::cast(TensorIndex x, DType to, Shape shape) {
    return op(OpCode::kCast, {x}, to, std::move(shape));
}

TensorIndex NetworkBuilder::rescale(TensorIndex x, DType from, int in_zero, DType to, int out_zero,
                                    const std::vector<double>& factors, Shape shape) {
    std::vector<std::int64_t> multipliers, shifts;
    for (const double factor : factors) {
        const Scaling scaling = scaling_of(factor);
        multipliers.push_back(scaling.multiplier);
        shifts.push_back(scaling.shift);
    }
    RescaleAttributes attributes;
    attributes.scale32 = true;
    attributes.rounding_mode = RoundingMode::kSingleRound;
    attributes.per_channel = factors.size() > 1;
    return op(OpCode::kRescale, attributes,
              {x, integers(DType::kI32, multipliers), integers(DType::kI8, shifts),
               integers(from, {in_zero}), integers(to, {out_zero})},
              to, std::move(shape));
}

TensorIndex NetworkBuilder::clamp(TensorIndex x, const Shape& shape, Activation activation,
                                  const Quantisation& quantisation) {
    ClampAttributes attributes;
    attributes.nan_mode = NanPropagationMode::kPropagate;
    const auto store = [](ElementBytes& element, const auto& value) {
        std::memcpy(element.bytes.data(), &value, sizeof value);
        element.size = 8;
    };
    const double largest = options_.precision == Precision::kFp16 ? 65504.0 : 3.4028234663852886e38;
    const double high = activation == Activation::kRelu6 ? 6.0 : largest;
    switch (options_.precision) {
        case Precision::kFp32:
            store(attributes.min_val, 0.0F);
            store(attributes.max_val, static_cast<float>(high));
            break;
        case Precision::kFp16:
            store(attributes.min_val, std::uint16_t{0});
            store(attributes.max_val, to_fp16(high));
            break;
        case Precision::kInt8:
            store(attributes.min_val, quantisation.quantise(0.0));
            store(attributes.max_val, quantisation.quantise(high));
            break;
    }
    return op(OpCode::kClamp, attributes, {x}, type(), shape);
}

}  // namespace okksim::sim::zoo
