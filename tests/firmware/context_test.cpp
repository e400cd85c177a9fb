// SPDX-License-Identifier: Apache-2.0
// Command ids, waiting ids, sequencing calls.
#include "firmware/calls/context.h"

#include "firmware/leave/kernel_runner.h"
#include "firmware/okk.h"
#include "tests/firmware/recording_port.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {

namespace {

const dim4 kShape{1, 2, 2, 2};

void gdma() { okk_gdma_32bit_set_C_local(0, x32{}, &kShape, nullptr); }
void bdc() { okk_bdc_32bit_set_C(0, x32{}, &kShape, nullptr); }

struct Ids {
    isa::CommandId id, wait_gdma, wait_bdc;
    bool operator==(const Ids&) const = default;
};

Ids ids(const isa::Command& command) { return {command.id, command.wait_gdma, command.wait_bdc}; }

struct Fixture {
    RecordingPort port{small_machine(4, 16384)};
    firmware::Context context{port};
    firmware::Context::Binding binding{context};
    Ids last() const { return ids(port.commands().back()); }
};

FaultCode fault_code_of(void (*call)()) {
    try {
        call();
    } catch (const ProgramFault& fault) {
        return fault.record().code;
    }
    FAIL("no fault");
    return FaultCode::kUnsupported;
}

}  // namespace

TEST_CASE("serial commands wait for everything before them") {
    Fixture f;
    gdma();
    CHECK(f.last() == Ids{1, 0, 0});
    gdma();
    CHECK(f.last() == Ids{2, 1, 0});
    bdc();
    CHECK(f.last() == Ids{1, 2, 0});
    gdma();
    CHECK(f.last() == Ids{3, 2, 1});
    CHECK(f.context.counts().commands[isa::Engine::kGdma] == 3);
    CHECK(f.context.counts().commands[isa::Engine::kBdc] == 1);
}

TEST_CASE("parallel commands wait for the other engine only up to the start") {
    Fixture f;
    gdma();
    bdc();
    okk_parallel_start();
    CHECK(okk_is_parallel_state());
    gdma();
    CHECK(f.last() == Ids{2, 1, 1});
    bdc();  // not for GDMA command 2
    CHECK(f.last() == Ids{2, 1, 1});
    gdma();  // not for BDC command 2
    CHECK(f.last() == Ids{3, 2, 1});
    okk_parallel_end();
    CHECK_FALSE(okk_is_parallel_state());
    bdc();
    CHECK(f.last() == Ids{3, 3, 2});
    okk_parallel_start();  // a later section has its own snapshot
    gdma();
    CHECK(f.last() == Ids{4, 3, 3});
    okk_parallel_end();
}

TEST_CASE("sequencing calls in the wrong state are faults") {
    Fixture f;
    CHECK(fault_code_of(okk_parallel_end) == FaultCode::kBadState);
    okk_parallel_start();
    CHECK(fault_code_of(okk_parallel_start) == FaultCode::kBadState);
    CHECK(fault_code_of(okk_poll) == FaultCode::kBadState);
    CHECK(okk_is_parallel_state());
    okk_initialize();
    CHECK_FALSE(okk_is_parallel_state());
    okk_poll();
}

TEST_CASE("poll and initialize wait; calls without commands are charged") {
    Fixture f;
    okk_initialize();
    CHECK(f.port.waits() == 1);
    okk_poll();
    CHECK(f.port.waits() == 2);
    okk_parallel_start();
    okk_parallel_end();
    okk_npu_num();
    CHECK(f.port.charges(isa::FirmwareCall::kInitialize) == 1);
    CHECK(f.port.charges(isa::FirmwareCall::kParallelStart) == 1);
    CHECK(f.port.charges(isa::FirmwareCall::kParallelEnd) == 1);
    CHECK(f.port.charges(isa::FirmwareCall::kQuery) == 1);
}

TEST_CASE("every launch numbers its commands from one and starts serially") {
    RecordingPort port(small_machine(4, 16384));
    firmware::Context context(port);
    const auto kernel = [](const void*) {
        okk_parallel_start();
        gdma();
    };
    REQUIRE_FALSE(firmware::run_kernel(context, kernel, nullptr));
    REQUIRE_FALSE(firmware::run_kernel(context, kernel, nullptr));
    CHECK(ids(port.commands()[0]) == Ids{1, 0, 0});
    CHECK(ids(port.commands()[1]) == Ids{1, 0, 0});
}

TEST_CASE("okk functions outside a kernel are a fault") {
    CHECK(firmware::Context::current() == nullptr);
    CHECK(fault_code_of(okk_poll) == FaultCode::kBadState);
}

}  // namespace okksim::tests
