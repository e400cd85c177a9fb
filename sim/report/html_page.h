// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "sim/machine/machine.h"

namespace okksim::sim::report {

/// Returns a page in one file that needs no network. It replaces these marks in `page`, in this
/// order: /*STYLE*/ (page_style.css), /*CHART*/ (the plotting library), /*PARTS*/ (page_parts.js)
/// and /*DATA*/ (`data`). No text in the data can end the script. The data contains its provenance:
/// add_provenance(), and provenance_text() as "about".
std::string html_page(std::string_view page, nlohmann::ordered_json data, const Machine& machine);

}  // namespace okksim::sim::report
