// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "firmware/launch/kernel_registry.h"
#include "isa/base/errors.h"
#include "isa/base/input_file.h"
#include "isa/base/output_file.h"

namespace okksim::sim {

KernelLibrary::KernelLibrary(const std::string& path) {
    const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
    refuse_endless(file, "give the path of a shared library");
    note_read_file(file);
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle_ == nullptr) {
        throw ConfigError(path, fmt::format("cannot be loaded: {}; build it with -shared -fPIC "
                                            "against okk.h",
                                            dlerror()));
    }
}

firmware::KernelEntry KernelLibrary::kernel(const std::string& name) const {
    const auto names = firmware::KernelRegistry::instance().names();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        // A kernel that is exported but not registered can be launched by its symbol.
        if (void* symbol = dlsym(handle_, name.c_str())) {
            return reinterpret_cast<firmware::KernelEntry>(symbol);
        }
    }
    return firmware::KernelRegistry::instance().find(name);
}

}  // namespace okksim::sim
