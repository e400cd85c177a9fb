// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
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
    /// The row was changed after it was computed, or deleted. The result is then this reason.
    bool is_spoiled = false;
    /// An older okksim has stored the row without checksums, so only contradictions are noticed.
    bool is_unchecked = false;
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
    std::uint64_t deleted = 0;  ///< members that were deleted after they were stored
    bool is_spoiled = false;    ///< the row was changed after it was stored
};

/// Says how many points were deleted, and what to do.
std::string deleted_text(const StoredSweep& sweep);

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

    /// The path of the file.
    const std::string& name() const { return name_; }
    /// Returns the sweep of this specification, and registers a new one. `machine` is the base
    /// machine as a file.
    std::int64_t open_sweep(const SweepSpec& spec, const std::string& machine,
                            std::uint64_t points);
    /// Returns the point if this program has computed it. A row that was changed since
    /// is removed, so that it is computed anew, and passed to note_spoiled.
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
    std::function<void(const std::string& row)> note_spoiled;

    /// Runs a query and passes the column names, then the rows. ConfigError if it is not a query or
    /// would write.
    void query(const std::string& sql, const std::function<void(std::vector<std::string>)>& row);

 private:
    class Statement;

    void execute(const std::string& sql);
    Statement& statement(const std::string& sql);
    /// Throws ConfigError if pages or indices of the file are damaged.
    void check_integrity();
    std::set<std::string> columns_of(const std::string& table);
    /// Reads a row of `points`. `damage`, if given, becomes the reason why it is not believed.
    PointResult read(std::int64_t point, std::string* damage);
    /// Returns why a row is not believed, or nothing. `column`: its checksum.
    std::string damage_of(const Statement& row, int column, const std::string& key,
                          const PointResult& result) const;
    /// Stores the number of members of a sweep and the checksum of its row.
    void seal(std::int64_t sweep);
    /// ConfigError if a sweep was changed, or lost members.
    void refuse_changed();
    void make_tables();
    void add_missing_columns();
    void begin();
    [[noreturn]] void fail(const std::string& what);

    std::string name_;
    Access access_;
    std::set<std::int64_t> spoiled_;  ///< rows of points that were removed
    sqlite3* database_ = nullptr;
    std::string program_;
    bool in_transaction_ = false;
    std::set<std::int64_t> changed_;  ///< sweeps that commit() has to seal
    std::vector<std::unique_ptr<Statement>> statements_;
};

/// Identifies this build of the program, so that results of different builds stay separate.
std::string program_version();

}  // namespace okksim::sim::sweep
