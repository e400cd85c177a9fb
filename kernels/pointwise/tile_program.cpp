// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/tile_program.h"

#include <algorithm>

#include "isa/base/errors.h"

namespace okksim::kernels {
namespace {

/// The last follower that reads each value; values count from 0, the first operator's result.
std::vector<int> last_readers(std::span<const Follower> followers) {
    std::vector<int> last(followers.size() + 1, -1);
    for (std::size_t i = 0; i < followers.size(); ++i) {
        for (const int value : followers[i].operands) {
            if (value == Follower::kStored) continue;
            last[static_cast<std::size_t>(value)] = static_cast<int>(i);
        }
    }
    return last;
}

/// Values held by the planes.
class Planes {
 public:
    explicit Planes(std::vector<int> last_readers) : last_readers_(std::move(last_readers)) {}

    int of(int value) const {
        const auto at = std::find(values_.begin(), values_.end(), value);
        OKKSIM_CHECK(at != values_.end());
        return static_cast<int>(at - values_.begin());
    }
    /// Assigns the result of follower `reader` to the first plane whose value has no later reader.
    int place(int value, int reader) {
        const auto is_free = [&](int old) {
            return last_readers_[static_cast<std::size_t>(old)] <= reader;
        };
        const auto at = std::find_if(values_.begin(), values_.end(), is_free);
        const auto plane = static_cast<std::size_t>(at - values_.begin());
        if (at == values_.end()) values_.emplace_back();
        values_[plane] = value;
        return static_cast<int>(plane);
    }
    int count() const { return static_cast<int>(values_.size()); }

 private:
    std::vector<int> last_readers_;
    std::vector<int> values_{0};  ///< by plane
};

}  // namespace

TileProgram::TileProgram(std::span<const Follower> followers) {
    if (followers.empty()) return;
    steps_.reserve(followers.size());
    Planes planes(last_readers(followers));
    for (std::size_t i = 0; i < followers.size(); ++i) {
        const Follower& follower = followers[i];
        std::optional<FloatBody> body =
            float_body(follower.op, *follower.attributes, follower.output.type);
        OKKSIM_CHECK(body.has_value());
        Step step{*std::move(body), {}, 0};
        for (std::size_t k = 0; k < follower.operands.size(); ++k) {
            const bool is_stored = follower.operands[k] == Follower::kStored;
            step.operands.push_back(is_stored ? ~static_cast<int>(stored_.size())
                                              : planes.of(follower.operands[k]));
            if (is_stored) stored_.push_back(follower.inputs[k]);
        }
        step.result = planes.place(static_cast<int>(i) + 1, static_cast<int>(i));
        steps_.push_back(std::move(step));
    }
    // Only the tile's owner reads the last result; all other planes are free by then.
    OKKSIM_CHECK(steps_.back().result == 0);
    value_planes_ = planes.count() - 1;
}

int TileProgram::planes() const {
    int most = 0;
    for (const Step& step : steps_) most = std::max(most, step.body.planes);
    return most + value_planes_;
}

void TileProgram::run(const prim::LocalTensor& tile, std::span<const prim::LocalTensor> stored,
                      prim::Scratch& scratch) const {
    OKKSIM_CHECK(stored.size() == stored_.size());
    if (steps_.empty()) return;
    prim::Scratch::Frame frame(scratch);
    std::vector<prim::LocalTensor> planes;
    planes.reserve(static_cast<std::size_t>(value_planes_) + 1);
    planes.push_back(tile);
    for (int i = 0; i < value_planes_; ++i) planes.push_back(frame.plane(tile.shape));
    for (const Step& step : steps_) {
        boost::container::static_vector<prim::LocalTensor, kMaxOperands> operands;
        for (const int plane : step.operands) {
            operands.push_back(plane < 0 ? stored[static_cast<std::size_t>(~plane)]
                                         : planes[static_cast<std::size_t>(plane)]);
        }
        step.body.run(planes[static_cast<std::size_t>(step.result)],
                      {operands.data(), operands.size()}, scratch);
    }
}

}  // namespace okksim::kernels
