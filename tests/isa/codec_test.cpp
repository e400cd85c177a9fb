// SPDX-License-Identifier: Apache-2.0
#include "isa/codec.h"

#include <cstring>
#include <random>

#include "tests/isa/sample_commands.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

constexpr std::size_t kHeaderBytes = 104;

isa::CommandFile sample_file() {
    isa::CommandFile file;
    file.machine = small_machine();
    std::mt19937 random(1);
    for (const isa::InstructionInfo& row : isa::instructions()) {
        if (row.is_command()) file.commands.push_back(random_record(row, random));
    }
    return file;
}

void put(std::vector<std::byte>& bytes, std::size_t at, std::uint32_t value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// Corrects the CRCs after a change, so that later checks are reached.
void repair(std::vector<std::byte>& bytes) {
    const std::span<const std::byte> all(bytes);
    put(bytes, 100, isa::crc32(all.first(100)));
    put(bytes, bytes.size() - 4, isa::crc32(all.subspan(kHeaderBytes, bytes.size() - 108)));
}

void check_rejected(const std::vector<std::byte>& bytes, std::uint64_t offset,
                    std::optional<std::uint64_t> record, const std::string& message) {
    try {
        isa::decode(bytes);
        FAIL_CHECK("decoded, but expected: " << message);
    } catch (const isa::DecodeError& error) {
        CHECK(error.byte_offset() == offset);
        CHECK(error.record() == record);
        CHECK_THAT(error.what(), Catch::Contains(message));
    }
}

}  // namespace

TEST_CASE("CRC-32 has the check value of the standard") {
    // The catalogue of CRC algorithms gives 0xCBF43926 for the digits 1 to 9.
    CHECK(isa::crc32(std::as_bytes(std::span("123456789", 9))) == 0xCBF43926u);
    CHECK(isa::crc32({}) == 0u);
}

TEST_CASE("decode is the inverse of encode") {
    const isa::CommandFile file = sample_file();
    const std::vector<std::byte> bytes = isa::encode(file);
    CHECK(bytes.size() == kHeaderBytes + file.commands.size() * 144 + 4);
    const isa::CommandFile again = isa::decode(bytes);
    CHECK(again.commands == file.commands);
    CHECK(isa::encode(again) == bytes);
    CHECK(again.machine.global_bytes == file.machine.global_bytes);
    CHECK(again.machine.lanes == 4);
    CHECK(again.machine.local_bytes == 4096);

    isa::CommandFile empty;
    empty.machine = small_machine();
    CHECK(isa::decode(isa::encode(empty)).commands.empty());
}

TEST_CASE("the record layout is the documented one") {
    isa::CommandFile file;
    file.machine = small_machine();
    isa::Command command = sample_command(isa::instruction(isa::Opcode::bdc_add));
    command.id = 0x01020304;
    command.wait_gdma = 5;
    command.wait_bdc = 6;
    file.commands.push_back(command);
    const std::vector<std::byte> bytes = isa::encode(file);
    const auto byte = [&](std::size_t at) { return std::to_integer<int>(bytes.at(at)); };
    CHECK(std::memcmp(bytes.data(), "OKKCMDS\n", 8) == 0);
    CHECK(byte(8) == 2);                                                  // version
    CHECK(byte(12) == 144);                                               // record size
    CHECK(byte(24) == 1);                                                 // records
    CHECK((byte(kHeaderBytes) | byte(kHeaderBytes + 1) << 8) == 0x0206);  // opcode of bdc_add
    CHECK(byte(kHeaderBytes + 4) == 4);                                   // id, lowest byte first
    CHECK(byte(kHeaderBytes + 7) == 1);
    CHECK(byte(kHeaderBytes + 8) == 5);
    CHECK(byte(kHeaderBytes + 12) == 6);
    CHECK(byte(kHeaderBytes + 16 + 1) == 0x10);  // dst_addr = 0x1000: lane 1
}

TEST_CASE("damaged files are refused with the place of the damage") {
    const std::vector<std::byte> good = isa::encode(sample_file());
    const std::size_t records = sample_file().commands.size();
    auto bytes = good;

    check_rejected({}, 0, {}, "shorter than its header");
    check_rejected({good.begin(), good.begin() + 103}, 103, {}, "shorter than its header");
    bytes[0] = std::byte{'X'};
    check_rejected(bytes, 0, {}, "does not start with OKKCMDS");
    bytes = good;
    put(bytes, 8, 3);
    check_rejected(bytes, 8, {}, "version 3; this okksim reads version 2");
    bytes = good;
    bytes[40] ^= std::byte{1};
    check_rejected(bytes, 100, {}, "header is damaged");
    bytes = good;
    bytes[16] ^= std::byte{1};
    repair(bytes);
    check_rejected(bytes, 16, {}, "instruction table");
    bytes = good;
    put(bytes, 12, 143);
    repair(bytes);
    check_rejected(bytes, 12, {}, "records of 143 bytes");
    bytes = good;
    put(bytes, 32, 0);
    repair(bytes);
    check_rejected(bytes, 32, {}, "lanes = 0");
    bytes = good;
    put(bytes, 28, 0x10000000);  // records += 2^60
    repair(bytes);
    check_rejected(bytes, good.size() - 4, records, "the file ends here");
    // One record less than announced in the header.
    bytes.assign(good.begin(), good.end() - 144);
    check_rejected(bytes, kHeaderBytes + (records - 1) * 144, records - 1, "the file ends here");
    bytes = good;
    bytes.push_back(std::byte{0});
    check_rejected(bytes, good.size(), {}, "1 bytes too many");
    bytes = good;
    bytes[kHeaderBytes + 4] ^= std::byte{1};
    check_rejected(bytes, good.size() - 4, {}, "records are damaged");
}

TEST_CASE("malformed records are refused with their index") {
    isa::CommandFile file = sample_file();
    const auto reject = [&](std::size_t record, const std::string& message) {
        check_rejected(isa::encode(file), kHeaderBytes + record * 144, record, message);
        file = sample_file();
    };
    file.commands[3].opcode = static_cast<isa::Opcode>(0xFFFF);
    reject(3, "unknown opcode 0xffff");
    file.commands[0].opcode = isa::Opcode::bdc_exp;
    reject(0, "okk_bdc_exp, a function that consists of several commands");
    file.commands[5].instance = 1;
    reject(5, "engine 1 of its kind");
    file.commands[7].words[31] = 9;
    reject(7, "word 31 is 0x9");
    for (std::size_t i = 0; i < file.commands.size(); ++i) {
        const auto change = [&](const char* operand, std::uint32_t value, const char* message) {
            if (!has_operand(file.commands[i].info(), operand)) return;
            word_of(file.commands[i], operand) = value;
            reject(i, message);
        };
        change("op_type", 2, "op_type = 2 is not an op_type");
        change("mul_type", 8, "mul_type = 8 is not a mul_type");
        change("result_add", 2, "result_add = 2 is not a flag");
    }
}

TEST_CASE("garbage never upsets the decoder") {
    std::mt19937 random(3);
    const std::vector<std::byte> good = isa::encode(sample_file());
    int decoded = 0;
    int refused = 0;
    for (int round = 0; round < 20000; ++round) {
        std::vector<std::byte> bytes = good;
        if (round % 4 == 0) bytes.resize(random() % bytes.size());
        const std::uint32_t changes = random() % 4;
        for (std::uint32_t i = 0; i < changes && !bytes.empty(); ++i) {
            const std::size_t range =
                round % 2 == 0 ? std::min<std::size_t>(bytes.size(), 300) : bytes.size();
            bytes[random() % range] = static_cast<std::byte>(random());
        }
        if (round % 3 != 0 && bytes.size() >= 108) repair(bytes);
        try {
            for (const isa::Command& command : isa::decode(bytes).commands) {
                REQUIRE(!isa::record_error(command));
            }
            ++decoded;
        } catch (const isa::DecodeError&) {
            ++refused;
        }
    }
    CHECK(decoded > 100);
    CHECK(refused > 5000);
}

}  // namespace okksim::tests
