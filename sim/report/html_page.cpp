// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html_page.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "isa/base/errors.h"
#include "sim/machine/provenance.h"
#include "sim/report/embedded_file.h"

// Plotting library: Debian's libjs-chart.js, as found by the build.
OKKSIM_EMBED(okksim_page_chart, OKKSIM_CHART_FILE)
OKKSIM_EMBED(okksim_page_style, OKKSIM_STYLE_FILE)
OKKSIM_EMBED(okksim_page_parts, OKKSIM_PARTS_FILE)

namespace okksim::sim::report {
namespace {

/// Returns JSON in which no text can end the script ("</script>").
std::string script_text(const nlohmann::ordered_json& json) {
    std::string text = json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
        text.replace(at, 1, "\\u003c");
    }
    return text;
}

}  // namespace

std::string html_page(std::string_view page, nlohmann::ordered_json data, const Machine& machine) {
    add_provenance(data, machine);
    data["about"] = data.value("about", "") + provenance_text(machine);
    const std::string json = script_text(data);
    const std::pair<std::string_view, std::string_view> parts[] = {
        {"/*STYLE*/", embedded(okksim_page_style, okksim_page_style_end)},
        {"/*CHART*/", embedded(okksim_page_chart, okksim_page_chart_end)},
        {"/*PARTS*/", embedded(okksim_page_parts, okksim_page_parts_end)},
        {"/*DATA*/", json}};
    std::string text;
    for (const auto& [mark, part] : parts) {
        const std::size_t at = page.find(mark);
        OKKSIM_CHECK(at != std::string_view::npos);
        text += page.substr(0, at);
        text += part;
        page.remove_prefix(at + mark.size());
    }
    return text += page;
}

}  // namespace okksim::sim::report
