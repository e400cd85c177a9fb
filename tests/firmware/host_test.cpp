// SPDX-License-Identifier: Apache-2.0
// The host API over a device without machine: memory is an array, kernels run when finished.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "firmware/calls/context.h"
#include "firmware/host/bmlib_runtime.h"
#include "firmware/host/device.h"
#include "firmware/leave/kernel_runner.h"
#include "firmware/okk.h"
#include "tests/firmware/recording_port.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {

namespace {

using firmware::host::Device;
using firmware::host::LaunchReport;
using firmware::host::LaunchRequest;

constexpr std::uint64_t kStart = 0x100000000;
constexpr std::uint64_t kBytes = 64 * 4096;

class ArrayDevice : public Device {
 public:
    ArrayDevice() : port_(small_machine(4, 16384)), context_(port_), memory_(kBytes) {}

    std::uint64_t memory_start() const override { return kStart; }
    std::uint64_t memory_bytes() const override { return kBytes; }
    void launch(LaunchRequest request) override { queue_.push_back(std::move(request)); }
    std::vector<LaunchReport> finish() override {
        std::vector<LaunchReport> reports;
        for (const LaunchRequest& request : queue_) {
            LaunchReport report;
            report.name = request.name;
            report.fault = firmware::run_kernel(context_, request.entry, std::span(request.args));
            report.commands = context_.counts().commands;
            report.simulated_us = 2.5;
            time_ += report.simulated_us;
            reports.push_back(report);
        }
        queue_.clear();
        return reports;
    }
    void write(std::uint64_t address, std::span<const std::byte> bytes) override {
        std::memcpy(&memory_.at(address - kStart), bytes.data(), bytes.size());
    }
    void read(std::uint64_t address, std::span<std::byte> bytes) override {
        std::memcpy(bytes.data(), &memory_.at(address - kStart), bytes.size());
    }
    std::vector<LaunchReport> crashed(const FaultRecord& fault) override {
        LaunchReport report;
        report.fault = fault;
        return {report};
    }
    double simulated_us() const override { return time_; }

 private:
    RecordingPort port_;
    firmware::Context context_;
    std::vector<std::byte> memory_;
    std::vector<LaunchRequest> queue_;
    double time_ = 0;
};

int runs = 0;

struct Arguments {
    int value;
};

void counts_runs(const void* args) {
    okk_initialize();
    runs += static_cast<const Arguments*>(args)->value;
    okk_poll();
}

void fails(const void*) { OKKERNEL_ASSERT(runs < 0); }

struct Fixture {
    Fixture() {
        firmware::host::set_device_factory([] { return std::make_unique<ArrayDevice>(); });
        okk_register_kernel_func("host_test_counts", counts_runs);
        okk_register_kernel_func("host_test_fails", fails);
        REQUIRE(bm_dev_request(&handle, 0) == BM_SUCCESS);
        runs = 0;
    }
    ~Fixture() { bm_dev_free(handle); }
    bm_handle_t handle = nullptr;
};

}  // namespace

TEST_CASE("data goes to the device and back, whole and in parts") {
    Fixture f;
    bm_device_mem_t a;
    bm_device_mem_t b;
    REQUIRE(bm_malloc_device_byte(f.handle, &a, 16) == BM_SUCCESS);
    REQUIRE(bm_malloc_device_byte(f.handle, &b, 16) == BM_SUCCESS);
    CHECK(bm_mem_get_device_addr(a) % 4096 == 0);
    CHECK(bm_mem_get_device_size(a) == 16);
    char text[17] = "abcdefghijklmnop";
    char back[17] = {};
    CHECK(bm_memcpy_s2d(f.handle, a, text) == BM_SUCCESS);
    CHECK(bm_memcpy_d2s(f.handle, back, a) == BM_SUCCESS);
    CHECK(std::string(back) == "abcdefghijklmnop");
    char patch[] = "XY";
    CHECK(bm_memcpy_s2d_partial(f.handle, a, patch, 2) == BM_SUCCESS);
    CHECK(bm_memcpy_s2d_partial_offset(f.handle, a, patch, 2, 4) == BM_SUCCESS);
    CHECK(bm_memcpy_d2d_byte(f.handle, b, 1, a, 0, 8) == BM_SUCCESS);
    char part[9] = {};
    CHECK(bm_memcpy_d2s_partial_offset(f.handle, part, b, 8, 1) == BM_SUCCESS);
    CHECK(std::string(part) == "XYcdXYgh");
    CHECK(bm_memcpy_d2s_partial(f.handle, part, a, 3) == BM_SUCCESS);
    CHECK(std::string(part, 3) == "XYc");
    // Whole words of the value, then its low bytes.
    bm_device_mem_t odd;
    REQUIRE(bm_malloc_device_byte(f.handle, &odd, 6) == BM_SUCCESS);
    CHECK(bm_memset_device(f.handle, 0x44434241, odd) == BM_SUCCESS);
    char filled[7] = {};
    CHECK(bm_memcpy_d2s(f.handle, filled, odd) == BM_SUCCESS);
    CHECK(std::string(filled) == "ABCDAB");
}

TEST_CASE("wrong uses of memory are refused") {
    Fixture f;
    bm_device_mem_t mem;
    char buffer[64] = {};
    REQUIRE(bm_malloc_device_byte(f.handle, &mem, 16) == BM_SUCCESS);
    CHECK(bm_memcpy_s2d_partial(f.handle, mem, buffer, 17) == BM_ERR_PARAM);
    CHECK(bm_memcpy_d2s_partial_offset(f.handle, buffer, mem, 8, 9) == BM_ERR_PARAM);
    CHECK(bm_memcpy_d2s_partial_offset(f.handle, buffer, mem, 2, 0xffffffffu) == BM_ERR_PARAM);
    CHECK(bm_memcpy_s2d(f.handle, mem, nullptr) == BM_ERR_PARAM);
    CHECK(bm_malloc_device_byte(f.handle, nullptr, 16) == BM_ERR_PARAM);
    CHECK(bm_malloc_device_byte(f.handle, &mem, 0) == BM_ERR_PARAM);
    bm_device_mem_t huge;
    CHECK(bm_malloc_device_byte(f.handle, &huge, 0xffffffffu) == BM_ERR_NOMEM);
    bm_device_mem_t forged = mem;
    forged.size = 64;  // larger than what was allocated
    CHECK(bm_memcpy_d2s(f.handle, buffer, forged) == BM_ERR_PARAM);
    bm_free_device(f.handle, mem);
    bm_free_device(f.handle, mem);  // reported and ignored
    CHECK(bm_memcpy_d2s(f.handle, buffer, mem) == BM_ERR_PARAM);
}

TEST_CASE("handles must be open; memory of a closed handle is freed") {
    Fixture f;
    bm_handle_t other = nullptr;
    CHECK(bm_dev_request(nullptr, 0) == BM_ERR_PARAM);
    CHECK(bm_dev_request(&other, 1) == BM_ERR_DEVNOTREADY);
    REQUIRE(bm_dev_request(&other, 0) == BM_SUCCESS);
    bm_device_mem_t mem;
    REQUIRE(bm_malloc_device_byte(other, &mem, 4) == BM_SUCCESS);
    bm_dev_free(other);
    int word = 0;
    CHECK(bm_memcpy_d2s(f.handle, &word, mem) == BM_ERR_PARAM);
    CHECK(bm_memcpy_d2s(nullptr, &word, mem) == BM_ERR_DEVNOTREADY);
}

TEST_CASE("launches run with a copy of their arguments") {
    Fixture f;
    Arguments arguments{3};
    CHECK(okkernel_load_firmware(f.handle, "a", "b") == BM_SUCCESS);
    CHECK(okkernel_launch_sync(f.handle, "host_test_counts", &arguments, sizeof arguments) ==
          BM_SUCCESS);
    CHECK(runs == 3);
    CHECK(okkernel_launch_async(f.handle, "host_test_counts", &arguments, sizeof arguments) ==
          BM_SUCCESS);
    arguments.value = 100;
    CHECK(okkernel_sync(f.handle) == BM_SUCCESS);
    CHECK(runs == 6);
    CHECK(okksim_last_launch_us(f.handle) == 2.5);
    CHECK(okkernel_launch_sync(f.handle, "host_test_count", &arguments, 4) == BM_ERR_PARAM);
    CHECK(okkernel_launch_sync(f.handle, nullptr, &arguments, 4) == BM_ERR_PARAM);
    CHECK(okkernel_launch_sync(f.handle, "host_test_counts", nullptr, 4) == BM_ERR_PARAM);
    // The kernel reads four bytes.
    CHECK(okkernel_launch_sync(f.handle, "host_test_counts", nullptr, 0) == BM_ERR_FAILURE);
}

TEST_CASE("a fault of an asynchronous launch is returned once, by the next synchronisation") {
    Fixture f;
    CHECK(okkernel_launch_async(f.handle, "host_test_fails", nullptr, 0) == BM_SUCCESS);
    CHECK(bm_thread_sync(f.handle) == BM_ERR_FAILURE);
    CHECK(bm_thread_sync(f.handle) == BM_SUCCESS);
}

TEST_CASE("the summary tells every launch") {
    Fixture f;
    const std::string path = "okksim_host_test_summary.json";
    const Arguments arguments{1};
    const std::size_t before = firmware::host::launch_reports().size();
    okkernel_launch_sync(f.handle, "host_test_counts", &arguments, sizeof arguments);
    okkernel_launch_sync(f.handle, "host_test_fails", nullptr, 0);
    REQUIRE(okksim_write_summary(f.handle, path.c_str()) == BM_SUCCESS);
    std::ifstream file(path);
    const auto document = nlohmann::json::parse(file);
    REQUIRE(document["launches"].size() == before + 2);
    const auto& good = document["launches"][before];
    const auto& bad = document["launches"][before + 1];
    CHECK(good["kernel"] == "host_test_counts");
    CHECK(good["simulated_us"] == 2.5);
    CHECK(good["fault"].is_null());
    CHECK(good["own_computing_timed"] == false);
    CHECK(bad["fault"]["code"] == std::string(fault_code_name(FaultCode::kAssertion)));
    CHECK(document["totals"]["launches"] == before + 2);
    std::remove(path.c_str());
    CHECK(okksim_write_summary(f.handle, "/nonexistent/folder/file") == BM_ERR_FAILURE);
}

}  // namespace okksim::tests
