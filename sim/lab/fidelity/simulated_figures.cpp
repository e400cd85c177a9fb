// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/simulated_figures.h"

#include <exception>
#include <new>
#include <string>

#include "sim/execution/process_pool.h"

namespace okksim::sim::fidelity {

std::vector<nlohmann::json> simulate_all(
    std::size_t count, int jobs, const std::function<nlohmann::json(std::size_t)>& simulate,
    const std::function<void(std::size_t, std::size_t)>& progress) {
    // Results cross the process boundary as text.
    const auto text_of = [&](std::size_t index) {
        nlohmann::json figures = nlohmann::json::object();
        try {
            figures = simulate(index);
        } catch (const std::bad_alloc&) {
            throw;  // concerns the host
        } catch (const std::exception& error) {
            figures["error"] = error.what();
        }
        return figures.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    };
    const auto texts = execution::run_in_processes(
        count, jobs, text_of, [&](std::size_t done) { progress(done, count); });
    std::vector<nlohmann::json> all;
    for (const auto& text : texts) {
        all.push_back(text ? nlohmann::json::parse(*text)
                           : nlohmann::json{{"error", "the process died"}});
    }
    return all;
}

}  // namespace okksim::sim::fidelity
