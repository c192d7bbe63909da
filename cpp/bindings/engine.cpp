#include "bindings/bind.hpp"

void bind_engine(nanobind::module_&) {}
