// SPDX-License-Identifier: Apache-2.0
#include "sim/report/plan_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "isa/base/printable.h"
#include "models/chip/chip_params.h"
#include "sim/machine/provenance.h"
#include "sim/planning/local_blocks.h"
#include "sim/planning/run_step.h"

namespace okksim::sim::report {
namespace {

using planning::LocalBlock;
using planning::LocalUse;

// Pixels.
constexpr double kLeft = 70, kWidth = 1200, kRight = 20;
constexpr double kTitle = 46, kHeight = 300, kBelow = 40;
constexpr double kHead = 56;
/// Minimum width and height of a box that shows its name; width of a letter.
constexpr double kNamedWidth = 40, kNamedHeight = 12, kLetter = 6;
constexpr int kGridLines = 4;

constexpr LocalUse kUses[] = {LocalUse::kMap, LocalUse::kWeights, LocalUse::kScratch,
                              LocalUse::kConstants};

const char* colour(LocalUse use) {
    switch (use) {
        case LocalUse::kMap: return "#8db8e8";
        case LocalUse::kWeights: return "#f2b36b";
        case LocalUse::kScratch: return "#c9c9c9";
        case LocalUse::kConstants: return "#9ed39a";
    }
    __builtin_unreachable();
}

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : printable(text)) {
        switch (c) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            case '"': result += "&quot;"; break;
            default: result += c;
        }
    }
    return result;
}

std::string bytes_text(std::int64_t bytes) {
    constexpr double kKiB = 1024;
    return bytes < 1024 ? fmt::format("{} B", bytes)
                        : fmt::format("{:.1f} KiB", static_cast<double>(bytes) / kKiB);
}

/// The panel of a layer group.
class Panel {
 public:
    Panel(std::int64_t local_bytes, std::size_t sections, double top)
        : local_bytes_(local_bytes),
          sections_(static_cast<double>(std::max<std::size_t>(sections, 1))),
          top_(top) {}

    std::string draw(const std::vector<LocalBlock>& blocks, const std::string& title) const {
        std::string text = fmt::format("<text x=\"{}\" y=\"{:.0f}\" class=\"title\">{}</text>\n",
                                       kLeft, top_ - 8, escaped(title));
        text += fmt::format(
            "<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" class=\"frame\"/>\n", kLeft,
            top_, kWidth, kHeight);
        for (int i = 0; i <= kGridLines; ++i) {
            const std::int64_t bytes = local_bytes_ * i / kGridLines;
            text += fmt::format(
                "<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" class=\"grid\"/>"
                "<text x=\"{}\" y=\"{:.1f}\" class=\"axis\" text-anchor=\"end\">{}</text>\n",
                kLeft, kLeft + kWidth, y(bytes), y(bytes), kLeft - 6, y(bytes) + 4,
                bytes_text(bytes));
        }
        for (const LocalBlock& block : blocks) text += box(block);
        return text + fmt::format(
                          "<text x=\"{}\" y=\"{:.1f}\" class=\"axis\">section 0</text>"
                          "<text x=\"{}\" y=\"{:.1f}\" class=\"axis\" "
                          "text-anchor=\"end\">section {:.0f}</text>\n",
                          kLeft, top_ + kHeight + 16, kLeft + kWidth, top_ + kHeight + 16,
                          sections_ - 1);
    }

 private:
    double x(double section) const { return kLeft + kWidth * section / sections_; }
    double y(std::int64_t bytes) const {
        return top_ + kHeight -
               kHeight * static_cast<double>(bytes) / static_cast<double>(local_bytes_);
    }

    std::string box(const LocalBlock& block) const {
        const double left = x(block.first), width = x(block.last + 1) - left;
        const double high = y(block.begin + block.bytes), height = y(block.begin) - high;
        const std::string name = escaped(block.name);
        std::string text = fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" "
            "class=\"box\"><title>{}: {}, {} at {}, sections {} to {}</title></rect>\n",
            left, high, width, height, colour(block.use), name, planning::local_use_name(block.use),
            bytes_text(block.bytes), block.begin, block.first, block.last);
        const bool has_room = width >= kNamedWidth && height >= kNamedHeight;
        const auto letters = static_cast<std::size_t>(width / kLetter);
        if (has_room) {
            text +=
                fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"name\">{}</text>\n", left + 3,
                            high + height / 2 + 4, escaped(block.name.substr(0, letters)));
        }
        return text;
    }

    std::int64_t local_bytes_;
    double sections_;
    double top_;
};

std::string head(double height, const Machine& machine) {
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n<style>\n"
        "text {{ font: 11px sans-serif; }} .title {{ font: bold 13px sans-serif; }}\n"
        ".frame {{ fill: #ffffff; stroke: #444444; }} .grid {{ stroke: #dddddd; }}\n"
        ".box {{ stroke: #333333; stroke-width: 0.5; fill-opacity: 0.85; }} .axis {{ fill: "
        "#555555; }}\n.name {{ pointer-events: none; }}\n</style>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        "<text x=\"{2}\" y=\"20\" class=\"title\">Local memory of layer groups: bytes of every "
        "lane over sections</text>\n<text x=\"{2}\" y=\"40\">{3}</text>\n",
        kLeft + kWidth + kRight, height, kLeft, escaped(provenance_text(machine)));
    double at = kLeft + kWidth - 360;
    for (const LocalUse use : kUses) {
        text += fmt::format(
            "<rect x=\"{0}\" y=\"10\" width=\"12\" height=\"12\" fill=\"{1}\" "
            "class=\"box\"/><text x=\"{2}\" y=\"20\">{3}</text>\n",
            at, colour(use), at + 16, planning::local_use_name(use));
        at += 90;
    }
    return text;
}

}  // namespace

std::string plan_svg(const graph::Graph& graph, const planning::GraphPlan& plan,
                     const Machine& machine) {
    const graph::Block& block = graph.main();
    const planning::BlockPlan& own = plan.block(graph.entry);
    std::string panels;
    double top = kHead + kTitle;
    for (std::size_t i = 0; i < own.steps.size(); ++i) {
        const planning::Step& step = own.steps[i];
        if (step.kind != planning::StepKind::kLayers) continue;
        const auto& layers = planning::layer_plan_of(step);
        const auto is_cost = [&](const planning::StepCost& cost) {
            return cost.place == graph.entry && cost.op == step.op;
        };
        const auto cost = std::find_if(plan.costs.begin(), plan.costs.end(), is_cost);
        std::string title = fmt::format("step {}: {} layers to {}", i, step.layers.size(),
                                        cost == plan.costs.end() ? "" : cost->output);
        if (!layers.slices.is_whole()) {
            title += fmt::format(", {} x {} slices of images and rows", layers.slices.images,
                                 layers.slices.rows);
        }
        if (cost != plan.costs.end()) {
            title += fmt::format(", {:.1f} us, {} of {} used at most", cost->microseconds,
                                 bytes_text(cost->local_bytes),
                                 bytes_text(machine.params.chip->local_memory_bytes));
        }
        panels += Panel(machine.params.chip->local_memory_bytes, layers.sections.size(), top)
                      .draw(planning::local_blocks(block, own, step), title);
        top += kTitle + kHeight + kBelow;
    }
    if (panels.empty()) {
        panels = fmt::format(
            "<text x=\"{}\" y=\"{}\">no layer groups: every result is stored to "
            "global memory</text>\n",
            kLeft, top);
    }
    return head(top, machine) + panels + "</svg>\n";
}

}  // namespace okksim::sim::report
