// SPDX-License-Identifier: Apache-2.0
// platform_example MEMORY OUT [MODEL.tosa INPUT.npy ...]
// Builds a platform of a host, okksim's chip and a memory. The host runs the kernel `scale` and,
// if given, a TOSA graph. MEMORY is one of:
//   law      timing of okksim's DRAM: the same times as `okksim kernel` and `okksim run`
//   fixed    transactions of 100 ns, annotated: the same results with other times
//   waiting  as fixed, but with wait()
//   none     the chip's own memory
// The results go to OUT/*.bin as raw bytes. The exit code is 1 if the result of `scale` is wrong.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "memory.h"
#include "platform_host.h"
#include "sim/component/npu.h"

namespace {

struct Arguments {
    std::string memory, out, model;
    std::vector<std::string> inputs;
};

std::vector<char> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the values of a .npy file, which follow its header.
std::vector<char> npy_data(const std::string& path) {
    std::vector<char> bytes = read_file(path);
    if (bytes.size() < 10) throw std::runtime_error(path + ": is not a .npy file");
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const std::size_t data = 10U + byte(8) + 256U * byte(9);
    if (data > bytes.size()) throw std::runtime_error(path + ": ends in its header");
    return {bytes.begin() + static_cast<std::ptrdiff_t>(data), bytes.end()};
}

void save(const std::string& path, const void* data, std::size_t bytes) {
    std::ofstream file(path, std::ios::binary);
    if (!file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes))) {
        throw std::runtime_error(path + ": cannot be written");
    }
}

/// Writes floats as a .npy file for `okksim kernel --in`.
void save_npy(const std::string& path, const std::vector<float>& values) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                         std::to_string(values.size()) + ",), }";
    constexpr std::size_t kPreamble = 10;  // magic, version, length of the header
    constexpr std::size_t kAlignment = 64;
    while ((kPreamble + header.size() + 1) % kAlignment != 0) header += ' ';
    header += '\n';
    std::string bytes = "\x93NUMPY";
    bytes += '\x01';
    bytes += '\0';
    bytes += static_cast<char>(header.size() & 0xFF);
    bytes += static_cast<char>(header.size() >> 8);
    bytes += header;
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    save(path, bytes.data(), bytes.size());
}

/// Bytes at the end of global memory that the host reserves, far from the graph's allocations.
constexpr std::uint64_t kHostBytes = 16 << 20;

/// Runs output = 2.5 * input for input 0, 1, 2, ... True if the result is right.
bool run_kernel(Host& host, const okksim::Npu& npu, std::uint32_t program, const std::string& out) {
    constexpr std::size_t kCount = 100000;
    std::vector<float> values(kCount);
    for (std::size_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(i);
    const std::uint64_t input = npu.global_start() + npu.global_bytes() - kHostBytes;
    const std::uint64_t output = input + (1 << 20);
    const std::uint64_t block = output + (1 << 20);
    const struct {
        std::uint64_t output, input;
        std::int32_t count;
        float scale;
    } arguments{output, input, kCount, 2.5F};
    save_npy(out + "/input.npy", values);
    host.write(input, values.data(), kCount * sizeof(float));
    host.write(block, &arguments, sizeof arguments);
    const double time = host.run_program(program, block, sizeof arguments);
    std::printf("scale: %.3f us simulated\n", time);
    host.read(output, values.data(), kCount * sizeof(float));
    save(out + "/scale.bin", values.data(), kCount * sizeof(float));
    for (std::size_t i = 0; i < kCount; ++i) {
        if (values[i] != 2.5F * static_cast<float>(i)) return false;
    }
    return true;
}

void run_graph(Host& host, const okksim::NpuGraph& graph, const Arguments& arguments) {
    for (const okksim::NpuImage& image : graph.images) {
        host.write(image.address, image.data.data(), image.data.size());
    }
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
        if (i >= arguments.inputs.size()) throw std::runtime_error("an input file is missing");
        const std::vector<char> data = npy_data(arguments.inputs[i]);
        if (data.size() != graph.inputs[i].bytes) {
            throw std::runtime_error(arguments.inputs[i] + ": does not fit " +
                                     graph.inputs[i].name);
        }
        host.write(graph.inputs[i].address, data.data(), data.size());
    }
    std::printf("graph: simulated %.1f us\n", host.run_program(graph.run, 0, 0));
    for (const okksim::NpuTensor& output : graph.outputs) {
        std::vector<char> data(output.bytes);
        host.read(output.address, data.data(), data.size());
        save(arguments.out + "/" + output.name + ".bin", data.data(), data.size());
    }
}

/// The requested memory, bound to the chip.
class Memories {
 public:
    Memories(okksim::Npu& npu, const std::string& kind) {
        const sc_core::sc_time latency(100, sc_core::SC_NS);
        if (kind == "law") {
            law_ = std::make_unique<LawMemory>("memory", npu.global_bytes(), npu.dram());
            npu.dram_out.bind(law_->in);
        } else if (kind == "fixed" || kind == "waiting") {
            fixed_ = std::make_unique<FixedMemory>("memory", npu.global_bytes(), latency,
                                                   kind == "waiting");
            npu.dram_out.bind(fixed_->in);
        } else if (kind != "none") {
            throw std::runtime_error(kind + ": the memory is not law|fixed|waiting|none");
        }
    }

 private:
    std::unique_ptr<LawMemory> law_;
    std::unique_ptr<FixedMemory> fixed_;
};

int run(const Arguments& arguments) {
    okksim::NpuOptions options;
    options.settings = {"global.bytes=536870912"};
    options.external_memory = arguments.memory != "none";
    okksim::Npu npu("npu", options);
    const Memories memories(npu, arguments.memory);
    const std::uint32_t scale = npu.add_kernel("scale");
    std::optional<okksim::NpuGraph> graph;
    if (!arguments.model.empty()) graph = npu.add_graph(arguments.model);
    bool is_right = false;
    Host host("host", options.registers, [&](Host& self) {
        is_right = run_kernel(self, npu, scale, arguments.out);
        if (graph) run_graph(self, *graph, arguments);
    });
    host.out.bind(npu.host_in);
    sc_core::sc_start();
    std::fputs(npu.findings().c_str(), stdout);
    if (!npu.fault().empty()) std::fprintf(stderr, "%s\n", npu.fault().c_str());
    if (!is_right) std::fputs("scale: wrong result\n", stderr);
    return is_right && host.is_done() ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
    if (argc < 3) {
        std::fputs("platform_example law|fixed|waiting|none OUT [MODEL.tosa INPUT.npy ...]\n",
                   stderr);
        return 2;
    }
    try {
        Arguments arguments{argv[1], argv[2], argc > 3 ? argv[3] : "", {}};
        for (int i = 4; i < argc; ++i) arguments.inputs.emplace_back(argv[i]);
        return run(arguments);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
