// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/inputs.h"

#include <fstream>
#include <iterator>
#include <map>

#include "isa/base/errors.h"
#include "isa/base/fnv1a.h"
#include "isa/base/input_file.h"

namespace okksim::sim::fidelity {

namespace fs = std::filesystem;

Inputs read_inputs(const std::vector<fs::path>& places) {
    // Sort by name, because the same files have different folders on different hosts.
    std::multimap<std::string, fs::path> files;
    for (const fs::path& place : places) {
        if (fs::is_regular_file(place)) files.emplace(place.filename().string(), place);
        if (!fs::is_directory(place)) continue;
        for (const auto& entry : fs::directory_iterator(place)) {
            if (entry.is_regular_file()) {
                files.emplace(entry.path().filename().string(), entry.path());
            }
        }
    }
    isa::Fnv1a hash;
    for (const auto& [name, path] : files) {
        std::ifstream file = open_input(path, "fidelity reads it");
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        hash.add(name + '\n' + std::to_string(text.size()) + '\n');
        hash.add(text);
    }
    return {files.size(), hash.value()};
}

}  // namespace okksim::sim::fidelity
