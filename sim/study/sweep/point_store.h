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

/// The key of a result: contents of the workload, parameters of the machine, and plan. The store
/// adds the version of the program as a fourth part.
struct PointKey {
    std::uint64_t workload = 0;
    std::uint64_t machine = 0;
    std::string plan;

    auto operator<=>(const PointKey&) const = default;
};

/// A result: measured values, or the reason of the failure.
struct PointResult {
    Figures figures;
    std::string failure;
};

/// A point of a sweep with its result.
struct StoredPoint {
    std::uint64_t number = 0;
    std::string workload;
    PointSettings settings;
    std::uint64_t machine = 0;  ///< hash
    PointResult result;
};

/// A sweep that a store contains.
struct StoredSweep {
    std::int64_t id = 0;
    std::string name;
    std::string spec;
    std::string machine;  ///< the base machine as a file
    std::uint64_t points = 0;
    std::uint64_t finished = 0;
    std::uint64_t failed = 0;
};

/// Results in an SQLite file that other tools can read (README.md lists the tables). Several
/// processes may write at once. Data is durable once commit() returns. ConfigError for a file that
/// is not a store, is damaged, or has a newer version. OutputError if the file cannot be written.
class PointStore {
 public:
    enum class Access : std::uint8_t { kWrite, kRead };
    /// Opens a store. Write access creates a missing file.
    PointStore(const std::filesystem::path& file, Access access);
    ~PointStore();
    PointStore(const PointStore&) = delete;
    PointStore& operator=(const PointStore&) = delete;

    /// Returns the sweep of this specification, and registers a new one. `machine` is the base
    /// machine as a file.
    std::int64_t open_sweep(const SweepSpec& spec, const std::string& machine,
                            std::uint64_t points);
    /// Returns the point if this program has computed it.
    std::optional<std::int64_t> find(const PointKey& key);
    /// Adds a result unless it exists already. Returns its number in both cases.
    std::int64_t add(const PointKey& key, const PointResult& result);
    /// Registers a point as a member of the sweep.
    void add_member(std::int64_t sweep, std::uint64_t number, const std::string& workload,
                    const PointSettings& settings, std::int64_t point);
    /// Returns the result that add() or another process stored.
    PointResult result(std::int64_t point);
    /// Sets the final number of points of a sweep, and removes members past it.
    void set_points(std::int64_t sweep, std::uint64_t points);
    /// Writes all additions durably to the file.
    void commit();

    std::vector<StoredSweep> sweeps();
    /// Returns the sweep of this name, or the last one if the name is empty. ConfigError if there
    /// is none.
    StoredSweep sweep(const std::string& name = {});
    /// Returns the sweep with the id that open_sweep() returned.
    StoredSweep sweep(std::int64_t id);
    /// Visits the finished points of a sweep in order.
    void each_point(std::int64_t sweep, const std::function<void(const StoredPoint&)>& visit);
    /// Adds the contents of another store.
    void merge(const std::filesystem::path& other);
    /// Runs a query and passes the column names, then the rows. ConfigError if it is not a query or
    /// would write.
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

/// Identifies this build of the program, so that results of different builds stay separate.
std::string program_version();

}  // namespace okksim::sim::sweep
