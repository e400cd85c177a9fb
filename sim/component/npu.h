// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/host/host_registers.h"

namespace okksim::models {
struct DramParams;
}  // namespace okksim::models

namespace okksim {

struct NpuOptions {
    std::string machine = "bm1684";          ///< name or file of a machine description
    std::vector<std::string> settings = {};  ///< "section.key=value" overrides
    /// Global memory is what is bound to dram_out; else the chip has its own.
    bool external_memory = true;
    /// Longest transaction for a memory that does not price whole requests (DramLaw).
    std::uint64_t burst_bytes = 4096;
    std::uint64_t registers = 0xF0000000;  ///< address of the register block
    int threads = 1;                       ///< host threads that carry out one command
    bool fuse = true;                      ///< operators may share a kernel, as `okksim run` has it
};

/// A tensor of a graph in global memory, row-major.
struct NpuTensor {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
};

/// What the host loads before the first run.
struct NpuImage {
    std::uint64_t address = 0;
    std::span<const std::byte> data;  ///< lives as long as the Npu
};

/// A TOSA graph on the chip. The host writes the images once and runs `prepare` once, if it is not
/// 0; then, as often as it likes, it writes the inputs, runs `run` and reads the outputs. Both are
/// program numbers; they take no arguments.
struct NpuGraph {
    std::uint32_t prepare = 0;
    std::uint32_t run = 0;
    std::vector<NpuImage> images;
    std::vector<NpuTensor> inputs, outputs;
};

/// The chip as a component of somebody's SystemC platform: a target for a host and an initiator for
/// global memory. Everything in its README.md.
///
///     okksim::Npu npu("npu", {.settings = {"global.bytes=268435456"}});
///     host.out.bind(npu.host_in);
///     npu.dram_out.bind(memory.in);
///     const std::uint32_t program = npu.add_kernel("axpy");
///
/// Errors: okksim::ConfigError (a std::runtime_error) for machines, kernels and models that cannot
/// be had, and at elaboration for sockets that nothing or the wrong memory is bound to.
class Npu : public sc_core::sc_module {
 public:
    using HostSocket =
        tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
    using MemorySocket = tlm::tlm_initiator_socket<32, tlm::tlm_base_protocol_types, 1,
                                                   sc_core::SC_ZERO_OR_MORE_BOUND>;

    /// The chip's memories at their system addresses, and its registers (host_registers.h).
    HostSocket host_in{"host_in"};
    /// Global memory; addresses count from 0.
    MemorySocket dram_out{"dram_out"};

    explicit Npu(const sc_core::sc_module_name& name, const NpuOptions& options = {});
    ~Npu() override;

    /// A kernel registered with OKKERNEL_FUNC_REGISTER, in this program or in a library loaded
    /// before, as a program; the argument block is its argument struct.
    std::uint32_t add_kernel(const std::string& name);
    /// Reads, checks and plans a .tosa file.
    NpuGraph add_graph(const std::string& file);

    std::uint64_t global_start() const;  ///< system address of global memory's first byte
    std::uint64_t global_bytes() const;
    std::uint64_t free_start() const;  ///< first byte that nobody else claims
    /// The machine's memory parameters, for a DramLaw of one's own.
    const models::DramParams& dram() const;
    /// What ended the last program early, in words; empty: nothing.
    std::string fault() const;
    /// What the chip suspects of programs so far (reads of unwritten memory, races), in words.
    std::string findings();

 private:
    void end_of_elaboration() override;

    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace okksim
