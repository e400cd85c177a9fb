// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/call_trace.h"

#include <lzma.h>

#include <cmath>
#include <random>
#include <vector>

#include "isa/base/errors.h"
#include "models/chip/in_order_machine.h"
#include "sim/machine/machine.h"
#include "sim/trace/call_replay.h"
#include "tests/sim/trace/temporary_file.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using sim::trace::CallTraceReader;
using sim::trace::RecordedCall;
using tests::TemporaryFile;

constexpr const char* kHeader =
    R"({"op":"conv2d","case":4,"params":"N=1","contestant":"A","calls":4,"gdma_calls":1,"bdc_calls":1})"
    "\n";
constexpr const char* kCalls =
    "[\"okk_initialize\"]\n"
    "[\"okk_gdma_32bit_cpy_S2L\",65536,\"in+16\",[1,370,13,13],null,null]\n"
    "[\"okk_bdc_32bit_set_C\",524288,\"0x3f800000\",[1,2,3,4],[24,12,4,1]]\n"
    "[\"okk_poll\"]\n";

isa::MachineShape machine() { return sim::load_machine("bm1684").params.shape(); }

std::vector<RecordedCall> read_all(const std::filesystem::path& path) {
    CallTraceReader reader(path, machine());
    std::vector<RecordedCall> calls;
    for (RecordedCall call; reader.next(call);) calls.push_back(call);
    return calls;
}

std::string complaint(const std::string& text) {
    const TemporaryFile file(text);
    try {
        read_all(file.path());
    } catch (const ConfigError& error) {
        const std::string message = error.what();
        return message.substr(message.find(':') + 1);  // without the file's name
    }
    return "none";
}

std::string compressed(const std::string& text) {
    std::string out(lzma_stream_buffer_bound(text.size()), '\0');
    std::size_t size = 0;
    REQUIRE(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr,
                                    reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                    reinterpret_cast<std::uint8_t*>(out.data()), &size,
                                    out.size()) == LZMA_OK);
    out.resize(size);
    return out;
}

TEST_CASE("A call trace gives commands with their NULL arguments") {
    for (const bool packed : {false, true}) {
        const std::string text = std::string(kHeader) + kCalls;
        const TemporaryFile file(packed ? compressed(text) : text);
        const auto calls = read_all(file.path());
        REQUIRE(calls.size() == 4);
        CHECK(calls[0].control == sim::trace::ControlCall::kInitialize);
        CHECK(calls[3].control == sim::trace::ControlCall::kPoll);

        REQUIRE(calls[1].command.opcode == isa::Opcode::gdma_32bit_cpy_S2L);
        const auto copy = calls[1].command.as<isa::GdmaCopyToLocal>();
        CHECK(copy.dst_addr.value == 65536);
        CHECK(copy.src_addr.value() == machine().global_start + 16);
        CHECK(copy.shape == isa::Dim4{1, 370, 13, 13});
        CHECK(calls[1].nulls.is_null(3));
        CHECK(calls[1].nulls.is_null(4));

        const auto fill = calls[2].command.as<isa::VectorSet>();
        CHECK(fill.C.as_float() == 1.0f);
        CHECK(fill.dst_stride == isa::Dim4{24, 12, 4, 1});
        CHECK_FALSE(calls[2].nulls.any());
    }
}

TEST_CASE("Floats are numbers or their names") {
    const TemporaryFile file(
        "{\"op\":\"x\",\"case\":0,\"params\":\"\",\"contestant\":\"A\",\"calls\":3,"
        "\"gdma_calls\":0,\"bdc_calls\":3}\n"
        "[\"okk_bdc_mul_C\",0,0,0.1,[1,1,1,1],null,null]\n"
        "[\"okk_bdc_mul_C\",0,0,\"-inf\",[1,1,1,1],null,null]\n"
        "[\"okk_bdc_mul_C\",0,0,2,[1,1,1,1],null,null]\n");
    const auto calls = read_all(file.path());
    CHECK(calls[0].command.as<isa::VectorConstant>().C.as_float() == 0.1f);
    CHECK(calls[1].command.as<isa::VectorConstant>().C.as_float() == -INFINITY);
    CHECK(calls[2].command.as<isa::VectorConstant>().C.as_float() == 2.0f);
}

TEST_CASE("Damaged call traces are named with their line") {
    const std::string header = kHeader;
    using Catch::Contains;
    CHECK_THAT(complaint(""), Contains("is empty"));
    CHECK_THAT(complaint("[1]\n"), Contains("1: this is no recording: the first line"));
    CHECK_THAT(complaint("{\"op\":\"x\"}\n"), Contains("1: \"case\" must be a count"));
    CHECK_THAT(complaint(header + "[\"okk_poll\"]\n"), Contains("2: the trace ends after 1 calls"));
    CHECK_THAT(complaint(header + "nonsense\n"), Contains("2: the line is no call"));
    CHECK_THAT(complaint(header + "[[[1]]]\n"), Contains("2: the line is no call"));
    CHECK_THAT(complaint(header + "[]\n"), Contains("empty list"));
    CHECK_THAT(complaint(header + "{}\n"), Contains("not a list"));
    CHECK_THAT(complaint(header + "[\"okk_poll\",1]\n"), Contains("2: okk_poll has no arguments"));
    CHECK_THAT(complaint(header + "[\"printf\",1]\n"), Contains("\"printf\" is not a function"));
    CHECK_THAT(complaint(header + "[\"okk_bdc_32bit_set_C\",1]\n"), Contains("has 4 arguments"));
    CHECK_THAT(complaint(header + "[\"okk_bdc_32bit_set_C\",1,2,[1,1,1,1],null]\n"),
               Contains("argument C is not a constant"));
    CHECK_THAT(complaint(header + "[\"okk_bdc_32bit_set_C\",1,\"0x0\",[1,1,1],null]\n"),
               Contains("argument shape is not a list of 4"));
    CHECK_THAT(complaint(header + "[\"okk_bdc_32bit_set_C\",-1,\"0x0\",[1,1,1,1],null]\n"),
               Contains("argument dst_addr is -1"));
    CHECK_THAT(
        complaint(header + "[\"okk_gdma_32bit_cpy_S2L\",0,\"heap+1\",[1,1,1,1],null,null]\n"),
        Contains("argument src_addr names \"heap\""));
    CHECK_THAT(complaint(header + kCalls + "[\"okk_poll\"]\n"),
               Contains("6: the trace has more calls than its first line announces (4)"));
    CHECK_THAT(complaint(header + std::string(100000, ' ')), Contains("2: the line is longer"));
    const std::string packed = compressed(header + kCalls);
    CHECK_THAT(complaint(packed.substr(0, packed.size() / 2)), Contains("cut off"));
    std::string damaged = packed;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
    CHECK_THAT(complaint(damaged), Contains("damaged"));
    CHECK_THROWS_AS(read_all("/nowhere/at/all"), ConfigError);
    CHECK_THROWS_AS(read_all("/tmp"), ConfigError);
}

TEST_CASE("Bytes changed at random never do worse than a named error") {
    const std::string text = std::string(kHeader) + kCalls;
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
        std::string damaged = text;
        for (int i = 0; i < 3; ++i)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        const TemporaryFile file(damaged);
        try {
            models::InOrderMachine port(sim::load_machine("bm1684").params);
            firmware::Context context(port);
            CallTraceReader reader(file.path(), port.machine());
            sim::trace::make_calls(context, reader);
        } catch (const ConfigError&) {
        }
    }
}

TEST_CASE("A call that breaks a rule names line, argument and rule") {
    // A lane has 524288 bytes; 200000 floats do not fit.
    const TemporaryFile file(
        "{\"op\":\"x\",\"case\":0,\"params\":\"\",\"contestant\":\"A\",\"calls\":1,"
        "\"gdma_calls\":1,\"bdc_calls\":0}\n"
        "[\"okk_gdma_32bit_cpy_S2L\",0,\"in+0\",[1,1,1,65535],null,null]\n");
    models::InOrderMachine port(sim::load_machine("bm1684").params);
    firmware::Context context(port);
    context.begin_launch();
    CallTraceReader reader(file.path(), port.machine());
    sim::trace::make_calls(context, reader);
    CHECK(context.counts().commands[isa::Engine::kGdma] == 1);

    const TemporaryFile beyond(
        "{\"op\":\"x\",\"case\":0,\"params\":\"\",\"contestant\":\"A\",\"calls\":1,"
        "\"gdma_calls\":1,\"bdc_calls\":0}\n"
        "[\"okk_gdma_32bit_cpy_S2L\",520000,\"in+0\",[1,1,1,65535],null,null]\n");
    CallTraceReader wrong(beyond.path(), port.machine());
    CHECK_THROWS_WITH(sim::trace::make_calls(context, wrong),
                      Catch::Contains(":2: ") && Catch::Contains("okk_gdma_32bit_cpy_S2L") &&
                          Catch::Contains("dst_addr"));
}

}  // namespace
