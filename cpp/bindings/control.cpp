#include "common/control.hpp"

#include "bindings/bind.hpp"

namespace nb = nanobind;
using chordlearn::Control;

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
