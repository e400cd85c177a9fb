// SPDX-License-Identifier: Apache-2.0
// A file that changes while it is read ends the program with its name, never with a bare signal.
#include "sim/files/mapped_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "isa/base/errors.h"
#include "isa/base/output_file.h"
#include "isa/base/temporary_folder.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

namespace fs = std::filesystem;

void write_bytes(const fs::path& path, std::size_t count) {
    std::ofstream(path, std::ios::binary) << std::string(count, 'x');
}

}  // namespace

TEST_CASE("graph/a mapped file that is shortened is named") {
    constexpr int kCode = 42;
    constexpr std::size_t kBytes = 1 << 16;
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "short.tosa";
    const fs::path said = folder.path() / "said";
    write_bytes(path, kBytes);
    const pid_t child = fork();
    if (child == 0) {
        if (std::freopen(said.c_str(), "w", stderr) == nullptr) _exit(1);
        explain_shortened_files(kCode);
        const MappedFile file = map_file(path);
        OutputFile report((folder.path() / "report").string());
        report << "half of it";
        if (truncate(path.c_str(), 0) != 0) _exit(1);
        _exit(file.bytes[kBytes - 1] == std::byte{'x'} ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == kCode);
    std::ifstream stream(said);
    const std::string text((std::istreambuf_iterator<char>(stream)),
                           std::istreambuf_iterator<char>());
    CHECK_THAT(text, Catch::Contains("short.tosa: became shorter"));
    // No partial output remains.
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("graph/a mapped file that is changed is noticed") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "model.tosa";
    write_bytes(path, 100);
    {
        const MappedFile file = map_file(path);
        CHECK_NOTHROW(check_mapped_files());
        write_bytes(path, 99);  // the rest of the page now reads as zeros
        CHECK_THROWS_WITH(check_mapped_files(), Catch::Contains("model.tosa: changed"));
    }
    CHECK_NOTHROW(check_mapped_files());
    const MappedFile again = map_file(path);
    CHECK_NOTHROW(check_mapped_files());
    {
        // A changed time with the same size counts as a change.
        const auto rewritten = folder.path() / "rewritten.tosa";
        write_bytes(rewritten, 100);
        const MappedFile file = map_file(rewritten);
        fs::last_write_time(rewritten, fs::last_write_time(rewritten) + std::chrono::hours(1));
        CHECK_THROWS_WITH(check_mapped_files(), Catch::Contains("rewritten.tosa: changed"));
    }
    fs::remove(path);
    CHECK_THROWS_AS(check_mapped_files(), ConfigError);
}

TEST_CASE("mapped files that leave memory come back, other bytes stay") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "bytes";
    const std::string text(1 << 20, 'x');
    std::ofstream(path) << text;
    const MappedFile file = map_file(path);
    const auto is_whole = [&](std::span<const std::byte> bytes) {
        return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == text;
    };
    CHECK(is_whole(file.bytes));
    unmap_pages(file.bytes);
    unmap_pages(std::as_bytes(std::span(text)));
    unmap_files();
    CHECK(is_whole(file.bytes));
    CHECK(is_whole(std::as_bytes(std::span(text))));
}

}  // namespace okksim::sim::graph
