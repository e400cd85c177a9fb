// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "tests/reference/okk/arithmetic.h"
#include "tests/reference/okk/okk_reference.h"
#include "tests/reference/okk/reference_tensor.h"

namespace okksim::tests::reference {

/// One call in progress: the image, and the arguments in the API's order.
class Call {
 public:
    Call(Image& memory, const firmware::CallValues& arguments, const Options& settings)
        : image(memory), options(settings), arguments_(arguments) {}

    Image& image;
    const Options& options;

    std::int64_t integer() { return std::get<std::int64_t>(next()); }
    Word bits() { return static_cast<Word>(integer()); }
    bool flag() { return integer() != 0; }
    Extents shape() { return extents(std::get<isa::Dim4>(next())); }
    /// Returns std::nullopt for NULL.
    std::optional<Extents> stride() {
        const firmware::CallValue& value = next();
        if (std::holds_alternative<std::nullptr_t>(value)) return std::nullopt;
        return extents(std::get<isa::Dim4>(value));
    }
    isa::Padding padding() {
        const firmware::CallValue& value = next();
        if (std::holds_alternative<std::nullptr_t>(value)) return {0, 0, 0, 0};
        return std::get<isa::Padding>(value);
    }
    isa::Dim2 step() {
        const firmware::CallValue& value = next();
        if (std::holds_alternative<std::nullptr_t>(value)) return {1, 1};
        return std::get<isa::Dim2>(value);
    }

    /// A local tensor of 32-bit elements; aligned layout without a stride.
    Tensor words(std::int64_t address, const Extents& shape,
                 const std::optional<Extents>& stride) const {
        return stride ? Tensor::local(image, address, 4, *stride)
                      : Tensor::aligned(image, address, 4, shape);
    }
    PackedTensor packed(std::int64_t address, const Extents& shape,
                        const std::optional<Extents>& stride, int bits) const {
        return {image, address, shape, stride, bits};
    }

 private:
    const firmware::CallValue& next() {
        if (position_ >= arguments_.size()) throw std::invalid_argument("too few arguments");
        return arguments_[position_++];
    }

    const firmware::CallValues& arguments_;
    std::size_t position_ = 0;
};

using FunctionTable = std::map<std::string, std::function<void(Call&)>>;

// One file per chapter of the API reference; each adds its functions to the table.
void add_gdma_functions(FunctionTable& table);
void add_element_functions(FunctionTable& table);
void add_series_functions(FunctionTable& table);
void add_network_functions(FunctionTable& table);
void add_fixed_point_functions(FunctionTable& table);

}  // namespace okksim::tests::reference
