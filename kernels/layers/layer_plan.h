// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/conv/window_axis.h"
#include "kernels/layers/layer.h"
#include "kernels/planning/host.h"

namespace okksim::kernels::layers {

/// Numbers of slices of images and of rows into which a group is cut.
struct SliceCounts {
    std::int32_t images = 1;
    std::int32_t rows = 1;

    bool is_whole() const { return images == 1 && rows == 1; }
};

/// Layout of a part in local memory that its reader multiplies unfolded: the rows of a window are
/// channels (layer_unfold.h).
struct Unfolding {
    std::int32_t taps = 1;               ///< rows of the window; 1: not unfolded
    std::int32_t step = 1, spacing = 1;  ///< rows between results, and between taps
    std::int32_t zeros_above = 0;
    std::int32_t rows = 0;  ///< of the result
};

/// Some images and rows of a value: one feature map in local memory.
struct MapPart {
    std::int32_t value = 0;
    conv::Range images{}, rows{};
    bool copy = false;  ///< a copy of another part in local memory
    /// Bytes per element in local memory: less than a word if elements are packed as in system
    /// memory.
    int element_bytes = 4;
    Unfolding unfolding = {};

    bool is_packed() const { return element_bytes < 4; }
};

/// Addresses of a layer's constants in local memory.
struct LayerPlaces {
    local_addr_t bias = 0;
    local_addr_t weights = 0;        ///< of all channels, if they are packed
    bool packed_weights = false;     ///< otherwise they come in pieces (LayerWork::weights)
    local_addr_t rows = 0;           ///< of a ByteProgram
    std::int32_t zero_channels = 0;  ///< zeros added to an odd channel count, if faster
};

/// Part of a layer: one command of a convolution, the few commands of another operator.
struct LayerWork {
    static constexpr std::int32_t kAllImages = -1;
    std::int32_t layer = 0;
    std::int32_t image = kAllImages;
    conv::Range channels{};  ///< of the result; whole channel slots
    /// A range within one channel slot: rows of a maximum's result, or words of every channel of an
    /// element-wise operator. Empty: all.
    conv::Range span{};
    local_addr_t weights = 0;  ///< of these channels, if they are not packed
    local_addr_t scratch = 0;
    std::uint32_t scratch_bytes = 0;
};

enum class TransferKind : std::uint8_t { kLoadMap, kLoadWeights, kStoreMap };

struct LayerTransfer {
    TransferKind kind = TransferKind::kLoadMap;
    std::int32_t layer = 0;  ///< owner of weights; first reader or writer of a feature map
    std::int32_t part = 0;   ///< the feature map
    conv::Range channels{};  ///< output channels of weights
    local_addr_t local = 0;
};

/// Work of both engines that overlaps. The next section begins when both engines are done.
struct LayerSection {
    std::int32_t transfers = 0;  ///< number of next elements of LayerPlan::transfers
    std::int32_t works = 0;      ///< number of next elements of LayerPlan::works
};

/// Constants of an operator in prepared memory, `offset` bytes from its beginning.
struct PreparedPart {
    std::int32_t op = 0;
    std::uint64_t offset = 0;
};

/// Constants of some output channels of an operator on packed feature maps.
struct NativePart {
    std::int32_t op = 0;
    conv::Range channels{};
    std::uint64_t offset = 0;  ///< bytes from the beginning of prepared memory
};

class LayerPrices;

/// kFirst: the first plan that fits. kFastest: the fastest plan over several sizes of parts.
/// kThorough: more sizes, and all of them again until none is faster.
enum class LayerSearch : std::uint8_t { kFirst, kFastest, kThorough };

/// Plan of a group that the firmware carries out.
struct LayerPlan {
    SliceCounts slices;
    LayerSearch search = LayerSearch::kFirst;  ///< search that found the plan
    int halvings = 0;                          ///< of local memory, before the search
    std::vector<MapPart> parts;
    std::vector<Layer> layers;        ///< on parts; sliced groups repeat operators
    std::vector<LayerPlaces> places;  ///< of the layers
    std::vector<local_addr_t> maps;   ///< addresses of the parts
    std::vector<LayerTransfer> transfers;
    std::vector<LayerWork> works;
    std::vector<LayerSection> sections;
    Lanes lanes;
    /// Bytes per lane of the packed constants of all layers, in the form that commands take. They
    /// begin at address 0 of every lane. Global memory holds the bytes of one lane after those of
    /// another.
    std::uint32_t packed_bytes = 0;
    /// Packed bytes that the first work reads. The others arrive while it computes.
    std::uint32_t packed_first = 0;
    /// Per operator; nullptr if it has none.
    std::vector<std::shared_ptr<const ByteProgram>> programs;
    /// After the packed constants: rows of programs, and int8 weights as words.
    std::vector<PreparedPart> rows, weights;
    /// Per operator on packed int8 feature maps, or nullptr. Their constants follow the others.
    std::vector<std::shared_ptr<const NativeProgram>> natives;
    std::vector<NativePart> native_parts;
    std::uint64_t prepared_end = 0;
    Duration time{};  ///< time of the group from idle

    /// Bytes that prepare_layers() fills.
    std::uint64_t prepared_bytes() const { return prepared_end; }
    std::uint64_t argument_words() const;
};

/// Address of a part in local memory.
inline local_addr_t place_of(const LayerPlan& plan, int part) {
    return plan.maps[static_cast<std::size_t>(part)];
}

/// Answer of plan_layers().
struct LayerAnswer {
    std::optional<LayerPlan> plan;
    /// The group fits in local memory, or no number of slices is faster than the limit. Without a
    /// plan, the plans found take longer than the limit.
    bool fits = false;
};

/// Planner: returns a plan whose time is at most `most`, if the search finds one. `fits` is false
/// if local memory cannot hold all simultaneous allocations. It is also false if an operator cannot
/// be a layer, or a slice would read only zeros.
LayerAnswer plan_layers(const LayerCall& call, const SliceCounts& slices, LayerSearch search,
                        LayerPrices& prices, int halvings = 0, Duration most = Duration::max());

/// Called before commands of an operator of the call are issued. For counters; not part of the
/// firmware.
using LayerObserver = std::function<void(std::int32_t op)>;

/// Firmware: runs the group. The engines are in serial mode before and after.
void run_layers(const LayerCall& call, const LayerPlan& plan, const LayerObserver& observer = {});

}  // namespace okksim::kernels::layers
