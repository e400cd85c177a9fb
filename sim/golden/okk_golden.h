// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/types.h"
#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"

namespace okksim::sim::golden {

/// The memory of a region of a golden case.
enum class OkkSpace : std::uint8_t { kLocal, kL2, kDtcm, kGlobal };

/// Bytes before or after a case. In local memory they are `lanes` runs of `bytes` bytes, at
/// `address` of each lane. Elsewhere they are one run at the byte offset `address` of the space.
struct OkkRegion {
    OkkSpace space = OkkSpace::kLocal;
    std::int32_t first_lane = 0;
    std::int32_t lanes = 1;
    std::int64_t address = 0;
    std::int64_t bytes = 0;
    std::size_t offset = 0;                  ///< of the data in OkkFunction::blob
    std::string role;                        ///< "dst", "work", "src0", ... joined with '+'
    std::optional<std::size_t> mask_offset;  ///< byte 1: do not compare

    bool has_role(const std::string& name) const;
};

/// Arguments of one call in declaration order, decoded by position.
class OkkArguments {
 public:
    OkkArguments() = default;
    explicit OkkArguments(nlohmann::json values) : values_(std::move(values)) {}

    std::size_t size() const { return values_.size(); }
    isa::LocalAddr local(std::size_t index) const;
    /// Address relative to the memories of `machine`. Global offsets count from global_start.
    isa::SystemAddr system(std::size_t index, const isa::MachineShape& machine) const;
    /// Returns no value for a NULL pointer.
    std::optional<isa::Dim4> dim4(std::size_t index) const;
    std::optional<isa::Dim2> dim2(std::size_t index) const;
    std::optional<isa::Padding> padding(std::size_t index) const;
    /// Returns an int; an unsigned int is given by its bit pattern.
    std::int32_t integer(std::size_t index) const;
    bool boolean(std::size_t index) const;
    /// Returns float, x32, x16 or x8 by bit pattern.
    isa::Bits32 bits(std::size_t index) const;
    const nlohmann::json& raw(std::size_t index) const { return values_.at(index); }

 private:
    nlohmann::json values_;
};

struct OkkCall {
    std::string function;
    OkkArguments arguments;
    nlohmann::json returns;  ///< null: not given
};

struct OkkCase {
    std::string id;
    std::string description;
    std::vector<std::string> tags;  ///< derived, doc_conflict, out_of_range, model_artefact
    std::vector<OkkCall> calls;     ///< one, except for the sequencing functions
    std::optional<isa::Dim4> out;   ///< value of the dim4 output parameter
    std::vector<OkkRegion> before;
    std::vector<OkkRegion> after;

    bool has_tag(const std::string& tag) const;
    const OkkArguments& arguments() const { return calls.front().arguments; }
};

struct OkkFunction {
    std::string name;
    std::string returns;
    std::vector<std::pair<std::string, std::string>> parameters;  ///< C type, name
    std::byte fill{};
    std::vector<std::byte> blob;
    std::vector<OkkCase> cases;
};

/// Reads `dir`/`name`.json and .bin (format: golden/okk/FORMAT.md). Throws ConfigError with file
/// and case if they are missing or malformed. Accepted regions are within the blob and the lanes.
OkkFunction load_okk_function(const std::filesystem::path& dir, const std::string& name);

/// Returns the machine of the golden vectors: 64 lanes of 512 KiB, with 16 MiB of global memory.
isa::MachineShape okk_machine_shape();

struct OkkCompareOptions {
    bool nan_equals_nan = true;    ///< aligned words that are both fp32 NaN are equal
    bool skip_without_dst = true;  ///< regions whose role lacks "dst" may hold anything
};

/// Memory before a case and the check after it. `system` may be null if no region needs it.
class OkkMemoryCheck {
 public:
    OkkMemoryCheck(models::LocalMemory& local, models::SystemMemory* system,
                   const isa::MachineShape& machine)
        : local_(local), system_(system), machine_(machine) {}

    /// Fills local memory, and the windows of system memory that the case names, and loads the
    /// `before` regions.
    void load(const OkkFunction& function, const OkkCase& golden);

    /// Compares every `after` region, and checks that no other byte of local memory has changed
    /// since load(). Returns a description of the first wrong word, or no value.
    std::optional<std::string> compare(const OkkFunction& function, const OkkCase& golden,
                                       const OkkCompareOptions& options = {});

 private:
    std::byte* pointer(const OkkRegion& region, std::int32_t lane);

    models::LocalMemory& local_;
    models::SystemMemory* system_;
    isa::MachineShape machine_;
    std::vector<std::byte> expected_local_;
};

}  // namespace okksim::sim::golden
