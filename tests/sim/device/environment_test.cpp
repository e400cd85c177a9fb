// SPDX-License-Identifier: Apache-2.0
// The environment of host programs: errors for meaningless values name the variable.
#include <cstdlib>

#include "isa/base/errors.h"
#include "sim/library/environment_device.h"
#include "tests/support/catch.h"

namespace okksim::sim {

TEST_CASE("device/numbers of the environment are refused when they make no sense") {
    const std::pair<const char*, const char*> wrong[] = {
        {"OKKSIM_THREADS", "99999999"},   {"OKKSIM_THREADS", "0"},
        {"OKKSIM_THREADS", "-1"},         {"OKKSIM_THREADS", "two"},
        {"OKKSIM_COMMAND_BUDGET", "-5"},  {"OKKSIM_COMMAND_BUDGET", "0"},
        {"OKKSIM_COMMAND_BUDGET", "1e3"}, {"OKKSIM_COMMAND_BUDGET", "99999999999999999999"},
        {"OKKSIM_IDLE_SECONDS", "-1"},    {"OKKSIM_IDLE_SECONDS", "nan"},
        {"OKKSIM_CALL_SECONDS", "0"},     {"OKKSIM_CALL_SECONDS", "2h"},
        {"OKKSIM_IDLE_SECONDS", "inf"},   {"OKKSIM_IDLE_SECONDS", "1e30"},
        {"OKKSIM_CALL_BUDGET", "0"},      {"OKKSIM_CALL_BUDGET", "many"},
        {"OKKSIM_POINTER_SHARE", "0"},    {"OKKSIM_POINTER_SHARE", "1.5"},
        {"OKKSIM_QUARANTINE", "-1KiB"},   {"OKKSIM_QUARANTINE", "64 apples"},
    };
    for (const auto& [name, value] : wrong) {
        CAPTURE(name, value);
        setenv(name, value, 1);
        CHECK_THROWS_WITH(make_device_from_environment(), Catch::Contains(name));
        unsetenv(name);
    }
}

TEST_CASE("device/what a message quotes of the environment does nothing to a terminal") {
    for (const char* name : {"OKKSIM_THREADS", "OKKSIM_SANITIZE", "OKKSIM_MACHINE"}) {
        CAPTURE(name);
        setenv(name, "\x1b[31mred\a", 1);
        CHECK_THROWS_WITH(make_device_from_environment(),
                          Catch::Contains("\\x1b[31mred\\x07") && !Catch::Contains("\x1b"));
        unsetenv(name);
    }
}

TEST_CASE("device/numbers of the environment are taken when they do") {
    setenv("OKKSIM_THREADS", "2", 1);
    setenv("OKKSIM_COMMAND_BUDGET", "5", 1);
    setenv("OKKSIM_IDLE_SECONDS", "0.5", 1);
    CHECK(make_device_from_environment() != nullptr);
    unsetenv("OKKSIM_THREADS");
    unsetenv("OKKSIM_COMMAND_BUDGET");
    unsetenv("OKKSIM_IDLE_SECONDS");
}

}  // namespace okksim::sim
