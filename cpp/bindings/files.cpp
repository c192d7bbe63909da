#include <nanobind/ndarray.h>

#include "bindings/bind.hpp"
#include "files/parquet_pages.hpp"

namespace nb = nanobind;

void bind_files(nb::module_& m) {
    using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    m.def(
        "pages_are_sound",
        [](Bytes file) {
            nb::gil_scoped_release release;
            return chordlearn::pages_are_sound({file.data(), file.size()});
        },
        nb::arg("file"), "Whether every column of a Parquet file has pages with as many values as its footer says.");
}
