// SPDX-License-Identifier: Apache-2.0
// A gate file names workloads, limits and machines; every mistake has file, line, column and
// advice.
#include "sim/study/gate/gate_file.h"

#include <fstream>

#include "isa/base/errors.h"
#include "isa/base/temporary_folder.h"
#include "tests/support/catch.h"

namespace okksim::sim::gate {
namespace {

/// A folder with a gate file and the files that it names.
class Gate {
 public:
    explicit Gate(const std::string& text) {
        for (const char* name : {"k.so", "x.npy", "y.npy", "net.tosa"}) write(name, "");
        write(
            "lanes.toml",
            "[[workload]]\nzoo = \"lstm\"\n[[axis]]\nparameter = \"chip.lanes\"\nvalues = [16]\n");
        write("gate.toml", text);
    }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_.path() / name) << text;
    }
    GateFile read(const std::vector<std::string>& settings = {}) const {
        return read_gate(folder_.path() / "gate.toml", settings);
    }
    const std::filesystem::path& path() const { return folder_.path(); }

 private:
    TemporaryFolder folder_;
};

/// Returns the message about a gate file that is wrong.
std::string refusal(const std::string& text) {
    const Gate gate(text);
    try {
        (void)gate.read();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "accepted";
}

/// The text is part of the message.
void refuses(const std::string& text, const std::string& message) {
    CAPTURE(text, message);
    const std::string found = refusal(text);
    CAPTURE(found);
    CHECK(found.find(message) != std::string::npos);
}

const std::string kZoo = "[[workload]]\nzoo = \"lstm\"\n";
const std::string kKernel = "[[workload]]\nkernel = \"k.so\"\nlaunch = \"f\"\n";

}  // namespace

TEST_CASE("gate file/a workload has limits, tolerances and a machine") {
    const Gate gate(R"(
[gate]
machine = "okk-next"
set = ["dram.read_bytes_per_nanosecond=16"]
threshold = "5%"
base = "kept"
[[workload]]
kernel = "k.so"
launch = "scale"
arguments = ["i32=4", "in=x.npy", "out=f32[4]"]
threshold = 0.01
[workload.limits]
time_us = 80.5
commands = 12
bytes = "1KiB"
energy_uj = 3
result = "y.npy"
relative = 1e-5
[[workload]]
name = "net"
zoo = "lstm"
machine = ["bm1684", "okk-next"]
[[workload]]
sweep = "lanes.toml"
)");
    const GateFile file = gate.read({"mcu.issue=lists"});
    CHECK(file.base == gate.path() / "kept");
    CHECK(file.threshold == 0.05);
    REQUIRE(file.tasks.size() == 4);
    const GateTask& kernel = file.tasks[0];
    CHECK(kernel.name == "scale");
    CHECK(kernel.machine.name == "okk-next");
    CHECK(kernel.machine.overrides.size() == 2);  // of the file and of the command line
    CHECK(kernel.workload.threshold == 0.01);
    CHECK(kernel.workload.limits.time_us == 80.5);
    CHECK(kernel.workload.limits.commands == 12);
    CHECK(kernel.workload.limits.bytes == 1024);
    CHECK(kernel.workload.limits.energy_uj == 3);
    CHECK(kernel.workload.limits.relative == 1e-5);
    CHECK(kernel.workload.limits.result == std::vector{gate.path() / "y.npy"});
    CHECK(kernel.workload.what.arguments[1] == "in=" + (gate.path() / "x.npy").string());
    CHECK(file.tasks[1].name == "net@bm1684");
    CHECK(file.tasks[2].name == "net@okk-next");
    CHECK(file.tasks[2].workload.threshold == 0.05);
    CHECK(file.tasks[3].name == "lanes");
}

TEST_CASE("gate file/an unknown key has line, column and the nearest name") {
    refuses("[gate]\nmachine = \"bm1684\"\n  thresold = \"2%\"\n" + kZoo,
            "gate.toml:3:3: gate.thresold: is no key of this section");
    refuses("[gate]\nthresold = \"2%\"\n" + kZoo, "did you mean \"threshold\"?");
    refuses("[gaet]\n" + kZoo, "gate.toml:1:2: gaet: is no key of this section");
    refuses("[gaet]\n" + kZoo, "did you mean \"gate\"?");
    refuses(kZoo + "precison = \"int8\"\n", "gate.toml:3:1: workload.precison:");
    refuses(kZoo + "precison = \"int8\"\n", "did you mean \"precision\"?");
    refuses("[[workload]]\nzooo = \"lstm\"\n", "did you mean \"zoo\"?");
    refuses(kZoo + "[workload.limits]\ntimeus = 3\n", "gate.toml:4:1: workload.limits.timeus:");
    refuses(kZoo + "[workload.limits]\ntimeus = 3\n", "did you mean \"time_us\"?");
    refuses(kZoo + "[workload.limit]\ntime_us = 3\n", "did you mean \"limits\"?");
}

TEST_CASE("gate file/each wrong value has a rule") {
    refuses("", "has no [[workload]]; add one");
    refuses("[[workload]]\nname = \"a\"\n", "give one of: graph");
    refuses(kZoo + "kernel = \"k.so\"\n", "give one of: graph");
    refuses(kZoo + "sweep = \"lanes.toml\"\n", "give one of: graph");
    refuses(kZoo + kZoo, "two workloads have the name \"lstm\"");
    refuses(kZoo + "name = \"a/b\"\n", "\"a/b\" names files of the baseline");
    refuses(kZoo + "name = \".hidden\"\n", "\".hidden\" names files of the baseline");
    refuses(kZoo + "threshold = \"many\"\n", "is not a share such as 2%, 2 or 0.02");
    refuses(kZoo + "threshold = \"200%\"\n", "is more than 100 %");
    refuses(kZoo + "threshold = [1]\n", "must be a share");
    refuses(kZoo + "machine = \"bm1648\"\n", "workload.machine:");
    refuses(kZoo + "machine = \"bm1648\"\n", "did you mean \"bm1684\"?");
    refuses(kZoo + "set = [\"chip.lanez=4\"]\n", "workload.set:");
    refuses(kZoo + "[workload.limits]\ntime_us = -1\n", "must be a number of at least 0");
    refuses(kZoo + "[workload.limits]\ntime_us = \"fast\"\n", "must be a number of at least 0");
    refuses(kZoo + "[workload.limits]\ncommands = nan\n", "must be a number of at least 0");
    refuses(kZoo + "[workload.limits]\nresult = \"no.npy\"\n", "no.npy does not exist");
    refuses(kZoo + "[workload.limits]\nrelative = 0.1\n", "is the tolerance of `result`");
    refuses("[[workload]]\nzoo = 3\n", "must be a text in quotes");
    refuses("workload = 3\n", "must be sections of a list: [[workload]]");
    refuses("[gate\n", "gate.toml");
}

TEST_CASE("gate file/a key of another kind of workload is refused") {
    refuses(kZoo + "launch = \"f\"\n", "is only for kernels; remove it");
    refuses(kZoo + "packed = true\n", "is only for kernels; remove it");
    refuses(kZoo + "function = \"main\"\n", "is only for workloads with graph = \"FILE\"");
    refuses(kKernel + "data = true\n", "is only for graphs and networks; remove it");
    refuses(kKernel + "precision = \"int8\"\n", "is only for networks of the zoo");
    refuses("[[workload]]\nkernel = \"k.so\"\n", "workload.launch: is missing");
    refuses("[[workload]]\nkernel = \"no.so\"\nlaunch = \"f\"\n", "no.so does not exist");
    refuses(kKernel + "arguments = [\"in=no.npy\"]\n", "no.npy does not exist");
    refuses("[[workload]]\ngraph = \"no.tosa\"\n", "no.tosa does not exist");
    refuses("[[workload]]\ngraph = \"net.tosa\"\n[workload.inputs]\nx = \"no.npy\"\n",
            "no.npy does not exist");
    refuses("[[workload]]\nsweep = \"lanes.toml\"\nmachine = \"bm1684\"\n",
            "the sweep's file has its machine");
    refuses("[[workload]]\nsweep = \"no.toml\"\n", "no.toml does not exist");
}

}  // namespace okksim::sim::gate
