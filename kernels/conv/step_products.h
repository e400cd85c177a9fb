// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernels/conv/accumulator.h"
#include "kernels/conv/step.h"

namespace okksim::kernels::conv {

/// Commands of the compute engine in a step, without those of the sums.
class StepProducts {
 public:
    StepProducts(const Problem& problem, const Tiling& tiling, prim::Scratch& scratch)
        : problem_(problem), tiling_(tiling), scratch_(scratch), lanes_(scratch.lanes()) {}

    /// Addresses of a tile as loaded and of its words for products. They are equal if no plane is
    /// needed.
    struct Place {
        local_addr_t packed = 0;
        local_addr_t words = 0;
    };
    void widen_weights(const Step& step, const Place& place) const;
    void widen_input(const Step& step, const Place& place) const;

    /// Adds all products of the step to `sums`, whose tile is `to`. `partial` is a plane of the
    /// same shape, for sums that a command cannot add directly.
    void add(const Step& step, local_addr_t input, local_addr_t weights, Accumulator& sums,
             const prim::LocalTensor& to, const prim::LocalTensor& partial) const;

 private:
    void convolve(const Step& step, const Range& channels, local_addr_t input, local_addr_t weights,
                  const prim::LocalTensor& to, bool add, std::optional<local_addr_t> bias) const;
    /// Convolves a tile of fp16 or bf16 with all of its channels.
    void convolve_halves(const Step& step, local_addr_t input, local_addr_t weights,
                         const prim::LocalTensor& to, bool add,
                         std::optional<local_addr_t> bias) const;
    void convolve_depthwise(const Step& step, local_addr_t input, local_addr_t weights,
                            const prim::LocalTensor& to, std::optional<local_addr_t> bias) const;
    void add_channels(const Step& step, local_addr_t input, local_addr_t weights, Accumulator& sums,
                      const prim::LocalTensor& to) const;
    /// Strides of the weights of a tile for commands, in units of 64 bits, and bytes per image.
    struct WeightPlaces {
        dim4 stride;
        local_addr_t image_bytes;
    };
    WeightPlaces weight_places(const Step& step, int element_bytes) const;
    Padding padding(const Step& step) const;
    dim2 steps() const;
    dim2 spacings(const Step& step) const;

    const Problem& problem_;
    const Tiling& tiling_;
    prim::Scratch& scratch_;
    Lanes lanes_;
};

}  // namespace okksim::kernels::conv
