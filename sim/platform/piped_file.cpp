// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/piped_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "isa/base/errors.h"

namespace okksim::sim {

PipedFile::PipedFile(std::string what, const std::string& path, const std::string& ending)
    : file_(what, path) {
    std::string name = (std::filesystem::temp_directory_path() / "okksim-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) {
        folder_ = name;
        pipe_ = folder_ / ("pipe" + ending);
        if (mkfifo(pipe_.c_str(), S_IRUSR | S_IWUSR) == 0) {
            // Opening must not block on either end.
            end_ = open(pipe_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
            // Without a reader, opening for writing would block.
            if (end_ >= 0) writer_ = open(pipe_.c_str(), O_WRONLY | O_CLOEXEC);
        }
    }
    if (writer_ < 0 || fcntl(end_, F_SETFL, 0) != 0) {
        const int error = errno;
        end_reading();
        throw ConfigError(
            std::move(what),
            std::string("cannot make a pipe in the folder for temporary files (TMPDIR): ") +
                std::strerror(error));
    }
    reader_ = std::thread([this] { copy(); });
}

PipedFile::~PipedFile() { end_reading(); }

void PipedFile::end_reading() {
    if (writer_ >= 0) close(std::exchange(writer_, -1));
    if (reader_.joinable()) reader_.join();
    if (end_ >= 0) close(std::exchange(end_, -1));
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

void PipedFile::copy() {
    std::array<char, 65536> block;
    for (;;) {
        const ssize_t got = read(end_, block.data(), block.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        file_.write({block.data(), static_cast<std::size_t>(got)});
    }
}

void PipedFile::commit() {
    end_reading();
    file_.commit();
}

}  // namespace okksim::sim
