// SPDX-License-Identifier: Apache-2.0
// Input files must be regular files: other kinds may have no end.
#include "isa/base/input_file.h"

#include <sys/stat.h>

#include "isa/base/errors.h"
#include "isa/base/temporary_folder.h"
#include "tests/support/catch.h"

using namespace okksim;

TEST_CASE("a regular file is opened, also behind a link") {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "file") << "text";
    std::filesystem::create_symlink("file", folder.path() / "link");
    std::string text;
    open_input(folder.path() / "link", "give a file") >> text;
    CHECK(text == "text");
}

TEST_CASE("what may have no end, or no beginning, is refused before it is opened") {
    const TemporaryFolder folder;
    const auto pipe = folder.path() / "pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    for (const std::filesystem::path& path :
         {pipe, folder.path(), std::filesystem::path("/dev/zero"),
          std::filesystem::path("/proc/self/status")}) {
        CHECK(may_have_no_end(path));
        CHECK_THROWS_WITH(open_input(path, "give a file"),
                          Catch::Contains("not a regular file; give a file"));
    }
    CHECK_FALSE(may_have_no_end(folder.path() / "none"));
    CHECK_THROWS_WITH(open_input(folder.path() / "none", "give a file"),
                      Catch::Contains("cannot be read; give a file"));
}

TEST_CASE("JSON that is nested deep is refused, brackets in strings are none") {
    const auto lists = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    CHECK_FALSE(is_nested_deep(lists(64)));
    CHECK(is_nested_deep(lists(65)));
    CHECK(is_nested_deep(std::string(1000, '{')));  // before a parser reports a missing end
    // Siblings are not nested.
    CHECK_FALSE(is_nested_deep("[" + lists(60) + "," + lists(60) + "]"));
    CHECK_FALSE(is_nested_deep("\"" + std::string(100, '[') + "\""));
    CHECK_FALSE(is_nested_deep("\"\\\"" + std::string(100, '[') + "\""));  // "\"[[[..."
    CHECK(is_nested_deep("\"\\\\\"" + std::string(100, '[')));             // "\\"[[[...
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "flat.json") << "{\"a\": [1]}";
    CHECK(read_json_text(folder.path() / "flat.json", "give a file") == "{\"a\": [1]}");
    std::ofstream(folder.path() / "deep.json") << lists(100000);
    CHECK_THROWS_WITH(read_json_text(folder.path() / "deep.json", "give a file"),
                      Catch::Contains("deep.json") && Catch::Contains("nested") &&
                          Catch::Contains("give a file"));
}
