// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "isa/assembler.h"
#include "isa/base/temporary_folder.h"
#include "isa/codec.h"
#include "isa/disassembler.h"
#include "isa/rules.h"
#include "sim/check/test_case.h"
#include "sim/golden/golden_run.h"
#include "sim/golden/okk_golden.h"
#include "sim/graph/npy.h"
#include "sim/machine/machine.h"
#include "sim/study/gate/compare_baselines.h"
#include "sim/study/gate/sweep_record.h"
#include "sim/study/gate/time_record.h"
#include "sim/trace/replay.h"
#include "tests/sim/files/fuzz_target.h"
#include "tests/sim/trace/traced_run.h"
#include "tests/support/golden_addition.h"

namespace okksim::tests {
namespace {

namespace check = sim::check;
namespace graph = sim::graph;
using nlohmann::json;

constexpr std::string_view kJsonPieces[] = {"{",
                                            "}",
                                            "[",
                                            "]",
                                            ":",
                                            ",",
                                            "\"",
                                            "null",
                                            "true",
                                            "-1",
                                            "1e9",
                                            "1e999",
                                            "0.5",
                                            "99999999999",
                                            "\\u0000",
                                            "../",
                                            "/",
                                            "\"\"",
                                            "[[[[",
                                            "{}",
                                            "\"a\":{",
                                            "0",
                                            "18446744073709551615",
                                            "-9223372036854775808",
                                            "\xff",
                                            "inf",
                                            "\"npu\":",
                                            "\"op\":"};
constexpr std::string_view kTomlPieces[] = {
    "[",          "]",    "[[",       "]]",      ".",    "=",
    "\"",         "'''",  "\n",       "{",       "}",    ",",
    "-1",         "0",    "nan",      "inf",     "1e9",  "99999999999999999999",
    "[memory.x]", "a.",   "base",     "1h",      "#",    "0x",
    "1979-05-27", "true", "\"1MiB\"", "\\u0000", "\xff", "lanes",
    "[chip]"};
constexpr std::string_view kListingPieces[] = {
    ".machine",  "bm1684", "okk_", "=",   "[",    "]",    ",",   ":",
    "|",         "#",      "-1",   "0x",  "lane", "none", "1e9", "99999999999999999999",
    "[1,1,1,1]", "\n",     " ",    "\xff"};

std::string as_text(const FileBytes& bytes) { return {bytes.begin(), bytes.end()}; }
FileBytes as_bytes(std::string_view text) { return {text.begin(), text.end()}; }

FileBytes content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Files of a target that reads from the disk; one folder for all rounds.
class Folder {
 public:
    std::filesystem::path operator/(const char* name) const { return folder_->path() / name; }
    const std::filesystem::path& path() const { return folder_->path(); }
    std::filesystem::path put(const char* name, const FileBytes& bytes) const {
        std::ofstream file(*this / name, std::ios::binary);
        file.write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
        return *this / name;
    }

 private:
    std::shared_ptr<TemporaryFolder> folder_ = std::make_shared<TemporaryFolder>();
};

FuzzTarget npy_target() {
    const Folder folder;
    return {"npy",
            [folder] {
                std::vector<FileBytes> files;
                const std::vector<std::byte> data(48);
                for (const char* descr : {"<f4", "|b1", "<i8", "|i1", "<V2"}) {
                    const std::int64_t element = descr[2] - '0';
                    for (const graph::Shape& shape :
                         {graph::Shape{static_cast<std::int32_t>(48 / element)},
                          graph::Shape{2, 3, static_cast<std::int32_t>(8 / element)}}) {
                        graph::write_npy(folder / "a.npy", descr, shape, data);
                        files.push_back(content(folder / "a.npy"));
                    }
                }
                return files;
            },
            [](const FileBytes& bytes) {
                // A copy of the exact size, so that a sanitizer sees reads beyond the end.
                const auto owner = std::make_shared<const FileBytes>(bytes);
                graph::parse_npy(std::as_bytes(std::span(*owner)), owner, "fuzz");
            }};
}

/// Commands of a random program.
isa::CommandFile sample_commands() {
    struct Collector : models::CommandObserver {
        std::vector<isa::Command> commands;
        void retired(const isa::Command& command, const models::CommandTimes&) override {
            commands.push_back(command);
        }
    } collector;
    const sim::Machine machine = sim::load_machine("bm1684");
    models::InOrderMachine port(machine.params);
    port.add_observer(collector);
    port.begin_launch();
    random_program(port, 1, 60);
    port.end_launch();
    return {machine.params.shape(), collector.commands};
}

void judge(const isa::CommandFile& file) {
    for (const isa::Command& command : file.commands) isa::check(command, file.machine, false);
}

FuzzTarget binary_commands_target() {
    return {"commands",
            [] {
                const auto bytes = isa::encode(sample_commands());
                const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                                            bytes.size());
                return std::vector<FileBytes>{as_bytes(text)};
            },
            [](const FileBytes& bytes) {
                const isa::CommandFile file = isa::decode(std::as_bytes(std::span(bytes)));
                judge(file);
                isa::disassemble(file);
            }};
}

FuzzTarget listing_target() {
    return {"listing",
            [] {
                std::vector<FileBytes> files;
                isa::CommandFile all = sample_commands();
                isa::CommandFile part{all.machine, {}};
                for (const isa::Command& command : all.commands) {
                    part.commands.push_back(command);
                    if (part.commands.size() < 6) continue;
                    files.push_back(as_bytes(isa::disassemble(part)));
                    part.commands.clear();
                }
                return files;
            },
            [](const FileBytes& bytes) {
                const isa::CommandFile file = isa::assemble(as_text(bytes));
                judge(file);
                isa::encode(file);
            },
            kListingPieces};
}

FuzzTarget machine_target() {
    const Folder folder;
    return {"machine",
            [] {
                return std::vector<FileBytes>{
                    as_bytes(sim::dump_machine(sim::load_machine("bm1684"))),
                    as_bytes("base = \"bm1684\"\n[chip]\nlanes = 8\nlocal_memory_bytes = 32768\n"),
                    as_bytes("base = \"bm1684\"\n[memory.scratch]\nstart = 0x40000000\n"
                             "bytes = 65536\nread_bytes_per_nanosecond = 10\n"
                             "write_bytes_per_nanosecond = 5.0\nread_latency_nanoseconds = 20\n"
                             "write_latency_nanoseconds = 30\nburst_bytes = 32\n")};
            },
            [folder](const FileBytes& bytes) {
                try {
                    sim::dump_machine(sim::load_machine(folder.put("m.toml", bytes).string()));
                } catch (const ConfigError&) {
                    // A key of --set, too.
                    const std::string text = as_text(bytes).substr(0, 200);
                    sim::load_machine("bm1684", {text});
                }
            },
            kTomlPieces};
}

FuzzTarget description_target() {
    const Folder folder;
    return {"desc",
            [] {
                const json tensor{{"mode", "DOT_PRODUCT"},
                                  {"data_type", "FP32"},
                                  {"dot_product_info", {{"ksb", 3}, {"s", 0}}}};
                const json exact{{"mode", "EXACT"}, {"data_type", "INT32"}};
                const json vector{
                    {"tosa_file", "a.tosa"},
                    {"ifm_name", {"x"}},
                    {"ifm_file", {"x.npy"}},
                    {"ofm_name", {"y", "z"}},
                    {"ofm_file", {"y.npy", "z.npy"}},
                    {"expected_failure", false},
                    {"oracle",
                     {{"expected_file", {"ey.npy", "ez.npy"}}, {"bounds_file", {"by.npy", ""}}}},
                    {"meta", {{"compliance", {{"tensors", {{"y", tensor}, {"z", exact}}}}}}}};
                json refused = vector;
                refused["expected_failure"] = true;
                refused["expected_failure_desc"] = "wrong rank";
                return std::vector<FileBytes>{as_bytes(vector.dump(1)), as_bytes(refused.dump())};
            },
            [folder](const FileBytes& bytes) {
                folder.put("desc.json", bytes);
                for (const check::TestCase& test : check::load_test_cases(folder.path())) {
                    for (const check::TestOutput& output : test.outputs) {
                        if (output.output_file.find('/') != std::string::npos) {
                            throw std::logic_error("an output outside its folder is accepted");
                        }
                    }
                }
            },
            kJsonPieces};
}

FuzzTarget golden_target() {
    const Folder folder;
    const float values[] = {1, 2, 3};
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(values);
    folder.put("okk_bdc_add.bin", {bytes, bytes + sizeof values});
    return {"golden", [] { return std::vector<FileBytes>{as_bytes(golden_addition().dump(1))}; },
            [folder](const FileBytes& text) {
                folder.put("okk_bdc_add.json", text);
                sim::golden::GoldenOptions options;
                options.dir = folder.path();
                options.machine = sim::golden::okk_machine_shape();
                sim::golden::run_golden(options, [](std::size_t, std::size_t) {});
            },
            kJsonPieces};
}

void replay(const std::filesystem::path& path) {
    sim::trace::ReplayOptions options;
    options.force = true;
    sim::trace::replay(path, options);
}

FuzzTarget trace_target() {
    const Folder folder;
    return {"trace",
            [folder] {
                std::vector<FileBytes> files;
                for (const std::vector<std::string>& settings :
                     {std::vector<std::string>{}, std::vector<std::string>{"chip.lanes=8"}}) {
                    record_closed_form(folder / "t", settings, 40);
                    files.push_back(content(folder / "t"));
                }
                return files;
            },
            [folder](const FileBytes& bytes) { replay(folder.put("t.okktrace", bytes)); }};
}

FuzzTarget calls_target() {
    const Folder folder;
    return {"calls",
            [] {
                return std::vector<FileBytes>{as_bytes(
                    "{\"op\":\"conv2d\",\"case\":4,\"params\":\"N=1\",\"contestant\":\"A\","
                    "\"calls\":4,\"gdma_calls\":1,\"bdc_calls\":1}\n"
                    "[\"okk_initialize\"]\n"
                    "[\"okk_gdma_32bit_cpy_S2L\",65536,\"in+16\",[1,370,13,13],null,null]\n"
                    "[\"okk_bdc_32bit_set_C\",524288,\"0x3f800000\",[1,2,3,4],[24,12,4,1]]\n"
                    "[\"okk_poll\"]\n")};
            },
            [folder](const FileBytes& bytes) { replay(folder.put("calls.jsonl", bytes)); },
            kJsonPieces};
}

FuzzTarget baseline_target() {
    const Folder folder, other;
    return {"baseline",
            [folder, other] {
                sim::gate::TimeRecord record;
                record.name = "add";
                record.machine = "bm1684";
                record.machine_hash = "0123456789abcdef";
                record.simulated_us = 12.5;
                record.engines = {{"GDMA", {{"DRAM bandwidth", 10}}, {{"move", 10}}}};
                record.operators = {{"ADD y", 12.5}};
                record.outputs = {{"y", "0123456789abcdef"}};
                for (const Folder& each : {folder, other}) {
                    record_closed_form(each / "add.func.trace", {}, 10);
                    sim::gate::save_time_record(record, each / "add.time.trace");
                }
                return std::vector<FileBytes>{content(folder / "add.time.trace"),
                                              content(folder / "add.func.trace")};
            },
            [folder, other](const FileBytes& bytes) {
                const bool is_commands = !bytes.empty() && bytes[0] != '{';
                other.put(is_commands ? "add.func.trace" : "add.time.trace", bytes);
                const auto cases = sim::gate::compare_baselines(folder.path(), other.path(), 0.02);
                sim::gate::comparison_text(cases, 0.02);
                sim::gate::comparison_junit(cases);
                // The other file of the pair is valid again.
                const char* name = is_commands ? "add.func.trace" : "add.time.trace";
                other.put(name, content(folder / name));
            },
            kJsonPieces};
}

FuzzTarget sweep_target() {
    const Folder folder, other;
    return {"sweep",
            [folder, other] {
                const sim::gate::SweepPoint slow{
                    "chip.lanes=16", "", {20, 1}, {{"us", 20}, {"bdc_busy_us", 15}}};
                const sim::gate::SweepPoint fast{
                    "chip.lanes=64", "", {10, 4}, {{"us", 10}, {"bdc_busy_us", 5}}};
                const sim::gate::SweepPoint none{"chip.lanes=3", "no plan", {}, {}};
                const sim::gate::SweepRecord record{
                    "net", "bm1684", "0123456789abcdef", {"us", "area_mm2"}, {slow, fast, none}};
                for (const Folder& each : {folder, other}) {
                    sim::gate::save_sweep_record(record, each / "net.sweep.trace");
                }
                return std::vector<FileBytes>{content(folder / "net.sweep.trace")};
            },
            [folder, other](const FileBytes& bytes) {
                other.put("net.sweep.trace", bytes);
                const auto cases = sim::gate::compare_baselines(folder.path(), other.path(), 0.02);
                sim::gate::comparison_text(cases, 0.02);
                sim::gate::comparison_junit(cases);
            },
            kJsonPieces};
}

}  // namespace

std::vector<FuzzTarget> fuzz_targets() {
    return {
        npy_target(),           binary_commands_target(), listing_target(), machine_target(),
        description_target(),   golden_target(),          trace_target(),   calls_target(),
        baseline_target(),      sweep_target(),           plan_target(),    specification_target(),
        custom_structs_target()};
}

}  // namespace okksim::tests
