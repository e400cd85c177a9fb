// SPDX-License-Identifier: Apache-2.0
// Files that are read: regular ones, and nothing that may have no end.
#include "isa/input_file.h"

#include <sys/stat.h>

#include "isa/errors.h"
#include "isa/temporary_folder.h"
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
