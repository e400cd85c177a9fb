// SPDX-License-Identifier: Apache-2.0
// A file is written as a whole or keeps its former content; errors name file and reason.
#include "isa/base/output_file.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <sstream>

#include "isa/base/errors.h"
#include "isa/base/temporary_folder.h"
#include "tests/support/catch.h"

namespace okksim {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("an output file appears when it is complete and replaces the old one then") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "report";
    std::ofstream(path) << "old";
    {
        OutputFile file(path.string());
        file << "new" << '!';
        CHECK(text_of(path) == "old");
        file.commit();
        CHECK(text_of(path) == "new!");
    }
    {
        OutputFile forgotten(path.string());
        forgotten << std::string(1 << 20, 'x');
    }
    CHECK(text_of(path) == "new!");
    CHECK(files_in(folder.path()) == 1);  // no temporary file remains
}

TEST_CASE("an end without destructors leaves nothing aside") {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "report").string();
    write_file(path, "old");
    std::optional<OutputFile> first(std::in_place, path);
    OutputFile second((folder.path() / "another").string());
    CHECK(files_in(folder.path()) == 3);
    first.reset();  // one that is not the newest leaves the list
    const pid_t child = fork();
    if (child == 0) {
        OutputFile::forget_all();  // the parent's, not the child's to forget
        _exit(0);
    }
    REQUIRE(waitpid(child, nullptr, 0) == child);
    CHECK(files_in(folder.path()) == 2);
    OutputFile::forget_all();
    CHECK(files_in(folder.path()) == 1);
    CHECK(text_of(path) == "old");
}

TEST_CASE("an output file keeps permissions and follows links") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "report";
    fs::create_directory(folder.path() / "sub");
    fs::create_symlink("sub/target", path);
    write_file(path.string(), "first");
    CHECK(fs::is_symlink(path));
    CHECK(text_of(folder.path() / "sub" / "target") == "first");
    chmod(path.c_str(), 0640);
    write_file(path.string(), "second");
    struct stat status {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0640);
    CHECK(text_of(path) == "second");
    CHECK(fs::is_symlink(path));
}

TEST_CASE("an output file that cannot be written names path and reason") {
    using Catch::Contains;
    const TemporaryFolder folder;
    const std::string none = (folder.path() / "none" / "report").string();
    CHECK_THROWS_WITH(OutputFile("--stats x", none), Contains("--stats x") && Contains("No such"));
    CHECK_THROWS_WITH(OutputFile(folder.path().string()), Contains("directory"));
    OutputFile full("/dev/full");
    full << std::string(1 << 20, 'x');
    CHECK_THROWS_WITH(full.commit(), Contains("/dev/full") && Contains("No space"));
    OutputFile nothing("--stats", "");
    CHECK_FALSE(nothing);
    nothing << "text";
    CHECK_NOTHROW(nothing.commit());
    OutputFile null("/dev/null");
    CHECK_NOTHROW(null.commit());
    CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("an output file may be in a folder that is closed when it is not closed itself") {
    if (geteuid() == 0) return;  // root may write everywhere
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "report";
    std::ofstream(path) << "old";
    chmod(folder.path().c_str(), 0555);
    CHECK_NOTHROW(write_file(path.string(), "new"));
    CHECK(text_of(path) == "new");
    chmod(path.c_str(), 0444);
    CHECK_THROWS_AS(write_file(path.string(), "newer"), ConfigError);
    chmod(folder.path().c_str(), 0755);
    CHECK_THROWS_AS(write_file(path.string(), "newer"), ConfigError);  // not to be replaced either
    CHECK(text_of(path) == "new");
}

TEST_CASE("two output files are never one file") {
    using Catch::Contains;
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "report").string();
    {
        OutputFile first("--json report", path);
        const std::string same = (folder.path() / "." / "report").string();
        CHECK_THROWS_WITH(OutputFile("--csv report", same),
                          Contains("--csv report") && Contains("--json report"));
        CHECK_NOTHROW(OutputFile(path + "2"));
        first << "one";
        first.commit();
        // After the commit, another writer may use the path.
        CHECK_NOTHROW(write_file(path, "two"));
    }
    CHECK(text_of(path) == "two");
}

}  // namespace okksim
