// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/loaded_values.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "isa/base/errors.h"
#include "isa/base/input_file.h"
#include "isa/base/output_file.h"

namespace okksim::sim::execution {
namespace {

constexpr const char* kKey = "loaded_values";

std::optional<std::byte> byte_from(std::string_view digits) {
    unsigned value = 0;
    for (const char c : digits) {
        const std::string_view all = "0123456789abcdef";
        const std::size_t digit = all.find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        value = 16 * value + static_cast<unsigned>(digit);
    }
    return std::byte(value);
}

std::vector<std::byte> bytes_from(const std::string& text, const std::string& where) {
    std::vector<std::byte> bytes;
    for (std::size_t at = 0; at < text.size(); at += 2) {
        const auto byte = byte_from(std::string_view(text).substr(at, 2));
        if (!byte || text.size() - at < 2) {
            throw ConfigError(where, "must consist of pairs of the digits 0-9 and a-f");
        }
        bytes.push_back(*byte);
    }
    return bytes;
}

}  // namespace

void save_values(const std::filesystem::path& file, const LoadedValues& values) {
    nlohmann::ordered_json json{{kKey, nlohmann::ordered_json::array()}};
    for (const std::vector<std::byte>& value : values) {
        std::string text;
        for (const std::byte byte : value) text += fmt::format("{:02x}", byte);
        json[kKey].push_back(text);
    }
    write_file(file, json.dump(1) + "\n");
}

LoadedValues load_values(const std::filesystem::path& file) {
    const auto json = nlohmann::json::parse(
        read_json_text(file, "`okksim run --keep-values FILE` writes it"), nullptr, false);
    if (!json.is_object() || !json.contains(kKey) || !json[kKey].is_array()) {
        throw ConfigError(file.string(),
                          "holds no values of a run; `okksim run --keep-values "
                          "FILE` writes them");
    }
    LoadedValues values;
    for (const auto& value : json[kKey]) {
        const std::string where = fmt::format("{}: value {}", file.string(), values.size() + 1);
        if (!value.is_string()) throw ConfigError(where, "is not a text of hexadecimal digits");
        values.push_back(bytes_from(value.get<std::string>(), where));
    }
    return values;
}

void OwnBytes::store(std::uint64_t address, std::uint64_t bytes) {
    if (find(address, bytes) != nullptr) return;
    for (auto at = blocks_.lower_bound(address);
         at != blocks_.end() && at->first < address + bytes;) {
        at = blocks_.erase(at);
    }
    blocks_[address].assign(bytes, std::byte{0});
}

std::byte* OwnBytes::find(std::uint64_t address, std::uint64_t bytes) {
    auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin()) return nullptr;
    auto& [start, block] = *--after;
    const std::uint64_t offset = address - start;
    if (offset >= block.size() || block.size() - offset < bytes) return nullptr;
    return block.data() + offset;
}

void LoadNotes::access(const isa::ProcessorAccess& access) {
    machine_.access(access);
    const std::uint64_t address = access.address.value();
    if (access.kind == isa::AccessKind::kStore) return own_.store(address, access.bytes);
    if (constants_.place(address, access.bytes).constant != nullptr) return;
    if (own_.find(address, access.bytes) != nullptr) return;
    const auto* bytes = static_cast<const std::byte*>(machine_.system_pointer(address));
    values_.emplace_back(bytes, bytes + access.bytes);
}

}  // namespace okksim::sim::execution
