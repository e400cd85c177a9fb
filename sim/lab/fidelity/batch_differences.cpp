// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/batch_differences.h"

#include <algorithm>
#include <array>
#include <optional>

#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_timing.h"
#include "models/chip/chip_params.h"
#include "models/dram/dram_params.h"

namespace okksim::sim::fidelity {
namespace {

/// Sums the layers' times of one network on a machine.
class Layers {
 public:
    explicit Layers(const models::MachineParams& machine) : machine_(machine) {}

    /// Adds a square convolution with `edge` output lines.
    void convolution(int inputs, int outputs, int kernel, int stride, int edge) {
        isa::Convolution form{};
        form.output_c = outputs;
        form.kernel_h = form.kernel_w = kernel;
        form.stride = {stride, stride};
        form.dilation = {1, 1};
        const int input_edge = (edge - 1) * stride + kernel;
        form.input_shape = {1, inputs, input_edge, input_edge};
        // The weights use a separate bank.
        const auto bank = static_cast<std::uint32_t>(machine_.chip->local_memory_bytes /
                                                     machine_.chip->local_memory_banks);
        form.output_addr = {0};
        form.input_addr = {bank};
        form.weight_addr = {2 * bank};
        const auto cost = models::bdc_cost(isa::Command::make(isa::Opcode::bdc_conv2d, form),
                                           machine_.shape(), *machine_.bdc);
        cycles_ += static_cast<double>(cost.execute.value);
        weights_ += static_cast<double>(inputs) * outputs * kernel * kernel;
    }
    void dense(int inputs, int outputs) { weights_ += static_cast<double>(inputs) * outputs; }

    double compute_ms() const { return cycles_ / machine_.bdc->clock_mhz * 1e-3; }
    double weights_ms() const {
        constexpr double kWordBytes = 4;
        return weights_ * kWordBytes / machine_.dram->read_bytes_per_nanosecond * 1e-6;
    }

 private:
    const models::MachineParams& machine_;
    double cycles_ = 0;
    double weights_ = 0;
};

/// Adds blocks of 3x3 convolutions between halvings of the image; the last three blocks have `deep`
/// convolutions.
void vgg(Layers& layers, int deep) {
    struct Block {
        int channels, count, edge;
    };
    int channels = 3;
    for (const Block& block : {Block{64, 2, 224}, Block{128, 2, 112}, Block{256, deep, 56},
                               Block{512, deep, 28}, Block{512, deep, 14}}) {
        for (int i = 0; i < block.count; ++i) {
            layers.convolution(channels, block.channels, 3, 1, block.edge);
            channels = block.channels;
        }
    }
    layers.dense(512 * 7 * 7, 4096);
    layers.dense(4096, 4096);
    layers.dense(4096, 1000);
}
void vgg16(Layers& layers) { vgg(layers, 3); }
void vgg19(Layers& layers) { vgg(layers, 4); }

/// Adds bottlenecks whose middle layer has `wide` times 64, 128, 256 and 512 channels. The middle
/// layer has the stride.
void resnet(Layers& layers, int wide) {
    struct Stage {
        int channels, count, edge;
    };
    layers.convolution(3, 64, 7, 2, 112);
    int inputs = 64;
    for (const Stage& stage :
         {Stage{64, 3, 56}, Stage{128, 4, 28}, Stage{256, 6, 14}, Stage{512, 3, 7}}) {
        const int middle = stage.channels * wide;
        const int outputs = stage.channels * 4;
        for (int i = 0; i < stage.count; ++i) {
            const int stride = i == 0 && stage.channels > 64 ? 2 : 1;
            layers.convolution(inputs, middle, 1, 1, stage.edge * stride);
            layers.convolution(middle, middle, 3, stride, stage.edge);
            layers.convolution(middle, outputs, 1, 1, stage.edge);
            if (i == 0) layers.convolution(inputs, outputs, 1, stride, stage.edge);
            inputs = outputs;
        }
    }
    layers.dense(2048, 1000);
}
void resnet50(Layers& layers) { resnet(layers, 1); }
void wide_resnet50(Layers& layers) { resnet(layers, 2); }

/// A network, the prefix of its name in networks.csv, and the batches for the difference (0: no
/// difference).
struct Network {
    const char* name;
    const char* model;
    int from, to;
    void (*add)(Layers& layers);
};
constexpr std::array kNetworks{Network{"vgg19", "vgg19", 1, 8, vgg19},
                               Network{"resnet50", "huggingface-resnet50", 8, 16, resnet50},
                               Network{"wide_resnet50_2", "wrn50", 1, 4, wide_resnet50},
                               Network{"vgg16", "vgg16", 0, 0, vgg16}};

const Network& network(const std::string& name) {
    return *std::find_if(kNetworks.begin(), kNetworks.end(),
                         [&](const Network& entry) { return entry.name == name; });
}

Layers layers_of(const std::string& name, const models::MachineParams& machine) {
    Layers layers(machine);
    network(name).add(layers);
    return layers;
}

/// Returns the file's fp32 times of whole batches, by batch.
std::vector<std::pair<int, double>> published(const CsvTable& table, const Network& entry) {
    const std::size_t chip = table.column("chip"), model = table.column("model"),
                      precision = table.column("precision"), batch = table.column("batch"),
                      ms = table.column("measured_ms"), is = table.column("ms_is"),
                      what = table.column("what_is_measured");
    std::vector<std::pair<int, double>> times;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, chip) == "BM1684" && table.text(row, model).starts_with(entry.model) &&
            table.text(row, precision) == "fp32" && table.text(row, is).starts_with("per launch") &&
            table.text(row, what).find("bmrt_test") != std::string::npos) {
            times.emplace_back(table.integer(row, batch), table.number(row, ms));
        }
    }
    return times;
}

std::optional<double> of_batch(const std::vector<std::pair<int, double>>& times, int batch) {
    for (const auto& [images, ms] : times) {
        if (images == batch) return ms;
    }
    return std::nullopt;
}

}  // namespace

bool BatchDifference::met() const {
    return ratio() >= kLeastBatchRatio && ratio() <= kMostBatchRatio;
}

bool LowerBound::holds() const { return silicon_ms >= std::max(compute_ms, weights_ms); }

bool BatchReport::met() const {
    return std::all_of(differences.begin(), differences.end(),
                       [](const auto& row) { return row.met(); }) &&
           std::all_of(bounds.begin(), bounds.end(), [](const auto& row) { return row.holds(); });
}

BatchReport read_batches(const std::filesystem::path& networks_csv) {
    const CsvTable table = CsvTable::read(networks_csv);
    BatchReport report;
    for (const Network& entry : kNetworks) {
        const auto times = published(table, entry);
        for (const auto& [batch, ms] : times) report.bounds.push_back({entry.name, batch, ms});
        const auto less = of_batch(times, entry.from);
        const auto more = of_batch(times, entry.to);
        if (!less || !more) continue;
        report.differences.push_back(
            {entry.name, entry.from, entry.to, (*more - *less) / (entry.to - entry.from)});
    }
    return report;
}

void price_batches(BatchReport& report, const models::MachineParams& machine) {
    for (BatchDifference& row : report.differences) {
        row.laws_ms = layers_of(row.network, machine).compute_ms();
    }
    for (LowerBound& row : report.bounds) {
        const Layers layers = layers_of(row.network, machine);
        row.compute_ms = layers.compute_ms() * row.batch;
        row.weights_ms = layers.weights_ms();
    }
}

}  // namespace okksim::sim::fidelity
