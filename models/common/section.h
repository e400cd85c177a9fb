// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace okksim::models {

/// The parameters of one section of a machine file, held by value on the heap. A copy has its own
/// parameters, and a const section has const parameters. Headers that hold a section only declare
/// its struct; a source that reads parameters includes the header of the struct. The members are
/// defined in machine_description.cpp, for the structs that it lists.
template <typename Params>
class Section {
 public:
    Section();
    explicit Section(const Params& params);
    // There is no move: a section always has its parameters.
    Section(const Section& other);
    Section& operator=(const Section& other);
    ~Section();

    Params& operator*() { return *params_; }
    const Params& operator*() const { return *params_; }
    Params* operator->() { return params_.get(); }
    const Params* operator->() const { return params_.get(); }

 private:
    std::unique_ptr<Params> params_;
};

}  // namespace okksim::models
