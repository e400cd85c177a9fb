// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

/// What subcommands write.
namespace okksim::sim::cli {

/// To standard output.
void print_json(const nlohmann::ordered_json& json);

/// "12/80 tests" on standard error while a terminal looks on; gone at the end.
class Progress {
 public:
    explicit Progress(std::string unit);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(std::size_t done, std::size_t all) const;

 private:
    std::string unit_;
    bool is_watched_;
};

}  // namespace okksim::sim::cli
