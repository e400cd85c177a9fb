// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <optional>

#include "kernels/conv/bias_parts.h"
#include "kernels/conv/epilogue_run.h"
#include "kernels/conv/sum_rule.h"
#include "kernels/prim/exact_sum.h"
#include "kernels/prim/local_tensor.h"

namespace okksim::kernels::conv {

/// Sums one output tile at a time.
class Accumulator {
 public:
    struct Buffers {
        prim::LocalTensor sum;  ///< sums of passes, aligned layout
        std::optional<prim::LocalTensor> high, low, top;
        /// Tiles of tensors that the epilogue reads.
        boost::container::static_vector<prim::LocalTensor, kMaxOperands> operands;
        local_addr_t result = 0;  ///< what is stored: packed elements or words
        /// Receives sign bits if a sum does not fit; present if the rule has a check.
        std::optional<prim::LocalTensor> violations;
    };
    Accumulator(const SumRule& rule, const BiasParts& bias, const EpilogueRun& epilogue,
                prim::Scratch& scratch)
        : rule_(rule), bias_(bias), epilogue_(epilogue), scratch_(scratch) {}

    /// Starts a tile whose first channel is `first_channel`.
    void begin(const Buffers& buffers, std::int32_t first_channel);
    /// Input channels (an even number unless all) whose products with `taps` taps one command may
    /// add exactly.
    std::int32_t exact_channels(std::int64_t taps, std::int32_t all) const;
    /// Adds `terms` products per output by one command. issue(add, bias) writes sums of products to
    /// the tile. `add`: they are added to its contents. `bias`: address of a bias vector to add, if
    /// any.
    template <typename Issue>
    void add(std::int64_t terms, const Issue& issue) {
        const std::optional<local_addr_t> bias = begin_products(terms);
        issue(open_, bias);
        pass_terms_ += terms;
        open_ = true;
        started_ = true;
    }
    /// Ends the exact pass: the next products have other units.
    void end_pass();
    /// Completes the tile in Buffers::result.
    void finish();

 private:
    /// Reserves room for `terms` products in the pass. Returns the bias to add with them, if any.
    std::optional<local_addr_t> begin_products(std::int64_t terms);
    prim::ExactSum parts() const;
    void finish_int32();
    void finish_scaled();
    void add_parts_of_bias(int parts);
    void add_upper_half_of_bias();
    const prim::LocalTensor* violations() const {
        return buffers_.violations ? &*buffers_.violations : nullptr;
    }
    void finish_int48();
    void add_bias(const prim::LocalTensor& to, int part);

    const SumRule& rule_;
    const BiasParts& bias_;
    const EpilogueRun& epilogue_;
    prim::Scratch& scratch_;
    Buffers buffers_;
    std::int32_t first_channel_ = 0;
    std::int64_t pass_terms_ = 0;
    std::int64_t passes_ = 0;
    bool open_ = false;     ///< the pass has products
    bool started_ = false;  ///< the tile has products
};

}  // namespace okksim::kernels::conv
