// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_slices.h"

namespace okksim::sim::graph::tflite {

namespace {

class Planner {
 public:
    Planner(const Call& call, const Shape& operand)
        : call_(call),
          options_(call.options<wire::StridedSliceOptions>()),
          operand_(operand),
          begin_(call.known_sizes(1, "a begin")),
          end_(call.known(2, "an end")),
          step_(call.known_sizes(3, "strides")) {}

    SlicePlan plan() {
        if (begin_.size() != end_.size() || begin_.size() != step_.size() ||
            begin_.size() > kMaxDimensions) {
            call_.illegal("begin", shape_text(begin_), "begin, end and strides have one length");
        }
        for (std::size_t i = 0; i < begin_.size(); ++i) add_entry(i);
        while (plan_.ranges.size() < operand_.size()) add_all();
        return std::move(plan_);
    }

 private:
    static bool has(std::int32_t mask, std::size_t i) {
        return (static_cast<std::uint32_t>(mask) >> i & 1U) != 0;
    }

    void add(const compose::SliceRange& range, bool keeps) {
        const std::int64_t size = operand_[plan_.ranges.size()];
        const compose::SliceElements elements = compose::slice_elements(range, size);
        plan_.ranges.push_back(range);
        plan_.elements.push_back(elements);
        if (keeps) plan_.shape.push_back(elements.count);
    }

    void add_all() { add({}, true); }

    /// Returns the number of dimensions that the entries after `i` name.
    std::size_t named_after(std::size_t i) const {
        std::size_t count = 0;
        for (std::size_t n = i + 1; n < begin_.size(); ++n) {
            count += has(options_.new_axis_mask(), n) ? 0 : 1;
        }
        return count;
    }

    void add_entry(std::size_t i) {
        if (has(options_.ellipsis_mask(), i)) {
            while (plan_.ranges.size() + named_after(i) < operand_.size()) add_all();
            return;
        }
        if (has(options_.new_axis_mask(), i)) {
            plan_.shape.push_back(1);
            return;
        }
        if (plan_.ranges.size() >= operand_.size()) {
            call_.illegal("begin", shape_text(begin_),
                          "there is at most one entry per dimension of " + shape_text(operand_));
        }
        const std::int64_t size = operand_[plan_.ranges.size()];
        if (has(options_.shrink_axis_mask(), i)) {
            const std::int64_t at = begin_[i] < 0 ? begin_[i] + size : begin_[i];
            if (at < 0 || at >= size) {
                call_.illegal("begin", std::to_string(begin_[i]),
                              "the element is inside a dimension of " + std::to_string(size));
            }
            return add({at, at + 1, 1}, false);
        }
        if (step_[i] == 0) call_.illegal("strides", "0", "strides are not 0");
        compose::SliceRange range{begin_[i], end_[i], step_[i]};
        // With `offset`, the end counts from begin.
        if (options_.offset() && end_[i] <= INT32_MAX) range.end = begin_[i] + end_[i];
        if (has(options_.begin_mask(), i)) range.start = step_[i] > 0 ? 0 : INT64_MAX;
        if (has(options_.end_mask(), i)) range.end = step_[i] > 0 ? INT64_MAX : INT64_MIN;
        add(range, true);
    }

    const Call& call_;
    const wire::StridedSliceOptions& options_;
    const Shape& operand_;
    Shape begin_, end_, step_;
    SlicePlan plan_;
};

}  // namespace

SlicePlan plan_slice(const Call& call, const Shape& operand) {
    return Planner(call, operand).plan();
}

}  // namespace okksim::sim::graph::tflite
