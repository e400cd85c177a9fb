// SPDX-License-Identifier: Apache-2.0
#include "models/memory/undefined_words.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "isa/layer_form.h"
#include "isa/layout.h"

namespace okksim::models {
namespace {

constexpr std::int64_t kWordBytes = isa::kWordBytes;
constexpr std::int64_t kMaskBits = SparseBits::kWordBits;
/// What stands in undefined words when a command is tried out, besides what they hold: zero, a NaN,
/// the least float.
constexpr std::uint32_t kTrialValues[] = {0, 0x7FC00001, 0xFF800000};

bool is_per_channel(const isa::Dim4& shape) { return shape.n == 1 && shape.h == 1 && shape.w == 1; }

/// Where the elements of a tensor lie; tensors with one value per channel repeat it.
class Elements {
 public:
    Elements(const isa::TensorView& view, const isa::MachineShape& machine, bool repeats)
        : view_(view), machine_(machine), repeats_(repeats) {}

    bool local() const { return view_.local; }
    std::int32_t lane(std::int32_t c) const {
        return (machine_.lane_of(view_.local_addr) + c) % machine_.lanes;
    }
    /// Byte in its lane, or address.
    std::int64_t place(std::int64_t n, std::int32_t c, std::int64_t h, std::int64_t w) const {
        if (repeats_) n = h = w = 0;
        const std::int64_t step = n * view_.stride.n + h * view_.stride.h + w * view_.stride.w;
        if (!view_.local) {
            return static_cast<std::int64_t>(view_.system_addr.value()) +
                   (step + std::int64_t{c} * view_.stride.c) * view_.element_bytes;
        }
        const std::int64_t slot = (machine_.lane_of(view_.local_addr) + c) / machine_.lanes;
        return machine_.offset_of(view_.local_addr) +
               (step + slot * view_.stride.c) * view_.element_bytes;
    }

 private:
    const isa::TensorView& view_;
    const isa::MachineShape& machine_;
    bool repeats_;
};

/// Calls visit(lane, byte) for every 32-bit word of a local tensor.
template <typename Visitor>
void for_each_word(const isa::TensorView& view, const isa::MachineShape& machine,
                   const Visitor& visit) {
    const std::int64_t mask_words = isa::div_up(machine.lanes, kMaskBits);
    for_each_lane_mask(view, run_loops(view), 0, machine,
                       [&](std::int64_t index, std::uint64_t bits) {
                           const std::int64_t first_lane = index % mask_words * kMaskBits;
                           const std::int64_t offset = index / mask_words * kWordBytes;
                           for (; bits != 0; bits &= bits - 1) {
                               visit(isa::narrow(first_lane + std::countr_zero(bits)), offset);
                           }
                           return true;
                       });
}

/// Whether element i of the result is made of the elements i of the sources.
bool is_elementwise(const isa::Command& command, const isa::TensorViews& views) {
    const isa::TensorView& result = views[0];
    if (result.last_channel_w != 0 || isa::is_layer(command.info().form)) return false;
    return std::all_of(views.begin(), views.end(), [&](const isa::TensorView& view) {
        return view.shape == result.shape ||
               (is_per_channel(view.shape) && view.shape.c == result.shape.c);
    });
}

}  // namespace

UndefinedWords::UndefinedWords(const isa::MachineShape& machine, Effect effect)
    : machine_(machine),
      effect_(std::move(effect)),
      mask_words_(isa::div_up(machine.lanes, kMaskBits)),
      masks_(
          static_cast<std::uint64_t>(isa::div_up(machine.local_bytes, kWordBytes) * mask_words_)) {}

bool UndefinedWords::in_bounds(const isa::TensorView& view) const {
    if (high_ == 0 || !view.local) return false;
    const isa::ByteInterval touched = isa::touched_bytes(view, machine_);
    return touched.low < high_ && low_ < touched.high;
}

bool UndefinedWords::test(const Word& word) const {
    return (masks_.words()[word.offset / kWordBytes * mask_words_ + word.lane / kMaskBits] >>
                (word.lane % kMaskBits) &
            1) != 0;
}

void UndefinedWords::set(const Word& word) {
    masks_.words()[word.offset / kWordBytes * mask_words_ + word.lane / kMaskBits] |=
        std::uint64_t{1} << (word.lane % kMaskBits);
    const std::int64_t begin = word.offset / kWordBytes * kWordBytes;
    low_ = high_ == 0 ? begin : std::min(low_, begin);
    high_ = std::max(high_, begin + kWordBytes);
}

bool UndefinedWords::reads(const isa::Command& command) const {
    if (high_ == 0) return false;
    for (const isa::TensorView& view : isa::tensor_views(command, machine_)) {
        if (view.access == isa::Access::kWrite || !in_bounds(view)) continue;
        bool found = false;
        for_each_part(command, view, machine_, [&](const isa::TensorView& part) {
            found = found || !for_each_lane_mask(part, run_loops(part), 0, machine_,
                                                 [&](std::int64_t index, std::uint64_t bits) {
                                                     return (masks_.words()[index] & bits) == 0;
                                                 });
        });
        if (found) return true;
    }
    return false;
}

bool UndefinedWords::carry(const isa::Command& command, const WrittenMap& written,
                           LocalMemory& local, SystemMemory& system) {
    carried_.clear();
    const isa::TensorViews views = isa::tensor_views(command, machine_);
    if (!views[0].local) return false;
    if (is_elementwise(command, views)) {
        carry_elements(views, written, local, system);
        return true;
    }
    if (command.info().engine != isa::Engine::kBdc) return false;
    try_out(command, views, written, local);
    return true;
}

void UndefinedWords::carry_elements(const isa::TensorViews& views, const WrittenMap& written,
                                    const LocalMemory& local, SystemMemory& system) {
    const isa::Dim4& shape = views[0].shape;
    std::vector<Elements> sources;
    for (const isa::TensorView& view : views) {
        if (view.access == isa::Access::kWrite) continue;
        sources.emplace_back(view, machine_, view.shape != shape);
    }
    const Elements result(views[0], machine_, false);
    const auto is_undefined = [&](const Elements& source, std::int32_t c, std::int64_t place) {
        if (!source.local())
            return !written.knows_system(static_cast<std::uint64_t>(place), system);
        const Word word{source.lane(c), place};
        return test(word) || !written.knows_local(word.lane, word.offset, local);
    };
    for (std::int32_t c = 0; c < shape.c; ++c) {
        for (std::int32_t n = 0; n < shape.n; ++n) {
            for (std::int32_t h = 0; h < shape.h; ++h) {
                for (std::int32_t w = 0; w < shape.w; ++w) {
                    const bool undefined =
                        std::any_of(sources.begin(), sources.end(), [&](const Elements& source) {
                            return is_undefined(source, c, source.place(n, c, h, w));
                        });
                    if (undefined) carried_.push_back({result.lane(c), result.place(n, c, h, w)});
                }
            }
        }
    }
}

void UndefinedWords::try_out(const isa::Command& command, const isa::TensorViews& views,
                             const WrittenMap& written, LocalMemory& local) {
    std::vector<Saved> sources;
    std::vector<Saved> results;
    const auto value = [&](const Word& word) -> std::uint32_t& {
        return *local.words(word.lane, word.offset);
    };
    for (const isa::TensorView& view : views) {
        for_each_part(command, view, machine_, [&](const isa::TensorView& part) {
            for_each_word(part, machine_, [&](std::int32_t lane, std::int64_t offset) {
                const Word word{lane, offset};
                if (view.access != isa::Access::kRead) results.push_back({word, value(word)});
                if (view.access == isa::Access::kWrite) return;
                if (test(word) || !written.knows_local(lane, offset, local)) {
                    sources.push_back({word, value(word)});
                }
            });
        });
    }
    std::vector<std::uint32_t> expected(results.size());
    std::vector<bool> differs(results.size());
    effect_(command);
    for (std::size_t i = 0; i < results.size(); ++i) {
        expected[i] = std::exchange(value(results[i].word), results[i].value);
    }
    for (const std::uint32_t trial : kTrialValues) {
        for (const Saved& source : sources) value(source.word) = trial;
        effect_(command);
        for (std::size_t i = 0; i < results.size(); ++i) {
            const std::uint32_t got = std::exchange(value(results[i].word), results[i].value);
            differs[i] = differs[i] || got != expected[i];
        }
    }
    for (const Saved& source : sources) value(source.word) = source.value;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (differs[i]) carried_.push_back(results[i].word);
    }
}

void UndefinedWords::settle(const isa::Command& command) {
    if (high_ != 0) {
        for (const isa::TensorView& view : isa::tensor_views(command, machine_)) {
            if (view.access == isa::Access::kRead || !in_bounds(view)) continue;
            for_each_lane_mask(view, run_loops(view), 0, machine_,
                               [&](std::int64_t index, std::uint64_t bits) {
                                   masks_.words()[index] &= ~bits;
                                   return true;
                               });
        }
    }
    for (const Word& word : carried_) set(word);
    carried_.clear();
}

}  // namespace okksim::models
