// Profiles in Python.
#pragma once

#include <pybind11/pybind11.h>

namespace mithril::python {

void bind_profile(pybind11::module_& module);

}  // namespace mithril::python
