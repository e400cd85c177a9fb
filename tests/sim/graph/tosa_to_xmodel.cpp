// SPDX-License-Identifier: Apache-2.0
// okksim_tosa_to_xmodel IN OUT: a floating-point network as a .xmodel file, to time one beside the
// other (xmodel_writer.h says of which operators).
#include <cstdio>

#include "isa/output_file.h"
#include "sim/graph/formats/graph_formats.h"
#include "tests/sim/graph/xmodel_writer.h"

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: okksim_tosa_to_xmodel IN OUT\n", stderr);
        return 2;
    }
    try {
        const auto bytes = okksim::tests::write_xmodel(okksim::sim::graph::load_graph(argv[1]));
        okksim::write_file(argv[2], {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
