// SPDX-License-Identifier: Apache-2.0
// okksim_duel_operators [count] [first seed] [operator | all] [machine] [scale]: random graphs of
// one operator on the simulator and on the reference. `count` seeds run per operator. Machine
// "small" alternates between 8 lanes of 32 KiB and 4 lanes of 16 KiB, and vectors of 32, 16 and 64
// words.
#include <cstdlib>
#include <iostream>

#include "tests/reference/tosa/operator_duel.h"

namespace {

using okksim::sim::load_machine;
using okksim::sim::Machine;

std::vector<Machine> machines(const std::string& name) {
    if (name != "small") return {load_machine(name)};
    return {load_machine("bm1684", {"chip.lanes=8", "chip.local_memory_bytes=32768"}),
            load_machine("bm1684", {"chip.lanes=4", "chip.local_memory_bytes=16384"}),
            load_machine("bm1684",
                         {"chip.lanes=8", "chip.local_memory_bytes=32768", "chip.vector_words=16"}),
            load_machine("bm1684", {"chip.lanes=4", "chip.local_memory_bytes=65536",
                                    "chip.vector_words=64"})};
}

}  // namespace

int main(int count, char** arguments) {
    const auto argument = [&](int i, const char* otherwise) {
        return std::string(i < count ? arguments[i] : otherwise);
    };
    const long seeds = std::atol(argument(1, "4").c_str());
    const long first = std::atol(argument(2, "1").c_str());
    const std::string wanted = argument(3, "all");
    const auto chips = machines(argument(4, "small"));
    const long scale = std::atol(argument(5, "1").c_str());
    long cases = 0, failures = 0, findings = 0;
    for (const auto op : okksim::tests::random_operators()) {
        const std::string name(okksim::tosa::op_name(op));
        if (wanted != "all" && wanted != name) continue;
        for (long seed = first; seed < first + seeds; ++seed) {
            const auto& machine = chips[static_cast<std::size_t>(seed) % chips.size()];
            const auto result =
                okksim::tests::duel(op, static_cast<std::uint64_t>(seed), scale, machine);
            ++cases;
            if (!result.findings.empty()) {
                ++findings;
                std::cout << "seed " << seed << " " << result.text
                          << "\n  finding: " << result.findings << "\n";
            }
            if (result.failure.empty()) continue;
            ++failures;
            std::cout << "seed " << seed << " " << result.text << "\n  " << result.failure << "\n";
        }
    }
    std::cout << cases << " cases, " << failures << " disagree, " << findings << " with findings\n";
    return failures == 0 && cases > 0 ? 0 : 1;
}
