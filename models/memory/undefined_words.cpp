// SPDX-License-Identifier: Apache-2.0
#include "models/memory/undefined_words.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "isa/layer_form.h"
#include "isa/layout.h"
#include "models/memory/element_places.h"

namespace okksim::models {
namespace {

constexpr std::int64_t kWordBytes = isa::kWordBytes;
constexpr std::int64_t kMaskBits = SparseBits::kWordBits;
/// What stands in undefined words when a command is tried out, besides what they hold: zero, a NaN,
/// the least float.
constexpr std::uint32_t kTrialValues[] = {0, 0x7FC00001, 0xFF800000};

bool is_per_channel(const isa::Dim4& shape) { return shape.n == 1 && shape.h == 1 && shape.w == 1; }

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

/// The element of a source that element `index` of the result is made of, in commands that work
/// element by element or move a matrix; nothing in the free columns of a matrix's last channel.
std::optional<isa::Dim4> source_index(const isa::TensorView& source, const isa::TensorView& result,
                                      const isa::Dim4& index) {
    if (source.shape == result.shape) return index;
    if (source.last_channel_w == 0 && result.last_channel_w == 0) {
        return isa::Dim4{0, index.c, 0, 0};  // one value per channel
    }
    const std::int32_t column = index.c * result.shape.w + index.w;
    const isa::TensorView& rows = source.local ? result : source;
    if (column >= rows.shape.w) return std::nullopt;
    return isa::Dim4{index.n, column / source.shape.w, 0, column % source.shape.w};
}

}  // namespace

UndefinedWords::UndefinedWords(const isa::MachineShape& machine, Effect effect)
    : machine_(machine),
      effect_(std::move(effect)),
      mask_words_(isa::div_up(machine.lanes, kMaskBits)),
      masks_(
          static_cast<std::uint64_t>(isa::div_up(machine.local_bytes, kWordBytes) * mask_words_)),
      readers_(static_cast<std::uint64_t>(
          isa::div_up(isa::div_up(machine.local_bytes, kWordBytes) * machine.lanes, 2))) {}

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

std::uint32_t& UndefinedWords::reader(const Word& word) const {
    return reinterpret_cast<std::uint32_t*>(
        readers_.words())[word.offset / kWordBytes * machine_.lanes + word.lane];
}

std::optional<std::uint32_t> UndefinedWords::reader_of(std::int32_t lane,
                                                       std::int64_t offset) const {
    const Word word{lane, offset};
    if (offset < low_ || offset >= high_ || !test(word)) return std::nullopt;
    return reader(word);
}

void UndefinedWords::forget_local(std::int32_t lane, std::int64_t offset) {
    const std::uint64_t bit = std::uint64_t{1} << (lane % kMaskBits);
    for (std::int64_t at = std::max(offset, low_); at < high_; at += kWordBytes) {
        masks_.words()[at / kWordBytes * mask_words_ + lane / kMaskBits] &= ~bit;
    }
}

void UndefinedWords::set(const CarriedWord& carried) {
    const Word& word = carried.word;
    reader(word) = carried.reader;
    masks_.words()[word.offset / kWordBytes * mask_words_ + word.lane / kMaskBits] |=
        std::uint64_t{1} << (word.lane % kMaskBits);
    const std::int64_t begin = word.offset / kWordBytes * kWordBytes;
    low_ = high_ == 0 ? begin : std::min(low_, begin);
    high_ = std::max(high_, begin + kWordBytes);
}

bool UndefinedWords::reads(const isa::Command& command, const isa::TensorViews& views) const {
    if (high_ == 0 && ranges_.empty()) return false;
    for (const isa::TensorView& view : views) {
        if (view.access == isa::Access::kWrite) continue;
        if (!view.local && !ranges_.empty()) {
            const isa::ByteInterval touched = isa::touched_bytes(view, machine_);
            if (ranges_.find(static_cast<std::uint64_t>(touched.low),
                             static_cast<std::uint64_t>(touched.high))) {
                return true;
            }
        }
        if (!in_bounds(view)) continue;
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

void UndefinedWords::carry(const isa::Command& command, const isa::TensorViews& views,
                           const WrittenMap& written, LocalMemory& local, SystemMemory& system,
                           std::uint32_t number) {
    carried_.clear();
    carried_bytes_.clear();
    if (command.info().engine == isa::Engine::kGdma || is_elementwise(command, views)) {
        carry_elements(views, written, local, system, number);
    } else {
        try_out(command, views, written, local, number);
    }
}

void UndefinedWords::carry_elements(const isa::TensorViews& views, const WrittenMap& written,
                                    const LocalMemory& local, SystemMemory& system,
                                    std::uint32_t number) {
    const isa::TensorView& result = views[0];
    const auto blamed = [&](const isa::TensorView& source,
                            const isa::Dim4& index) -> std::optional<std::uint32_t> {
        const ElementPlace place = place_of(source, index, machine_);
        if (!source.local) {
            const auto address = static_cast<std::uint64_t>(place.at);
            const auto found = find(address, static_cast<std::uint64_t>(source.element_bytes));
            if (found) return found->source.reader;
            if (written.knows_system(address, system)) return std::nullopt;
            return number;
        }
        if (test({place.lane, place.at})) return reader({place.lane, place.at});
        if (written.knows_local(place.lane, place.at, local)) return std::nullopt;
        return number;
    };
    for_each_element(result, [&](const isa::Dim4& index) {
        for (const isa::TensorView& source : views) {
            if (source.access == isa::Access::kWrite) continue;
            const auto from = source_index(source, result, index);
            const auto reader = from ? blamed(source, *from) : std::nullopt;
            if (!reader) continue;
            const ElementPlace place = place_of(result, index, machine_);
            if (result.local) {
                carried_.push_back({{place.lane, place.at}, *reader});
            } else {
                const auto begin = static_cast<std::uint64_t>(place.at);
                carried_bytes_.push_back({begin,
                                          begin + static_cast<std::uint64_t>(result.element_bytes),
                                          {*reader, number}});
            }
            return;
        }
    });
}

void UndefinedWords::try_out(const isa::Command& command, const isa::TensorViews& views,
                             const WrittenMap& written, LocalMemory& local, std::uint32_t number) {
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
    // Of several to blame the first of those that have been carried here.
    std::uint32_t to_blame = number;
    for (const Saved& source : sources) {
        value(source.word) = source.value;
        if (to_blame == number && test(source.word)) to_blame = reader(source.word);
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (differs[i]) carried_.push_back({results[i].word, to_blame});
    }
}

/// The results of a command are defined until it is known which are not.
void UndefinedWords::clear(const isa::TensorView& view) {
    const RunLoops loops = run_loops(view);
    if (view.local) {
        if (!in_bounds(view)) return;
        for_each_lane_mask(view, loops, 0, machine_, [&](std::int64_t index, std::uint64_t bits) {
            masks_.words()[index] &= ~bits;
            return true;
        });
        return;
    }
    if (ranges_.empty()) return;
    const isa::ByteInterval touched = isa::touched_bytes(view, machine_);
    if (!ranges_.find(static_cast<std::uint64_t>(touched.low),
                      static_cast<std::uint64_t>(touched.high))) {
        return;
    }
    const std::int64_t step = std::int64_t{view.stride.c} * view.element_bytes;
    for (std::int64_t c = 0; c < view.shape.c; ++c) {
        loops.for_each([&](std::int64_t offset) {
            const std::uint64_t begin =
                view.system_addr.value() + static_cast<std::uint64_t>(c * step + offset);
            ranges_.clear(begin, begin + static_cast<std::uint64_t>(loops.run_bytes));
            return true;
        });
    }
}

void UndefinedWords::settle(const isa::Command& command, const isa::TensorViews& views) {
    if (high_ != 0 || !ranges_.empty()) {
        for (const isa::TensorView& view : views) {
            if (view.access == isa::Access::kRead) continue;
            for_each_part(command, view, machine_,
                          [&](const isa::TensorView& part) { clear(part); });
        }
    }
    for (const CarriedWord& carried : carried_) set(carried);
    for (const CarriedBytes& carried : carried_bytes_) {
        ranges_.set(carried.begin, carried.end, carried.source);
    }
    carried_.clear();
    carried_bytes_.clear();
}

}  // namespace okksim::models
