#include <nanobind/nanobind.h>

#include "bindings/bind.hpp"

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of chordlearn.";
    bind_control(m);
    bind_scoring(m);
    bind_engine(m);
    bind_wide(m);
    bind_bounding(m);
    bind_files(m);
}
