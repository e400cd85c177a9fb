// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "sim/machine/machine.h"

namespace okksim::sim::report {

/// A page in one file that needs no network: `page` with what stands for /*STYLE*/
/// (page_style.css),
/// /*CHART*/ (the plotting library), /*PARTS*/ (page_parts.js) and /*DATA*/ (`data`, so written
/// that no text in it ends the script) put in, in this order. The data says what it was measured
/// on: add_provenance(), and provenance_text() behind "about".
std::string html_page(std::string_view page, nlohmann::ordered_json data, const Machine& machine);

}  // namespace okksim::sim::report
