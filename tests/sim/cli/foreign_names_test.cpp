// SPDX-License-Identifier: Apache-2.0
// Names of files and names inside files cannot move the terminal's cursor or forge a line of a
// report.
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/sim/cli/shell.h"
#include "tests/support/catch.h"

namespace okksim::tests {

TEST_CASE("cli/nothing of a foreign name reaches the terminal but letters") {
    const Program program;
    // A colour, a line that looks like a verdict, a bell.
    const std::string name = "e\033[31m\n9 passed, 0 failed\a";
    const auto make = [&](const std::string& line) { REQUIRE(shell(program, line) == 0); };
    make("$P zoo lstm --size 4 --width 0.25 -o net");
    make("$P baseline -o base --filter add_fp32; rm base/baseline.filters; cp -r base other");
    program.write("name", name);
    const std::string with_name = "N=$(cat name); ";
    make(with_name + "mkdir -p tree/\"$N\" a b other; cp net/* tree/\"$N\"");
    make(with_name + "cp net/sequence.npy a/\"$N.npy\"; cp net/desc.json b/\"$N.npy\"");
    make(with_name + "cp base/add_fp32.time.trace base/\"$N.time.trace\"");
    program.write("named.toml", "base = \"bm1684\"\n[bdc]\n\"e\\u001b[31m\" = 700\n");
    program.write("named.mlir",
                  "func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n"
                  "  %0 = tosa.e\033[31m %arg0 : (tensor<4xf32>) -> tensor<4xf32>\n");
    program.write("named.asm", "e\033[31m dst=0\n");
    for (const char* line : {"$P run \"$N.tosa\"",
                             "$P run \"$N\"",
                             "$P \"$N\"",
                             "$P run --\"$N\"",
                             "$P run named.mlir",
                             "$P coverage named.mlir",
                             "$P machine --set \"$N=1\"",
                             "$P machine \"$N.toml\"",
                             "$P machine named.toml",
                             "$P run net/model.tosa --input \"$N=1\"",
                             "$P conformance tree",
                             "$P conformance tree -v",
                             "$P conformance tree --filter \"$N\"",
                             "$P check a b",
                             "$P check b a -v",
                             "$P compare base other",
                             "$P golden \"$N\"",
                             "$P replay \"$N\"",
                             "$P trace show \"$N\"",
                             "$P why \"$N\" y",
                             "$P asm named.asm -o o",
                             "$P kernel $K --launch \"$N\"",
                             "$P kernel \"$N\" --launch f",
                             "$P zoo \"$N\" -o x",
                             "$P help \"$N\"",
                             "$P manual \"$N\"",
                             "$P fidelity \"$N\"",
                             "$P isa \"$N\""}) {
        CAPTURE(line);
        CHECK(shell(program, with_name + line) != 0);
        const std::string text = program.read(".out") + program.read(".err");
        CHECK_FALSE(text.empty());
        CHECK(std::none_of(text.begin(), text.end(),
                           [](char c) { return c >= 0 && c < ' ' && c != '\n' && c != '\t'; }));
    }
    for (const char* line : {"$P conformance tree", "$P check a b", "$P compare base other"}) {
        shell(program, with_name + line);
        CAPTURE(line);
        CHECK_FALSE(contains("\n" + program.read(".out"), "\n9 passed, 0 failed"));
    }
}

namespace {

/// Changes a store without the program.
void change_store(const std::filesystem::path& path, const char* sql) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
}

}  // namespace

TEST_CASE("cli/pages of somebody else's store are written where the user says, whatever it holds") {
    const Program program;
    REQUIRE(shell(program, "mkdir inner; $P zoo mobilenet_v2 --size 32 --width 0.25 -o still") ==
            0);
    program.write("lanes.toml",
                  "name = \"lanes\"\n[[workload]]\ngraph = \"still/model.tosa\"\n"
                  "[[axis]]\nparameter = \"chip.lanes\"\nvalues = [16, 32]\n");
    REQUIRE(shell(program, "$P sweep lanes.toml -j1") == 0);
    const auto store = program.folder() / "lanes.sqlite";
    // A time that no run takes: the scripts have no name for it.
    change_store(store, "UPDATE points SET us = 9e999");
    CHECK(shell(program, "$P report lanes.sqlite") == 2);
    CHECK(contains(program.read("lanes.html"), "</html>"));
    CHECK(contains(program.read(".err"), "lanes.sqlite: 2 points are left out"));
    CHECK(shell(program, "$P sweep lanes.sqlite") == 2);
    CHECK(contains(program.read(".err"), "lanes.sqlite: point 0 is spoiled in the store"));
    change_store(store, "UPDATE sweeps SET name = '../escaped'");
    CHECK(shell(program, "cd inner; $P report ../lanes.sqlite") == 2);
    CHECK(contains(program.read(".err"), "was changed after it was stored"));
    CHECK_FALSE(std::filesystem::exists(program.folder() / "escaped.html"));
    CHECK(shell(program, "cd inner; $P report ../lanes.sqlite -o page.html") == 2);
    // The next run names the rows, computes them anew and ends with 0.
    CHECK(shell(program, "$P sweep lanes.toml -j1") == 0);
    CHECK(contains(program.read(".err"), "lanes.sqlite: row 1 of points"));
    CHECK(shell(program, "cd inner; $P report ../lanes.sqlite -o page.html") == 0);
}

}  // namespace okksim::tests
