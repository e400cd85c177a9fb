// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch/kernel_registry.h"

#include "isa/base/closest_word.h"
#include "isa/base/fault.h"

namespace okksim::firmware {
namespace {

std::string join(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

FaultRecord unknown_kernel(std::string_view name, const std::vector<std::string>& names) {
    FaultRecord record;
    record.code = FaultCode::kUnknownKernel;
    record.function = "launch";
    record.argument = "func_name";
    record.value = std::string(name);
    record.unit = "host";
    if (names.empty()) {
        record.rule = "a kernel must be registered before it is launched; none is";
        record.advice =
            "add OKKERNEL_FUNC_REGISTER(name) to the device code and link or load its library";
        return record;
    }
    const std::string closest = closest_word(name, names);
    record.rule = "a kernel must be registered before it is launched; known: " + join(names);
    record.advice = closest.empty() ? "launch one of these, or register the kernel with "
                                      "OKKERNEL_FUNC_REGISTER(name)"
                                    : "did you mean \"" + closest + "\"?";
    return record;
}

}  // namespace

KernelRegistry& KernelRegistry::instance() {
    // Never destroyed: constructors and destructors of kernel libraries may run after main().
    static KernelRegistry& registry = *new KernelRegistry;
    return registry;
}

void KernelRegistry::add(std::string_view name, KernelEntry entry) {
    const std::scoped_lock lock(mutex_);
    kernels_.insert_or_assign(std::string(name), entry);
}

KernelEntry KernelRegistry::find(std::string_view name) const {
    {
        const std::scoped_lock lock(mutex_);
        if (const auto found = kernels_.find(name); found != kernels_.end()) return found->second;
    }
    throw ProgramFault(unknown_kernel(name, names()));
}

std::string KernelRegistry::at_or_before(const void* address) const {
    const std::scoped_lock lock(mutex_);
    std::string closest;
    std::uintptr_t begin = 0;
    for (const auto& [name, entry] : kernels_) {
        const auto at = reinterpret_cast<std::uintptr_t>(entry);
        if (at < begin || at > reinterpret_cast<std::uintptr_t>(address)) continue;
        begin = at;
        closest = name;
    }
    return closest;
}

std::vector<std::string> KernelRegistry::names() const {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, entry] : kernels_) names.push_back(name);
    return names;
}

}  // namespace okksim::firmware
