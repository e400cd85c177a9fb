// SPDX-License-Identifier: Apache-2.0
// Energies of runs: parts add up, and the reference machine at peak load compares with published
// values.
#include "sim/trace/energy_report.h"

#include <nlohmann/json.hpp>

#include "models/chip/energy_params.h"
#include "sim/trace/full_load.h"
#include "tests/sim/trace/reference_engines.h"
#include "tests/sim/trace/round_run.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim::trace;
using namespace okksim::tests;

TEST_CASE("energy/a report tells total, power, components, counts") {
    // A load of 8000 bytes and four fills of a word in 120 us.
    sim::Machine machine = round_machine();
    *machine.params.energy = {};
    *machine.params.area = {};
    machine.params.energy->command_picojoules = 1e6;
    machine.params.energy->dram_read_picojoules_per_byte = 2000;
    machine.params.energy->dram_spread = 1;
    const Account account = run();
    const auto json = energy_json(account, machine.params);
    const double joules = 5e-6 + 16e-6;
    CHECK(json["joules"].get<double>() == Approx(joules));
    CHECK(json["low"].get<double>() == Approx(5e-6 + 8e-6));
    CHECK(json["high"].get<double>() == Approx(5e-6 + 32e-6));
    CHECK(json["power"]["watts"].get<double>() == Approx(joules / 120e-6));
    CHECK(json["parts"]["GDMA"]["joules"].get<double>() == Approx(16e-6));
    CHECK(json["events"]["gdma"]["dram_bytes_read"] == 8000);
    CHECK(json["events"]["bdc"]["commands"] == 4);
    CHECK(json["events"]["operations"]["int32"] == 4);
    CHECK(json["events"]["processor_us"].get<double>() == Approx(109));
    CHECK(energy_text(account, machine.params) ==
          "energy 21 uJ (13 to 37), on average 175 mW (108 to 308); area 0 mm2 (0 to 0)\n");
    const std::string table = energy_table(account, machine.params);
    CHECK(table.find("DRAM reads") != std::string::npos);
    CHECK(table.find("leakage") == std::string::npos);  // no leakage
}

TEST_CASE("energy/the reference machine at its limit takes less than the whole chip is said to") {
    const sim::Machine machine = sim::load_machine("bm1684");
    const Account account = full_load(machine.params);
    const auto share = [&](std::size_t engine) {
        return static_cast<double>(account.engines[engine].occupied().value) /
               static_cast<double>(account.span.value);
    };
    CHECK(share(tests::kBdc) > 0.99);
    CHECK(share(tests::kGdma) > 0.95);
    const models::energy::Banded watts = energy_of(account, machine.params).watts(account.span);
    const double published = machine.params.energy->published_watts;
    // Parts that are not simulated (processors, codecs, PCIe, the int8 array) take the rest. The
    // check only covers the order of magnitude.
    CHECK(watts.high < published);
    CHECK(watts.value > published / 5);
}

}  // namespace
