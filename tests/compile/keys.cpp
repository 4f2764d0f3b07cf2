// The class of each input (parameter, data or state), its name, and the summary.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"

namespace mithril {
namespace {

using Names = std::vector<std::string>;

Model product() {
  Model model;
  model |= Model::op("multiply")({{"left", "x"}, {"right", "w"}, {"output", "y"}});
  return model;
}

// Two parts with a nameless input each, and one that is named like them.
Model nested() {
  Model inner;
  inner |= Model::op("multiply")({{"left", "input"}, {"output", "output"}});
  Model model;
  model |= Model::op("multiply")({{"left", "input"}, {"output", "first"}});
  model |= inner({{"input", "first"}, {"output", "second"}});
  model |= Model::op("add")({{"left", "second"}, {"right", "right_1"}, {"output", "output"}});
  model |= Model::op("power")({{"base", "output"}, {"output", "last"}});
  return model;
}

}  // namespace

TEST_CASE("canonical inputs are data and other floats are parameters") {
  const CompiledModel compiled = compile(product(), cpu());
  CHECK(compiled.data_keys() == Names{"x"});
  CHECK(compiled.parameter_keys() == Names{"w"});
}

TEST_CASE("data_keys and trainable_keys set the class of keys") {
  const CompiledModel compiled =
      compile(product(), cpu(), {.data_keys = {"w"}, .trainable_keys = {"x"}});
  CHECK(compiled.data_keys() == Names{"w"});
  CHECK(compiled.parameter_keys() == Names{"x"});
}

TEST_CASE("a key set takes connections as well as names") {
  Model model = product();
  const CompiledModel compiled = compile(model, cpu(), {.data_keys = {model.at("w")}});
  CHECK(compiled.data_keys() == Names{"x", "w"});
}

TEST_CASE("a key that is declared not differentiable is data") {
  Model model = product();
  model.set_differentiability({{"w", false}});
  CHECK(compile(model, cpu()).data_keys() == Names{"x", "w"});
}

TEST_CASE("a key that is declared differentiable is a parameter, canonical or not") {
  Model model = product();
  model.set_differentiability({{"x", true}});
  CHECK(compile(model, cpu()).parameter_keys() == Names{"x", "w"});
}

TEST_CASE("short names are last components, numbered where several share one") {
  const CompiledModel compiled = compile(nested(), cpu(), {.use_short_namings = true});
  CHECK(compiled.input_keys() == Names{"input", "right_1", "right_0", "right_2", "exponent"});
}

TEST_CASE("names are paths otherwise") {
  CHECK(compile(nested(), cpu()).input_keys() ==
        Names{"input", "right_1", "multiply.right", "model.multiply.right", "power.exponent"});
}

TEST_CASE("shapes are numbers, names and unknowns") {
  const CompiledModel compiled =
      compile(product(), cpu(), {.shapes = {{"x", {"N", any, 3}}, {"w", {3}}}});
  std::string text;
  for (const auto& [key, shape] : compiled.shapes()) text += key + " " + to_string(shape) + "; ";
  CHECK(text == "x [N, ?1, 3]; w [3]; y [N, ?1, 3]; ");
}

TEST_CASE("a summary lists keys, shapes and the memory of parameters") {
  const CompiledModel compiled =
      compile(product(), cpu(), {.shapes = {{"x", {"N", 1000, 3}}, {"w", {1000, 3}}}});
  CHECK(compiled.summary() ==
        "key  class      shape         dtype    parameters\n"
        "x    data       [N, 1000, 3]  float32\n"
        "w    parameter  [1000, 3]     float32       3,000\n"
        "y    output     [N, 1000, 3]  float32\n"
        "3,000 parameters in 1 tensors, 11.7 KiB\n");
}

}  // namespace mithril
