// SPDX-License-Identifier: Apache-2.0
#include "models/chip/bank_watch.h"

#include "isa/errors.h"

namespace okksim::models {

void BankWatch::started(isa::Engine engine, isa::CommandId id, const BankUse& use) {
    engines_[index(engine)].running = Entry{id, use};
}

void BankWatch::finished(isa::Engine engine, Picoseconds end) {
    State& own = engines_[index(engine)];
    State& other = engines_[1 - index(engine)];
    OKKSIM_CHECK(own.running.has_value());
    own.running->use.end = end;
    // What has retired meanwhile cannot meet this engine's later commands.
    other.met.clear();
    if (other.running) own.met.push_back(*own.running);
    own.running.reset();
}

Picoseconds BankWatch::shared(isa::Engine engine, Picoseconds end,
                              isa::CommandId issued_before) const {
    const State& own = engines_[index(engine)];
    const State& other = engines_[1 - index(engine)];
    OKKSIM_CHECK(own.running.has_value());
    BankUse use = own.running->use;
    use.end = end;
    Picoseconds sum;
    for (const Entry& entry : other.met) {
        if (entry.id <= issued_before) sum += shared_bank_time(use, entry.use);
    }
    if (other.running && other.running->id <= issued_before) {
        BankUse running = other.running->use;
        running.end = end;
        sum += shared_bank_time(use, running);
    }
    return sum;
}

}  // namespace okksim::models
