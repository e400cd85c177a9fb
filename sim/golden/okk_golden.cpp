// SPDX-License-Identifier: Apache-2.0
#include "sim/golden/okk_golden.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "isa/base/errors.h"
#include "isa/base/hex.h"
#include "isa/base/input_file.h"
#include "isa/base/json_problem.h"
#include "isa/base/text_stream.h"
#include "sim/golden/whole_number.h"

namespace okksim::sim::golden {
namespace {

using nlohmann::json;

OkkSpace parse_space(const std::string& name) {
    if (name == "local") return OkkSpace::kLocal;
    if (name == "l2") return OkkSpace::kL2;
    if (name == "dtcm") return OkkSpace::kDtcm;
    if (name == "global") return OkkSpace::kGlobal;
    throw std::runtime_error("unknown space '" + name + "'");
}

/// Limit in bytes that keeps sums and products of the file's numbers far below 64 bits.
constexpr std::int64_t kMostRegion = std::int64_t{1} << 40;

/// Returns a number of the file in [low, high].
std::int64_t number_in(const json& value, const char* key, std::int64_t low, std::int64_t high) {
    return whole_number(value, "\"" + std::string(key) + "\"", low, high);
}

/// Returns a shape, padding or the like: a list of exactly `count` numbers.
template <std::size_t count>
std::array<std::int32_t, count> numbers_of(const json& value, const char* what) {
    if (!value.is_array() || value.size() != count) {
        throw std::runtime_error(std::string(what) + " " + value.dump() + " is no list of " +
                                 std::to_string(count) + " numbers");
    }
    std::array<std::int32_t, count> numbers{};
    for (std::size_t i = 0; i < count; ++i) {
        numbers[i] = whole_number<std::int32_t>(value[i], what);
    }
    return numbers;
}

isa::Dim4 dim4_of(const json& value) {
    const auto [n, c, h, w] = numbers_of<4>(value, "the dim4");
    return {n, c, h, w};
}

/// Returns a valid role. Roles are "dst", "work" and operands ("src0"), joined by '+'. A region
/// with another role would not be compared.
std::string role_of(const json& region) {
    const std::string role = region.value("role", std::string());
    TextReader words(role);
    for (std::string word; std::getline(words, word, '+');) {
        if (word == "dst" || word == "work" || word.starts_with("src")) continue;
        throw std::runtime_error("unknown role '" + word + "'; dst, work and src.. are known");
    }
    return role;
}

/// Returns the offset of `size` bytes in the blob.
std::size_t offset_in_blob(const json& value, const char* key, std::int64_t size,
                           std::size_t blob_size) {
    const auto room = static_cast<std::int64_t>(blob_size) - size;
    if (room < 0) throw std::runtime_error("a region is larger than the .bin file");
    return static_cast<std::size_t>(number_in(value.at(key), key, 0, room));
}

OkkRegion parse_region(const json& value, std::size_t blob_size) {
    OkkRegion region;
    region.space = parse_space(value.at("space").get<std::string>());
    const std::int64_t lanes = okk_machine_shape().lanes;
    if (region.space == OkkSpace::kLocal) {
        region.first_lane =
            static_cast<std::int32_t>(number_in(value.at("npu"), "npu", 0, lanes - 1));
    }
    region.lanes = 1;
    if (value.contains("npus")) {
        region.lanes = static_cast<std::int32_t>(
            number_in(value.at("npus"), "npus", 1, lanes - region.first_lane));
    }
    region.address = number_in(value.at("addr"), "addr", 0, kMostRegion);
    region.bytes = number_in(value.at("length"), "length", 0, kMostRegion);
    region.role = role_of(value);
    const std::int64_t size = region.lanes * region.bytes;
    region.offset = offset_in_blob(value, "offset", size, blob_size);
    if (value.contains("undefined_offset")) {
        region.mask_offset = offset_in_blob(value, "undefined_offset", size, blob_size);
    }
    return region;
}

OkkCase parse_case(const json& value, const std::string& function, std::size_t blob_size) {
    OkkCase golden;
    golden.id = value.at("id").get<std::string>();
    golden.description = value.value("desc", std::string());
    if (value.contains("note")) golden.tags = value.at("note").get<std::vector<std::string>>();
    if (value.contains("calls")) {
        for (const json& call : value.at("calls")) {
            golden.calls.push_back({call.at("fn").get<std::string>(), OkkArguments(call.at("args")),
                                    call.value("returns", json())});
        }
    } else {
        golden.calls.push_back(
            {function, OkkArguments(value.at("args")), value.value("returns", json())});
    }
    if (value.contains("out")) {
        golden.out = dim4_of(value.at("out"));
    }
    if (value.contains("before")) {
        for (const json& region : value.at("before")) {
            golden.before.push_back(parse_region(region, blob_size));
        }
    }
    if (value.contains("after")) {
        for (const json& region : value.at("after")) {
            golden.after.push_back(parse_region(region, blob_size));
        }
    }
    return golden;
}

std::vector<std::byte> read_blob(const std::filesystem::path& path) {
    std::ifstream file = open_input(path, "it holds the vectors' bytes");
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    std::vector<std::byte> blob(text.size());
    std::transform(text.begin(), text.end(), blob.begin(),
                   [](char c) { return static_cast<std::byte>(c); });
    return blob;
}

/// Checks the size of the blob against the key "bin_size".
void check_size(const std::filesystem::path& path, std::size_t size, const json& stated) {
    const std::int64_t wanted = number_in(stated, "bin_size", 0, kMostRegion);
    if (static_cast<std::int64_t>(size) == wanted) return;
    throw ConfigError(path.string(), "has " + std::to_string(size) +
                                         " bytes, but \"bin_size\" is " + std::to_string(wanted) +
                                         ": fetch both files again");
}

std::uint32_t word_at(const std::byte* data) {
    std::uint32_t word = 0;
    std::memcpy(&word, data, sizeof word);
    return word;
}

bool is_nan(std::uint32_t word) { return (word & 0x7FFFFFFFu) > 0x7F800000u; }

/// Returns the offset in bytes of the first different word from the start of both runs.
std::optional<std::int64_t> first_difference(const std::byte* actual, const std::byte* expected,
                                             std::int64_t bytes, bool nan_equals_nan) {
    if (std::memcmp(actual, expected, static_cast<std::size_t>(bytes)) == 0) return std::nullopt;
    for (std::int64_t i = 0; i < bytes; i += 4) {
        const std::int64_t size = std::min<std::int64_t>(4, bytes - i);
        if (std::memcmp(actual + i, expected + i, static_cast<std::size_t>(size)) == 0) continue;
        if (size == 4 && nan_equals_nan && is_nan(word_at(actual + i)) &&
            is_nan(word_at(expected + i))) {
            continue;
        }
        return i;
    }
    return std::nullopt;
}

/// Returns the word at `at` of `bytes` bytes, or the bytes that are left of it.
std::string hex_at(const std::byte* data, std::int64_t at, std::int64_t bytes) {
    std::uint32_t word = 0;
    std::memcpy(&word, data + at,
                static_cast<std::size_t>(std::min<std::int64_t>(sizeof word, bytes - at)));
    return isa::hex(word);
}

std::string describe(const OkkCase& golden, const std::string& place, const std::string& actual,
                     const std::string& expected) {
    return golden.id + " (" + golden.description + "): " + place + ": got " + actual +
           ", expected " + expected;
}

}  // namespace

bool OkkRegion::has_role(const std::string& name) const {
    return ("+" + role + "+").find("+" + name + "+") != std::string::npos;
}

bool OkkCase::has_tag(const std::string& tag) const {
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

isa::LocalAddr OkkArguments::local(std::size_t index) const {
    return {whole_number<std::uint32_t>(values_.at(index), "the address")};
}

isa::SystemAddr OkkArguments::system(std::size_t index, const isa::MachineShape& machine) const {
    const json& value = values_.at(index);
    const auto offset =
        static_cast<std::uint64_t>(whole_number(value.at(1), "the offset", 0, kMostRegion));
    switch (parse_space(value.at(0).get<std::string>())) {
        case OkkSpace::kL2: return isa::SystemAddr::from(machine.l2_start + offset);
        case OkkSpace::kDtcm: return isa::SystemAddr::from(machine.dtcm_start + offset);
        case OkkSpace::kGlobal: return isa::SystemAddr::from(machine.global_start + offset);
        case OkkSpace::kLocal: break;
    }
    throw std::runtime_error("system address in local memory");
}

std::optional<isa::Dim4> OkkArguments::dim4(std::size_t index) const {
    const json& value = values_.at(index);
    if (value.is_null()) return std::nullopt;
    return dim4_of(value);
}

std::optional<isa::Dim2> OkkArguments::dim2(std::size_t index) const {
    const json& value = values_.at(index);
    if (value.is_null()) return std::nullopt;
    const auto [h, w] = numbers_of<2>(value, "the dim2");
    return isa::Dim2{h, w};
}

std::optional<isa::Padding> OkkArguments::padding(std::size_t index) const {
    const json& value = values_.at(index);
    if (value.is_null()) return std::nullopt;
    const auto [top, bottom, left, right] = numbers_of<4>(value, "the padding");
    return isa::Padding{top, bottom, left, right};
}

std::int32_t OkkArguments::integer(std::size_t index) const {
    constexpr std::int64_t kLow = INT32_MIN, kHigh = UINT32_MAX;
    return static_cast<std::int32_t>(whole_number(values_.at(index), "the argument", kLow, kHigh));
}

bool OkkArguments::boolean(std::size_t index) const { return values_.at(index).get<bool>(); }

isa::Bits32 OkkArguments::bits(std::size_t index) const {
    return {whole_number<std::uint32_t>(values_.at(index), "the bits")};
}

OkkFunction load_okk_function(const std::filesystem::path& dir, const std::string& name) {
    const std::filesystem::path path = dir / (name + ".json");
    const std::string text = read_json_text(path, "it describes vectors");
    std::string where = path.string();
    try {
        const json description = json::parse(text);
        OkkFunction function;
        function.name = description.at("function").get<std::string>();
        function.returns = description.at("returns").get<std::string>();
        for (const json& parameter : description.at("params")) {
            function.parameters.emplace_back(parameter.at(0), parameter.at(1));
        }
        constexpr int kMostByte = 0xFF;
        function.fill =
            static_cast<std::byte>(number_in(description.at("fill"), "fill", 0, kMostByte));
        const std::filesystem::path bin = description.at("bin").get<std::string>();
        // Differences show bytes of this file, so vectors must not name files outside of the
        // folder.
        if (bin.empty() || bin != bin.filename() || bin == "..") {
            throw ConfigError(
                where + ": bin",
                description["bin"].dump() + " must be the plain name of a file in the same folder");
        }
        function.blob = read_blob(dir / bin);
        if (description.contains("bin_size")) {
            check_size(dir / bin, function.blob.size(), description["bin_size"]);
        }
        const json& cases = description.at("cases");
        if (!cases.is_array() || cases.empty()) {
            throw ConfigError(where + ": cases", "is no list of cases with at least one");
        }
        std::size_t number = 0;
        for (const json& value : cases) {
            where = path.string() + ": case " + std::to_string(number++);
            if (value.is_object() && value.contains("id")) where += " (" + value["id"].dump() + ")";
            function.cases.push_back(parse_case(value, function.name, function.blob.size()));
        }
        return function;
    } catch (const json::exception& error) {
        throw ConfigError(where, "is no description of vectors: " + json_problem(error));
    } catch (const std::runtime_error& error) {
        if (dynamic_cast<const ConfigError*>(&error) != nullptr) throw;
        throw ConfigError(where, std::string("is no description of vectors: ") + error.what());
    }
}

isa::MachineShape okk_machine_shape() {
    isa::MachineShape shape;
    shape.lanes = 64;
    shape.local_bytes = 512 * 1024;
    shape.local_banks = 8;
    shape.vector_words = 32;
    shape.l2_start = 0x100A2000;
    shape.l2_bytes = 0x25E000;
    shape.dtcm_start = 0x02020000;
    shape.dtcm_bytes = 0x5F400;
    shape.global_start = 0x100000000;
    shape.global_bytes = 16 * 1024 * 1024;
    return shape;
}

std::byte* OkkMemoryCheck::pointer(const OkkRegion& region, std::int32_t lane) {
    if (region.space == OkkSpace::kLocal) {
        if (region.first_lane < 0 || lane < 0 || region.first_lane + lane >= local_.lanes() ||
            region.address < 0 || region.bytes < 0 ||
            region.address > local_.bytes_per_lane() - region.bytes) {
            throw std::runtime_error("region outside local memory");
        }
        return local_.at(region.first_lane + lane, region.address);
    }
    std::uint64_t start = machine_.global_start;
    if (region.space == OkkSpace::kL2) start = machine_.l2_start;
    if (region.space == OkkSpace::kDtcm) start = machine_.dtcm_start;
    const auto offset = static_cast<std::uint64_t>(region.address + lane * region.bytes);
    std::byte* data = nullptr;
    if (system_ != nullptr) {
        data = system_->pointer(start + offset, static_cast<std::uint64_t>(region.bytes));
    }
    if (data == nullptr) throw std::runtime_error("region outside system memory");
    return data;
}

void OkkMemoryCheck::load(const OkkFunction& function, const OkkCase& golden) {
    std::memset(local_.storage(), static_cast<int>(function.fill),
                static_cast<std::size_t>(local_.storage_bytes()));
    for (const std::vector<OkkRegion>* regions : {&golden.before, &golden.after}) {
        for (const OkkRegion& region : *regions) {
            if (region.space == OkkSpace::kLocal) continue;
            for (std::int32_t lane = 0; lane < region.lanes; ++lane) {
                std::memset(pointer(region, lane), static_cast<int>(function.fill),
                            static_cast<std::size_t>(region.bytes));
            }
        }
    }
    for (const OkkRegion& region : golden.before) {
        for (std::int32_t lane = 0; lane < region.lanes; ++lane) {
            const std::size_t bytes = static_cast<std::size_t>(region.bytes);
            std::memcpy(
                pointer(region, lane),
                function.blob.data() + region.offset + static_cast<std::size_t>(lane) * bytes,
                bytes);
        }
    }
    expected_local_.assign(local_.storage(), local_.storage() + local_.storage_bytes());
}

std::optional<std::string> OkkMemoryCheck::compare(const OkkFunction& function,
                                                   const OkkCase& golden,
                                                   const OkkCompareOptions& options) {
    for (const OkkRegion& region : golden.after) {
        const bool skip = options.skip_without_dst && !region.has_role("dst");
        const std::size_t bytes = static_cast<std::size_t>(region.bytes);
        for (std::int32_t lane = 0; lane < region.lanes; ++lane) {
            const std::size_t run = static_cast<std::size_t>(lane) * bytes;
            const std::byte* actual = pointer(region, lane);
            std::vector<std::byte> expected(actual, actual + bytes);
            for (std::size_t i = 0; i < bytes && !skip; ++i) {
                const bool masked = region.mask_offset &&
                                    function.blob[*region.mask_offset + run + i] == std::byte{1};
                if (!masked) expected[i] = function.blob[region.offset + run + i];
            }
            if (const auto at = first_difference(actual, expected.data(), region.bytes,
                                                 options.nan_equals_nan)) {
                TextWriter place;
                place << "region " << region.role << " lane " << region.first_lane + lane
                      << " byte " << region.address + *at;
                return describe(golden, place.str(), hex_at(actual, *at, region.bytes),
                                hex_at(expected.data(), *at, region.bytes));
            }
            if (region.space == OkkSpace::kLocal) {
                std::memcpy(expected_local_.data() + (actual - local_.storage()), actual, bytes);
            }
        }
    }
    // Bytes outside of all regions must be unchanged.
    if (const auto at = first_difference(local_.storage(), expected_local_.data(),
                                         local_.storage_bytes(), false)) {
        TextWriter place;
        place << "stray write, lane " << *at / local_.lane_pitch() << " byte "
              << *at % local_.lane_pitch();
        return describe(golden, place.str(), hex_at(local_.storage(), *at, local_.storage_bytes()),
                        hex_at(expected_local_.data(), *at, local_.storage_bytes()));
    }
    return std::nullopt;
}

}  // namespace okksim::sim::golden
