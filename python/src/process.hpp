// Bindings of process-wide settings: limits and interrupts.
#pragma once
#include "convert.hpp"

namespace mithril::python {

void bind_limits(py::module_& module);
void bind_interrupt();

}  // namespace mithril::python
