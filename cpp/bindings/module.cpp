#include <nanobind/nanobind.h>

#include "bindings/arrays.hpp"
#include "bindings/bind.hpp"
#include "common/control.hpp"
#include "files/parquet_pages.hpp"

namespace nb = nanobind;
using chordlearn::Control;

namespace {

void bind_control(nb::module_& m) {
    nb::exception<chordlearn::Stopped>(m, "Stopped");
    nb::class_<Control>(m, "Control", "Watches and stops a long computation from another thread.")
        .def(nb::init<>())
        .def(
            "stop", [](Control& control) { control.stop = true; }, "Ask the computation to end soon.")
        .def_prop_ro("stopped", [](const Control& control) { return control.stop.load(); })
        .def_prop_ro(
            "done", [](const Control& control) { return control.done.load(); }, "Units of work done so far.")
        .def_prop_ro(
            "score", [](const Control& control) { return control.score.load(); },
            "Score of the best network so far, where the computation reports it.");
}

void bind_files(nb::module_& m) {
    m.def(
        "pages_are_sound",
        [](const GivenArray<std::uint8_t>& file) {
            nb::gil_scoped_release release;
            return chordlearn::pages_are_sound({file.data(), file.size()});
        },
        nb::arg("file"), "Whether every column of a Parquet file has pages with as many values as its footer says.");
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of chordlearn.";
    bind_control(m);
    bind_scoring(m);
    bind_engine(m);
    bind_wide(m);
    bind_bounding(m);
    bind_families(m);
    bind_posterior(m);
    bind_files(m);
}
