// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/oplib/oplib_case.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "sim/graph/element.h"
#include "tests/sim/graph/sample_xmodels.h"

namespace okksim::tests {

namespace oplib = reference::oplib;
using oplib::Array;
using sim::graph::Shape;
using sim::graph::xmodel::ElementKind;
using sim::graph::xmodel::ElementType;

namespace {

Shape in_order(const Shape& shape, bool is_channels_last) {
    if (!is_channels_last || shape.size() != 4) return shape;
    return {shape[0], shape[2], shape[3], shape[1]};
}

/// Position of element `i` of an array in the bytes.
std::size_t place(std::size_t i, const Shape& shape, bool is_channels_last) {
    if (!is_channels_last || shape.size() != 4) return i;
    const auto c = static_cast<std::size_t>(shape[1]);
    const auto area = static_cast<std::size_t>(shape[2] * shape[3]);
    return (i / (c * area) * area + i % area) * c + i / area % c;
}

}  // namespace

std::vector<std::byte> encode(const Array& array, const ElementType& type, bool is_channels_last) {
    const std::size_t size = type.bytes();
    std::vector<std::byte> bytes(array.values.size() * size);
    for (std::size_t i = 0; i < array.values.size(); ++i) {
        std::uint64_t bits = 0;
        if (type.is_float() && type.bits < 64) {
            bits =
                sim::graph::encode_float(type.device_type(), static_cast<double>(array.values[i]));
        } else if (type.is_float()) {
            bits = std::bit_cast<std::uint64_t>(static_cast<double>(array.values[i]));
        } else {
            bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(array.values[i]));
        }
        std::memcpy(bytes.data() + place(i, array.shape, is_channels_last) * size, &bits, size);
    }
    return bytes;
}

Array decode(std::span<const std::byte> bytes, const ElementType& type, const Array& like,
             bool is_channels_last) {
    Array array(like.shape);
    const std::size_t size = type.bytes();
    for (std::size_t i = 0; i < array.values.size(); ++i) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, bytes.data() + place(i, array.shape, is_channels_last) * size, size);
        if (type.is_float() && type.bits < 64) {
            array.values[i] = static_cast<long double>(
                sim::graph::decode_float(type.device_type(), static_cast<std::uint32_t>(bits)));
        } else if (type.is_float()) {
            array.values[i] = static_cast<long double>(std::bit_cast<double>(bits));
        } else {
            const int unused = 64 - type.bits;
            array.values[i] =
                static_cast<long double>(static_cast<std::int64_t>(bits << unused) >> unused);
        }
    }
    return array;
}

namespace {

constexpr ElementType kXint8{ElementKind::kFixed, 8};
constexpr ElementType kArithmetic[] = {{ElementKind::kInt, 8},
                                       {ElementKind::kInt, 16},
                                       {ElementKind::kInt, 32},
                                       {ElementKind::kInt, 64},
                                       {ElementKind::kFloat, 16},
                                       {ElementKind::kFloat, 32},
                                       {ElementKind::kFloat, 32},
                                       kXint8,
                                       kXint8};
constexpr ElementType kMoved[] = {{ElementKind::kInt, 8},    {ElementKind::kInt, 16},
                                  {ElementKind::kInt, 32},   {ElementKind::kInt, 64},
                                  {ElementKind::kFloat, 16}, {ElementKind::kFloat, 32},
                                  {ElementKind::kFloat, 64}, {ElementKind::kUint, 8}};
const std::string kRoundings[] = {"DPU_ROUND", "STD_ROUND", "PY3_ROUND"};

/// Names of an operator in both vocabularies; an empty one does not exist.
struct Names {
    std::string oplib, xir;
};

class CaseMaker {
 public:
    explicit CaseMaker(std::uint64_t seed) : random_(seed) { operands_.reserve(8); }

    OplibCase make() {
        static constexpr void (CaseMaker::*kOperators[])() = {
            &CaseMaker::convolution, &CaseMaker::convolution, &CaseMaker::depthwise,
            &CaseMaker::transposed,  &CaseMaker::inner,       &CaseMaker::max_pool,
            &CaseMaker::avg_pool,    &CaseMaker::avg_pool,    &CaseMaker::mean,
            &CaseMaker::eltwise,     &CaseMaker::activation,  &CaseMaker::concat,
            &CaseMaker::pad,         &CaseMaker::tile,        &CaseMaker::reorg,
            &CaseMaker::resize,      &CaseMaker::resize};
        (this->*random_.element(kOperators))();
        return std::move(case_);
    }

 private:
    // Numbers.
    void draw_type() {
        case_.type = random_.element(kArithmetic);
        round_mode_ = random_.element(kRoundings);
    }
    bool is_fixed() const { return case_.type == kXint8; }
    bool is_real() const { return case_.type.is_float(); }
    /// Integers below 2^bits in magnitude within the type's range; reals with few digits below 2.
    Array numbers(const Shape& shape, int bits) {
        Array array(shape);
        const int most = std::min(bits, is_fixed() ? 8 : case_.type.bits) - 1;
        for (long double& value : array.values) {
            if (is_real()) {
                value = static_cast<long double>(random_.between(-64, 64)) / 32.0L;
            } else {
                value = static_cast<long double>(static_cast<std::int64_t>(random_.bits()) >>
                                                 (63 - most));
            }
        }
        return array;
    }
    Shape maps() {
        return {random_.between(1, 2), random_.between(1, 5), random_.between(3, 9),
                random_.between(3, 9)};
    }
    void set_tolerance() {
        if (!is_real()) return;
        case_.tolerance = case_.type.bits == 16 ? 4e-3L : 1e-5L;
    }
    int draw_point() { return static_cast<int>(random_.between(-2, 11)); }
    static long double power(int exponent) { return std::ldexp(1.0L, exponent); }
    /// Limits the value to XINT8. Ties that a division misses by rounding still count as ties.
    long double limited(long double value) const {
        if (std::fabs(value) < 1024) value = std::nearbyint(value * power(40)) * power(-40);
        return std::min(std::max(oplib::rounded(value, round_mode_), -128.0L), 127.0L);
    }

    // The file.
    struct Operand {
        std::string argument, name;
        Array value;
        bool is_constant = false;
        std::optional<int> fix_point;
        bool is_mirrored = false;  ///< of transposed convolutions of files in use
    };
    Array& operand(const std::string& argument, Array value, bool is_constant) {
        Operand added{
            argument, "in" + std::to_string(operands_.size()), std::move(value), is_constant, {},
            false};
        if (is_fixed()) added.fix_point = draw_point();
        operands_.push_back(std::move(added));
        return operands_.back().value;
    }
    int point(std::size_t i) const { return *operands_[i].fix_point; }
    void attribute(const std::string& oplib_key, const std::string& xir_key,
                   const XmodelAttribute& value) {
        if (!oplib_key.empty()) oplib_.push_back({oplib_key, value});
        if (!xir_key.empty()) xir_.push_back({xir_key, value});
    }
    void pair(const std::string& oplib_key, const std::string& xir_key,
              std::array<std::int64_t, 2> value) {
        attribute(oplib_key, "", Shape{value[0], value[1]});
        attribute("", xir_key, Shape{value[1], value[0]});
    }
    void window_attributes(const oplib::Window& w) {
        pair("kernel_size", "kernel", w.kernel);
        pair("strides", "stride", w.strides);
        attribute("padding", "", Shape(w.padding.begin(), w.padding.end()));
        attribute("", "pad", Shape{w.padding[2], w.padding[3], w.padding[0], w.padding[1]});
        attribute("pad_mode", "", w.pad_mode);
        attribute("ceil_mode", "", w.ceil_mode);
        attribute("", "pad_mode", w.pad_mode == "PADDING" ? w.ceil_mode : w.pad_mode);
    }

    void finish(Names names, Array expected) {
        if (is_fixed() && !names.xir.empty() && names.xir.find("-fix") == std::string::npos) {
            names.xir += "-fix";
        }
        case_.expected = std::move(expected);
        if (is_fixed() && !out_point_) out_point_ = draw_point();
        if (!names.oplib.empty()) write(names.oplib, false);
        if (!names.xir.empty()) write(names.xir, true);
        case_.text = names.oplib + "/" + names.xir + " of " + case_.type.name() + " " +
                     sim::graph::shape_text(operands_[0].value.shape) + " " + round_mode_;
        for (const Operand& each : operands_) {
            if (!each.is_constant) case_.inputs.push_back({each.name, each.value});
        }
    }
    void write(const std::string& type, bool is_xir) {
        XmodelWriter writer;
        XmodelArguments arguments;
        for (const Operand& each : operands_) {
            const XmodelResult result{case_.type, in_order(each.value.shape, is_xir),
                                      each.fix_point};
            if (each.is_constant) {
                Array value = each.value;
                if (is_xir && each.is_mirrored) value = mirrored(value);
                writer.constant(is_xir ? "const" : "Const", each.name, result,
                                encode(value, case_.type, is_xir));
            } else {
                writer.node(is_xir ? "data" : "Input", each.name, {}, {}, result);
            }
            const auto known = std::find_if(arguments.begin(), arguments.end(), [&](const auto& a) {
                return a.first == each.argument;
            });
            if (known != arguments.end()) {
                known->second.push_back(each.name);
            } else {
                arguments.push_back({each.argument, {each.name}});
            }
        }
        writer.node(type, "result", arguments, is_xir ? xir_ : oplib_,
                    {case_.type, in_order(case_.expected.shape, is_xir), out_point_, round_mode_});
        case_.files.push_back({writer.bytes(), is_xir});
    }
    static Array mirrored(const Array& kernel) {
        Array result(kernel.shape);
        const auto area = static_cast<std::size_t>(kernel.size(2) * kernel.size(3));
        for (std::size_t i = 0; i < result.values.size(); ++i) {
            result.values[i / area * area + area - 1 - i % area] = kernel.values[i];
        }
        return result;
    }

    // Products.
    oplib::Window draw_window(const Shape& x, bool is_pool) {
        for (;;) {
            oplib::Window w;
            for (const std::size_t d : {0U, 1U}) {
                w.kernel[d] = random_.between(1, 4);
                w.strides[d] = random_.between(1, 3);
                w.dilation[d] = is_pool ? 1 : random_.between(1, 2);
                for (const std::size_t side : {0U, 1U}) {
                    w.padding[2 * d + side] = random_.between(0, 3);
                }
            }
            static const std::string modes[] = {"PADDING", "PADDING", "SAME", "VALID"};
            w.pad_mode = random_.element(modes);
            if (w.pad_mode != "PADDING") w.padding = {};
            static const std::string roundings[] = {"FLOOR", "CEIL", "ROUND"};
            if (w.pad_mode == "PADDING") w.ceil_mode = random_.element(roundings);
            if (w.axis(0, x[2]).output > 0 && w.axis(1, x[3]).output > 0) return w;
        }
    }
    Names window_names(const oplib::Window& w, const std::string& oplib_name,
                       const std::string& xir_name) const {
        return {oplib_name, w.ceil_mode == "ROUND" ? "" : xir_name};
    }
    int product_bits() const { return case_.type.bits / 2 - 3; }
    const Array* draw_bias(std::int64_t channels) {
        const bool has_bias = random_.one_in(2);
        attribute("bias_term", "", has_bias);
        if (!has_bias) return nullptr;
        return &operand("bias", numbers({channels}, product_bits()), true);
    }
    void draw_products(const Shape& x, const Shape& kernel, std::int64_t channels) {
        const int bits =
            is_fixed() ? 8 : std::max(product_bits() - (case_.type.bits == 8 ? 0 : 1), 2);
        operand("input", numbers(x, bits), false);
        operand("weights", numbers(kernel, bits), true);
        bias_ = draw_bias(channels);
    }
    /// Converts the exact sums to the result's integers.
    void finish_products(const Names& names, Array sums) {
        set_tolerance();
        if (!is_real() && !is_fixed() && !fits(sums)) return make_again();
        if (is_fixed()) {
            out_point_ = draw_point();
            static const std::string kinds[] = {"NONE", "RELU", "RELU6"};
            const std::string kind = random_.element(kinds);
            attribute("nonlinear", "nonlinear", kind);
            const int sum_point = point(0) + point(1);
            const std::size_t channels = static_cast<std::size_t>(sums.size(1));
            const std::size_t area =
                sums.values.size() / static_cast<std::size_t>(sums.size(0)) / channels;
            for (std::size_t i = 0; i < sums.values.size(); ++i) {
                long double value = sums.values[i] * power(-sum_point);
                if (bias_ != nullptr) {
                    const long double b = bias_->values[i / area % channels];
                    value += b * power(-point(2)) - b * power(-sum_point);
                }
                value *= power(*out_point_);
                if (kind != "NONE") value = std::max(value, 0.0L);
                if (kind == "RELU6") value = std::min(value, 6 * power(*out_point_));
                sums.values[i] = limited(value);
            }
        }
        finish(names, std::move(sums));
    }
    bool fits(const Array& sums) const {
        const long double most = power(case_.type.bits - 1);
        return std::all_of(sums.values.begin(), sums.values.end(),
                           [&](long double v) { return v >= -most && v < most; });
    }
    void make_again() {
        const std::uint64_t seed = random_.bits();
        case_ = CaseMaker(seed).make();
    }

    void convolution() {
        draw_type();
        Shape x = maps();
        const std::int64_t group = random_.one_in(3) ? random_.between(1, 3) : 1;
        const std::int64_t inner = random_.between(1, 3);
        x[1] = group * inner;
        const std::int64_t channels = group * random_.between(1, 3);
        const oplib::Window w = draw_window(x, false);
        draw_products(x, {channels, inner, w.kernel[0], w.kernel[1]}, channels);
        window_attributes(w);
        pair("dilation", "dilation", w.dilation);
        attribute("group", "group", group);
        finish_products(
            window_names(w, "Conv2d", "conv2d"),
            oplib::convolution(operands_[0].value, operands_[1].value, bias_, w, group));
    }
    void depthwise() {
        draw_type();
        const Shape x = maps();
        const std::int64_t multiplier = random_.between(1, 3);
        const oplib::Window w = draw_window(x, false);
        draw_products(x, {multiplier, x[1], w.kernel[0], w.kernel[1]}, multiplier * x[1]);
        window_attributes(w);
        pair("dilation", "dilation", w.dilation);
        finish_products(window_names(w, "DepthwiseConv2d", "depthwise-conv2d"),
                        oplib::depthwise(operands_[0].value, operands_[1].value, bias_, w));
    }
    void transposed() {
        draw_type();
        const Shape x = maps();
        oplib::Window w = draw_window(x, true);
        w.ceil_mode = "FLOOR";
        const std::int64_t channels = random_.between(1, 4);
        for (const std::size_t d : {0U, 1U}) {
            const std::int64_t whole = (x[2 + d] - 1) * w.strides[d] + w.kernel[d];
            if (w.padding[2 * d] + w.padding[2 * d + 1] >= whole) w.padding = {};
        }
        draw_products(x, {channels, x[1], w.kernel[0], w.kernel[1]}, channels);
        operands_[1].is_mirrored = true;
        window_attributes(w);
        finish_products({"Conv2dTranspose", "transposed-conv2d"},
                        oplib::transposed(operands_[0].value, operands_[1].value, bias_, w));
    }
    void inner() {
        draw_type();
        const Shape x = maps();
        const std::int64_t channels = random_.between(1, 6), columns = x[1] * x[2] * x[3];
        draw_products(x, {channels, columns}, channels);
        // Real files flatten in another order; a separate test is not needed.
        finish_products({"InnerProduct", ""},
                        oplib::inner_product(operands_[0].value, operands_[1].value, bias_));
    }

    // Pools.
    void max_pool() {
        draw_type();
        const Shape x = maps();
        operand("input", numbers(x, 64), false);
        const oplib::Window w = draw_window(x, true);
        window_attributes(w);
        Array result = oplib::max_pool(operands_[0].value, w);
        const bool has_empty = std::any_of(result.values.begin(), result.values.end(),
                                           [](long double v) { return std::isinf(v); });
        if (has_empty) return make_again();
        attribute("type", "type", std::string("MAX"));
        rescale(result);
        finish(window_names(w, "MaxPool", is_fixed() ? "pool" : "maxpool2d"), result);
    }
    void rescale(Array& result) {
        if (!is_fixed()) return;
        out_point_ = draw_point();
        for (long double& value : result.values) {
            value = limited(value * power(*out_point_ - point(0)));
        }
    }
    void avg_pool() {
        draw_type();
        const Shape x = maps();
        operand("input", numbers(x, 64), false);
        oplib::Window w = draw_window(x, true);
        if (random_.one_in(3)) {
            w.kernel[0] = w.kernel[1] = random_.pick({3, 5, 6, 7});
            w.pad_mode = "SAME";
            w.padding = {};
        }
        bool with_pad = !random_.one_in(3);
        const bool with_beyond = random_.one_in(2);
        if (!is_real() && !is_fixed()) with_pad = make_whole() && with_pad;
        window_attributes(w);
        Array counts;
        Array sums = oplib::window_sums(operands_[0].value, w, with_pad, with_beyond, counts);
        set_tolerance();
        if (is_fixed()) {
            attribute("type", "type", std::string("AVG"));
            out_point_ = draw_point();
            const long double factor = dpu_factor(w.kernel[0], w.kernel[1]);
            for (long double& sum : sums.values) {
                sum = limited(sum * factor * power(*out_point_ - point(0)));
            }
        } else {
            attribute("count_include_pad", "count_include_pad", with_pad);
            attribute("count_include_invalid", "count_include_invalid", with_beyond);
            for (std::size_t i = 0; i < sums.values.size(); ++i) {
                if (counts.values[i] == 0) return make_again();
                sums.values[i] /= counts.values[i];
            }
        }
        finish(window_names(w, "AvgPool", is_fixed() ? "pool" : "avgpool2d"), sums);
    }
    /// Makes integer means exact: every element is a multiple of the window's divisor, or all are
    /// equal. Returns false if padding must not count.
    bool make_whole() {
        constexpr long double kMultiple = 5040.0L * 5040.0L;  // of products of numbers up to 7
        Array& value = operands_[0].value;
        const long double first = value.values[0];
        for (long double& each : value.values) {
            each = case_.type.bits == 64 ? std::floor(each / kMultiple / 64) * kMultiple : first;
        }
        return case_.type.bits == 64;
    }
    /// The hardware's factor n / 2^m, found by the same search as in its library.
    static long double dpu_factor(std::int64_t height, std::int64_t width) {
        if (height == 3 && width == 3) return 7.0L / 64;
        if (height == 5 && width == 5) return 10.0L / 256;
        if (height == 6 && width == 6) return 7.0L / 256;
        if (height == 7 && width == 7) return 21.0L / 1024;
        const auto area = static_cast<double>(height * width);
        double best = 0;
        for (int m = 0; m < static_cast<int>(std::ceil(std::log2(128 * area))); ++m) {
            const double candidate = std::round(std::ldexp(1.0, m) / area) / std::ldexp(1.0, m);
            if (std::fabs(candidate - 1 / area) < std::fabs(best - 1 / area)) best = candidate;
        }
        return static_cast<long double>(best);
    }
    void mean() {
        draw_type();
        const Shape x = maps();
        operand("input", numbers(x, 64), false);
        std::vector<bool> axes(4);
        Shape oplib_axes, xir_axes;
        const std::array<std::int64_t, 4> in_xir{0, 3, 1, 2};
        std::int64_t count = 1;
        for (std::size_t i = 0; i < 4; ++i) {
            axes[i] = random_.one_in(2);
            if (!axes[i]) continue;
            count *= x[i];
            oplib_axes.push_back(static_cast<std::int64_t>(i) - (random_.one_in(4) ? 4 : 0));
            xir_axes.push_back(in_xir[i]);
        }
        if (!is_real() && !is_fixed()) {
            const auto divisor = static_cast<long double>(count);
            const long double room = case_.type.bits == 64 ? 65536 : 1;
            for (long double& value : operands_[0].value.values) {
                value = std::trunc(value / divisor / room) * divisor;
            }
        }
        const bool keeps = random_.one_in(2);
        attribute("axis", "", oplib_axes);
        attribute("", "axis", xir_axes);
        attribute("keep_dims", "keep_dims", keeps);
        set_tolerance();
        Array result = oplib::axis_sums(operands_[0].value, axes);
        for (long double& value : result.values) value /= static_cast<long double>(count);
        rescale(result);
        if (!keeps) {
            // The remaining axes keep the file's order, which both vocabularies share if they keep
            // C last.
            Shape left;
            for (std::size_t i = 0; i < 4; ++i) {
                if (!axes[i]) left.push_back(x[i]);
            }
            result.shape = left;
            return finish({"Mean", ""}, result);
        }
        finish({"Mean", is_fixed() ? "" : "reduction_mean"}, result);
    }

    // Element by element.
    void eltwise() {
        draw_type();
        const Shape x = maps();
        const auto count = static_cast<std::size_t>(random_.between(1, 3));
        const bool is_product = is_fixed() && random_.one_in(2);
        Shape alpha;
        Array sum(x, is_product ? 1 : 0);
        int points = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const Array& value = operand("input", numbers(x, case_.type.bits - 6), false);
            alpha.push_back(is_fixed() ? 1 : random_.between(-5, 5));
            if (is_product) points += point(i);
            for (std::size_t k = 0; k < sum.values.size(); ++k) {
                if (is_product) {
                    sum.values[k] *= value.values[k];
                } else {
                    const long double unit = is_fixed() ? power(-point(i)) : 1;
                    sum.values[k] += static_cast<long double>(alpha[i]) * value.values[k] * unit;
                }
            }
        }
        set_tolerance();
        if (!is_fixed()) {
            attribute("alpha", "", alpha);
            return finish({"Eltwise", ""}, sum);
        }
        attribute("type", "type", std::string(is_product ? "MUL" : "ADD"));
        attribute("nonlinear", "nonlinear", std::string("RELU"));
        out_point_ = draw_point();
        for (long double& value : sum.values) {
            value = limited(std::max(value * power(*out_point_ - points), 0.0L));
        }
        finish({"Eltwise", "eltwise"}, sum);
    }
    void activation() {
        draw_type();
        const Shape x = maps();
        Array result = operand("input", numbers(x, 64), false);
        set_tolerance();
        const std::int64_t kind = random_.below(is_real() ? 4 : 2);
        Names names{kind == 0 ? "Relu" : "Relu6", kind == 0 ? "relu" : "relu6"};
        if (kind < 2) {
            long double six = 6;
            if (is_fixed()) {
                names.xir.clear();
                if (kind == 1 && point(0) < 0) return make_again();
                six *= power(point(0));
            }
            for (long double& value : result.values) {
                value = std::max(value, 0.0L);
                if (kind == 1) value = std::min(value, six);
            }
            rescale(result);
            return finish(names, result);
        }
        if (kind == 2) {
            const double alpha = static_cast<double>(random_.between(1, 40)) / 16;
            attribute("alpha", "alpha", alpha);
            for (long double& value : result.values) {
                value *= value < 0 ? static_cast<long double>(alpha) : 1;
            }
            return finish({"LeakyRelu", "leaky-relu"}, result);
        }
        const Array slopes = operand("weight", numbers({random_.one_in(3) ? 1 : x[1]}, 64), true);
        const auto area = static_cast<std::size_t>(x[2] * x[3]);
        for (std::size_t i = 0; i < result.values.size(); ++i) {
            const std::size_t channel = i / area % static_cast<std::size_t>(x[1]);
            if (result.values[i] < 0) {
                result.values[i] *= slopes.values[slopes.values.size() == 1 ? 0 : channel];
            }
        }
        finish({"PRelu", "prelu"}, result);
    }

    // Moves.
    void draw_moved_type() {
        case_.type = random_.one_in(4) ? kXint8 : random_.element(kMoved);
        round_mode_ = random_.element(kRoundings);
    }
    void concat() {
        draw_moved_type();
        const Shape first = maps();
        const std::size_t axis = random_.one_in(3) ? 0 : 1;
        std::vector<Array> parts;
        for (std::int64_t n = random_.between(1, 3); n > 0; --n) {
            Shape shape = first;
            shape[axis] = random_.between(1, 4);
            parts.push_back(operand("input", numbers(shape, 64), false));
        }
        attribute("axis", "", static_cast<std::int64_t>(axis));
        attribute("", "axis", std::int64_t{axis == 0 ? 0 : 3});
        if (is_fixed()) {
            out_point_ = draw_point();
            for (std::size_t i = 0; i < parts.size(); ++i) {
                for (long double& value : parts[i].values) {
                    value = limited(value * power(*out_point_ - point(i)));
                }
            }
        }
        finish({"Concat", "concat"}, oplib::concat(parts, axis));
    }
    void pad() {
        draw_moved_type();
        const Shape x = maps();
        operand("input", numbers(x, 64), false);
        const auto border = static_cast<oplib::Border>(random_.below(3));
        static const std::string modes[] = {"CONSTANT", "REFLECT", "SYMMETRIC"};
        Shape amounts;
        for (const std::int64_t size : x) {
            for (const std::size_t side : {0U, 1U}) {
                (void)side;
                const std::int64_t most = border == oplib::Border::kConstant  ? 3
                                          : border == oplib::Border::kReflect ? size - 1
                                                                              : size;
                amounts.push_back(random_.between(0, std::min<std::int64_t>(most, 3)));
            }
        }
        std::vector<long double> constants;
        Shape whole;
        const bool is_signed = case_.type.kind != ElementKind::kUint;
        if (border == oplib::Border::kConstant && !is_fixed() && random_.one_in(2)) {
            for (std::size_t i = 0; i < 8; ++i) {
                whole.push_back(random_.between(is_signed ? -5 : 0, 5));
                constants.push_back(static_cast<long double>(whole.back()));
            }
            attribute("constant_values", "", whole);
        }
        attribute("mode", "mode", modes[static_cast<std::size_t>(border)]);
        attribute("pad_with", "", amounts);
        attribute("", "paddings",
                  Shape{amounts[0], amounts[1], amounts[4], amounts[5], amounts[6], amounts[7],
                        amounts[2], amounts[3]});
        Array result = oplib::pad(operands_[0].value, amounts, border, constants);
        rescale(result);
        finish({"Pad", whole.empty() ? "pad" : ""}, result);
    }
    void tile() {
        draw_moved_type();
        const Shape x = maps();
        operand("input", numbers(x, 64), false);
        Shape multiples;
        for (std::size_t i = 0; i < 4; ++i) multiples.push_back(random_.between(1, 3));
        attribute("multiples", "", multiples);
        Array result = oplib::tile(operands_[0].value, multiples);
        rescale(result);
        finish({"DeePhiTile", ""}, result);
    }
    void reorg() {
        draw_moved_type();
        const std::int64_t s = random_.between(1, 3);
        const bool is_reverse = random_.one_in(2);
        Shape x = maps();
        x[1] = random_.between(1, 2) * s * s * (is_reverse ? s * s : 1);
        for (const std::size_t d : {2U, 3U}) x[d] = random_.between(1, 3) * (is_reverse ? 1 : s);
        operand("input", numbers(x, 64), false);
        attribute("scale", "scale", s);
        attribute("Reversed", "reverse", is_reverse);
        Array result = oplib::reorg(operands_[0].value, s, is_reverse);
        rescale(result);
        finish({"Reorg", "reorg"}, result);
    }
    void resize() {
        const bool is_bilinear = random_.one_in(2), is_up = random_.one_in(2);
        if (is_bilinear) {
            draw_type();
            if (!is_real() && !is_fixed()) case_.type = {ElementKind::kFloat, 32};
        } else {
            draw_moved_type();
        }
        Shape x = maps();
        const std::array<std::int64_t, 2> factors{random_.between(1, is_up ? 4 : 3),
                                                  random_.one_in(6) ? 17 : random_.between(1, 4)};
        if (!is_up) {
            x[2] = factors[0] * random_.between(1, 4);
            x[3] = factors[1] * random_.between(1, 3);
            if (is_fixed() && is_bilinear && factors[1] > 15) return make_again();
        }
        operand("input", numbers(x, 64), false);
        attribute("mode", "mode", std::string(is_bilinear ? "BILINEAR" : "NEAREST"));
        attribute("scale", "", Shape{factors[0], factors[1]});
        const auto fy = static_cast<double>(factors[0]), fx = static_cast<double>(factors[1]);
        if (is_fixed()) {
            attribute("", "scale", std::vector<double>{fx, fy});
        } else {
            attribute("", "half_pixel_centers", is_bilinear);
            attribute("", "scale",
                      is_up ? std::vector<double>{fx, fy} : std::vector<double>{1 / fx, 1 / fy});
        }
        Array result = is_up ? oplib::upsample(operands_[0].value, factors, is_bilinear)
                             : oplib::downsample(operands_[0].value, factors, is_bilinear);
        if (is_bilinear) set_tolerance();
        rescale(result);
        const std::string fixed_name = is_up ? "upsample" : "downsample";
        finish({is_up ? "Upsample" : "DeePhiDownsample", is_fixed() ? fixed_name : "resize"},
               result);
    }

    RandomSource random_;
    OplibCase case_;
    std::vector<Operand> operands_;
    XmodelAttributes oplib_, xir_;
    const Array* bias_ = nullptr;
    std::optional<int> out_point_;
    std::string round_mode_ = "DPU_ROUND";
};

}  // namespace

OplibCase make_oplib_case(std::uint64_t seed) { return CaseMaker(seed).make(); }

}  // namespace okksim::tests
