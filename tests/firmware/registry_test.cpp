// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "firmware/launch/kernel_registry.h"
#include "firmware/okk.h"
#include "isa/base/fault.h"
#include "tests/support/catch.h"

namespace okksim::tests {

namespace {

void first(const void*) {}
void second(const void*) {}

}  // namespace

TEST_CASE("kernels are found by the name they registered; the last one of a name counts") {
    auto& registry = firmware::KernelRegistry::instance();
    okk_register_kernel_func("registry_test_softmax", first);
    CHECK(registry.find("registry_test_softmax") == first);
    okk_register_kernel_func("registry_test_softmax", second);
    CHECK(registry.find("registry_test_softmax") == second);
    const auto names = registry.names();
    CHECK(std::count(names.begin(), names.end(), "registry_test_softmax") == 1);
}

TEST_CASE("an unknown kernel is a fault that lists the known ones and the closest") {
    okk_register_kernel_func("registry_test_softmax", first);
    okk_register_kernel_func("registry_test_matmul", first);
    try {
        firmware::KernelRegistry::instance().find("registry_test_softmaxx");
        FAIL("no fault");
    } catch (const ProgramFault& fault) {
        CHECK(fault.record().code == FaultCode::kUnknownKernel);
        CHECK(fault.record().value == "registry_test_softmaxx");
        CHECK(fault.record().rule.find("registry_test_matmul") != std::string::npos);
        CHECK(fault.record().advice == "did you mean \"registry_test_softmax\"?");
    }
}

TEST_CASE("a name far from all known ones brings no guess") {
    okk_register_kernel_func("registry_test_softmax", first);
    try {
        firmware::KernelRegistry::instance().find("conv");
        FAIL("no fault");
    } catch (const ProgramFault& fault) {
        CHECK(fault.record().advice.find("did you mean") == std::string::npos);
        CHECK(fault.record().advice.find("OKKERNEL_FUNC_REGISTER") != std::string::npos);
    }
}

}  // namespace okksim::tests
