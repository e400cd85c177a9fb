// SPDX-License-Identifier: Apache-2.0
#include "sim/why/operand_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/base/hex.h"
#include "isa/layer_form.h"
#include "models/memory/element_places.h"

namespace okksim::sim::why {
namespace {

using isa::Dim4;
using isa::narrow;

/// Collects elements of one operand.
class Collector {
 public:
    Collector(const isa::TensorView& view, const isa::MachineShape& machine, std::size_t most)
        : view_(view), machine_(machine), most_(most) {}

    /// Adds an element of the operand; coordinates outside the operand are padding.
    void add(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
        const Dim4& shape = view_.shape;
        if (n < 0 || c < 0 || h < 0 || w < 0) return;
        if (n >= shape.n || c >= shape.c || h >= shape.h || w >= shape.w) return;
        add(place_of(view_, {narrow(n), narrow(c), narrow(h), narrow(w)}, machine_));
    }
    void add(const Place& place) {
        if (places_.size() < most_) places_.push_back(place);
    }
    std::vector<Place> take() { return std::move(places_); }

 private:
    const isa::TensorView& view_;
    const isa::MachineShape& machine_;
    std::size_t most_;
    std::vector<Place> places_;
};

/// Adds the elements in the window of a result.
template <typename Form>
void add_window(const Form& form, const isa::Dim2& dilation, const Dim4& at, std::int64_t c,
                Collector& collector) {
    for (std::int64_t y = 0; y < form.kernel_h; ++y) {
        for (std::int64_t x = 0; x < form.kernel_w; ++x) {
            collector.add(at.n, c,
                          std::int64_t{at.h} * form.stride.h - form.padding.top + y * dilation.h,
                          std::int64_t{at.w} * form.stride.w - form.padding.left + x * dilation.w);
        }
    }
}

bool is(const isa::TensorView& view, const char* operand) {
    return std::strcmp(view.operand, operand) == 0;
}

/// `in_unit` is the number of adjacent input channels in a unit of weights.
template <typename Form>
void add_convolution(const Form& form, std::int32_t in_unit, const isa::TensorView& view,
                     const Dim4& at, const isa::MachineShape& machine, Collector& collector) {
    if (is(view, "input_addr")) {
        for (std::int64_t c = 0; c < form.input_shape.c; ++c) {
            add_window(form, form.dilation, at, c, collector);
        }
    } else if (is(view, "weight_addr")) {
        for (std::int32_t c = 0; c < form.input_shape.c; ++c) {
            for (std::int32_t y = 0; y < form.kernel_h; ++y) {
                for (std::int32_t x = 0; x < form.kernel_w; ++x) {
                    Place place = place_of(view, {c / in_unit, at.c, y, x}, machine);
                    place.bytes = view.element_bytes / in_unit;
                    place.at += c % in_unit * place.bytes;
                    collector.add(place);
                }
            }
        }
    } else {
        collector.add(0, at.c, 0, 0);
    }
}

/// Adds a channel's factors or biases, which are adjacent.
void add_per_channel(const isa::TensorView& view, const Dim4& at, Collector& collector) {
    for (std::int32_t w = 0; w < view.shape.w; ++w) collector.add(0, at.c, 0, w);
}

void add_int_convolution(const isa::IntConvolution& form, const isa::TensorView& view,
                         const Dim4& at, Collector& collector) {
    if (is(view, "input_addr")) {
        for (std::int64_t c = 0; c < form.input_shape.c; ++c) {
            add_window(form, form.dilation, at, c, collector);
        }
    } else if (is(view, "weight_addr")) {
        for (std::int32_t quad = 0; quad < view.shape.n; ++quad) {
            for (std::int32_t y = 0; y < form.kernel_h; ++y) {
                for (std::int32_t x = 0; x < form.kernel_w; ++x) collector.add(quad, at.c, y, x);
            }
        }
    } else {
        add_per_channel(view, at, collector);
    }
}

/// Adds weights, biases and factors of the result's channel.
template <typename Form>
void add_depthwise(const Form& form, const isa::TensorView& view, const Dim4& at,
                   Collector& collector) {
    if (is(view, "input_addr")) return add_window(form, form.dilation, at, at.c, collector);
    for (std::int32_t y = 0; y < view.shape.h; ++y) {
        for (std::int32_t x = 0; x < view.shape.w; ++x) collector.add(0, at.c, y, x);
    }
}

void add_product(const isa::MatrixMultiply& form, const isa::TensorView& view, const Dim4& at,
                 Collector& collector) {
    const std::int64_t column = std::int64_t{at.c} * form.right_cols_per_channel + at.w;
    const std::int64_t left = std::min(form.left_cols_per_channel, form.left_cols);
    if (is(view, "left_addr")) {
        for (std::int64_t k = 0; k < form.left_cols; ++k) {
            collector.add(at.n, k / left, 0, k % left);
        }
    } else if (is(view, "right_addr")) {
        for (std::int64_t k = 0; k < form.left_cols; ++k) collector.add(k, at.c, 0, at.w);
    } else {
        collector.add(0, column / form.right_cols_per_channel, 0,
                      column % form.right_cols_per_channel);
    }
}

/// Adds the source of a move between rows in system memory and a matrix layout in local memory.
void add_moved(const isa::TensorView& from, const isa::TensorView& to, const Dim4& at,
               Collector& collector) {
    const std::int64_t column = std::int64_t{at.c} * to.shape.w + at.w;
    collector.add(at.n, column / from.shape.w, 0, column % from.shape.w);
}

}  // namespace

std::string Place::text() const {
    if (local)
        return fmt::format("lane {}, byte {}", lane, isa::hex(static_cast<std::uint64_t>(at)));
    return isa::hex(static_cast<std::uint64_t>(at));
}

Place place_of(const isa::TensorView& view, const Dim4& index, const isa::MachineShape& machine) {
    const models::ElementPlace place = models::place_of(view, index, machine);
    return {view.local, place.lane, place.at, view.element_bytes};
}

std::optional<Dim4> element_at(const isa::TensorView& view, const Place& place,
                               const isa::MachineShape& machine) {
    if (view.local != place.local) return std::nullopt;
    const std::int64_t step = std::int64_t{view.stride.w} * view.element_bytes;
    const std::int32_t rows = view.stride.h == 0 ? 1 : view.shape.h;
    const std::int32_t batches = view.stride.n == 0 ? 1 : view.shape.n;
    const bool has_free_columns = view.last_channel_w != 0 && !view.computes_last_channel;
    for (std::int32_t c = 0; c < view.shape.c; ++c) {
        if (place_of(view, {0, c, 0, 0}, machine).lane != place.lane) continue;
        const std::int32_t columns =
            has_free_columns && c == view.shape.c - 1 ? view.last_channel_w : view.shape.w;
        for (std::int32_t n = 0; n < batches; ++n) {
            for (std::int32_t h = 0; h < rows; ++h) {
                const std::int64_t rest = place.at - place_of(view, {n, c, h, 0}, machine).at;
                const std::int64_t w =
                    step == 0 ? 0 : (rest - (step < 0 ? view.element_bytes - 1 : 0)) / step;
                const std::int64_t inside = rest - w * step;
                if (w >= 0 && w < columns && inside >= 0 && inside < view.element_bytes) {
                    return Dim4{n, c, h, narrow(w)};
                }
            }
        }
    }
    return std::nullopt;
}

/// Adds the sources of a gather or scatter. The row depends on the values of the list, so all rows
/// of the column count.
void add_listed(const isa::TensorView& view, bool gathers, const Dim4& at, Collector& collector) {
    const bool is_list = is(view, "index_addr");
    if (gathers && is_list) return collector.add(at.n, at.c, 0, 0);
    for (std::int32_t row = 0; row < view.shape.c; ++row) {
        collector.add(at.n, row, is_list ? 0 : at.h, is_list ? 0 : at.w);
    }
}

std::vector<Place> sources_of(const isa::Command& command, const isa::TensorViews& views,
                              int source, const Dim4& index, const isa::MachineShape& machine,
                              std::size_t most) {
    const isa::TensorView& view = views[source];
    Collector collector(view, machine, most);
    const isa::Form form = command.info().form;
    const bool gathers = form == isa::Form::kGdmaGather;
    if (source != 0 && (gathers || form == isa::Form::kGdmaScatter)) {
        add_listed(view, gathers, index, collector);
    } else if (source == 0 || (!isa::is_layer(form) && view.shape == views[0].shape)) {
        // The old value of the result, or an element-wise operand.
        collector.add(index.n, index.c, index.h, index.w);
    } else if (form == isa::Form::kConvolution) {
        add_convolution(command.as<isa::Convolution>(), 2, view, index, machine, collector);
    } else if (form == isa::Form::kHalfConvolution) {
        add_convolution(command.as<isa::HalfConvolution>(), 4, view, index, machine, collector);
    } else if (form == isa::Form::kHalfDepthwise) {
        add_depthwise(command.as<isa::HalfDepthwise>(), view, index, collector);
    } else if (form == isa::Form::kDepthwise) {
        add_depthwise(command.as<isa::Depthwise>(), view, index, collector);
    } else if (form == isa::Form::kPool) {
        add_window(command.as<isa::Pool>(), {1, 1}, index, index.c, collector);
    } else if (form == isa::Form::kPoolScaled) {
        add_window(command.as<isa::PoolScaled>(), {1, 1}, index, index.c, collector);
    } else if (form == isa::Form::kIntConvolution) {
        add_int_convolution(command.as<isa::IntConvolution>(), view, index, collector);
    } else if (form == isa::Form::kIntDepthwise) {
        add_depthwise(command.as<isa::IntDepthwise>(), view, index, collector);
    } else if (form == isa::Form::kIntMaxPool) {
        add_window(command.as<isa::IntMaxPool>(), {1, 1}, index, index.c, collector);
    } else if (is(view, "table_addr")) {
        // The entry depends on the input's value, so all entries of the lane count.
        for (std::int32_t w = 0; w < view.shape.w; ++w) {
            collector.add(0, index.c % view.shape.c, 0, w);
        }
    } else if (form == isa::Form::kMatrixMultiply) {
        add_product(command.as<isa::MatrixMultiply>(), view, index, collector);
    } else if (form == isa::Form::kGdmaMatrixToLocal || form == isa::Form::kGdmaMatrixToSystem) {
        add_moved(view, views[0], index, collector);
    } else {
        collector.add(0, index.c, 0, 0);  // one value per channel
    }
    return collector.take();
}

}  // namespace okksim::sim::why
