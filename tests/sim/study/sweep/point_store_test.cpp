// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/point_store.h"

#include <sqlite3.h>

#include <fstream>

#include "isa/base/errors.h"
#include "isa/base/temporary_folder.h"
#include "tests/sim/study/sweep/spec_text.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using okksim::TemporaryFolder;
using sim::sweep::PointKey;
using sim::sweep::PointResult;
using sim::sweep::PointStore;
using sim::sweep::StoredPoint;
using tests::spec_of;

PointResult result(double us) {
    PointResult result;
    result.figures.set("us", us);
    return result;
}

/// Adds a point of a sweep of two.
std::int64_t add(PointStore& store, std::uint64_t number, const PointResult& result) {
    const auto sweep =
        store.open_sweep(spec_of(""), sim::dump_machine(sim::load_machine("bm1684")), 2);
    const auto point = store.add({7, number, "plan"}, result);
    store.add_member(sweep, number, "none", {{"chip.lanes", std::to_string(number)}}, point);
    store.commit();
    return sweep;
}

std::vector<StoredPoint> points(PointStore& store, std::int64_t sweep) {
    std::vector<StoredPoint> all;
    store.each_point(sweep, [&](const StoredPoint& point) { all.push_back(point); });
    return all;
}

void execute_in(const std::filesystem::path& file, const char* sql) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
    REQUIRE(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
}

}  // namespace

TEST_CASE("what is committed is there for the next one, digit by digit") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "s.sqlite";
    const double us = 1.0 / 3.0;
    std::int64_t sweep = 0;
    {
        PointStore store(file, PointStore::Access::kWrite);
        sweep = add(store, 0, result(us));
        PointResult failed;
        failed.failure = "does not fit";
        add(store, 1, failed);
    }
    PointStore store(file, PointStore::Access::kRead);
    CHECK(store.find({7, 0, "plan"}).has_value());
    CHECK(!store.find({7, 0, "another plan"}));
    const auto all = points(store, sweep);
    REQUIRE(all.size() == 2);
    CHECK(all[0].result.figures.get("us") == us);
    CHECK(!all[0].result.figures.get("floor_us"));
    CHECK(all[0].settings == sim::sweep::PointSettings{{"chip.lanes", "0"}});
    CHECK(all[1].result.failure == "does not fit");
    CHECK(store.sweeps().at(0).failed == 1);
}

TEST_CASE("a sweep whose end is known late has the points up to there, and results are read back") {
    const TemporaryFolder folder;
    PointStore store(folder.path() / "s.sqlite", PointStore::Access::kWrite);
    std::int64_t sweep = 0;
    for (std::uint64_t number = 0; number < 5; ++number) {
        sweep = add(store, number, result(static_cast<double>(number) / 3.0));
    }
    // An earlier build had five points.
    store.set_points(sweep, 3);
    store.commit();
    CHECK(points(store, sweep).size() == 3);
    CHECK(store.sweep(sweep).points == 3);
    CHECK(store.sweep(sweep).finished == 3);
    // Computed results stay.
    const auto point = store.find({7, 4, "plan"});
    REQUIRE(point.has_value());
    CHECK(store.result(*point).figures.get("us") == 4 / 3.0);
    CHECK(!store.result(*point).figures.get("floor_us"));
    CHECK(store.result(*point).failure.empty());
    PointResult failed;
    failed.failure = "does not fit";
    CHECK(store.result(store.add({8, 0, "plan"}, failed)).failure == "does not fit");
}

TEST_CASE("settings of somebody's store that are nested without end are no settings") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "s.sqlite";
    const std::int64_t sweep = [&] {
        PointStore store(file, PointStore::Access::kWrite);
        return add(store, 0, result(1));
    }();
    const std::string deep = std::string(200000, '[') + std::string(200000, ']');
    execute_in(file, ("UPDATE members SET settings = '{\"a\":" + deep + "}'").c_str());
    PointStore store(file, PointStore::Access::kRead);
    CHECK(points(store, sweep).at(0).settings.empty());
}

TEST_CASE("a row that was changed after it was computed is not believed, and is computed anew") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "s.sqlite";
    const std::int64_t sweep = [&] {
        PointStore store(file, PointStore::Access::kWrite);
        add(store, 0, result(3));
        return add(store, 1, result(5));
    }();
    struct Change {
        const char* sql;
        const char* damage;
    };
    const Change changes[] = {
        {"UPDATE points SET us = -1 WHERE id = 2", "a value was changed"},
        {"UPDATE points SET us = 'abc' WHERE id = 2", "a value was changed"},
        {"UPDATE points SET us = us / 2 WHERE id = 2", "a value was changed"},
        {"UPDATE points SET us = NULL WHERE id = 2", "a value was changed"},
        {"UPDATE points SET floor_us = 1 WHERE id = 2", "a value was changed"},
        {"UPDATE points SET failure = 'no' WHERE id = 2", "a value was changed"},
        {"UPDATE points SET checksum = checksum + 1 WHERE id = 2", "a value was changed"},
        {"UPDATE points SET checksum = NULL WHERE id = 2", "its checksum was removed"},
        {"UPDATE points SET machine_hash = 9 WHERE id = 2", "a value was changed"},
        {"DELETE FROM points WHERE id = 2", "its row was deleted"},
        {"UPDATE members SET point = 1 WHERE number = 1", "its settings were changed"},
        {"UPDATE members SET settings = '{}' WHERE number = 1", "its settings were changed"},
    };
    for (const Change& change : changes) {
        CAPTURE(change.sql);
        const auto spoiled = folder.path() / "t.sqlite";
        std::filesystem::copy_file(file, spoiled,
                                   std::filesystem::copy_options::overwrite_existing);
        execute_in(spoiled, change.sql);
        {
            PointStore store(spoiled, PointStore::Access::kRead);
            const auto all = points(store, sweep);
            REQUIRE(all.size() == 2);
            CHECK_FALSE(all[0].is_spoiled);
            CHECK(all[1].is_spoiled);
            CHECK_THAT(all[1].result.failure, Catch::Contains(change.damage));
            CHECK(!all[1].result.figures.get("us"));
        }
        PointStore store(spoiled, PointStore::Access::kWrite);
        std::vector<std::string> rows;
        store.note_spoiled = [&](const std::string& row) { rows.push_back(row); };
        const bool is_row_of_point =
            std::string(change.damage) != "its row was deleted" &&
            std::string(change.damage) != "its settings were changed" &&
            std::string(change.sql).find("machine_hash") == std::string::npos;
        CHECK(store.find({7, 1, "plan"}).has_value() ==
              (std::string(change.damage) == "its settings were changed"));
        CHECK(rows.size() == (is_row_of_point ? 1 : 0));
        add(store, 1, result(5));
        const auto all = points(store, sweep);
        REQUIRE(all.size() == 2);
        CHECK_FALSE(all[1].is_spoiled);
        CHECK(all[1].result.figures.get("us") == 5.0);
    }
}

TEST_CASE("a dropped column, a changed sweep and a damaged page are noticed") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "s.sqlite";
    std::int64_t sweep = 0;
    {
        PointStore store(file, PointStore::Access::kWrite);
        sweep = add(store, 0, result(3));
    }
    const auto copy = [&](const char* sql) {
        const auto spoiled = folder.path() / "t.sqlite";
        std::filesystem::copy_file(file, spoiled,
                                   std::filesystem::copy_options::overwrite_existing);
        execute_in(spoiled, sql);
        return spoiled;
    };
    {
        PointStore store(copy("ALTER TABLE points DROP COLUMN us"), PointStore::Access::kRead);
        CHECK(points(store, sweep).at(0).is_spoiled);
    }
    {
        const auto path = copy("ALTER TABLE points DROP COLUMN us");
        PointStore store(path, PointStore::Access::kWrite);
        CHECK(!store.find({7, 0, "plan"}));
    }
    for (const char* sql : {"UPDATE sweeps SET machine = 'x'", "UPDATE sweeps SET spec = ''",
                            "UPDATE sweeps SET name = 'x'", "UPDATE sweeps SET points = points + 1",
                            "UPDATE sweeps SET stored = 7"}) {
        const auto path = copy(sql);
        PointStore store(path, PointStore::Access::kRead);
        CHECK_THROWS_WITH(store.sweep(),
                          Catch::Contains("t.sqlite") && Catch::Contains("was changed"));
        PointStore again(path, PointStore::Access::kWrite);
        add(again, 0, result(3));
        CHECK_NOTHROW(again.sweep());
    }
    for (const char* sql : {"DELETE FROM members", "UPDATE members SET sweep = 7"}) {
        PointStore store(copy(sql), PointStore::Access::kRead);
        CHECK(store.sweep().deleted == 1);
    }
    {
        PointStore store(copy("UPDATE members SET checksum = NULL"), PointStore::Access::kRead);
        CHECK(points(store, sweep).at(0).is_spoiled);
    }
    {
        PointStore store(copy("UPDATE members SET checksum = NULL; UPDATE points SET checksum = "
                              "NULL, program = '0.1'"),
                         PointStore::Access::kRead);
        CHECK(points(store, sweep).at(0).is_unchecked);
    }
    // A changed bit anywhere: the store is refused, its value is right, or the row is spoiled.
    std::ifstream in(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    const auto path = folder.path() / "t.sqlite";
    for (std::size_t at = 0; at < bytes.size(); at += 97) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
        std::ofstream(path, std::ios::binary | std::ios::trunc) << changed;
        INFO(at);
        try {
            PointStore store(path, PointStore::Access::kRead);
            for (const StoredPoint& point : points(store, sweep)) {
                if (!point.is_spoiled) CHECK(point.result.figures.get("us") == 3.0);
            }
        } catch (const ConfigError&) {
        }
    }
}

TEST_CASE("what is not committed is not there") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "s.sqlite";
    {
        PointStore store(file, PointStore::Access::kWrite);
        store.add({7, 0, "plan"}, result(1));
    }
    CHECK(!PointStore(file, PointStore::Access::kRead).find({7, 0, "plan"}));
}

TEST_CASE("the first result of a point stays, and merging adds each once") {
    const TemporaryFolder folder;
    const auto one = folder.path() / "1.sqlite", two = folder.path() / "2.sqlite";
    std::int64_t sweep = 0;
    {
        PointStore store(one, PointStore::Access::kWrite);
        sweep = add(store, 0, result(1));
        add(store, 0, result(2));
        PointStore other(two, PointStore::Access::kWrite);
        add(other, 0, result(3));
        add(other, 1, result(4));
    }
    PointStore store(one, PointStore::Access::kWrite);
    store.merge(two);
    store.merge(two);
    const auto all = points(store, sweep);
    REQUIRE(all.size() == 2);
    CHECK(all[0].result.figures.get("us") == 1.0);
    CHECK(all[1].result.figures.get("us") == 4.0);
}

TEST_CASE("who reads what a killed writer has left sees what it had committed") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "s.sqlite", left = folder.path() / "left.sqlite";
    std::int64_t sweep = 0;
    {
        PointStore store(file, PointStore::Access::kWrite);
        sweep = add(store, 0, result(5));
    }
    // A writer is inside a transaction that does not fit its cache. The file has new pages, and the
    // journal has their old contents.
    sqlite3* writer = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &writer) == SQLITE_OK);
    REQUIRE(
        sqlite3_exec(writer,
                     "PRAGMA cache_size = 1; BEGIN; UPDATE points SET us = 6;"
                     "CREATE TABLE more(x);"
                     "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 5000) "
                     "INSERT INTO more SELECT zeroblob(500) FROM c",
                     nullptr, nullptr, nullptr) == SQLITE_OK);
    REQUIRE(std::filesystem::exists(folder.path() / "s.sqlite-journal"));
    std::filesystem::copy_file(file, left);
    std::filesystem::copy_file(folder.path() / "s.sqlite-journal",
                               folder.path() / "left.sqlite-journal");
    sqlite3_close(writer);
    PointStore store(left, PointStore::Access::kRead);
    const auto all = points(store, sweep);
    REQUIRE(all.size() == 1);
    CHECK(all[0].result.figures.get("us") == 5.0);
}

TEST_CASE("files that are no stores are told apart") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "s.sqlite";
    CHECK_THROWS_AS(PointStore(file, PointStore::Access::kRead), ConfigError);
    CHECK_THROWS_AS(PointStore(folder.path(), PointStore::Access::kWrite), ConfigError);
    std::ofstream(file) << std::string(5000, 'x');
    CHECK_THROWS_AS(PointStore(file, PointStore::Access::kWrite), ConfigError);
    std::filesystem::remove(file);
    execute_in(file, "PRAGMA application_id = 5; PRAGMA user_version = 1");
    CHECK_THROWS_AS(PointStore(file, PointStore::Access::kWrite), ConfigError);
    std::filesystem::remove(file);
    { const PointStore store(file, PointStore::Access::kWrite); }
    execute_in(file, "PRAGMA user_version = 2");
    CHECK_THROWS_AS(PointStore(file, PointStore::Access::kRead), ConfigError);
}

TEST_CASE("queries read, and change nothing") {
    const TemporaryFolder folder;
    PointStore store(folder.path() / "s.sqlite", PointStore::Access::kWrite);
    add(store, 0, result(2.5));
    std::vector<std::vector<std::string>> rows;
    const auto keep = [&](std::vector<std::string> row) { rows.push_back(std::move(row)); };
    store.query("SELECT us, failure FROM points", keep);
    CHECK(rows == std::vector<std::vector<std::string>>{{"us", "failure"}, {"2.5", ""}});
    CHECK_THROWS_AS(store.query("DELETE FROM points", keep), ConfigError);
    CHECK_THROWS_AS(store.query("SELECT nothing FROM points", keep), ConfigError);
}
