// SPDX-License-Identifier: Apache-2.0
#include "models/memory/undefined_words.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "isa/layout.h"
#include "models/memory/element_places.h"
#include "models/memory/listed_rows.h"

namespace okksim::models {
namespace {

constexpr std::int64_t kWordBytes = isa::kWordBytes;
constexpr std::int64_t kMaskBits = SparseBits::kWordBits;
/// Trial values for undefined bytes: zero, a NaN, and the lowest and highest float. One more trial
/// has a different value in each word, which exposes differences of two words. The reference is the
/// result with the current bytes.
constexpr std::uint32_t kTrialValues[] = {0, 0x7FC00001, 0xFF800000, 0x7F7FFFFF};
constexpr std::size_t kTrials = std::size(kTrialValues) + 1;

/// Largest number of words per launch that are tried: a few seconds of host time.
constexpr std::uint64_t kMostTriedWords = std::uint64_t{1} << 27;

/// Returns the bits of the given bytes of a word.
constexpr std::uint32_t bits_of(unsigned bytes) {
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < sizeof bits; ++i) {
        if ((bytes >> i & 1) != 0) bits |= std::uint32_t{0xFF} << (8 * i);
    }
    return bits;
}
/// Returns the bytes of a word that contain any of these bits.
constexpr unsigned bytes_of(std::uint32_t bits) {
    unsigned bytes = 0;
    for (unsigned i = 0; i < sizeof bits; ++i) {
        if ((bits >> (8 * i) & 0xFF) != 0) bytes |= 1u << i;
    }
    return bytes;
}
/// Bytes [first, last) of a word.
constexpr unsigned byte_range(std::int64_t first, std::int64_t last) {
    return ((1u << last) - 1) & ~((1u << first) - 1);
}

std::uint32_t trial_value(std::size_t trial, std::size_t source) {
    if (trial < std::size(kTrialValues)) return kTrialValues[trial];
    return static_cast<std::uint32_t>(source + 1) * 0x9E3779B1u;
}

bool has_dummies(const isa::TensorView& view) {
    return view.last_n_bytes != 0 && view.last_n_bytes != kWordBytes;
}

/// The first bytes of each word of a packed tensor's last n.
struct PartOfWords {
    RunLoops loops;
    std::int64_t base = 0;  ///< from the tensor's address
};
PartOfWords last_words(const isa::TensorView& view, std::int32_t bytes) {
    isa::TensorView last = view;
    last.shape.n = 1;
    PartOfWords part;
    part.loops = run_loops(last);
    part.base = std::int64_t{view.shape.n - 1} * view.stride.n * kWordBytes;
    // Adjacent words form a run, but only a part of each word is needed.
    if (part.loops.run_bytes > kWordBytes) {
        std::rotate(part.loops.extent.begin(), part.loops.extent.begin() + 1,
                    part.loops.extent.end());
        std::rotate(part.loops.stride.begin(), part.loops.stride.begin() + 1,
                    part.loops.stride.end());
        part.loops.extent[2] = part.loops.run_bytes / kWordBytes;
        part.loops.stride[2] = kWordBytes;
    }
    part.loops.run_bytes = bytes;
    return part;
}

/// True if an element is copied together with its whole word.
bool moves_with_word(const isa::TensorView& view, const isa::Dim4& index, std::int64_t at) {
    const std::int64_t word = at / kWordBytes * kWordBytes;
    const std::int64_t row = at - std::int64_t{index.w} * view.element_bytes;
    if (view.element_bytes == kWordBytes) return true;
    return view.stride.w == 1 && row <= word &&
           word + kWordBytes <= row + std::int64_t{view.shape.w} * view.element_bytes;
}

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

/// Returns the index of the source element that is copied to element `index` of the result. Returns
/// nothing for unused columns of a matrix's last channel.
std::optional<isa::Dim4> source_index(const isa::TensorView& source, const isa::TensorView& result,
                                      const isa::Dim4& index) {
    if (source.shape == result.shape) return index;
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
      entries_(static_cast<std::uint64_t>(
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

std::uint32_t& UndefinedWords::entry(const Word& word) const {
    return reinterpret_cast<std::uint32_t*>(
        entries_.words())[word.offset / kWordBytes * machine_.lanes + word.lane];
}

std::optional<std::uint32_t> UndefinedWords::reader_of(std::int32_t lane,
                                                       std::int64_t offset) const {
    const Word word{lane, offset};
    if (offset < low_ || offset >= high_ || !test(word)) return std::nullopt;
    const std::uint32_t reader = entry(word) & kReaderMask;
    return reader >= kDummies ? std::nullopt : std::optional(reader);
}

std::optional<UndefinedRanges::Found> UndefinedWords::find(std::uint64_t address,
                                                           std::uint64_t bytes) const {
    const std::uint64_t end = address + bytes;
    auto found = ranges_.find(address, end);
    while (found && found->source.reader == kDummies) found = ranges_.find(found->end, end);
    return found;
}

std::optional<UndefinedSource> UndefinedWords::first_carried() const {
    const std::size_t count = kept_from_.value_or(carried_bytes_.size());
    for (const CarriedBytes& carried : std::span(carried_bytes_).first(count)) {
        if (carried.source.reader != kDummies) return carried.source;
    }
    return std::nullopt;
}

void UndefinedWords::forget_local(std::int32_t lane, std::int64_t offset, std::int64_t bytes) {
    const std::int64_t end = std::min(high_, offset + bytes);
    const std::uint64_t bit = std::uint64_t{1} << (lane % kMaskBits);
    for (std::int64_t at = std::max(offset, low_); at < end; at += kWordBytes) {
        masks_.words()[at / kWordBytes * mask_words_ + lane / kMaskBits] &= ~bit;
    }
}

void UndefinedWords::set(const CarriedWord& carried) {
    const Word& word = carried.word;
    const unsigned before = test(word) ? entry(word) >> kReaderBits : 0;
    entry(word) = carried.reader | (before | carried.undefined) << kReaderBits;
    masks_.words()[word.offset / kWordBytes * mask_words_ + word.lane / kMaskBits] |=
        std::uint64_t{1} << (word.lane % kMaskBits);
    const std::int64_t begin = word.offset / kWordBytes * kWordBytes;
    low_ = high_ == 0 ? begin : std::min(low_, begin);
    high_ = std::max(high_, begin + kWordBytes);
}

void UndefinedWords::clear(const Word& word, unsigned bytes) {
    if (!test(word)) return;
    entry(word) &= ~(bytes << kReaderBits);
    if (entry(word) >> kReaderBits != 0) return;
    masks_.words()[word.offset / kWordBytes * mask_words_ + word.lane / kMaskBits] &=
        ~(std::uint64_t{1} << (word.lane % kMaskBits));
}

bool UndefinedWords::reads(const isa::Command& command, const isa::TensorViews& views) const {
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
    kept_from_.reset();
    if (command.info().engine == isa::Engine::kGdma) {
        if (gathers_rows(command) || scatters_rows(command)) {
            move_rows(gathers_rows(command), views, written, local, system, number);
        } else {
            move_elements(views, written, local, system, number);
        }
    } else if (tried_words_ < kMostTriedWords) {
        try_out(command, views, written, local, number);
    }
}

UndefinedWords::Blamed UndefinedWords::blame(const Word& word, const WrittenMap& written,
                                             const LocalMemory& local, std::uint32_t number) const {
    if (test(word)) {
        const std::uint32_t reader = entry(word) & kReaderMask;
        return {reader == kNobody ? number : reader, entry(word) >> kReaderBits};
    }
    if (written.knows_local(word.lane, word.offset, local)) return {};
    return {number, kAllBytes};
}

UndefinedWords::Blamed UndefinedWords::blame(const isa::TensorView& source, const isa::Dim4& index,
                                             const WrittenMap& written, const LocalMemory& local,
                                             SystemMemory& system, std::uint32_t number) const {
    const ElementPlace place = place_of(source, index, machine_);
    if (source.local) {
        Blamed blamed = blame(Word{place.lane, place.at}, written, local, number);
        blamed.undefined =
            blamed.undefined >> (place.at % kWordBytes) & byte_range(0, source.element_bytes);
        if (blamed.reader == kDummies && !moves_with_word(source, index, place.at)) {
            blamed.reader = number;
        }
        return blamed;
    }
    Blamed blamed;
    for (std::int32_t i = 0; i < source.element_bytes; ++i) {
        const auto address = static_cast<std::uint64_t>(place.at + i);
        const auto found = ranges_.find(address, address + 1);
        if (!found && written.knows_system(address, system)) continue;
        const std::uint32_t reader = found ? found->source.reader : number;
        const bool is_dummy = reader == kDummies && moves_with_word(source, index, place.at);
        blamed.reader = reader == kDummies && !is_dummy ? number : reader;
        blamed.undefined |= 1u << i;
    }
    return blamed;
}

void UndefinedWords::move_elements(const isa::TensorViews& views, const WrittenMap& written,
                                   const LocalMemory& local, SystemMemory& system,
                                   std::uint32_t number) {
    const isa::TensorView& result = views[0];
    const isa::TensorView& source = views[1];
    for_each_element(result, [&](const isa::Dim4& index) {
        const auto from = source_index(source, result, index);
        if (!from) return;
        move_element(blame(source, *from, written, local, system, number), result, index, number);
    });
}

void UndefinedWords::move_rows(bool gathers, const isa::TensorViews& views,
                               const WrittenMap& written, const LocalMemory& local,
                               SystemMemory& system, std::uint32_t number) {
    const isa::TensorView& result = views[0];
    const isa::TensorView& source = views[1];
    const std::int32_t rows = gathers ? source.shape.c : result.shape.c;
    std::vector<bool> is_listed(static_cast<std::size_t>(result.shape.n * result.shape.c), gathers);
    for_each_listed_row(
        views[2], rows, system, machine_, [&](std::int32_t n, std::int32_t c, std::int32_t row) {
            if (!gathers) is_listed[static_cast<std::size_t>(n * rows + row)] = true;
            for (std::int32_t h = 0; h < result.shape.h; ++h) {
                for (std::int32_t w = 0; w < result.shape.w; ++w) {
                    const isa::Dim4 listed{n, row, h, w}, entry{n, c, h, w};
                    move_element(
                        blame(source, gathers ? listed : entry, written, local, system, number),
                        result, gathers ? entry : listed, number);
                }
            }
        });
    // Rows without an entry keep their content and are not a result.
    kept_from_ = carried_bytes_.size();
    for_each_element(result, [&](const isa::Dim4& index) {
        if (is_listed[static_cast<std::size_t>(index.n * result.shape.c + index.c)]) return;
        move_element(blame(result, index, written, local, system, number), result, index, number);
    });
}

void UndefinedWords::move_element(const Blamed& blamed, const isa::TensorView& result,
                                  const isa::Dim4& index, std::uint32_t number) {
    if (blamed.undefined == 0) return;
    const ElementPlace place = place_of(result, index, machine_);
    if (result.local) {
        carried_.push_back(
            {{place.lane, place.at}, blamed.reader, blamed.undefined << (place.at % kWordBytes)});
        return;
    }
    for (std::int32_t i = 0; i < result.element_bytes; ++i) {
        if ((blamed.undefined >> i & 1) == 0) continue;
        const auto address = static_cast<std::uint64_t>(place.at + i);
        carried_bytes_.push_back({address, address + 1, {blamed.reader, number}});
    }
}

void UndefinedWords::try_out(const isa::Command& command, const isa::TensorViews& views,
                             const WrittenMap& written, LocalMemory& local, std::uint32_t number) {
    std::vector<Saved> sources;
    std::vector<Saved> results;
    std::uint32_t to_blame = number;  // the first carried source, if there are several
    // Dummies that stay at their position remain dummies, whatever the command does to whole words.
    bool are_dummies = views[0].last_n_bytes == 0;
    unsigned places = 0;
    const auto value = [&](const Word& word) -> std::uint32_t& {
        return *local.words(word.lane, word.offset);
    };
    for (const isa::TensorView& view : views) {
        if (view.access != isa::Access::kRead) {
            for_each_written_part(command, view, machine_, [&](const isa::TensorView& part) {
                for_each_word(part, machine_, [&](std::int32_t lane, std::int64_t offset) {
                    const Word word{lane, offset};
                    results.push_back({word, value(word), 0, kAllBytes});
                });
            });
        }
        if (view.access == isa::Access::kWrite) continue;
        for_each_part(command, view, machine_, [&](const isa::TensorView& part) {
            for_each_word(part, machine_, [&](std::int32_t lane, std::int64_t offset) {
                const Word word{lane, offset};
                const Blamed blamed = blame(word, written, local, number);
                if (blamed.undefined == 0) return;
                are_dummies = are_dummies && blamed.reader == kDummies;
                places |= blamed.undefined;
                if (to_blame == number && blamed.reader != kDummies) to_blame = blamed.reader;
                sources.push_back({word, value(word), blamed.undefined});
            });
        });
    }
    leave_out_dummies(views[0], results);
    tried_words_ += sources.size() + results.size();
    std::vector<std::uint32_t> expected(results.size());
    effect_(command);
    for (std::size_t i = 0; i < results.size(); ++i) {
        expected[i] = std::exchange(value(results[i].word), results[i].value);
    }
    for (std::size_t trial = 0; trial < kTrials; ++trial) {
        for (std::size_t i = 0; i < sources.size(); ++i) {
            const std::uint32_t bits = bits_of(sources[i].undefined);
            value(sources[i].word) = (sources[i].value & ~bits) | (trial_value(trial, i) & bits);
        }
        effect_(command);
        for (std::size_t i = 0; i < results.size(); ++i) {
            const std::uint32_t got = std::exchange(value(results[i].word), results[i].value);
            results[i].undefined |= bytes_of(got ^ expected[i]) & results[i].written;
        }
    }
    for (const Saved& source : sources) value(source.word) = source.value;
    for (const Saved& result : results) {
        if (result.undefined == 0) continue;
        const bool stays = are_dummies && (result.undefined & ~places) == 0;
        carried_.push_back({result.word, stays ? kDummies : to_blame, result.undefined});
    }
}

void UndefinedWords::leave_out_dummies(const isa::TensorView& result,
                                       std::vector<Saved>& results) const {
    if (!has_dummies(result)) return;
    const PartOfWords last = last_words(result, kWordBytes);
    std::set<std::pair<std::int32_t, std::int64_t>> words;
    for_each_lane_run(result, last.loops, last.base, machine_,
                      [&](std::int64_t m, std::uint64_t bits, std::int64_t low) {
                          for (; bits != 0; bits &= bits - 1) {
                              words.emplace(isa::narrow(m * kMaskBits + std::countr_zero(bits)),
                                            low);
                          }
                          return true;
                      });
    for (Saved& saved : results) {
        if (words.count({saved.word.lane, saved.word.offset / kWordBytes * kWordBytes}) == 0) {
            continue;
        }
        saved.written = byte_range(0, result.last_n_bytes);
    }
}

void UndefinedWords::note_gaps(const isa::Command& command, const isa::TensorViews& views,
                               const WrittenMap& written, const LocalMemory& local) {
    const isa::TensorView& result = views[0];
    if (!result.local || result.element_bytes >= kWordBytes) return;
    const auto note = [&](std::int64_t m, std::uint64_t bits, std::int64_t offset) {
        for (; bits != 0; bits &= bits - 1) {
            const Word word{isa::narrow(m * kMaskBits + std::countr_zero(bits)), offset};
            if (!test(word) && !written.knows_local(word.lane, word.offset, local)) {
                gaps_.push_back({word, kNobody, kAllBytes});
            }
        }
    };
    for_each_part(command, result, machine_, [&](const isa::TensorView& part) {
        const RunLoops loops = run_loops(part);
        for_each_lane_run(part, loops, 0, machine_,
                          [&](std::int64_t m, std::uint64_t bits, std::int64_t low) {
                              const std::int64_t high = low + loops.run_bytes;
                              if (low % kWordBytes != 0)
                                  note(m, bits, low / kWordBytes * kWordBytes);
                              if (high % kWordBytes != 0) {
                                  note(m, bits, high / kWordBytes * kWordBytes);
                              }
                              return true;
                          });
    });
}

void UndefinedWords::note_dummies(const isa::TensorView& result, const WrittenMap& written,
                                  const LocalMemory& local) {
    if (!has_dummies(result)) return;
    const unsigned dummies = byte_range(result.last_n_bytes, kWordBytes);
    const PartOfWords part = last_words(result, kWordBytes);
    for_each_lane_run(
        result, part.loops, part.base, machine_,
        [&](std::int64_t m, std::uint64_t bits, std::int64_t low) {
            for (; bits != 0; bits &= bits - 1) {
                const Word word{isa::narrow(m * kMaskBits + std::countr_zero(bits)), low};
                if (!test(word) && !written.knows_local(word.lane, word.offset, local)) {
                    gaps_.push_back({word, kDummies, dummies});
                }
            }
            return true;
        });
}

void UndefinedWords::clear_local(const isa::TensorView& view, const RunLoops& loops,
                                 std::int64_t base) {
    for_each_lane_run(
        view, loops, base, machine_, [&](std::int64_t m, std::uint64_t bits, std::int64_t low) {
            const std::int64_t high = low + loops.run_bytes;
            for (std::int64_t at = low / kWordBytes * kWordBytes; at < high; at += kWordBytes) {
                std::uint64_t& mask = masks_.words()[at / kWordBytes * mask_words_ + m];
                if ((mask & bits) == 0) continue;
                if (low <= at && at + kWordBytes <= high) {
                    mask &= ~bits;
                    continue;
                }
                const unsigned bytes = byte_range(std::max<std::int64_t>(low - at, 0),
                                                  std::min(high - at, kWordBytes));
                for (std::uint64_t rest = mask & bits; rest != 0; rest &= rest - 1) {
                    clear({isa::narrow(m * kMaskBits + std::countr_zero(rest)), at}, bytes);
                }
            }
            return true;
        });
}

/// The results of a command count as defined until the undefined ones are known.
void UndefinedWords::clear(const isa::TensorView& view) {
    if (view.local) {
        if (!in_bounds(view)) return;
        if (!has_dummies(view)) return clear_local(view, run_loops(view), 0);
        const PartOfWords last = last_words(view, view.last_n_bytes);
        clear_local(view, last.loops, last.base);
        isa::TensorView rest = view;
        --rest.shape.n;
        if (rest.shape.n > 0) clear_local(rest, run_loops(rest), 0);
        return;
    }
    if (ranges_.empty()) return;
    const RunLoops loops = run_loops(view);
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
    for (const CarriedWord& gap : gaps_) set(gap);
    gaps_.clear();
    if (!empty()) {
        for (const isa::TensorView& view : views) {
            if (view.access == isa::Access::kRead) continue;
            for_each_written_part(command, view, machine_,
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
