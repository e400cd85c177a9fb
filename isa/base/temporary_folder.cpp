// SPDX-License-Identifier: Apache-2.0
#include "isa/base/temporary_folder.h"

#include <stdlib.h>

#include "isa/base/errors.h"

namespace okksim {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "okksim-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw ConfigError(name, "cannot make a temporary folder; set TMPDIR");
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace okksim
