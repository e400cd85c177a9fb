// SPDX-License-Identifier: Apache-2.0
// Timelines: events of a run whose times are round numbers, and properties of any run.
#include "sim/trace/timeline.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/sim/trace/round_run.h"
#include "tests/sim/trace/temporary_file.h"
#include "tests/sim/trace/traced_run.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim::trace;
using namespace okksim::tests;

TEST_CASE("A timeline is JSON with a slice per command, kernel and operator") {
    const tests::TemporaryFile file("");
    {
        Timeline timeline(file.path(), round_machine());
        timeline.name_launch("sample \"kernel\"");
        run(&timeline);
        timeline.add_operator("ADD", {5 * kMicrosecond}, {27 * kMicrosecond});
        timeline.finish();
    }
    const auto events = nlohmann::json::parse(file.read())["traceEvents"];
    const auto count = [&](const char* name) {
        return std::count_if(events.begin(), events.end(), [&](const auto& event) {
            return event["name"] == name && event["ph"] == "X";
        });
    };
    CHECK(count("gdma.32bit_cpy_S2L") == 1);
    CHECK(count("bdc.32bit_set_C") == 4);
    CHECK(count("write command") == 5);
    CHECK(count("queue full") == 1);
    CHECK(count("sample \"kernel\"") == 1);
    CHECK(count("ADD") == 1);
    int depth = 0;
    for (const auto& event : events) {
        if (event["name"] == "BDC queue depth")
            depth = std::max(depth, event["args"]["value"].get<int>());
        if (event["name"] != "gdma.32bit_cpy_S2L") continue;
        // Launch 5, queued and started 1 later; 21 us.
        CHECK(event["ts"] == Approx(6));
        CHECK(event["dur"] == Approx(21));
        CHECK(event["args"]["bytes"] == 8000);
    }
    CHECK(depth == 2);
}

TEST_CASE("A timeline names what the processor computes") {
    const tests::TemporaryFile file("");
    {
        const sim::Machine machine = round_machine();
        Timeline timeline(file.path(), machine);
        models::InOrderMachine port(machine.params);
        port.add_observer(timeline);
        port.begin_launch();
        port.compute({"tiles", isa::ComputeKind::kInteger, 3});
        port.compute({"index list", isa::ComputeKind::kInteger, 2});
        port.compute({"tiles", isa::ComputeKind::kInteger, 1});
        port.end_launch();
        timeline.finish();
    }
    const auto events = nlohmann::json::parse(file.read())["traceEvents"];
    int slices = 0;
    for (const auto& event : events) {
        if (event["name"] != "MCU computing") continue;
        ++slices;
        CHECK(event["args"]["what"] == "tiles, index list");
        CHECK(event["dur"] == Approx(6));
    }
    CHECK(slices == 1);
}

TEST_CASE("A timeline of a run that ends early is complete JSON") {
    const tests::TemporaryFile file("");
    {
        Timeline timeline(file.path(), round_machine());
        timeline.launch_started({});
    }
    CHECK_NOTHROW(nlohmann::json::parse(file.read()));
}

TEST_CASE("What ends before a launch leaves the file that was there") {
    const tests::TemporaryFile file("old");
    { const Timeline timeline(file.path(), round_machine()); }
    CHECK(file.read() == "old");
}

/// Checks a file against the Trace Event format and checks that a viewer can draw its tracks. Every
/// track has a name, and its slices are in order without overlap. Slices of operators may be
/// nested.
class TraceEventCheck {
 public:
    explicit TraceEventCheck(const std::string& text) {
        const auto json = nlohmann::json::parse(text);
        for (const auto& event : json.at("traceEvents")) {
            const std::string phase = event.at("ph");
            REQUIRE(event.at("pid") == 1);
            if (phase == "M") {
                if (event.at("name") == "thread_name") {
                    names_[event.at("tid")] = event.at("args").at("name");
                }
            } else if (phase == "X") {
                check_slice(event);
            } else {
                REQUIRE(phase == "C");
                check_counter(event);
            }
        }
    }

    /// Number of slices of a track.
    int slices(const std::string& track) const {
        const auto found = slices_.find(track);
        return found == slices_.end() ? 0 : found->second;
    }
    int samples(const std::string& counter) const {
        const auto found = samples_.find(counter);
        return found == samples_.end() ? 0 : found->second;
    }

 private:
    // Times have six decimal digits: picoseconds.
    static std::int64_t picoseconds(const nlohmann::json& us) {
        return std::llround(us.get<double>() * 1e6);
    }

    void check_slice(const nlohmann::json& event) {
        REQUIRE(names_.count(event.at("tid")) == 1);
        const std::string& track = names_[event.at("tid")];
        INFO(track << ": " << event.dump());
        REQUIRE(event.at("name").is_string());
        REQUIRE(event.at("args").is_object());
        const std::int64_t begin = picoseconds(event.at("ts"));
        const std::int64_t end = begin + picoseconds(event.at("dur"));
        REQUIRE(begin >= 0);
        REQUIRE(end >= begin);
        REQUIRE(begin >= last_begin_[track]);
        last_begin_[track] = begin;
        auto& open = open_[track];
        while (!open.empty() && open.back() <= begin) open.pop_back();
        if (track == "operators") {
            REQUIRE((open.empty() || end <= open.back()));
        } else {
            REQUIRE(open.empty());
        }
        open.push_back(end);
        ++slices_[track];
    }

    void check_counter(const nlohmann::json& event) {
        const std::string name = event.at("name");
        INFO(event.dump());
        REQUIRE(event.at("args").at("value").is_number());
        REQUIRE(event.at("args").at("value").get<double>() >= 0);
        const std::int64_t time = picoseconds(event.at("ts"));
        REQUIRE(time >= last_sample_[name]);
        last_sample_[name] = time;
        last_value_[name] = event.at("args").at("value");
        ++samples_[name];
    }

    std::map<int, std::string> names_;
    std::map<std::string, std::int64_t> last_begin_, last_sample_;
    std::map<std::string, std::vector<std::int64_t>> open_;
    std::map<std::string, int> slices_, samples_;

 public:
    std::map<std::string, double> last_value_;
};

TEST_CASE("The tracks of a timeline are those of the machine and its host") {
    const tests::TemporaryFile file("");
    {
        Timeline timeline(file.path(), round_machine());
        run(&timeline);
        // The launch ends at 5 + 109, its sync at 120.
        timeline.add_host_copy({false, 100, {130 * kMicrosecond}, {131 * kMicrosecond}});
        timeline.finish();
    }
    const TraceEventCheck check(file.read());
    CHECK(check.slices("host") == 4);  // launch, wait, sync, copy
    CHECK(check.slices("kernels") == 1);
    CHECK(check.slices("GDMA") == 1);
    CHECK(check.slices("BDC") == 4);
    // The first fill waits for the load, the second and third each for the fill before. The last
    // fill starts when it is queued.
    CHECK(check.slices("BDC queue") == 3);
    CHECK(check.slices("GDMA queue") == 0);
    CHECK(check.slices("DRAM channel 0") == 1);
    CHECK(check.samples("DRAM channel 0 GB/s") == 2);
    CHECK(check.last_value_.at("BDC queue depth") == 0);
    CHECK(check.last_value_.at("GDMA queue depth") == 0);
}

TEST_CASE("A timeline shows what the processor loads by itself") {
    const tests::TemporaryFile file("");
    const sim::Machine machine = round_machine();
    {
        Timeline timeline(file.path(), machine);
        models::InOrderMachine port(machine.params);
        port.add_observer(timeline);
        port.begin_launch();
        port.access(part_of_two_lines(port.machine()));
        port.end_launch();
        timeline.finish();
    }
    const auto events = nlohmann::json::parse(file.read())["traceEvents"];
    std::vector<nlohmann::json> slices;
    for (const auto& event : events) {
        if (event["name"] == "load 40 bytes at 0x100000010") slices.push_back(event);
    }
    // 64 bytes at 1 byte per ns after the launch's 5 us, then 3 us of latency per line.
    REQUIRE(slices.size() == 2);
    CHECK(slices[0]["ts"] == Approx(5));
    CHECK(slices[0]["dur"] == Approx(0.064));
    CHECK(slices[0]["args"]["waits for"] == "DRAM bandwidth");
    CHECK(slices[1]["dur"] == Approx(6));
    CHECK(slices[1]["args"]["waits for"] == "DRAM latency");
    const TraceEventCheck check(file.read());
    CHECK(check.slices("MCU") == 2);
    CHECK(check.slices("DRAM channel 0") == 1);
}

TEST_CASE("Timelines of random programs can be drawn") {
    const sim::Machine machine = sim::load_machine("bm1684", {"mcu.command_cycles=20"});
    for (unsigned seed = 1; seed <= 20; ++seed) {
        INFO("seed " << seed);
        const tests::TemporaryFile file("");
        Timeline timeline(file.path(), machine);
        models::InOrderMachine port(machine.params);
        Accountant accountant(machine.params);
        port.add_observer(accountant);
        port.add_observer(timeline);
        accountant.add_listener(timeline);
        for (int launch = 0; launch < 2; ++launch) {
            port.begin_launch();
            tests::random_program(port, seed, 40);
            port.end_launch();
        }
        timeline.finish();
        const TraceEventCheck check(file.read());
        CHECK(check.slices("kernels") == 2);
        for (const char* counter : {"GDMA queue depth", "BDC queue depth"}) {
            if (check.samples(counter) > 0) CHECK(check.last_value_.at(counter) == 0);
        }
    }
}

TEST_CASE("A queue's depth is never more than the queue holds") {
    const tests::TemporaryFile file("");
    {
        Timeline timeline(file.path(), round_machine());
        run(&timeline);
        timeline.finish();
    }
    const auto events = nlohmann::json::parse(file.read())["traceEvents"];
    std::vector<double> depths;
    for (const auto& event : events) {
        if (event["name"] == "BDC queue depth") depths.push_back(event["args"]["value"]);
    }
    // Queued at 2, 3, 42 (when the first leaves) and 89; they leave at 42, 62, 82, 109.
    CHECK(depths == std::vector<double>{1, 2, 1, 0, 1, 0});
}

}  // namespace
