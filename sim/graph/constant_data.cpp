// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/constant_data.h"

#include <algorithm>

#include "isa/base/errors.h"

namespace okksim::sim::graph {

namespace {

/// Repeats the first `filled` bytes up to the end.
void repeat(std::span<std::byte> bytes, std::size_t filled) {
    while (filled < bytes.size()) {
        const std::size_t more = std::min(filled, bytes.size() - filled);
        std::copy_n(bytes.begin(), more, bytes.begin() + static_cast<std::ptrdiff_t>(filled));
        filled += more;
    }
}

void fill(std::span<std::byte> bytes, std::span<const std::byte> element) {
    const std::size_t first = std::min(element.size(), bytes.size());
    std::copy_n(element.begin(), first, bytes.begin());
    repeat(bytes, first);
}

}  // namespace

RepeatedElement::RepeatedElement(std::span<const std::byte> element, std::uint64_t bytes)
    : size_(static_cast<std::uint8_t>(element.size())), bytes_(bytes) {
    OKKSIM_CHECK(!element.empty() && element.size() <= element_.size());
    std::copy(element.begin(), element.end(), element_.begin());
}

std::span<const std::byte> RepeatedElement::all() const {
    std::call_once(made_, [this] {
        all_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
        fill({all_.get(), bytes_}, element());
    });
    return {all_.get(), bytes_};
}

std::span<const std::byte> DeferredBytes::all() const {
    std::call_once(made_, [this] {
        all_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
        fill_({all_.get(), bytes_});
    });
    return {all_.get(), bytes_};
}

std::vector<std::byte> DeferredBytes::copy() const {
    std::vector<std::byte> bytes(bytes_);
    fill_(bytes);
    return bytes;
}

std::vector<std::byte> ConstantData::pattern_of(const RepeatedElement& all, std::size_t most) {
    const std::size_t each = all.element().size();
    std::vector<std::byte> pattern(
        std::min<std::uint64_t>(std::max(most / each, std::size_t{1}) * each, all.bytes()));
    fill(pattern, all.element());
    return pattern;
}

}  // namespace okksim::sim::graph
