// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "firmware/okk.h"

namespace okksim::kernels {

/// Runs steps so that data movement and computation overlap. `Stages` has load(step, buffer) and
/// store(step, buffer), which issue only GDMA commands. compute(step, buffer) issues only compute
/// commands. The buffers of a step and the next are 0 and 1.
template <typename Step, typename Stages>
class TilePipeline {
 public:
    explicit TilePipeline(Stages& stages) : stages_(stages) {}

    void push(const Step& step) {
        if (computing_) {
            const Stage next{step, 1 - computing_->buffer};
            advance(&next);
        } else {
            computing_ = Stage{step, 0};
            stages_.load(step, 0);
        }
    }
    /// Completes the last step and leaves the engines in serial mode.
    void finish() {
        if (!computing_) return;
        advance(nullptr);
        stages_.store(storing_->step, storing_->buffer);
    }

 private:
    struct Stage {
        Step step;
        int buffer = 0;
    };

    void advance(const Stage* next) {
        const bool overlaps = storing_ || next != nullptr;
        if (overlaps) okk_parallel_start();
        if (storing_) stages_.store(storing_->step, storing_->buffer);
        if (next != nullptr) stages_.load(next->step, next->buffer);
        stages_.compute(computing_->step, computing_->buffer);
        if (overlaps) okk_parallel_end();
        storing_ = computing_;
        if (next != nullptr) computing_ = *next;
    }

    Stages& stages_;
    std::optional<Stage> computing_;
    std::optional<Stage> storing_;
};

}  // namespace okksim::kernels
