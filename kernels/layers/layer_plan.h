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

/// Into how many slices of images and of rows a group is cut.
struct SliceCounts {
    std::int32_t images = 1;
    std::int32_t rows = 1;

    bool is_whole() const { return images == 1 && rows == 1; }
};

/// A part of a map that lies in local memory as its reader multiplies it: the rows of a window are
/// channels (layer_unfold.h).
struct Unfolding {
    std::int32_t taps = 1;               ///< rows of the window; 1: the part lies as it is
    std::int32_t step = 1, spacing = 1;  ///< rows between results, and between taps
    std::int32_t zeros_above = 0;
    std::int32_t rows = 0;  ///< of the result
};

/// Some images and rows of a value: what is a map in local memory.
struct MapPart {
    std::int32_t value = 0;
    conv::Range images{}, rows{};
    bool copy = false;  ///< of another part in local memory
    /// In local memory: fewer than those of a word where elements are packed, as system memory has
    /// them.
    int element_bytes = 4;
    Unfolding unfolding = {};

    bool is_packed() const { return element_bytes < 4; }
};

/// Where a layer's constants lie in local memory.
struct LayerPlaces {
    local_addr_t bias = 0;
    local_addr_t weights = 0;        ///< of all channels, where they are packed
    bool packed_weights = false;     ///< otherwise they come in pieces (LayerWork::weights)
    local_addr_t rows = 0;           ///< of a ByteProgram
    std::int32_t zero_channels = 0;  ///< more input channels, of zeros: three may take longer
};

/// Part of a layer: one command of a convolution, the few of another operator.
struct LayerWork {
    static constexpr std::int32_t kAllImages = -1;
    std::int32_t layer = 0;
    std::int32_t image = kAllImages;
    conv::Range channels{};  ///< of the result; whole channel slots
    /// Of one channel slot: rows of a maximum's result, words of every channel of an element-wise
    /// operator. Empty: all.
    conv::Range span{};
    local_addr_t weights = 0;  ///< of these channels, where they are not packed
    local_addr_t scratch = 0;
    std::uint32_t scratch_bytes = 0;
};

enum class TransferKind : std::uint8_t { kLoadMap, kLoadWeights, kStoreMap };

struct LayerTransfer {
    TransferKind kind = TransferKind::kLoadMap;
    std::int32_t layer = 0;  ///< whose weights; the first reader or the writer of a map
    std::int32_t part = 0;   ///< the map
    conv::Range channels{};  ///< output channels, of weights
    local_addr_t local = 0;
};

/// What both engines do at the same time; the next section begins when both are done.
struct LayerSection {
    std::int32_t transfers = 0;  ///< so many more of LayerPlan::transfers
    std::int32_t works = 0;      ///< so many more of LayerPlan::works
};

/// Constants of an operator in what is prepared, `offset` bytes from its beginning.
struct PreparedPart {
    std::int32_t op = 0;
    std::uint64_t offset = 0;
};

/// Constants of some output channels of an operator on packed int8 maps.
struct NativePart {
    std::int32_t op = 0;
    conv::Range channels{};
    std::uint64_t offset = 0;  ///< bytes from the beginning of what is prepared
};

class LayerPrices;

/// The first plan that fits, the fastest of those with other sizes of parts, or of more of them:
/// all sizes again until none is faster.
enum class LayerSearch : std::uint8_t { kFirst, kFastest, kThorough };

/// A group as its firmware carries it out.
struct LayerPlan {
    SliceCounts slices;
    LayerSearch search = LayerSearch::kFirst;  ///< that found it
    int halvings = 0;  ///< of local memory, for the part of which it was searched
    std::vector<MapPart> parts;
    std::vector<Layer> layers;  ///< on parts; a cut group has those of an operator several times
    std::vector<LayerPlaces> places;  ///< of the layers
    std::vector<local_addr_t> maps;   ///< of the parts
    std::vector<LayerTransfer> transfers;
    std::vector<LayerWork> works;
    std::vector<LayerSection> sections;
    Lanes lanes;
    /// Constants of all layers in the form that commands take, from address 0 of every lane up: in
    /// global memory one lane's bytes after the other's.
    std::uint32_t packed_bytes = 0;
    /// Of these as many as the first work reads; the others arrive while it computes.
    std::uint32_t packed_first = 0;
    /// Of the operators; nullptr where they have none.
    std::vector<std::shared_ptr<const ByteProgram>> programs;
    /// Behind the packed constants: rows of programs, and int8 weights as words.
    std::vector<PreparedPart> rows, weights;
    /// Of the operators that have one, on packed int8 maps; and their constants, behind the others.
    std::vector<std::shared_ptr<const NativeProgram>> natives;
    std::vector<NativePart> native_parts;
    std::uint64_t prepared_end = 0;
    Duration time{};  ///< that the group takes from idle

    /// Bytes that prepare_layers() fills.
    std::uint64_t prepared_bytes() const { return prepared_end; }
    std::uint64_t argument_words() const;
};

/// Where a part lies in local memory.
inline local_addr_t place_of(const LayerPlan& plan, int part) {
    return plan.maps[static_cast<std::size_t>(part)];
}

/// Planner: a plan; nothing where local memory does not hold what lives at the same
/// time, where an operator cannot be a layer, or a slice would read nothing but zeros.
std::optional<LayerPlan> plan_layers(const LayerCall& call, const SliceCounts& slices,
                                     LayerSearch search, LayerPrices& prices, int halvings = 0);

/// Told before commands are issued for an operator of the call: for whoever counts, not part of the
/// firmware.
using LayerObserver = std::function<void(std::int32_t op)>;

/// Firmware: carries the group out, in serial mode before and after.
void run_layers(const LayerCall& call, const LayerPlan& plan, const LayerObserver& observer = {});

/// Firmware: makes the packed constants at call.prepared.
void prepare_layers(const LayerCall& call, const LayerPlan& plan);

}  // namespace okksim::kernels::layers
