// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/csv.h"

#include "isa/base/errors.h"
#include "tests/sim/trace/temporary_file.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using sim::fidelity::CsvTable;

TEST_CASE("Tables have named columns and quoted cells") {
    const tests::TemporaryFile file(
        "op,arg8(stride_w?),note\r\nconv,4,\"a, \"\"b\"\"\"\n\nx,1.5,\n");
    const CsvTable table = CsvTable::read(file.path());
    REQUIRE(table.rows() == 2);
    CHECK(table.integer(0, table.column("arg8")) == 4);
    CHECK(table.text(0, table.column("note")) == "a, \"b\"");
    CHECK(table.number(1, table.column("arg8")) == 1.5);
    CHECK_THROWS_WITH(table.integer(1, 1), Catch::Contains(":4: arg8 is \"1.5\""));
    CHECK_THROWS_AS(table.column("nothing"), ConfigError);
}

TEST_CASE("Malformed tables are named with their line") {
    const auto read = [](const char* text) {
        const tests::TemporaryFile file(text);
        return CsvTable::read(file.path());
    };
    CHECK_THROWS_WITH(read("a,b\n"), Catch::Contains("no row below the column names"));
    CHECK_THROWS_WITH(read(""), Catch::Contains("no row of column names"));
    CHECK_THROWS_WITH(read("a,b\n1\n"), Catch::Contains(":2: the row has 1 cells"));
    CHECK_THROWS_WITH(read("a,b\n\"1,2\n"), Catch::Contains(":2: a quote is not closed"));
    CHECK_THROWS_AS(CsvTable::read("/nowhere"), ConfigError);
}

}  // namespace
