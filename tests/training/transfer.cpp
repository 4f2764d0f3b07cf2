// Parameters of edited models.
#include "mithril/training/transfer.hpp"

#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/edit/edit.hpp"
#include "mithril/models/linear.hpp"

namespace mithril::tests {

TEST_CASE("transfer keeps the parameters whose path and shape an edit keeps") {
  Model net;
  net |= Linear({.dimension = 8}).named("fc")({{"input", "x"}, {"output", "h"}});
  net |= Linear({.dimension = 4}).named("head")({{"input", "h"}, {"output", "y"}});
  net.set_shapes({{"x", {5, 3}}});
  EditableModel edited = edit(net);
  edited.replace("head", Linear({.dimension = 6}));
  edited.insert_after("fc", Linear({.dimension = 8}).named("between"));
  const CompiledModel from = compile(net, cpu()), to = compile(edited, cpu());
  const TensorMap params = from.get_parameters(3);
  const Transfer made = transfer(params, from, to);
  using Keys = std::vector<std::string>;
  CHECK(made.added == Keys{"between.weight", "between.bias"});
  CHECK(made.reshaped == Keys{"head.weight", "head.bias"});
  CHECK(made.dropped.empty());
  const Tensor &kept = made.params.at("fc.weight"), &given = params.at("fc.weight");
  CHECK(kept.values<float>()[5] == given.values<float>()[5]);
  CHECK(transfer(made.params, to, from).dropped == Keys{"between.weight", "between.bias"});
  CHECK_THROWS_WITH_AS(transfer({}, from, to), doctest::Contains("fc.weight"), NameError);
}

}  // namespace mithril::tests
