// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace okksim::sim::report {

/// A page in one file that needs no network: `page` with what stands for /*STYLE*/
/// (page_style.css),
/// /*CHART*/ (the plotting library), /*PARTS*/ (page_parts.js) and /*DATA*/ (`data`, so written
/// that no text in it ends the script) put in, in this order.
std::string html_page(std::string_view page, const nlohmann::ordered_json& data);

}  // namespace okksim::sim::report
