// Edits with a part whose inputs nothing gives.
#include <doctest/doctest.h>

#include "mithril/base/error.hpp"
#include "mithril/edit/edit.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/comparisons.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/arithmetic.hpp"
#include "mithril/models/ops/comparing_and_choosing.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/moving_data.hpp"
#include "mithril/models/ops/shapes.hpp"
#include "mithril/models/prelu.hpp"

namespace mithril::tests {
namespace {

Model network() {
  Model net;
  net |= Linear({.dimension = 8}).named("fc")({{"input", "x"}, {"output", "h"}});
  net |= Relu().named("act")({{"input", "h"}, {"output", "r"}});
  net |= Linear({.dimension = 3}).named("head")({{"input", "r"}, {"output", "y"}});
  return net;
}

}  // namespace

TEST_CASE("an input that nothing gives is refused") {
  EditableModel model = edit(network());
  for (const Model& part : {Add(), Where(), SquaredError(), Indexer(), HuberLoss()}) {
    CHECK_THROWS_WITH_AS(model.replace("act", part), doctest::Contains("nothing gives '"),
                         ConnectionError);
    CHECK_THROWS_WITH_AS(model.insert_after("act", part), doctest::Contains("nothing gives '"),
                         ConnectionError);
  }
  CHECK(to_json(model) == to_json(network()));
}

TEST_CASE("a binding gives it, or names a new input") {
  EditableModel model = edit(network());
  model.replace("act", Add()({{"right", "h"}}));
  CHECK(model.input_keys() == network().input_keys());
  model.insert_after("act", Multiply()({{"right", "scale"}}));
  CHECK(model.input_keys().size() == network().input_keys().size() + 1);
  CHECK(model.at("multiply.right").name() == "scale");
}

TEST_CASE("inputs of a composed part that can be no parameters are refused") {
  Model masked;
  masked |=
      Where()({{"cond", "mask"}, {"input1", "input"}, {"input2", "other"}, {"output", "output"}});
  Model shaped;
  shaped |= Reshape()({{"input", "input"}, {"shape", "shape"}, {"output", "output"}});
  Model scaled;
  scaled |= Multiply()({{"left", "input"}, {"right", "scale"}, {"output", "output"}});
  EditableModel model = edit(network());
  CHECK_THROWS_WITH_AS(model.replace("act", masked), doctest::Contains("nothing gives 'mask' of"),
                       ConnectionError);
  CHECK_THROWS_WITH_AS(model.insert_after("act", shaped),
                       doctest::Contains("nothing gives 'shape' of"), ConnectionError);
  model.replace("act", scaled);
  CHECK(model.at("act.scale").name() == "act.scale");
}

TEST_CASE("a function of wrap may return a model with bindings") {
  EditableModel model = edit(network());
  model.wrap("act", [](const Model&) { return Add()({{"right", "h"}}); });
  CHECK(model.input_keys() == network().input_keys());
  model.wrap_class("Linear", [](const Model&) { return Linear({.dimension = 2}); });
  CHECK(model.input_keys() == network().input_keys());
  EditableModel other = edit(network());
  CHECK_THROWS_WITH_AS(other.wrap("act", [](const Model&) { return Add(); }),
                       doctest::Contains("edit   : wrap('act', Add)"), ConnectionError);
}

TEST_CASE("an error about a port lists the inputs of its part") {
  EditableModel model = edit(network());
  CHECK_THROWS_WITH_AS(model.insert_before("head.weight", Add()), doctest::Contains(" of head\n"),
                       ConnectionError);
}

TEST_CASE("parameters of layers become inputs") {
  EditableModel model = edit(network());
  model.replace("act", PReLU()).insert_after("fc", LayerNorm());
  CHECK(model.input_keys().size() == network().input_keys().size() + 3);
}

}  // namespace mithril::tests
