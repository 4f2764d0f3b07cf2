// What Python sees and says of the whole process: limits, and what a signal does.
#pragma once
#include "convert.hpp"

namespace mithril::python {

void bind_limits(py::module_& module);
void bind_interrupt();

}  // namespace mithril::python
