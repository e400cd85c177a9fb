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
    /// Writes a kernel of `fills` serial GDMA fills of local memory, "op_07_A.jsonl".
    void write_fills(const std::string& name, int fills) const {
        const std::size_t last = name.rfind('_'), middle = name.rfind('_', last - 1);
        const int number = std::stoi(name.substr(middle + 1, last - middle - 1));
        std::string text = "{\"op\":\"" + name.substr(0, middle) +
                           "\",\"case\":" + std::to_string(number) +
                           ",\"params\":\"\",\"contestant\":\"" +
                           name.substr(last + 1, name.find('.') - last - 1) +
                           "\",\"calls\":" + std::to_string(fills) +
                           ",\"gdma_calls\":" + std::to_string(fills) + ",\"bdc_calls\":0}\n";
        for (int i = 0; i < fills; ++i) {
            text += "[\"okk_gdma_32bit_set_C_local\",0,\"0x0\",[1,1,1,1],null]\n";
        }
        write(name, text);
    }
};

}  // namespace okksim::tests
