// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel_registry.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "isa/fault.h"

namespace okksim::firmware {
namespace {

/// Insertions, deletions and replacements that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
        }
    }
    return row[b.size()];
}

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
    const auto closest = std::min_element(
        names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
            return edit_distance(a, name) < edit_distance(b, name);
        });
    record.rule = "a kernel must be registered before it is launched; known: " + join(names);
    record.advice = edit_distance(*closest, name) <= std::max<std::size_t>(2, name.size() / 3)
                        ? "did you mean \"" + *closest + "\"?"
                        : "launch one of these, or register the kernel with "
                          "OKKERNEL_FUNC_REGISTER(name)";
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

std::vector<std::string> KernelRegistry::names() const {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, entry] : kernels_) names.push_back(name);
    return names;
}

}  // namespace okksim::firmware
