// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/filter_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "isa/base/errors.h"
#include "isa/base/fnv1a.h"
#include "isa/base/input_file.h"
#include "isa/base/output_file.h"
#include "sim/execution/case_filter.h"

namespace okksim::sim::gate {
namespace {

constexpr const char* kName = "baseline.filters";

bool has_cases(const std::filesystem::path& folder) {
    const std::filesystem::directory_iterator entries(folder);
    return std::any_of(begin(entries), end(entries),
                       [](const auto& entry) { return entry.path().extension() == ".trace"; });
}

/// The first line of the file. A change of a filter must not hide a missing case.
std::string checksum(const std::vector<std::string>& filters) {
    isa::Fnv1a hash;
    for (const std::string& filter : filters) hash.add(filter + '\n');
    return fmt::format("{:016x}", hash.value());
}

}  // namespace

FilterFile::FilterFile(const std::filesystem::path& folder) : path_(folder / kName) {
    if (!std::filesystem::exists(path_)) return;
    std::ifstream file = open_input(path_, "it has the filters of `okksim baseline`");
    std::string hash;
    std::getline(file, hash);
    for (std::string filter; std::getline(file, filter);) filters_.push_back(filter);
    if (filters_.empty() || hash != checksum(filters_)) {
        throw ConfigError(path_.string(),
                          "is damaged; make the folder again with `okksim baseline -o DIR`");
    }
}

bool FilterFile::selects(const std::string& name) const {
    return filters_.empty() || std::ranges::any_of(filters_, [&](const std::string& filter) {
               return execution::CaseFilter(filter).selects(name);
           });
}

void FilterFile::begin(const std::string& filter) {
    if (filter.empty() || std::ranges::find(filters_, filter) != filters_.end()) return;
    if (filters_.empty() && has_cases(path_.parent_path())) return;
    filters_.push_back(filter);
    std::string text = checksum(filters_) + '\n';
    for (const std::string& each : filters_) text += each + '\n';
    write_file(path_.string(), text, Over::kAnything);
}

void FilterFile::complete() {
    std::error_code ignored;  // a folder with all cases has no file
    std::filesystem::remove(path_, ignored);
}

}  // namespace okksim::sim::gate
