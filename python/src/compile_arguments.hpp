// Arguments of compile for several backends and several processes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "convert.hpp"
#include "mithril/compile/compile.hpp"

namespace mithril::python {

// TypeError E0395 for arguments of another kind.
Backends backends_argument(py::handle given);
// The communicator of a mithril.distributed.Group; null for None.
std::shared_ptr<Communicator> group_argument(py::handle group);
std::vector<std::pair<std::string, Sharded>> placements_argument(py::handle given);
std::vector<std::pair<std::string, int>> mesh_argument(py::handle given);

void bind_placements(py::module_& module);

}  // namespace mithril::python
