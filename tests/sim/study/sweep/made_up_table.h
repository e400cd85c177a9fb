// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "isa/base/temporary_folder.h"
#include "sim/study/sweep/design.h"
#include "sim/study/sweep/point_store.h"
#include "sim/study/sweep/point_table.h"
#include "tests/sim/study/sweep/spec_text.h"

namespace okksim::tests {

/// Value of a parameter at a point.
using Setting = std::function<double(const std::string&)>;

/// The points of a specification with metrics from a function instead of a simulation. Workloads
/// whose trace is failing.trace fail at every point.
class MadeUpTable {
 public:
    MadeUpTable(const std::string& text,
                const std::function<void(const Setting&, sim::sweep::Figures&)>& figures)
        : store_(folder_.path() / "s.sqlite", sim::sweep::PointStore::Access::kWrite) {
        const sim::Machine base = sim::load_machine("bm1684");
        const sim::sweep::SweepSpec spec = spec_of(text);
        const auto points = sim::sweep::Design(spec, base).points();
        const std::size_t workloads = spec.workloads.size();
        const auto sweep =
            store_.open_sweep(spec, sim::dump_machine(base), points.size() * workloads);
        for (std::size_t k = 0; k < points.size() * workloads; ++k) {
            const std::size_t i = k / workloads;
            const sim::sweep::WorkloadSpec& workload = spec.workloads[k % workloads];
            sim::sweep::PointResult result;
            if (workload.trace.filename() == "failing.trace") result.failure = "the made-up reason";
            const Setting setting = [&](const std::string& parameter) {
                for (const auto& [path, value] : points[i]) {
                    if (path == parameter) return sim::sweep::number_of(value).value();
                }
                throw std::out_of_range(parameter);
            };
            figures(setting, result.figures);
            store_.add_member(sweep, k, workload.name, points[i],
                              store_.add({k % workloads, i, ""}, result));
        }
        store_.commit();
        table_ = std::make_unique<sim::sweep::PointTable>(store_, store_.sweep(sweep));
    }
    const sim::sweep::PointTable& operator*() const { return *table_; }

 private:
    TemporaryFolder folder_;
    sim::sweep::PointStore store_;
    std::unique_ptr<sim::sweep::PointTable> table_;
};

}  // namespace okksim::tests
