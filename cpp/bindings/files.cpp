#include "bindings/arrays.hpp"
#include "bindings/bind.hpp"
#include "files/parquet_pages.hpp"

namespace nb = nanobind;

void bind_files(nb::module_& m) {
    m.def(
        "pages_are_sound",
        [](const GivenArray<std::uint8_t>& file) {
            nb::gil_scoped_release release;
            return chordlearn::pages_are_sound({file.data(), file.size()});
        },
        nb::arg("file"), "Whether every column of a Parquet file has pages with as many values as its footer says.");
}
