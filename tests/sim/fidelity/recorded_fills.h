// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace okksim::tests {

/// A folder of recorded kernels that lives as long as this object.
struct RecordedKernels {
    std::filesystem::path path;
    explicit RecordedKernels(const std::string& name)
        : path(std::filesystem::temp_directory_path() /
               ("okksim_" + name + "_" + std::to_string(getpid()))) {
        std::filesystem::create_directories(path);
    }
    ~RecordedKernels() { std::filesystem::remove_all(path); }
    RecordedKernels(const RecordedKernels&) = delete;
    RecordedKernels& operator=(const RecordedKernels&) = delete;

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name) << text;
    }
    /// A kernel of `fills` serial fills of local memory by the data mover.
    void write_fills(const std::string& name, int fills) const {
        std::string text =
            "{\"op\":\"conv2d\",\"case\":0,\"params\":\"\",\"contestant\":\"A\","
            "\"calls\":" +
            std::to_string(fills) + ",\"gdma_calls\":" + std::to_string(fills) +
            ",\"bdc_calls\":0}\n";
        for (int i = 0; i < fills; ++i) {
            text += "[\"okk_gdma_32bit_set_C_local\",0,\"0x0\",[1,1,1,1],null]\n";
        }
        write(name, text);
    }
};

}  // namespace okksim::tests
