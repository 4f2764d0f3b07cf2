// Losses are objectives: inference mode leaves them out unless they are requested.
#include <doctest/doctest.h>

#include <algorithm>

#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {

TEST_CASE("ops that compare an input with a target are objectives") {
  int losses = 0;
  for (const OpDef* op : all_ops()) {
    const bool compares = std::any_of(
        op->inputs.begin(), op->inputs.end(),
        [](const PortDef& port) { return port.name == "target" || port.name == "targets"; });
    if (!compares || op->internal) continue;
    CAPTURE(op->name);
    CHECK(op->objective);
    ++losses;
  }
  CHECK(losses >= 9);
}

}  // namespace mithril
