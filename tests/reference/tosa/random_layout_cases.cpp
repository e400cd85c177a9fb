// SPDX-License-Identifier: Apache-2.0
// Operators that move elements: sections 2.10 and 2.11.
#include <algorithm>
#include <numeric>

#include "tests/reference/tosa/case_maker.h"

namespace okksim::tests {

void CaseMaker::make_concat() {
    Shape in = shape(rank(1)), out = in;
    std::vector<TensorIndex> operands;
    const std::int32_t axis = axis_of(in);
    const auto at = static_cast<std::size_t>(axis);
    out[at] = 0;
    for (std::int64_t i = random_.between(1, 4); i > 0; --i) {
        in[at] = extent(20);
        out[at] += in[at];
        operands.push_back(input(in_type(), in, {}));
    }
    finish(tosa::ConcatAttributes{axis}, operands, in_type(), out);
}

/// A random order of the dimensions.
std::vector<std::int32_t> CaseMaker::random_perms(std::size_t rank) {
    std::vector<std::int32_t> perms(rank);
    std::iota(perms.begin(), perms.end(), 0);
    for (std::size_t i = rank; i > 1; --i) {
        const auto other = static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(i)));
        std::swap(perms[i - 1], perms[other]);
    }
    for (const std::int32_t dim : perms) say(std::to_string(dim));
    return perms;
}

void CaseMaker::make_layout() {
    Shape in = shape(rank(1)), out = in;
    Domain domain;
    domain.specials = true;
    std::vector<TensorIndex> operands{input(in_type(), in, domain)};
    std::vector<std::int64_t> first;
    tosa::Attributes attributes = tosa::NoAttributes{};
    switch (op_) {
        case OpCode::kPad:
            for (std::int64_t& extent : out) {
                for (int side = 0; side < 2; ++side) {
                    first.push_back(random_.below(4));
                    extent += first.back();
                }
            }
            operands.push_back(builder_.shape_value(first));
            operands.push_back(constant(random_value(in_type(), {1}, {}, random_)));
            break;
        case OpCode::kReshape: {
            std::int64_t count = reference::elements(in);
            out.clear();
            for (std::int64_t d = 2; d <= 7 && out.size() < 5; ++d) {
                if (count % d == 0 && random_.one_in(2)) out.push_back(d), count /= d;
            }
            out.insert(out.begin() + random_.below(static_cast<std::int64_t>(out.size()) + 1),
                       count);
            operands.push_back(builder_.shape_value(out));
            break;
        }
        case OpCode::kReverse: attributes = tosa::ReverseAttributes{axis_of(in)}; break;
        case OpCode::kSlice:
            for (std::int64_t& extent : out) {
                first.push_back(random_.below(extent));
                extent = random_.between(1, extent - first.back());
            }
            operands.push_back(builder_.shape_value(first));
            operands.push_back(builder_.shape_value(out));
            break;
        case OpCode::kTile:
            for (std::int64_t& extent : out) {
                first.push_back(random_.between(1, random_.one_in(2) ? 3 : 1));
                extent *= first.back();
            }
            operands.push_back(builder_.shape_value(first));
            break;
        default: {
            const std::vector<std::int32_t> perms = random_perms(in.size());
            for (std::size_t i = 0; i < perms.size(); ++i) {
                out[i] = in[static_cast<std::size_t>(perms[i])];
            }
            attributes = tosa::TransposeAttributes{perms};
        }
    }
    finish(attributes, operands, in_type(), out);
}

void CaseMaker::make_gather() {
    const std::int64_t batch = random_.between(1, 3), keys = extent(100), channels = extent(70);
    const bool scatter = op_ == OpCode::kScatter;
    const std::int64_t width = scatter ? random_.between(1, keys) : extent(100);
    Domain domain;
    domain.specials = true;
    const auto values = input(type(ArgumentType::kInOut), {batch, keys, channels}, domain);
    Value indices = reference::make_value(DType::kI32, {batch, width});
    std::vector<std::int64_t> order(static_cast<std::size_t>(keys));
    for (std::int64_t n = 0; n < batch; ++n) {
        std::iota(order.begin(), order.end(), 0);
        for (std::int64_t i = 0; i < width; ++i) {
            auto& index = indices.integer[static_cast<std::size_t>(n * width + i)];
            if (!scatter) {
                index = random_.below(keys);
                continue;
            }
            // No index twice.
            std::swap(order[static_cast<std::size_t>(i)],
                      order[static_cast<std::size_t>(random_.between(i, keys - 1))]);
            index = order[static_cast<std::size_t>(i)];
        }
    }
    const auto where = add_input(indices);
    if (!scatter) {
        finish(tosa::NoAttributes{}, {values, where}, type(ArgumentType::kInOut),
               {batch, width, channels});
        return;
    }
    const auto data = input(type(ArgumentType::kInOut), {batch, width, channels}, domain);
    finish(tosa::NoAttributes{}, {values, where, data}, type(ArgumentType::kInOut),
           {batch, keys, channels});
}

}  // namespace okksim::tests
