// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace okksim::sim::fidelity {

/// A row of the estimator's tables for 8 bits and its command.
struct Int8LawRow {
    double estimated = 0;       ///< cycles, without start-up
    double simulated = 0;       ///< the same by the machine's formula
    std::int32_t channels = 0;  ///< input channels

    double error() const;  ///< |simulated / estimated - 1|
};

/// A cost formula of the groups beyond the API reference, compared with a table.
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

/// Returns the formulas whose tables are in the estimator's folder. Throws ConfigError if a table
/// is malformed.
std::vector<Int8Law> int8_laws(const std::filesystem::path& estimator);

}  // namespace okksim::sim::fidelity
