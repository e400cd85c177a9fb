// SPDX-License-Identifier: Apache-2.0
// Padding, and data movement between blocks of pixels, channels and the batch.
#include <algorithm>

#include "sim/graph/compose/moves.h"
#include "sim/graph/tflite/tflite_lowering.h"
#include "sim/graph/tflite/tflite_numbers.h"

namespace okksim::sim::graph::tflite {

namespace {

/// Returns pairs of numbers for each dimension.
Shape known_pairs(const Call& call, std::size_t n, const char* what, std::size_t dimensions) {
    const Shape pairs = call.known_sizes(n, what);
    const bool is_negative = std::any_of(pairs.begin(), pairs.end(), [](auto x) { return x < 0; });
    if (pairs.size() != 2 * dimensions || is_negative) {
        call.illegal(what, shape_text(pairs),
                     "there are two numbers from 0 for each of " + std::to_string(dimensions) +
                         " dimensions");
    }
    return pairs;
}

}  // namespace

void Lowering::pad(const Call& call) {
    Value& x = call.input(0);
    const Shape padding = known_pairs(call, 1, "padding", x.rank());
    if (call.number == kPadv2 && element_count(call.input(2).shape) != std::uint64_t{1}) {
        call.illegal("value", shape_text(call.input(2).shape), "one value pads");
    }
    if (call.number == kPadv2 && !call.input(2).is_known) {
        return give_moved(call, compose::pad_with(ops_, t_.of(x), padding, t_.of(call.input(2))),
                          x);
    }
    double value = x.quantisation.exists() ? static_cast<double>(x.zero()) : 0;
    if (call.number == kPadv2) {
        const Value& given = call.input(2);
        const double shift = given.type == TensorType::UINT8 ? -128 : 0;
        value = given.is_real() ? static_cast<double>(known_reals(given).at(0))
                                : static_cast<double>(known_integers(given).at(0)) + shift;
    }
    give_moved(call, compose::pad(ops_, t_.of(x), padding, compose::PadMode::kConstant, value), x);
}

void Lowering::mirror_pad(const Call& call) {
    Value& x = call.input(0);
    const Shape padding = known_pairs(call, 1, "padding", x.rank());
    const bool repeats =
        call.options<wire::MirrorPadOptions>().mode() == wire::MirrorPadMode::SYMMETRIC;
    for (std::size_t i = 0; i < padding.size(); ++i) {
        if (padding[i] > x.shape[i / 2] - (repeats ? 0 : 1)) {
            call.illegal("padding", shape_text(padding),
                         "the mirrored part is inside " + shape_text(x.shape));
        }
    }
    const auto mode = repeats ? compose::PadMode::kSymmetric : compose::PadMode::kReflect;
    give_moved(call, compose::pad(ops_, t_.of(x), padding, mode), x);
}

void Lowering::space_to_depth(const Call& call) {
    Value& x = call.input(0);
    call.require_rank(x, 4);
    const std::int64_t block = call.needed_options<wire::SpaceToDepthOptions>().block_size();
    if (block < 1 || x.shape[1] % block != 0 || x.shape[2] % block != 0) {
        call.illegal("block_size", std::to_string(block),
                     "height and width of " + shape_text(x.shape) + " are multiples of it");
    }
    give_moved(call, compose::space_to_depth(ops_, t_.of(x), block, 3), x);
}

void Lowering::depth_to_space(const Call& call) {
    Value& x = call.input(0);
    call.require_rank(x, 4);
    const std::int64_t block = call.needed_options<wire::DepthToSpaceOptions>().block_size();
    if (block < 1 || block > (1 << 15) || x.shape[3] % (block * block) != 0) {
        call.illegal("block_size", std::to_string(block),
                     "the channels of " + shape_text(x.shape) + " are a multiple of its square");
    }
    give_moved(call, compose::depth_to_space(ops_, t_.of(x), block, compose::BlockOrder::kDcr, 3),
               x);
}

void Lowering::space_to_batch(const Call& call) {
    Value& x = call.input(0);
    const std::vector<std::int64_t> block = call.known_sizes(1, "a block shape");
    const Shape padding = known_pairs(call, 2, "paddings", block.size());
    for (std::size_t i = 0; i < block.size(); ++i) {
        const bool exists = block[i] > 0 && i + 1 < x.rank();
        if (!exists || (x.shape[i + 1] + padding[2 * i] + padding[2 * i + 1]) % block[i] != 0) {
            call.illegal("block shape", shape_text(block),
                         "the padded dimensions of " + shape_text(x.shape) +
                             " after the batch are multiples of it");
        }
    }
    const double zero = x.quantisation.exists() ? static_cast<double>(x.zero()) : 0;
    give_moved(call, compose::space_to_batch_nd(ops_, t_.of(x), block, padding, zero), x);
}

void Lowering::batch_to_space(const Call& call) {
    Value& x = call.input(0);
    const std::vector<std::int64_t> block = call.known_sizes(1, "a block shape");
    const Shape crops = known_pairs(call, 2, "crops", block.size());
    std::int64_t product = 1;
    bool fits = block.size() < x.rank();
    for (std::size_t i = 0; fits && i < block.size(); ++i) {
        fits = block[i] > 0 && block[i] <= x.shape[0] &&
               crops[2 * i] + crops[2 * i + 1] < x.shape[i + 1] * block[i];
        product = fits ? std::min<std::int64_t>(product * block[i], x.shape[0] + 1) : 0;
    }
    if (!fits || x.shape[0] % product != 0) {
        call.illegal("block shape", shape_text(block),
                     "its product divides the batch of " + shape_text(x.shape) +
                         ", and the crops leave a result");
    }
    give_moved(call, compose::batch_to_space_nd(ops_, t_.of(x), block, crops), x);
}

}  // namespace okksim::sim::graph::tflite
