// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/second_chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "isa/base/errors.h"
#include "models/chip/machine_units.h"
#include "models/chip/memory_params.h"
#include "models/dram/built_in_memories.h"
#include "models/gdma/gdma_params.h"
#include "models/gdma/gdma_timing.h"
#include "sim/lab/fidelity/csv.h"
#include "sim/lab/fidelity/statistics.h"

namespace okksim::sim::fidelity {
namespace {

using isa::Command;
using isa::Dim4;
using isa::Engine;
using isa::Opcode;

constexpr const char* kJudged = "TDMA Tensor Load";

/// One recorded command.
struct Row {
    std::string kind;
    Command command;
    bool has_law = false;  ///< a transfer whose shape is known
    double start = 0;      ///< cycles
    double duration = 0;
    double end() const { return start + duration; }
};

/// Access to the cells of one row by column name; empty cells are 0.
class ChipCells {
 public:
    ChipCells(const CsvTable& table, std::size_t row) : table_(table), row_(row) {}
    const std::string& text(const char* name) const {
        return table_.text(row_, table_.column(name));
    }
    std::int32_t operator()(const char* name) const {
        if (text(name).empty()) return 0;
        const std::int64_t value = table_.integer(row_, table_.column(name));
        if (value < 0 || value > INT32_MAX) {
            throw ConfigError(fmt::format("row {}: {}", row_ + 1, name),
                              fmt::format("is {}, must be 0 to {}", value, INT32_MAX));
        }
        return static_cast<std::int32_t>(value);
    }
    Dim4 stride(const std::string& side) const {
        return {(*this)((side + "_n_stride").c_str()), (*this)((side + "_c_stride").c_str()),
                (*this)((side + "_h_stride").c_str()), 1};
    }

 private:
    const CsvTable& table_;
    std::size_t row_;
};

/// Makes a transfer of a tensor of bytes between memory and lanes.
Command transfer(const ChipCells& cells, bool is_load, const models::MachineParams& machine) {
    const auto memory = isa::SystemAddr::from(static_cast<std::uint64_t>(machine.global->start));
    const Dim4 shape{cells("src_n"), cells("src_c"), cells("src_h"), cells("src_w")};
    if (is_load) {
        return Command::make(
            Opcode::gdma_8bit_cpy_S2L,
            isa::GdmaCopyToLocal{{}, memory, shape, cells.stride("dst"), cells.stride("src")});
    }
    return Command::make(
        Opcode::gdma_8bit_cpy_L2S,
        isa::GdmaCopyToSystem{memory, {}, shape, cells.stride("dst"), cells.stride("src")});
}

Row read_row(const ChipCells& cells, const models::MachineParams& machine) {
    Row row;
    row.kind = cells.text("kind");
    row.start = cells("start_cycle");
    row.duration = cells("duration_cycles");
    if (row.duration == 0) throw ConfigError("duration_cycles", "is 0: no command takes no time");
    const std::string& engine = cells.text("engine");
    if (engine == "compute") {
        row.command = Command::make(Opcode::bdc_32bit_cpy, isa::VectorUnary{});
        return row;
    }
    row.has_law = row.kind.starts_with("TDMA Tensor") && (engine == "load" || engine == "store");
    row.command = row.has_law ? transfer(cells, engine == "load", machine)
                              : Command::make(Opcode::gdma_32bit_set_C_local, isa::GdmaFillLocal{});
    row.command.set_wait(Engine::kBdc, static_cast<isa::CommandId>(cells("waits_for")));
    return row;
}

/// Reads all commands in the order of their recorded starts, with ids and waits. The record has the
/// waits of transfers. Commands of the compute engine wait for the transfers that ended before
/// their start.
std::vector<Row> read_rows(const std::filesystem::path& path,
                           const models::MachineParams& machine) {
    const CsvTable table = CsvTable::read(path);
    std::vector<Row> rows;
    if (table.rows() == 0) throw ConfigError(path.string(), "holds no commands");
    for (std::size_t i = 0; i < table.rows(); ++i) {
        rows.push_back(read_row(ChipCells(table, i), machine));
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.start < b.start; });
    std::vector<double> ends;  // ends of the transfers so far
    isa::CommandId computes = 0;
    for (Row& row : rows) {
        if (row.command.info().engine == Engine::kGdma) {
            row.command.id = static_cast<isa::CommandId>(ends.size() + 1);
            row.command.set_wait(Engine::kBdc, std::min(row.command.wait(Engine::kBdc), computes));
            ends.push_back(row.end());
            continue;
        }
        row.command.id = ++computes;
        const auto over = std::ranges::count_if(ends, [&](double end) { return end <= row.start; });
        row.command.set_wait(Engine::kGdma, static_cast<isa::CommandId>(over));
    }
    return rows;
}

/// Executes the commands on the machine's DMA engine and on a compute engine with recorded times.
class Replay {
 public:
    Replay(const std::vector<Row>& rows, const models::MachineParams& machine)
        : rows_(rows),
          machine_(machine),
          clock_(machine.gdma->clock_mhz),
          memories_(models::memory_entries(machine)),
          engines_(entries(), machine.shape(), 0) {}

    /// Returns the cycles from the first command to the end of the last.
    double span() {
        memories_.rest();
        for (const Row& row : rows_) {
            engines_.submit(engines_.engine_of(row.command), row.command, {});
        }
        models::Picoseconds end;
        while (const auto event = engines_.next_event()) {
            if (event->kind == models::Sequencer::Event::Kind::kStart) {
                engines_.start(event->engine, memories_);
            } else if (engines_.finish(event->engine)) {
                end = std::max(end, event->time);
                engines_.retire(event->engine);
            }
        }
        return end.microseconds() * machine_.gdma->clock_mhz;
    }
    /// Returns the cycles on an idle machine of one command with `has_law`.
    double alone(const Row& row) {
        memories_.rest();
        return cost(row.command, {}, memories_).total().microseconds() * machine_.gdma->clock_mhz;
    }

 private:
    models::CommandCost cost(const Command& command, models::Picoseconds start,
                             models::MemorySystem& memories) const {
        return models::gdma_time(command, machine_.shape(), *machine_.gdma, clock_, start,
                                 memories);
    }
    std::vector<models::EngineEntry> entries() {
        for (const Row& row : rows_)
            by_id_[static_cast<std::size_t>(row.command.info().engine)].push_back(&row);
        const auto of = [this](Engine kind) {
            return [this, kind](const Command& command, models::Picoseconds start,
                                models::MemorySystem& memories) -> models::CommandCost {
                const Row& row = *by_id_[static_cast<std::size_t>(kind)][command.id - 1];
                if (row.has_law) return cost(command, start, memories);
                return {.work = clock_.duration({std::llround(row.duration)})};
            };
        };
        return {{"gdma", Engine::kGdma, rows_.size(), true, of(Engine::kGdma)},
                {"bdc", Engine::kBdc, rows_.size(), false, of(Engine::kBdc)}};
    }

    const std::vector<Row>& rows_;
    const models::MachineParams& machine_;
    models::Clock clock_;
    std::array<std::vector<const Row*>, isa::kEngineKinds> by_id_;
    models::BuiltInMemories memories_;
    models::Sequencer engines_;
};

/// Shape and strides, which group transfers of one kind.
using Form = std::vector<std::int32_t>;

Form form_of(const Row& row, const isa::MachineShape& machine) {
    Form form;
    for (const isa::TensorView& view : isa::tensor_views(row.command, machine)) {
        for (const Dim4& dims : {view.shape, view.stride}) {
            form.insert(form.end(), {dims.n, dims.c, dims.h, dims.w});
        }
    }
    return form;
}

/// Relative errors of transfers, by their form.
using Errors = std::map<Form, std::vector<double>>;

TransferFigures summarise(const std::string& kind, const Errors& errors) {
    std::vector<double> sizes, signed_errors, forms;
    for (const auto& [form, list] : errors) {
        std::vector<double> own;
        for (const double error : list) own.push_back(std::abs(error));
        sizes.insert(sizes.end(), own.begin(), own.end());
        signed_errors.insert(signed_errors.end(), list.begin(), list.end());
        forms.push_back(quantile(std::move(own), 0.5));
    }
    return {kind,
            sizes.size(),
            quantile(sizes, 0.5),
            quantile(sizes, 0.9),
            quantile(signed_errors, 0.5),
            forms.size(),
            quantile(forms, 0.5),
            kind == kJudged};
}

}  // namespace

bool SecondChipReport::met() const {
    return std::ranges::all_of(kinds, [](const TransferFigures& row) {
        return !row.judged || row.median <= kTransferBar;
    });
}

SecondChipReport replay_second_chip(const std::filesystem::path& path, const Machine& machine) {
    const std::vector<Row> rows = read_rows(path, machine.params);
    SecondChipReport report;
    report.machine = machine.label();
    Replay replay(rows, machine.params);
    std::map<std::string, Errors> errors;
    Errors all;
    double first = rows.empty() ? 0 : rows.front().start;
    double last = first;
    for (const Row& row : rows) {
        last = std::max(last, row.end());
        if (!row.has_law) continue;
        const double error = replay.alone(row) / row.duration - 1;
        const Form form = form_of(row, machine.params.shape());
        errors[row.kind][form].push_back(error);
        all[form].push_back(error);
    }
    for (const auto& [kind, list] : errors) report.kinds.push_back(summarise(kind, list));
    report.all = summarise("all", all);
    report.recorded_cycles = last - first;
    report.simulated_cycles = replay.span();
    return report;
}

}  // namespace okksim::sim::fidelity
