// SPDX-License-Identifier: Apache-2.0
#define CATCH_CONFIG_RUNNER
#include "tests/support/catch.h"
#include "tests/support/golden_dir.h"

int main(int argc, char** argv) {
    constexpr int kSkipped = 77;  // SKIP_RETURN_CODE of tests/CMakeLists.txt
    const int failed = Catch::Session().run(argc, argv);
    return failed == 0 && okksim::tests::was_skipped() ? kSkipped : failed;
}
