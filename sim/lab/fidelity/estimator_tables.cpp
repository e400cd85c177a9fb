// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/estimator_tables.h"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>

#include "isa/base/fnv1a.h"
#include "isa/base/input_file.h"
#include "isa/base/printable.h"

namespace okksim::sim::fidelity {
namespace {

namespace fs = std::filesystem;

/// A file and FNV-1a of its bytes.
struct KnownTable {
    const char* name;
    std::uint64_t hash;
};

constexpr KnownTable kTables[] = {
    {"conv_fix8b_forward.csv", 0x7413e3210bd7861f},
    {"conv_forward.csv", 0xa3976f1a027327ab},
    {"depthwise_fix8b.csv", 0xc2dd3aa693471407},
    {"depthwise_fp32.csv", 0xf81ad4b7972c86f3},
    {"fc.csv", 0x0ad1d0cb41dc67b5},
    {"gdma_matrix.csv", 0xcd221d1f50e89b66},
    {"gdma_tensor.csv", 0x25c740b8332bf937},
    {"int8_laws.json", 0x807be72e58df3c02},
    {"md_cmp.csv", 0xfe35c220097b447f},
    {"md_linear.csv", 0xadbf8783f355c419},
    {"md_scalar.csv", 0x57a58f29da633ce2},
    {"md_sfu.csv", 0x0dfa9f39b27289b8},
    {"table_lookup.csv", 0x20a3dd58747df95e},
    {"tensor_arithmetic.csv", 0xa1c82c2bda01747a},
    {"tensor_arithmetic_fix8b.csv", 0xf1660ccd8c9387a7},
};

std::uint64_t hash_of(const fs::path& path) {
    std::ifstream file = open_input(path, "it is a table of the estimator");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    isa::Fnv1a hash;
    hash.add(std::as_bytes(std::span(text)));
    return hash.value();
}

}  // namespace

std::vector<std::string> unknown_tables(const fs::path& folder) {
    std::vector<std::string> problems;
    for (const KnownTable& table : kTables) {
        const fs::path path = folder / table.name;
        const std::string file = printable(path.string());
        if (!fs::exists(path)) {
            problems.push_back(fmt::format("{} is missing: its instructions are not judged", file));
            continue;
        }
        const std::uint64_t hash = hash_of(path);
        if (hash == table.hash) continue;
        std::string whose = "has other contents than the table that the limits are for";
        for (const KnownTable& other : kTables) {
            if (other.hash == hash) whose = fmt::format("has the contents of {}", other.name);
        }
        problems.push_back(fmt::format("{} {}; restore the file", file, whose));
    }
    return problems;
}

}  // namespace okksim::sim::fidelity
