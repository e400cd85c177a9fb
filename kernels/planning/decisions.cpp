// SPDX-License-Identifier: Apache-2.0
#include "kernels/planning/decisions.h"

#include <fmt/format.h>

#include "isa/base/errors.h"
#include "kernels/call/computing.h"

namespace okksim::kernels {

std::uint64_t DecisionList::words() const {
    std::uint64_t sum = 0;
    for (const Entry& entry : entries_) sum += entry.words;
    return sum;
}

const void* DecisionList::checked(std::size_t position, std::string_view name,
                                  std::type_index type) const {
    if (position >= entries_.size()) {
        if (fault_) throw ProgramFault(*fault_);
        throw InternalError(
            fmt::format("{}: the kernel asks for decision {} \"{}\", but {} were planned", owner_,
                        position, name, entries_.size()));
    }
    const Entry& entry = entries_[position];
    if (entry.name != name || entry.type != type) {
        throw InternalError(fmt::format(
            "{}: the kernel asks for decision {} \"{}\" ({}), but \"{}\" ({}) was planned there",
            owner_, position, name, type.name(), entry.name, entry.type.name()));
    }
    return entry.value.get();
}

void Decisions::hand_over(std::size_t position) {
    charge(OwnWork::kArgumentWord, list_.words(position));
}

void Decisions::check_all_taken() const {
    if (next_ == list_.size()) return;
    throw InternalError(
        fmt::format("{}: the kernel took {} of {} decisions", list_.owner(), next_, list_.size()));
}

}  // namespace okksim::kernels
