#include "bindings/bind.hpp"

void bind_scoring(nanobind::module_&) {}
