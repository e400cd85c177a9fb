// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "sim/report/embedded_file.h"
#include "sim/report/html_page.h"
#include "sim/study/worth/worth_report.h"

OKKSIM_EMBED(okksim_worth_page, OKKSIM_WORTH_PAGE)

namespace okksim::sim::worth {

std::string worth_page(const MachineStudy& study, const std::vector<NetworkWorth>& networks) {
    return report::html_page(report::embedded(okksim_worth_page, okksim_worth_page_end),
                             worth_json(study, networks), study.base);
}

}  // namespace okksim::sim::worth
