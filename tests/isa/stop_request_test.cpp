// SPDX-License-Identifier: Apache-2.0
#include "isa/base/stop_request.h"

#include <csignal>

#include "tests/support/catch.h"

using okksim::ProgramFault;
using okksim::StopRequest;

TEST_CASE("a request to end that is withdrawn ends nothing any more") {
    StopRequest::check();
    StopRequest::ask(SIGINT);
    CHECK(StopRequest::signal() == SIGINT);
    CHECK(StopRequest::fault().value == "SIGINT");
    CHECK_THROWS_AS(StopRequest::check(), ProgramFault);
    StopRequest::withdraw();
    CHECK(StopRequest::signal() == 0);
    StopRequest::check();
}
