// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/oplib/oplib_reference.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace okksim::reference::oplib {

using sim::graph::Shape;

namespace {

std::int64_t count_of(const Shape& shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    return count;
}

/// Calls f(n, c, y, x) for every element.
void for_each(
    const Shape& shape,
    const std::function<void(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>& f) {
    for (std::int64_t n = 0; n < shape[0]; ++n) {
        for (std::int64_t c = 0; c < shape[1]; ++c) {
            for (std::int64_t y = 0; y < shape[2]; ++y) {
                for (std::int64_t x = 0; x < shape[3]; ++x) f(n, c, y, x);
            }
        }
    }
}

bool inside(std::int64_t at, std::int64_t size) { return at >= 0 && at < size; }

/// Indices of element `i` of a shape.
Shape place(std::int64_t i, const Shape& shape) {
    Shape at(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        at[axis] = i % shape[axis];
        i /= shape[axis];
    }
    return at;
}

std::size_t index(const Shape& at, const Shape& shape) {
    std::int64_t i = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) i = i * shape[axis] + at[axis];
    return static_cast<std::size_t>(i);
}

}  // namespace

Array::Array(Shape of, long double fill)
    : shape(std::move(of)), values(static_cast<std::size_t>(count_of(shape)), fill) {}

long double& Array::at(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x) {
    return values[index({n, c, y, x}, shape)];
}

long double Array::at(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x) const {
    return values[index({n, c, y, x}, shape)];
}

Window::Axis Window::axis(std::size_t direction, std::int64_t input) const {
    const std::int64_t s = strides[direction];
    const std::int64_t reach = (kernel[direction] - 1) * dilation[direction] + 1;
    Axis axis{padding[2 * direction], padding[2 * direction + 1], 0};
    if (pad_mode == "SAME") {
        axis.output = (input + s - 1) / s;
        const std::int64_t total = std::max<std::int64_t>((axis.output - 1) * s + reach - input, 0);
        axis.before = total / 2;
        axis.after = total - axis.before;
        return axis;
    }
    if (pad_mode == "VALID") {
        axis = {0, 0,
                static_cast<std::int64_t>(
                    std::ceil(static_cast<double>(input - reach + 1) / static_cast<double>(s)))};
        return axis;
    }
    const double steps =
        static_cast<double>(input + axis.before + axis.after - reach) / static_cast<double>(s);
    const double whole = ceil_mode == "CEIL"    ? std::ceil(steps)
                         : ceil_mode == "ROUND" ? std::round(steps)
                                                : std::floor(steps);
    axis.output = steps < 0 ? 0 : static_cast<std::int64_t>(whole) + 1;
    return axis;
}

Array convolution(const Array& x, const Array& kernel, const Array* bias, const Window& window,
                  std::int64_t group) {
    const Window::Axis v = window.axis(0, x.size(2)), h = window.axis(1, x.size(3));
    const std::int64_t per_group = kernel.size(0) / group;
    Array result({x.size(0), kernel.size(0), v.output, h.output});
    for_each(result.shape, [&](auto n, auto o, auto oy, auto ox) {
        long double sum = bias != nullptr ? bias->values[static_cast<std::size_t>(o)] : 0;
        for_each({1, kernel.size(1), kernel.size(2), kernel.size(3)}, [&](auto, auto i, auto ky,
                                                                          auto kx) {
            const std::int64_t y = oy * window.strides[0] - v.before + ky * window.dilation[0];
            const std::int64_t xx = ox * window.strides[1] - h.before + kx * window.dilation[1];
            if (!inside(y, x.size(2)) || !inside(xx, x.size(3))) return;
            sum += x.at(n, o / per_group * kernel.size(1) + i, y, xx) * kernel.at(o, i, ky, kx);
        });
        result.at(n, o, oy, ox) = sum;
    });
    return result;
}

Array depthwise(const Array& x, const Array& kernel, const Array* bias, const Window& window) {
    // A convolution with one group per channel: output channel c M + m.
    const std::int64_t multiplier = kernel.size(0), channels = kernel.size(1);
    Array spread({channels * multiplier, 1, kernel.size(2), kernel.size(3)});
    for_each(kernel.shape, [&](auto m, auto c, auto y, auto xx) {
        spread.at(c * multiplier + m, 0, y, xx) = kernel.at(m, c, y, xx);
    });
    return convolution(x, spread, bias, window, channels);
}

Array transposed(const Array& x, const Array& kernel, const Array* bias, const Window& window) {
    std::array<std::int64_t, 2> whole{}, cut{}, output{};
    for (const std::size_t d : {0U, 1U}) {
        const std::int64_t in = x.size(2 + d), s = window.strides[d], k = kernel.size(2 + d);
        whole[d] = (in - 1) * s + k;
        if (window.pad_mode == "SAME") {
            output[d] = in * s;
            cut[d] = std::max<std::int64_t>(k - s, 0) / 2;
        } else if (window.pad_mode == "VALID") {
            output[d] = (in - 1) * s + std::max(k, s);
        } else {
            output[d] = whole[d] - window.padding[2 * d] - window.padding[2 * d + 1];
            cut[d] = window.padding[2 * d];
        }
    }
    Array result({x.size(0), kernel.size(0), output[0], output[1]});
    for_each(result.shape, [&](auto n, auto o, auto y, auto xx) {
        if (bias != nullptr) result.at(n, o, y, xx) = bias->values[static_cast<std::size_t>(o)];
    });
    for_each(x.shape, [&](auto n, auto i, auto y, auto xx) {
        for (std::int64_t o = 0; o < kernel.size(0); ++o) {
            for (std::int64_t ky = 0; ky < kernel.size(2); ++ky) {
                for (std::int64_t kx = 0; kx < kernel.size(3); ++kx) {
                    const std::int64_t ty = y * window.strides[0] + ky - cut[0];
                    const std::int64_t tx = xx * window.strides[1] + kx - cut[1];
                    if (!inside(ty, output[0]) || !inside(tx, output[1])) continue;
                    result.at(n, o, ty, tx) += x.at(n, i, y, xx) * kernel.at(o, i, ky, kx);
                }
            }
        }
    });
    return result;
}

Array inner_product(const Array& x, const Array& weights, const Array* bias) {
    Array result({x.size(0), weights.size(0), 1, 1});
    const auto columns = static_cast<std::size_t>(weights.size(1));
    for (std::size_t n = 0; n < static_cast<std::size_t>(x.size(0)); ++n) {
        for (std::size_t o = 0; o < static_cast<std::size_t>(weights.size(0)); ++o) {
            long double sum = bias != nullptr ? bias->values[o] : 0;
            for (std::size_t i = 0; i < columns; ++i) {
                sum += x.values[n * columns + i] * weights.values[o * columns + i];
            }
            result.values[n * static_cast<std::size_t>(weights.size(0)) + o] = sum;
        }
    }
    return result;
}

Array max_pool(const Array& x, const Window& window) {
    const Window::Axis v = window.axis(0, x.size(2)), h = window.axis(1, x.size(3));
    Array result({x.size(0), x.size(1), v.output, h.output}, -HUGE_VALL);
    for_each(result.shape, [&](auto n, auto c, auto oy, auto ox) {
        for (std::int64_t ky = 0; ky < window.kernel[0]; ++ky) {
            for (std::int64_t kx = 0; kx < window.kernel[1]; ++kx) {
                const std::int64_t y = oy * window.strides[0] - v.before + ky;
                const std::int64_t xx = ox * window.strides[1] - h.before + kx;
                if (!inside(y, x.size(2)) || !inside(xx, x.size(3))) continue;
                result.at(n, c, oy, ox) = std::max(result.at(n, c, oy, ox), x.at(n, c, y, xx));
            }
        }
    });
    return result;
}

Array window_sums(const Array& x, const Window& window, bool with_pad, bool with_beyond,
                  Array& counts) {
    const Window::Axis v = window.axis(0, x.size(2)), h = window.axis(1, x.size(3));
    Array result({x.size(0), x.size(1), v.output, h.output});
    counts = result;
    for_each(result.shape, [&](auto n, auto c, auto oy, auto ox) {
        for (std::int64_t ky = 0; ky < window.kernel[0]; ++ky) {
            for (std::int64_t kx = 0; kx < window.kernel[1]; ++kx) {
                const std::int64_t y = oy * window.strides[0] - v.before + ky;
                const std::int64_t xx = ox * window.strides[1] - h.before + kx;
                const bool in_input = inside(y, x.size(2)) && inside(xx, x.size(3));
                const bool in_padded = y < x.size(2) + v.after && xx < x.size(3) + h.after;
                const bool counted = with_pad ? with_beyond || in_padded : in_input;
                if (counted) counts.at(n, c, oy, ox) += 1;
                if (in_input) result.at(n, c, oy, ox) += x.at(n, c, y, xx);
            }
        }
    });
    return result;
}

Array axis_sums(const Array& x, const std::vector<bool>& axes) {
    Shape shape = x.shape;
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = axes[i] ? 1 : shape[i];
    Array result(shape);
    for (std::size_t i = 0; i < x.values.size(); ++i) {
        Shape at = place(static_cast<std::int64_t>(i), x.shape);
        for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] = axes[axis] ? 0 : at[axis];
        result.values[index(at, shape)] += x.values[i];
    }
    return result;
}

Array pad(const Array& x, const Shape& amounts, Border border,
          const std::vector<long double>& constants) {
    Shape shape = x.shape;
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] += amounts[2 * i] + amounts[2 * i + 1];
    Array result(shape);
    for (std::size_t i = 0; i < result.values.size(); ++i) {
        Shape at = place(static_cast<std::int64_t>(i), shape);
        long double& value = result.values[i];
        bool is_outside = false;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            const std::int64_t last = x.shape[axis] - 1;
            at[axis] -= amounts[2 * axis];
            if (inside(at[axis], last + 1)) continue;
            const bool is_front = at[axis] < 0;
            // Positions outside the input have the constant; the last such axis determines it.
            value = constants.empty() ? 0 : constants[2 * axis + (is_front ? 0 : 1)];
            is_outside = true;
            const std::int64_t skip = border == Border::kReflect ? 0 : 1;
            at[axis] = is_front ? -at[axis] - skip : 2 * last - at[axis] + skip;
        }
        if (!is_outside || border != Border::kConstant) value = x.values[index(at, x.shape)];
    }
    return result;
}

Array concat(const std::vector<Array>& parts, std::size_t axis) {
    Shape shape = parts[0].shape;
    for (std::size_t i = 1; i < parts.size(); ++i) shape[axis] += parts[i].shape[axis];
    Array result(shape);
    std::int64_t first = 0;
    for (const Array& part : parts) {
        for (std::size_t i = 0; i < part.values.size(); ++i) {
            Shape at = place(static_cast<std::int64_t>(i), part.shape);
            at[axis] += first;
            result.values[index(at, shape)] = part.values[i];
        }
        first += part.shape[axis];
    }
    return result;
}

Array tile(const Array& x, const Shape& multiples) {
    Shape shape = x.shape;
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] *= multiples[i];
    Array result(shape);
    for (std::size_t i = 0; i < result.values.size(); ++i) {
        Shape at = place(static_cast<std::int64_t>(i), shape);
        for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] %= x.shape[axis];
        result.values[i] = x.values[index(at, x.shape)];
    }
    return result;
}

Array reorg(const Array& x, std::int64_t s, bool is_reverse) {
    const std::int64_t n = x.size(0);
    // On the side with many channels, C, H, W of the formula are those of the other side.
    const std::int64_t c = is_reverse ? x.size(1) / (s * s) : x.size(1);
    const std::int64_t h = is_reverse ? x.size(2) * s : x.size(2);
    const std::int64_t w = is_reverse ? x.size(3) * s : x.size(3);
    Array result(is_reverse ? Shape{n, c, h, w} : Shape{n, c * s * s, h / s, w / s});
    const Shape small{n, c, h, w}, big{n, c / (s * s), h * s, w * s};
    for_each(small, [&](auto b, auto k, auto y, auto xx) {
        const std::int64_t offset = k / (c / (s * s));
        const std::size_t at_small = index({b, k, y, xx}, small);
        const std::size_t at_big =
            index({b, k % (c / (s * s)), y * s + offset / s, xx * s + offset % s}, big);
        if (is_reverse) {
            result.values[at_big] = x.values[at_small];
        } else {
            result.values[at_small] = x.values[at_big];
        }
    });
    return result;
}

namespace {

long double interpolated(const Array& x, std::int64_t n, std::int64_t c, long double y,
                         long double xx) {
    const auto limited = [](long double at, std::int64_t size) {
        return std::min(std::max(at, 0.0L), static_cast<long double>(size - 1));
    };
    y = limited(y, x.size(2));
    xx = limited(xx, x.size(3));
    const auto y0 = static_cast<std::int64_t>(y), x0 = static_cast<std::int64_t>(xx);
    const std::int64_t y1 = std::min(y0 + 1, x.size(2) - 1), x1 = std::min(x0 + 1, x.size(3) - 1);
    const long double fy = y - static_cast<long double>(y0), fx = xx - static_cast<long double>(x0);
    return (1 - fy) * ((1 - fx) * x.at(n, c, y0, x0) + fx * x.at(n, c, y0, x1)) +
           fy * ((1 - fx) * x.at(n, c, y1, x0) + fx * x.at(n, c, y1, x1));
}

}  // namespace

Array upsample(const Array& x, std::array<std::int64_t, 2> factors, bool is_bilinear) {
    Array result({x.size(0), x.size(1), x.size(2) * factors[0], x.size(3) * factors[1]});
    for_each(result.shape, [&](auto n, auto c, auto y, auto xx) {
        const long double sy =
            (static_cast<long double>(y) + 0.5L) / static_cast<long double>(factors[0]) - 0.5L;
        const long double sx =
            (static_cast<long double>(xx) + 0.5L) / static_cast<long double>(factors[1]) - 0.5L;
        result.at(n, c, y, xx) = is_bilinear ? interpolated(x, n, c, sy, sx)
                                             : x.at(n, c, y / factors[0], xx / factors[1]);
    });
    return result;
}

Array downsample(const Array& x, std::array<std::int64_t, 2> factors, bool is_bilinear) {
    Array result({x.size(0), x.size(1), x.size(2) / factors[0], x.size(3) / factors[1]});
    for_each(result.shape, [&](auto n, auto c, auto y, auto xx) {
        const auto fy = static_cast<long double>(factors[0]);
        const auto fx = static_cast<long double>(factors[1]);
        result.at(n, c, y, xx) =
            is_bilinear ? interpolated(x, n, c, (static_cast<long double>(y) + 0.5L) * fy - 0.5L,
                                       (static_cast<long double>(xx) + 0.5L) * fx - 0.5L)
                        : x.at(n, c, y * factors[0], xx * factors[1]);
    });
    return result;
}

long double rounded(long double value, const std::string& mode) {
    if (mode == "STD_ROUND") return std::round(value);
    if (mode == "PY3_ROUND") {
        const long double low = std::floor(value), rest = value - low;
        const bool is_odd = std::fmod(low, 2.0L) != 0;
        return rest > 0.5L || (rest == 0.5L && is_odd) ? low + 1 : low;
    }
    return std::floor(value + 0.5L);
}

}  // namespace okksim::reference::oplib
