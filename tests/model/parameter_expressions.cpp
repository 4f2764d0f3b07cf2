// Expressions for parameters of layers.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/shapes.hpp"
#include "mithril/models/regularizers.hpp"
#include "mithril/train_model/train_model.hpp"

namespace mithril {
namespace {

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("inputs of an expression for a weight are parameters") {
  const Connection base{IOKey{.name = "base", .shape = ShapeSpec{3, 2}}},
      b{IOKey{.name = "b", .shape = ShapeSpec{3, 1}}},
      a{IOKey{.name = "a", .shape = ShapeSpec{1, 2}}};
  Model net;
  net |= Linear({.dimension = 3})(
      {{"input", "x"}, {"weight", base + apply("matmul", {b, a})}, {"output", "y"}});
  const CompiledModel compiled = compile(net, cpu(), {.shapes = {{"x", {"N", 2}}}});
  CHECK(compiled.data_keys() == Names{"x"});
  CHECK(compiled.parameter_keys().size() == 4);
  Model outer;
  outer |= Relu()({{"input", "in"}, {"output", "h"}});
  outer += net;
  CHECK(compile(outer, cpu(), {.shapes = {{"in", {"N", 2}}}}).data_keys() == Names{"in"});
  TrainModel train(net.copy());
  train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}});
  train.add_regularization(L2(), 0.1, KeyPattern{"^b$"});
  CHECK(compile(train, cpu(), {.shapes = {{"x", {"N", 2}}}}).data_keys() == Names{"x", "t"});
}

TEST_CASE("data that a layer computes from data for a weight stays data") {
  Model net;
  net |= Linear({.dimension = 6})({{"input", "style"}, {"output", "w"}});
  net |= Reshape({.shape = Tuple{3, 2}})({{"input", "w"}, {"output", "weight"}});
  net |= Linear({.dimension = 3})({{"input", "x"}, {"weight", "weight"}, {"output", "y"}});
  const CompiledModel compiled =
      compile(net, cpu(), {.shapes = {{"x", {"N", 2}}, {"style", {1, 4}}}});
  CHECK(compiled.data_keys() == Names{"style", "x"});
}

}  // namespace mithril
