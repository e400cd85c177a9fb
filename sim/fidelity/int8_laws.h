// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace okksim::sim::fidelity {

/// A row of the estimator's tables for 8 bits, and the command that it is about.
struct Int8LawRow {
    double estimated = 0;       ///< cycles, without start-up
    double simulated = 0;       ///< the same by the machine's law
    std::int32_t channels = 0;  ///< of the input

    double error() const;  ///< |simulated / estimated - 1|
};

/// A law of the groups beyond the API reference beside a table.
struct Int8Law {
    std::string what;      ///< "comparisons and selections"
    std::string table;     ///< "md_cmp"
    std::string settings;  ///< of the machine okk-next
    double bar = 0;        ///< largest error; 0: exact
    std::vector<Int8LawRow> rows;

    std::size_t exact() const;
    double worst() const;
    bool met() const { return !rows.empty() && worst() <= bar; }
    /// "comparisons and selections (md_cmp): 360 of 360 rows exact".
    std::string text() const;
};

/// Those whose tables are in the folder of the estimator's. Throws ConfigError.
std::vector<Int8Law> int8_laws(const std::filesystem::path& estimator);

}  // namespace okksim::sim::fidelity
