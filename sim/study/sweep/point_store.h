// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/sweep/figures.h"
#include "sim/study/sweep/point_names.h"
#include "sim/study/sweep/sweep_spec.h"

struct sqlite3;

namespace okksim::sim::sweep {

/// What tells results apart: a workload's contents, a machine's parameters, how it was planned. The
/// program that computed them is the fourth part.
struct PointKey {
    std::uint64_t workload = 0;
    std::uint64_t machine = 0;
    std::string plan;

    auto operator<=>(const PointKey&) const = default;
};

/// A result: figures, or why there are none.
struct PointResult {
    Figures figures;
    std::string failure;
};

/// A point of a sweep, as reports want it.
struct StoredPoint {
    std::uint64_t number = 0;
    std::string workload;
    PointSettings settings;
    std::uint64_t machine = 0;  ///< hash
    PointResult result;
};

/// A sweep of which a store has points.
struct StoredSweep {
    std::int64_t id = 0;
    std::string name;
    std::string spec;
    std::string machine;  ///< the base machine as a file
    std::uint64_t points = 0;
    std::uint64_t finished = 0;
    std::uint64_t failed = 0;
};

/// Results in an SQLite file, which whoever likes may read with other tools (README.md has the
/// tables). Several processes may write at once. What commit() has returned from stays, whatever
/// happens. ConfigError for a file that is no store, damaged, or of a newer version; OutputError
/// for one that cannot be written.
class PointStore {
 public:
    enum class Access : std::uint8_t { kWrite, kRead };
    /// Opens a store; for writing it is made when it is not there.
    PointStore(const std::filesystem::path& file, Access access);
    ~PointStore();
    PointStore(const PointStore&) = delete;
    PointStore& operator=(const PointStore&) = delete;

    /// The sweep of this specification, noted if it is new. `machine` is its base as a file.
    std::int64_t open_sweep(const SweepSpec& spec, const std::string& machine,
                            std::uint64_t points);
    /// The point of this program, if it has been computed.
    std::optional<std::int64_t> find(const PointKey& key);
    /// Adds a result, unless there is one; its number in either case.
    std::int64_t add(const PointKey& key, const PointResult& result);
    /// Notes that the sweep has the point.
    void add_member(std::int64_t sweep, std::uint64_t number, const std::string& workload,
                    const PointSettings& settings, std::int64_t point);
    /// What add() was given, or another process has added.
    PointResult result(std::int64_t point);
    /// How many points the sweep has, where that is known at its end alone; it has no others then.
    void set_points(std::int64_t sweep, std::uint64_t points);
    /// Makes what was added lasting.
    void commit();

    std::vector<StoredSweep> sweeps();
    /// The sweep of this name; without one the last. ConfigError when there is none.
    StoredSweep sweep(const std::string& name = {});
    /// The one that open_sweep() has given.
    StoredSweep sweep(std::int64_t id);
    /// The finished points of a sweep in their order.
    void each_point(std::int64_t sweep, const std::function<void(const StoredPoint&)>& visit);
    /// Adds all that another store has.
    void merge(const std::filesystem::path& other);
    /// Rows of a query, the first one its columns. ConfigError when it is none, or would write.
    void query(const std::string& sql, const std::function<void(std::vector<std::string>)>& row);

 private:
    class Statement;

    void execute(const std::string& sql);
    Statement& statement(const std::string& sql);
    void make_tables();
    void add_missing_columns();
    void begin();
    [[noreturn]] void fail(const std::string& what);

    std::string name_;
    sqlite3* database_ = nullptr;
    std::string program_;
    bool in_transaction_ = false;
    std::vector<std::unique_ptr<Statement>> statements_;
};

/// What tells the results of this build of the program from those of others.
std::string program_version();

}  // namespace okksim::sim::sweep
