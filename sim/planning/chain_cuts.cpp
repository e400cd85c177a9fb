// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/chain_cuts.h"

#include <algorithm>
#include <optional>

namespace okksim::sim::planning {
namespace {

/// Maximum operators of a sliced group. More operators that fit as a whole are a long group.
constexpr std::size_t kMostSliced = 128;
/// If a long group does not fit, one with 1/kLongStep fewer operators is tried next. A long group
/// begins at every kLongStep-th kernel only.
constexpr std::size_t kLongStep = 16;
/// Growth of sliced groups: the next candidate has 1/kGrowth more operators.
constexpr std::size_t kGrowth = 2, kThoroughGrowth = 8;

}  // namespace

ChainCuts::ChainCuts(GroupPricer& pricer, std::span<const std::uint32_t> chain, CutSearch search)
    : pricer_(pricer),
      chain_(chain),
      search_(search),
      apart_(chain.size() + 1),
      choices_(chain.size() + 1),
      fits_(chain.size()),
      may_begin_(chain.size() + 1) {
    for (std::size_t i = 0; i < chain.size(); ++i) {
        apart_[i + 1] = apart_[i] + pricer.microseconds_apart(chain.subspan(i, 1));
    }
    may_begin_.back() = true;
}

std::vector<ChainChoice> ChainCuts::best() {
    std::size_t next = chain_.size();
    for (std::size_t at = chain_.size(); at-- > 0;) {
        if (at > 0 && pricer_.begins_inside(chain_[at])) continue;
        choices_[at] = {next, {}, false, choices_[next].saved};
        if (at == 0 || !is_passed(at, next)) {
            consider_whole(at);
            consider_slices(at);
            may_begin_[at] = true;
        }
        next = at;
    }
    return choices_;
}

/// True if no group begins at the position, because long groups begin at few positions. This keeps
/// the number of long groups that are planned in proportion to the chain.
bool ChainCuts::is_passed(std::size_t at, std::size_t next) {
    const bool is_long = fits_ > next && fits_ - next > kMostSliced;
    passed_ = is_long && !may_begin_[at] ? passed_ + 1 : 0;
    if (passed_ < kLongStep) return passed_ > 0;
    passed_ = 0;
    return false;
}

void ChainCuts::consider(std::size_t at, std::size_t end, const SlicedTime& sliced) {
    const double saved = apart_[end] - apart_[at] - sliced.microseconds + choices_[end].saved;
    if (saved > choices_[at].saved) choices_[at] = {end, sliced.slices, true, saved};
}

/// Returns the microseconds below which a group saves more than the best choice so far.
double ChainCuts::limit(std::size_t at, std::size_t end) const {
    return apart_[end] - apart_[at] + choices_[end].saved - choices_[at].saved;
}

/// Returns the end of the longest group that fits without slices. A long group ends where another
/// one may begin, if such a position leaves it long.
std::size_t ChainCuts::whole_end(std::size_t at) const {
    std::size_t end = fits_;
    while (end > at + kMostSliced && !may_begin_[end]) --end;
    return may_begin_[end] ? end : fits_;
}

/// Considers the longest group that fits without slices.
void ChainCuts::consider_whole(std::size_t at) {
    while (fits_ >= at + least_operators()) {
        const std::size_t end = whole_end(at);
        const GroupTime whole = pricer_.time_of(chain_.subspan(at, end - at), {}, limit(at, end));
        if (whole.microseconds) consider(at, end, {{}, *whole.microseconds});
        if (whole.fits) return;
        const std::size_t count = fits_ - at;
        const std::size_t fewer = count > kMostSliced ? count / kLongStep : 1;
        fits_ = begin_of_kernel(fits_ - fewer);
    }
}

void ChainCuts::consider_slices(std::size_t at) {
    const std::size_t growth = search_ == CutSearch::kThorough ? kThoroughGrowth : kGrowth;
    for (std::size_t count = least_operators(); count <= kMostSliced;) {
        const std::size_t end = end_of_kernel(at + count);
        const std::optional<SlicedTime> sliced =
            pricer_.best_slices(chain_.subspan(at, end - at), limit(at, end));
        if (sliced) consider(at, end, *sliced);
        if (end == chain_.size()) return;
        count = end - at + std::max<std::size_t>(1, (end - at) / growth);
    }
}

std::size_t ChainCuts::begin_of_kernel(std::size_t at) const {
    while (at > 0 && pricer_.begins_inside(chain_[at])) --at;
    return at;
}

std::size_t ChainCuts::end_of_kernel(std::size_t at) const {
    while (at < chain_.size() && pricer_.begins_inside(chain_[at])) ++at;
    return std::min(at, chain_.size());
}

}  // namespace okksim::sim::planning
