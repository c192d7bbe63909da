#pragma once

#include <nanobind/nanobind.h>

// One function per subject, each in its own file.
void bind_scoring(nanobind::module_& m);
void bind_engine(nanobind::module_& m);
void bind_wide(nanobind::module_& m);
void bind_bounding(nanobind::module_& m);
void bind_families(nanobind::module_& m);
void bind_posterior(nanobind::module_& m);
