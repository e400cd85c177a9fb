// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/point_store.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <new>
#include <nlohmann/json.hpp>
#include <set>

#include "isa/base/errors.h"
#include "isa/base/fnv1a.h"
#include "isa/base/input_file.h"
#include "isa/base/output_file.h"
#include "isa/base/printable.h"
#include "sim/machine/provenance.h"
#include "sim/study/sweep/workload.h"

namespace okksim::sim::sweep {
namespace {

/// Version of the table layout. It increases if a column changes its meaning; new columns do not
/// count.
constexpr int kSchema = 1;
/// SQLite application id of a store: "okks".
constexpr int kApplication = 0x6F6B6B73;
/// Milliseconds SQLite waits for a lock before it reports busy.
constexpr int kWaitMilliseconds = 60'000;

constexpr const char* kTables =
    "CREATE TABLE IF NOT EXISTS sweeps(id INTEGER PRIMARY KEY, hash INTEGER UNIQUE, name TEXT, "
    "spec TEXT, machine TEXT, points INTEGER, okksim_version TEXT);"
    "CREATE TABLE IF NOT EXISTS points(id INTEGER PRIMARY KEY, workload_hash INTEGER, "
    "machine_hash INTEGER, plan TEXT, program TEXT, failure TEXT, "
    "UNIQUE(workload_hash, machine_hash, plan, program));"
    "CREATE TABLE IF NOT EXISTS members(sweep INTEGER, number INTEGER, point INTEGER, "
    "workload TEXT, settings TEXT, PRIMARY KEY(sweep, number)) WITHOUT ROWID;";

std::int64_t signed_hash(std::uint64_t hash) { return static_cast<std::int64_t>(hash); }

std::string settings_text(const PointSettings& settings) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const auto& [path, value] : settings) json[path] = value;
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

PointSettings settings_from(const std::string& text) {
    PointSettings settings;
    if (is_nested_deep(text)) return settings;  // not written by okksim
    const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    if (!json.is_object()) return settings;
    for (const auto& [path, value] : json.items()) {
        settings.emplace_back(path, value.is_string() ? value.get<std::string>() : value.dump());
    }
    return settings;
}

std::uint64_t sweep_hash(const std::string& spec, const std::string& machine) {
    isa::Fnv1a hash;
    hash.add(spec);
    hash.add(machine);
    return hash.value();
}

/// The key of a row of `points`, as text.
std::string key_text(std::int64_t workload, std::int64_t machine, const std::string& plan,
                     const std::string& program) {
    return fmt::format("{:016x} {:016x} {} {}", static_cast<std::uint64_t>(workload),
                       static_cast<std::uint64_t>(machine), plan, program);
}

/// The checksum of a row of `points`. SQLite does not keep the sign of zero. Columns without a
/// value do not count, so that a new column keeps the checksums of older rows.
std::int64_t point_checksum(const std::string& key, const PointResult& result) {
    std::string text = key + '\n' + result.failure + '\n';
    for (std::size_t i = 0; i < result.figures.size(); ++i) {
        if (std::isnan(result.figures[i])) continue;
        text += fmt::format("{}={:016x}\n", figure_names()[i],
                            std::bit_cast<std::uint64_t>(result.figures[i] + 0.0));
    }
    isa::Fnv1a hash;
    hash.add(text);
    return signed_hash(hash.value());
}

/// The checksum of a row of `members`, which belongs to the point with the key `point`.
std::int64_t member_checksum(std::int64_t number, const std::string& workload,
                             const std::string& settings, const std::string& point) {
    isa::Fnv1a hash;
    hash.add(fmt::format("{}\n{}\n{}\n{}", number, workload, settings, point));
    return signed_hash(hash.value());
}

/// The checksum of a row of `sweeps` and of the number of its members.
std::int64_t sweep_checksum(std::int64_t hash, const std::string& name, std::int64_t points,
                            const std::string& version, std::int64_t members) {
    isa::Fnv1a sum;
    sum.add(fmt::format("{}\n{}\n{}\n{}\n{}", hash, name, points, version, members));
    return signed_hash(sum.value());
}

constexpr const char* kKeyColumns =
    "points.workload_hash, points.machine_hash, points.plan, "
    "points.program";
constexpr const char* kChecksum = "checksum";
constexpr const char* kStored = "stored";  // number of members at the last commit

}  // namespace

std::string program_version() {
    // The identity of the loaded library file, as a rebuilt library may compute other results.
    static const std::string version = [] {
        Dl_info info{};
        const bool found = dladdr(reinterpret_cast<const void*>(&program_version), &info) != 0;
        const std::uint64_t hash = found ? file_hash(info.dli_fname) : 0;
        return fmt::format("{}-{:016x}", okksim_version(), hash);
    }();
    return version;
}

/// A prepared statement that is reset after every use.
class PointStore::Statement {
 public:
    Statement(PointStore& store, std::string sql) : store_(store), sql_(std::move(sql)) {
        const char* rest = nullptr;
        if (sqlite3_prepare_v2(store.database_, sql_.c_str(), -1, &handle_, &rest) != SQLITE_OK) {
            store_.fail("cannot be used");
        }
        rest_ = rest;
    }
    ~Statement() { sqlite3_finalize(handle_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    const std::string& sql() const { return sql_; }
    /// The text after the first statement, which SQLite does not execute.
    const std::string& rest() const { return rest_; }
    void bind(int column, std::int64_t value) { check(sqlite3_bind_int64(handle_, column, value)); }
    void bind(int column, double value) { check(sqlite3_bind_double(handle_, column, value)); }
    void bind(int column, const std::string& value) {
        check(sqlite3_bind_text(handle_, column, value.data(), static_cast<int>(value.size()),
                                SQLITE_TRANSIENT));
    }
    void bind_null(int column) { check(sqlite3_bind_null(handle_, column)); }
    /// Executes a step. Returns true if it produced a row.
    bool step() {
        const int result = sqlite3_step(handle_);
        if (result == SQLITE_ROW) return true;
        if (result != SQLITE_DONE) {
            sqlite3_reset(handle_);
            store_.fail("cannot be used");
        }
        reset();
        return false;
    }
    void reset() { sqlite3_reset(handle_); }
    /// The text of kKeyColumns from `column` on.
    std::string key_at(int column) const {
        return key_text(integer(column), integer(column + 1), text(column + 2), text(column + 3));
    }
    std::int64_t integer(int column) const { return sqlite3_column_int64(handle_, column); }
    bool is_null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }
    double real(int column) const { return sqlite3_column_double(handle_, column); }
    std::string text(int column) const {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
        if (text == nullptr && sqlite3_errcode(store_.database_) == SQLITE_NOMEM) {
            throw std::bad_alloc();
        }
        return text == nullptr ? "" : text;
    }
    sqlite3_stmt* handle() { return handle_; }

 private:
    /// A failed bind would silently store NULL.
    void check(int result) {
        if (result != SQLITE_OK) store_.fail("cannot be used");
    }

    PointStore& store_;
    std::string sql_;
    std::string rest_;
    sqlite3_stmt* handle_ = nullptr;
};

namespace {

/// Rolls back the journal of a writer that was killed, which requires write access. If the rollback
/// fails, opening the store reports the reason.
void roll_back(const std::string& name) {
    if (!std::filesystem::exists(name + "-journal")) return;
    sqlite3* database = nullptr;
    if (sqlite3_open_v2(name.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
        sqlite3_exec(database, "PRAGMA schema_version", nullptr, nullptr, nullptr);
    }
    sqlite3_close(database);
}

}  // namespace

PointStore::PointStore(const std::filesystem::path& file, Access access)
    : name_(file.string()), access_(access) {
    const bool is_there = std::filesystem::exists(file);
    if (access == Access::kRead && !is_there) {
        throw ConfigError(name_, "there is no such store; `okksim sweep` makes one");
    }
    if (is_there && !std::filesystem::is_regular_file(file)) {
        throw ConfigError(name_, "is no regular file; give the path of a store");
    }
    if (access == Access::kRead) roll_back(name_);
    const int flags =
        access == Access::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(name_.c_str(), &database_, flags, nullptr) != SQLITE_OK) {
        const std::string why = database_ != nullptr ? sqlite3_errmsg(database_) : "no memory";
        sqlite3_close(database_);
        throw OutputError(name_, "cannot be opened: " + why);
    }
    try {
        note_read_file(name_);
        sqlite3_busy_timeout(database_, kWaitMilliseconds);
        Statement version(*this, "PRAGMA user_version"),
            application(*this, "PRAGMA application_id");
        version.step();
        application.step();
        const std::int64_t schema = version.integer(0), owner = application.integer(0);
        version.reset();
        application.reset();
        if (schema > kSchema) {
            throw ConfigError(name_, fmt::format("was written by a newer okksim (format {}, this "
                                                 "okksim reads {}); use the newer okksim",
                                                 schema, kSchema));
        }
        const bool is_new = schema == 0 && owner == 0;
        if (!is_new && owner != kApplication) {
            throw ConfigError(name_, "is an SQLite file of another program; give another path");
        }
        if (is_new && access == Access::kRead) {
            throw ConfigError(name_, "is no store of `okksim sweep`");
        }
        check_integrity();
        program_ = program_version();
        if (access == Access::kWrite) {
            make_tables();
            add_missing_columns();
        }
    } catch (...) {
        statements_.clear();
        sqlite3_close(database_);
        throw;
    }
}

PointStore::~PointStore() {
    statements_.clear();
    sqlite3_close(database_);
}

void PointStore::fail(const std::string& what) {
    const int code = sqlite3_errcode(database_);
    const std::string text = fmt::format("{}: {}", what, sqlite3_errmsg(database_));
    switch (code) {
        case SQLITE_NOTADB:
        case SQLITE_CORRUPT:
            throw ConfigError(name_, text +
                                         "; it is damaged or no store: give another path, or "
                                         "recover it with `sqlite3 FILE .recover`");
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_FULL:
        case SQLITE_IOERR:
        case SQLITE_PERM:
        case SQLITE_BUSY: throw OutputError(name_, text);
        default: throw ConfigError(name_, text);
    }
}

void PointStore::check_integrity() {
    Statement check(*this, "PRAGMA integrity_check(1)");
    const std::string text = check.step() ? check.text(0) : "ok";
    if (text != "ok") {
        throw ConfigError(name_, fmt::format("is damaged ({}): give another path, or recover it "
                                             "with `sqlite3 FILE .recover`",
                                             text));
    }
}

std::set<std::string> PointStore::columns_of(const std::string& table) {
    std::set<std::string> names;
    Statement columns(*this, fmt::format("PRAGMA table_info({})", table));
    while (columns.step()) names.insert(columns.text(1));
    return names;
}

void PointStore::execute(const std::string& sql) {
    if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        fail("cannot be written");
    }
}

PointStore::Statement& PointStore::statement(const std::string& sql) {
    for (const auto& known : statements_) {
        if (known->sql() == sql) return *known;
    }
    return *statements_.emplace_back(std::make_unique<Statement>(*this, sql));
}

void PointStore::make_tables() {
    execute("BEGIN IMMEDIATE");
    execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", kApplication,
                        kSchema));
    execute(kTables);
    execute("COMMIT");
}

void PointStore::add_missing_columns() {
    const std::set<std::string> there = columns_of("points");
    std::string sql;
    for (const std::string& name : figure_names()) {
        if (!there.contains(name))
            sql += fmt::format("ALTER TABLE points ADD COLUMN {} REAL;", name);
    }
    const auto add = [&](const char* table, const char* column) {
        if (columns_of(table).contains(column)) return;
        sql += fmt::format("ALTER TABLE {} ADD COLUMN {} INTEGER;", table, column);
    };
    for (const char* table : {"points", "members", "sweeps"}) add(table, kChecksum);
    add("sweeps", kStored);
    if (!sql.empty()) execute("BEGIN IMMEDIATE;" + sql + "COMMIT");
}

void PointStore::begin() {
    if (in_transaction_) return;
    execute("BEGIN IMMEDIATE");
    in_transaction_ = true;
}

void PointStore::commit() {
    if (!in_transaction_) return;
    for (const std::int64_t sweep : changed_) seal(sweep);
    changed_.clear();
    execute("COMMIT");
    in_transaction_ = false;
}

void PointStore::seal(std::int64_t sweep) {
    Statement& read = statement(
        "SELECT hash, name, points, okksim_version, (SELECT count(*) FROM members WHERE sweep = "
        "sweeps.id) FROM sweeps WHERE id = ?");
    read.bind(1, sweep);
    if (!read.step()) return;
    const std::int64_t members = read.integer(4);
    const std::int64_t checksum =
        sweep_checksum(read.integer(0), read.text(1), read.integer(2), read.text(3), members);
    read.reset();
    Statement& write = statement("UPDATE sweeps SET stored = ?, checksum = ? WHERE id = ?");
    write.bind(1, members);
    write.bind(2, checksum);
    write.bind(3, sweep);
    write.step();
}

std::int64_t PointStore::open_sweep(const SweepSpec& spec, const std::string& machine,
                                    std::uint64_t points) {
    begin();
    const std::int64_t hash = signed_hash(sweep_hash(spec.text, machine));
    Statement& add = statement(
        "INSERT INTO sweeps(hash, name, spec, machine, points, okksim_version) "
        "VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(hash) DO UPDATE SET name = excluded.name, "
        "spec = excluded.spec, machine = excluded.machine, points = excluded.points, "
        "okksim_version = excluded.okksim_version");
    add.bind(1, hash);
    add.bind(2, spec.name);
    add.bind(3, spec.text);
    add.bind(4, machine);
    add.bind(5, static_cast<std::int64_t>(points));
    add.bind(6, std::string(okksim_version()));
    add.step();
    Statement& find = statement("SELECT id FROM sweeps WHERE hash = ?");
    find.bind(1, hash);
    OKKSIM_CHECK(find.step());
    const std::int64_t id = find.integer(0);
    find.reset();
    changed_.insert(id);
    return id;
}

std::optional<std::int64_t> PointStore::find(const PointKey& key) {
    Statement& find = statement(
        "SELECT id FROM points WHERE workload_hash = ? AND machine_hash = ? AND plan = ? AND "
        "program = ?");
    find.bind(1, signed_hash(key.workload));
    find.bind(2, signed_hash(key.machine));
    find.bind(3, key.plan);
    find.bind(4, program_);
    if (!find.step()) return std::nullopt;
    const std::int64_t id = find.integer(0);
    find.reset();
    std::string reason;
    (void)read(id, &reason);
    if (reason.empty()) return id;
    if (!spoiled_.insert(id).second || access_ == Access::kRead) return std::nullopt;
    begin();
    Statement& drop = statement("DELETE FROM points WHERE id = ?");
    drop.bind(1, id);
    drop.step();
    if (note_spoiled) note_spoiled(fmt::format("row {} of points: {}", id, reason));
    return std::nullopt;
}

std::int64_t PointStore::add(const PointKey& key, const PointResult& result) {
    static const std::string sql = [] {
        std::string marks;
        for (std::size_t i = 0; i < figure_names().size(); ++i) marks += ", ?";
        return fmt::format(
            "INSERT OR IGNORE INTO points(workload_hash, machine_hash, plan, program, failure, "
            "checksum, {}) VALUES(?, ?, ?, ?, ?, ?{})",
            fmt::join(figure_names(), ", "), marks);
    }();
    begin();
    Statement& add = statement(sql);
    add.bind(1, signed_hash(key.workload));
    add.bind(2, signed_hash(key.machine));
    add.bind(3, key.plan);
    add.bind(4, program_);
    if (result.failure.empty()) {
        add.bind_null(5);
    } else {
        add.bind(5, result.failure);
    }
    add.bind(6, point_checksum(key_text(signed_hash(key.workload), signed_hash(key.machine),
                                        key.plan, program_),
                               result));
    for (std::size_t i = 0; i < result.figures.size(); ++i) {
        const int column = static_cast<int>(i) + 7;
        if (std::isnan(result.figures[i])) {
            add.bind_null(column);
        } else {
            add.bind(column, result.figures[i]);
        }
    }
    add.step();
    auto id = find(key);
    if (!id) {
        // Another process has stored the row, and it was changed since.
        add.step();
        id = find(key);
    }
    OKKSIM_CHECK(id.has_value());
    return *id;
}

void PointStore::add_member(std::int64_t sweep, std::uint64_t number, const std::string& workload,
                            const PointSettings& settings, std::int64_t point) {
    begin();
    Statement& find = statement(fmt::format("SELECT {} FROM points WHERE id = ?", kKeyColumns));
    find.bind(1, point);
    OKKSIM_CHECK(find.step());
    const std::string key = find.key_at(0);
    find.reset();
    const std::string text = settings_text(settings);
    Statement& add = statement(
        "INSERT OR REPLACE INTO members(sweep, number, point, workload, settings, checksum) "
        "VALUES(?, ?, ?, ?, ?, ?)");
    add.bind(1, sweep);
    add.bind(2, static_cast<std::int64_t>(number));
    add.bind(3, point);
    add.bind(4, workload);
    add.bind(5, text);
    add.bind(6, member_checksum(static_cast<std::int64_t>(number), workload, text, key));
    add.step();
    changed_.insert(sweep);
}

PointResult PointStore::result(std::int64_t point) { return read(point, nullptr); }

std::string PointStore::damage_of(const Statement& row, int column, const std::string& key,
                                  const PointResult& result) const {
    if (!row.is_null(column)) {
        return row.integer(column) == point_checksum(key, result)
                   ? ""
                   : "a value was changed after it was computed";
    }
    // Only rows of an older okksim have no checksum.
    if (key.ends_with(' ' + program_)) return "its checksum was removed";
    return result.failure.empty() ? contradiction(result.figures).value_or("") : "";
}

PointResult PointStore::read(std::int64_t point, std::string* damage) {
    static const std::string sql =
        fmt::format("SELECT failure, {}, {}, {} FROM points WHERE id = ?", kChecksum, kKeyColumns,
                    fmt::join(figure_names(), ", "));
    Statement& get = statement(sql);
    get.bind(1, point);
    OKKSIM_CHECK(get.step());
    PointResult result{{}, get.text(0)};
    for (std::size_t i = 0; i < figure_names().size(); ++i) {
        const int column = static_cast<int>(i) + 6;
        if (!get.is_null(column)) result.figures.set_at(i, get.real(column));
    }
    if (damage != nullptr) *damage = damage_of(get, 1, get.key_at(2), result);
    get.reset();
    return result;
}

void PointStore::set_points(std::int64_t sweep, std::uint64_t points) {
    begin();
    Statement& set = statement("UPDATE sweeps SET points = ? WHERE id = ?");
    set.bind(1, static_cast<std::int64_t>(points));
    set.bind(2, sweep);
    set.step();
    // A search of another build may have taken more points; its members are dropped.
    Statement& drop = statement("DELETE FROM members WHERE sweep = ? AND number >= ?");
    drop.bind(1, sweep);
    drop.bind(2, static_cast<std::int64_t>(points));
    drop.step();
    changed_.insert(sweep);
}

std::vector<StoredSweep> PointStore::sweeps() {
    std::vector<StoredSweep> all;
    const std::set<std::string> there = columns_of("sweeps");
    const bool is_sealed = there.contains(kChecksum) && there.contains(kStored);
    Statement list(
        *this,
        fmt::format(
            "SELECT id, name, spec, machine, points, (SELECT count(*) FROM members JOIN points ON "
            "points.id = point WHERE sweep = sweeps.id), (SELECT count(*) FROM members JOIN points "
            "ON points.id = point WHERE sweep = sweeps.id AND failure IS NOT NULL), hash, "
            "okksim_version, (SELECT count(*) FROM members WHERE sweep = sweeps.id), {} FROM "
            "sweeps ORDER BY id",
            is_sealed ? "stored, checksum" : "NULL, NULL"));
    while (list.step()) {
        StoredSweep sweep{list.integer(0), list.text(1), list.text(2), list.text(3)};
        sweep.points = static_cast<std::uint64_t>(list.integer(4));
        sweep.finished = static_cast<std::uint64_t>(list.integer(5));
        sweep.failed = static_cast<std::uint64_t>(list.integer(6));
        const std::int64_t hash = list.integer(7), members = list.integer(9),
                           stored = list.integer(10);
        sweep.is_spoiled = hash != signed_hash(sweep_hash(sweep.spec, sweep.machine));
        if (!list.is_null(11)) {
            sweep.is_spoiled |=
                list.integer(11) !=
                sweep_checksum(hash, sweep.name, list.integer(4), list.text(8), stored);
            sweep.deleted = static_cast<std::uint64_t>(std::max<std::int64_t>(0, stored - members));
            sweep.is_spoiled |= members > stored;
        }
        all.push_back(std::move(sweep));
    }
    return all;
}

StoredSweep PointStore::sweep(const std::string& name) {
    std::vector<StoredSweep> all = sweeps();
    if (all.empty()) throw ConfigError(name_, "has no sweep yet");
    const auto whole = [this](const StoredSweep& sweep) {
        if (!sweep.is_spoiled) return sweep;
        throw ConfigError(name_, fmt::format("the name, specification, machine or number of points "
                                             "of sweep {} was changed after it was stored; start "
                                             "the sweep again with its specification",
                                             printable(sweep.name)));
    };
    if (name.empty()) return whole(all.back());
    std::string names;
    for (const StoredSweep& sweep : all) {
        if (sweep.name == name) return whole(sweep);
        names += (names.empty() ? "" : ", ") + sweep.name;
    }
    throw ConfigError("--sweep " + name, "is not in the store, which has " + names);
}

StoredSweep PointStore::sweep(std::int64_t id) {
    const std::vector<StoredSweep> all = sweeps();
    const auto found = std::ranges::find(all, id, &StoredSweep::id);
    OKKSIM_CHECK(found != all.end());
    return *found;
}

void PointStore::each_point(std::int64_t sweep,
                            const std::function<void(const StoredPoint&)>& visit) {
    // A store of an older okksim may lack columns.
    const std::set<std::string> there = columns_of("points");
    const auto column_of = [](const std::set<std::string>& columns, const char* table,
                              const std::string& name) {
        return columns.contains(name) ? fmt::format(", {}.{}", table, name) : ", NULL";
    };
    std::string columns = column_of(there, "points", kChecksum) +
                          column_of(columns_of("members"), "members", kChecksum);
    for (const std::string& name : figure_names()) columns += column_of(there, "points", name);
    Statement list(*this, fmt::format("SELECT number, workload, settings, points.id, failure, {}{} "
                                      "FROM members LEFT JOIN points ON points.id = members.point "
                                      "WHERE sweep = ? ORDER BY number",
                                      kKeyColumns, columns));
    list.bind(1, sweep);
    while (list.step()) {
        StoredPoint point{static_cast<std::uint64_t>(list.integer(0)),
                          list.text(1),
                          settings_from(list.text(2)),
                          static_cast<std::uint64_t>(list.integer(6)),
                          {{}, list.text(4)}};
        for (std::size_t i = 0; i < figure_names().size(); ++i) {
            const int column = static_cast<int>(i) + 11;
            if (!list.is_null(column)) point.result.figures.set_at(i, list.real(column));
        }
        const std::string key = list.key_at(5);
        std::string damage = "its row was deleted";
        if (!list.is_null(3)) damage = damage_of(list, 9, key, point.result);
        // Rows of an older okksim have no checksums at all.
        point.is_unchecked = list.is_null(9) && list.is_null(10);
        if (damage.empty() && !point.is_unchecked &&
            list.integer(10) != member_checksum(list.integer(0), list.text(1), list.text(2), key)) {
            damage = "its settings were changed";
        }
        if (!damage.empty()) {
            point.is_spoiled = true;
            point.result = {
                {},
                "spoiled in the store: " + damage + "; start the sweep again to compute it anew"};
        }
        visit(point);
    }
}

void PointStore::merge(const std::filesystem::path& other) {
    commit();
    {
        PointStore check(other, Access::kWrite);  // adds missing columns
        check.refuse_changed();
    }
    refuse_changed();
    Statement attach(*this, "ATTACH ? AS other");
    attach.bind(1, other.string());
    attach.step();
    const std::string columns =
        fmt::format("workload_hash, machine_hash, plan, program, failure, checksum, {}",
                    fmt::join(figure_names(), ", "));
    execute("BEGIN IMMEDIATE");
    execute(fmt::format("INSERT OR IGNORE INTO points({0}) SELECT {0} FROM other.points", columns));
    execute(
        "INSERT OR IGNORE INTO sweeps(hash, name, spec, machine, points, okksim_version) "
        "SELECT hash, name, spec, machine, points, okksim_version FROM other.sweeps");
    execute(
        "INSERT OR IGNORE INTO members(sweep, number, point, workload, settings, checksum) "
        "SELECT mine.id, m.number, p.id, m.workload, m.settings, m.checksum FROM other.members m "
        "JOIN other.sweeps theirs ON theirs.id = m.sweep "
        "JOIN sweeps mine ON mine.hash = theirs.hash JOIN other.points q ON q.id = m.point "
        "JOIN points p ON p.workload_hash = q.workload_hash AND p.machine_hash = q.machine_hash "
        "AND p.plan = q.plan AND p.program = q.program");
    for (const StoredSweep& sweep : sweeps()) seal(sweep.id);
    execute("COMMIT");
    execute("DETACH other");
}

void PointStore::refuse_changed() {
    for (const StoredSweep& each : sweeps()) {
        if (each.is_spoiled) (void)sweep(each.name);
        if (each.deleted > 0) throw ConfigError(name_, deleted_text(each));
    }
}

std::string deleted_text(const StoredSweep& sweep) {
    return fmt::format(
        "{} of {} points of sweep {} were deleted after they were computed; start the sweep again "
        "to compute them anew",
        sweep.deleted, sweep.points, printable(sweep.name));
}

void PointStore::query(const std::string& sql,
                       const std::function<void(std::vector<std::string>)>& row) {
    Statement query(*this, sql);
    if (query.handle() == nullptr || sqlite3_stmt_readonly(query.handle()) == 0) {
        throw ConfigError("--sql", "would change the store; give a query: SELECT ...");
    }
    if (query.rest().find_first_not_of("; \t\r\n") != std::string::npos) {
        throw ConfigError("--sql", "takes one query; remove the text after it: " + query.rest());
    }
    const int columns = sqlite3_column_count(query.handle());
    std::vector<std::string> cells;
    for (int i = 0; i < columns; ++i) cells.emplace_back(sqlite3_column_name(query.handle(), i));
    row(std::move(cells));
    while (query.step()) {
        cells.clear();
        for (int i = 0; i < columns; ++i) cells.push_back(query.text(i));
        row(std::move(cells));
    }
}

}  // namespace okksim::sim::sweep
