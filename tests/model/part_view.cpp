// The parts of a model, as a user finds them.
#include "mithril/model/part_view.hpp"

#include <doctest/doctest.h>

#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"

namespace mithril::tests {
namespace {

Model nested() {
  Model encoder;
  encoder |= Linear({.dimension = 8}).named("fc1")({{"input", "x"}, {"output", "h"}});
  encoder |= Tanh()({{"input", "h"}, {"output", "r"}});
  Model net;
  net |= encoder({{"x", "x"}, {"r", "r"}});
  net |= Linear({.dimension = 3}).named("head")({{"input", "r"}, {"output", "y"}});
  return net;
}

std::vector<std::string> paths_of(const std::vector<PartView>& found) {
  std::vector<std::string> paths;
  for (const PartView& part : found) paths.push_back(part.path());
  return paths;
}

}  // namespace

TEST_CASE("parts of a model are found by name, class and path") {
  const Model net = nested();
  using Paths = std::vector<std::string>;
  CHECK(paths_of(parts(net)) == Paths{"model", "head"});
  CHECK(paths_of(walk(net)) == Paths{"model", "model.fc1", "model.fc1.primitivelinear",
                                     "model.tanh", "head", "head.primitivelinear"});
  CHECK(paths_of(find_class(net, "Linear")) == Paths{"model.fc1", "head"});
  CHECK(paths_of(find_paths(net, "*.fc?")) == Paths{"model.fc1"});
  const Model inner = part_at(net, "model").model();
  CHECK(paths_of(find_paths(inner, "fc1")) == Paths{"model.fc1"});
  CHECK_THROWS_WITH_AS(part_at(net, "model.fc2"), doctest::Contains("model.fc1"), NameError);
}

TEST_CASE("a part has the shapes that the model gives it, and outlives other handles") {
  Model net = nested();
  net.set_shapes({{"x", {5, 4}}});
  const PartView part = part_at(net, "head");
  net = Model();
  CHECK(part.class_name() == "Linear");
  CHECK(part.shapes().at("weight") == KnownShape{3, 8});
  CHECK(part.shapes().at("output") == KnownShape{5, 3});
  CHECK(part.options().front().first == "dimension");
}

TEST_CASE("the tree of a model shows the parts that its user composed") {
  CHECK(tree(nested()) ==
        "Model(\n  (model): Model(\n    (fc1): Linear(dimension=8)\n    (tanh): Tanh()\n  )\n"
        "  (head): Linear(dimension=3)\n)");
}

}  // namespace mithril::tests
