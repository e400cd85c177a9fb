// SPDX-License-Identifier: Apache-2.0
// Columns that a matrix product computes beyond the columns of its result.
#include "models/memory/element_places.h"
#include "models/memory/undefined_words.h"

namespace okksim::models {

void UndefinedWords::note_free_columns(const isa::TensorViews& views, const WrittenMap& written,
                                       const LocalMemory& local,
                                       const std::function<std::uint32_t(PoisonRead)>& number) {
    const isa::TensorView& result = views[0];
    if (!result.computes_last_channel || result.last_channel_w == result.shape.w) return;
    const std::int32_t c = result.shape.c - 1;
    std::optional<std::uint32_t> own_number;
    const auto word_at = [&](const isa::TensorView& view, std::int32_t n, std::int32_t w) {
        const ElementPlace place = place_of(view, {n, c, 0, w}, machine_);
        return Word{place.lane, place.at};
    };
    /// Returns the command to blame for a word of an operand; nothing if the word is defined.
    const auto reader_at = [&](const isa::TensorView& view,
                               const Word& word) -> std::optional<std::uint32_t> {
        const Blamed blamed = blame(word, written, local, kNobody);
        if (blamed.undefined == 0) return std::nullopt;
        if (blamed.reader < kDummies) return blamed.reader;
        if (!own_number) own_number = number({view.operand, true, word.lane, word.offset, 0});
        return own_number;
    };
    for (std::int32_t w = result.last_channel_w; w < result.shape.w; ++w) {
        // An undefined factor or bias affects every row of the column.
        std::optional<std::uint32_t> reader;
        for (const isa::TensorView& view : views) {
            if (!view.computes_last_channel || view.access != isa::Access::kRead) continue;
            for (std::int32_t n = 0; n < view.shape.n && !reader; ++n) {
                reader = reader_at(view, word_at(view, n, w));
            }
        }
        for (std::int32_t n = 0; n < result.shape.n; ++n) {
            const Word word = word_at(result, n, w);
            auto who = reader;
            if (!who && result.access == isa::Access::kUpdate) who = reader_at(result, word);
            if (who) carried_.push_back({word, *who, kAllBytes});
        }
    }
}

}  // namespace okksim::models
