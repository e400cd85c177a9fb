// SPDX-License-Identifier: Apache-2.0
#include "sim/check/model_origin.h"

#include <cstdlib>

#include "isa/base/errors.h"
#include "sim/check/sha256.h"
#include "sim/files/mapped_file.h"

namespace okksim::sim::check {
namespace {

namespace fs = std::filesystem;

/// Folder with files of packages; empty if the user names none.
fs::path models_folder() {
    const char* folder = std::getenv("OKKSIM_MODELS_DIR");
    return folder == nullptr ? "" : folder;
}

/// Returns the file of "npm:PACKAGE@VERSION:FILE" in the folder of the user: PACKAGE/FILE as in
/// node_modules, PACKAGE@VERSION/FILE, or FILE without its folders. Empty if there is none.
fs::path packaged_file(const std::string& package) {
    const fs::path root = models_folder();
    const std::size_t colon = package.rfind(':');
    if (root.empty() || colon == std::string::npos) return {};
    const fs::path file = package.substr(colon + 1);
    const std::string versioned =
        package.substr(package.find(':') + 1, colon - package.find(':') - 1);
    // The name of a package may begin with '@'.
    const std::string name = versioned.substr(0, versioned.find('@', 1));
    for (const fs::path& candidate :
         {root / name / file, root / versioned / file, root / file.filename()}) {
        std::error_code none;
        if (fs::is_regular_file(candidate, none)) return candidate;
    }
    return {};
}

}  // namespace

fs::path model_file(const fs::path& file, const ModelOrigin& origin) {
    std::error_code none;
    if (fs::exists(file, none) || origin.package.empty()) return file;
    const fs::path packaged = packaged_file(origin.package);
    return packaged.empty() ? file : packaged;
}

bool has_model_file(const fs::path& file, const ModelOrigin& origin) {
    std::error_code none;
    return origin.package.empty() || fs::exists(file, none);
}

void check_model_file(const fs::path& file, const ModelOrigin& origin) {
    if (origin.sha256.empty()) return;
    const std::string actual = sha256_text(map_file(file).bytes);
    if (actual == origin.sha256) return;
    throw ConfigError(file.string(), "has the SHA-256 sum " + actual + ", but desc.json says " +
                                         origin.sha256 + ": fetch the file again" +
                                         (origin.package.empty() ? "" : " from " + origin.package));
}

}  // namespace okksim::sim::check
