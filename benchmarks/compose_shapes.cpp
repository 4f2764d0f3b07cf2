// Cost of composing, inferring, flattening and destroying models of several shapes, per part, at
// two sizes: a cost that grows between them is not linear. Prints one line of JSON per shape and
// size. Usage: compose_shapes [SHAPE [N]].
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mithril/model/flatten.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/op/registry.hpp"

namespace ml = mithril;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A model in a model in a model ...
ml::Model nested(int n) {
  ml::Model inner = ml::Model::op("relu");
  for (int i = 0; i < n; ++i) {
    ml::Model outer;
    outer += inner;
    inner = outer;
  }
  return inner;
}

// The same models, with names for their ports at every level.
ml::Model nested_with_names(int n) {
  ml::Model inner = ml::Model::op("relu");
  for (int i = 0; i < n; ++i) {
    ml::Model outer;
    outer |= inner({{"input", "input"}, {"output", "output"}});
    inner = outer;
  }
  return inner;
}

ml::Model chain(int n) {
  ml::Model net;
  net |= ml::Model::op("relu")({{"input", "x"}});
  for (int i = 1; i < n; ++i) net += ml::Model::op("relu");
  return net;
}

// Every part reads one wire.
ml::Model fan(int n) {
  ml::Model net;
  for (int i = 0; i < n; ++i) net |= ml::Model::op("relu")({{"input", "x"}});
  return net;
}

// Every part has a named parameter and a named output.
ml::Model named_parameters(int n) {
  ml::Model net;
  for (int i = 0; i < n; ++i) {
    const std::string number = std::to_string(i);
    net |= ml::Model::op("add")(
        {{"left", "x"}, {"right", "weight" + number}, {"output", "output" + number}});
  }
  return net;
}

ml::Model expression(int n) {
  ml::Connection h("x");
  for (int i = 0; i < n; ++i) h = ml::Model::op("relu")(ml::Linear({.dimension = 4})(h));
  return ml::Model::create({{"output", h}});
}

// Expressions that are separate models until they are combined.
ml::Model expressions_that_meet(int n) {
  std::vector<ml::Connection> ends;
  for (int i = 0; i < n; ++i) ends.push_back(ml::Connection("x" + std::to_string(i)).exp());
  ml::Connection sum = ends.front();
  for (int i = 1; i < n; ++i) sum = sum + ends[static_cast<size_t>(i)];
  return ml::Model::create({{"output", sum}});
}

ml::Model concat(int n) {
  const ml::Connection x("x");
  std::vector<ml::Binding> items;
  for (int i = 0; i < n; ++i) items.emplace_back(x.exp());
  return ml::Model::create({{"output", ml::apply("concat", {ml::Binding(items), 0})}});
}

// Small models join one that has many keys already.
ml::Model joining_a_large_one(int n) {
  ml::Model net = named_parameters(10000);
  net.set_cout({"output0"});
  for (int i = 0; i < n; ++i) {
    ml::Model block;
    block += ml::Linear({.dimension = 4});
    block += ml::Model::op("relu");
    net += block;
  }
  return net;
}

struct Shape {
  std::string_view name;
  ml::Model (*compose)(int n);
  int small, large;
};
const Shape shapes[] = {
    {"nested", nested, 10000, 100000},
    {"nested_with_names", nested_with_names, 10000, 100000},
    {"chain", chain, 10000, 100000},
    {"fan", fan, 2000, 20000},
    {"named_parameters", named_parameters, 2000, 20000},
    {"expression", expression, 1000, 10000},
    {"expressions_that_meet", expressions_that_meet, 1000, 10000},
    {"concat", concat, 1000, 10000},
    {"joining_a_large_one", joining_a_large_one, 1000, 10000},
};

void measure(const Shape& shape, int n) {
  const double start = now();
  double composed = 0, flattened = 0;
  size_t nodes = 0;
  {
    const ml::Model model = shape.compose(n);
    composed = now();
    nodes = ml::flatten(model, ml::DType::float32).graph.nodes().size();
    flattened = now();
  }
  const double destroyed = now();
  const auto per_part = [&](double seconds) { return seconds / n * 1e6; };
  std::printf(
      "{\"shape\": \"%s\", \"parts\": %d, \"nodes\": %zu, \"compose_us\": %.2f, \"flatten_us\": "
      "%.2f, \"destroy_us\": %.2f}\n",
      std::string(shape.name).c_str(), n, nodes, per_part(composed - start),
      per_part(flattened - composed), per_part(destroyed - flattened));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  ml::find_op("add");  // the op registry is read once per process
  for (const Shape& shape : shapes) {
    if (argc > 1 && shape.name != argv[1]) continue;
    if (argc > 2) {
      measure(shape, std::atoi(argv[2]));
      continue;
    }
    measure(shape, shape.small);
    measure(shape, shape.large);
  }
  return 0;
}
