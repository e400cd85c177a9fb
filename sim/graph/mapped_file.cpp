// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>

#include "isa/errors.h"

namespace okksim::sim::graph {

MappedFile map_file(const std::filesystem::path& path) {
    namespace ip = boost::interprocess;
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
        throw ConfigError(path.string(), "file not found; check the path");
    }
    if (!std::filesystem::is_regular_file(status)) {
        throw ConfigError(path.string(), "not a regular file; give the path of a file");
    }
    const auto size = std::filesystem::file_size(path, error);
    if (error) throw ConfigError(path.string(), "cannot read the size: " + error.message());
    if (size == 0) return {};
    try {
        const ip::file_mapping mapping(path.c_str(), ip::read_only);
        auto region = std::make_shared<const ip::mapped_region>(mapping, ip::read_only);
        const std::span<const std::byte> bytes(static_cast<const std::byte*>(region->get_address()),
                                               region->get_size());
        return {std::move(region), bytes};
    } catch (const ip::interprocess_exception& exception) {
        throw ConfigError(path.string(), std::string("cannot map the file: ") + exception.what());
    }
}

void release_pages(std::span<const std::byte> bytes) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = (reinterpret_cast<std::uintptr_t>(bytes.data()) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size()) / page * page;
    // Contents stay as they are, wherever the bytes come from; a refusal only costs memory.
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_PAGEOUT);
}

}  // namespace okksim::sim::graph
