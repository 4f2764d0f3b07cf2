// A model that is written as JSON and read back is the same: equal text, keys, shapes and graph.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mithril/json/model_json.hpp"
#include "mithril/models/library.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/part.hpp"
#include "mithril/op/registry.hpp"
#include "tests/environment.hpp"
#include "tests/json/check_round_trip.hpp"
#include "tests/random_models/generator.hpp"

namespace mithril::tests {
namespace {

// Returns the arguments that a model requires.
Arguments needed_arguments(const ModelDef& def) {
  if (def.name == "MLP")
    return {{"activations", Datum(Tuple{"Relu", "Softmax"})}, {"dimensions", Datum::ints({4, 2})}};
  if (def.name == "KernelizedSVM") return {{"kernel", "RBFKernel"}};
  if (def.name == "DistanceEncoder") return {{"base_model", "MDSCore"}};
  Arguments arguments;
  for (const ArgumentDef& argument : def.arguments) {
    if (argument.fallback) continue;
    const bool text = argument.kinds.find("str") != std::string::npos;
    const bool model = argument.kinds == "model";
    const char* name = argument.name == "cell_type" ? "RNNCell" : "Relu";
    arguments.emplace_back(argument.name, text || model ? Datum(name) : Datum(2));
  }
  return arguments;
}

std::vector<Model> library_models() {
  std::vector<Model> models;
  for (const ModelDef* def : all_models())
    models.push_back(make_model(def->name, needed_arguments(*def)));
  return models;
}

}  // namespace

TEST_CASE("every op goes through JSON and back") {
  for (const OpDef* op : all_ops()) {
    CAPTURE(op->name);
    const Model model = Model::op(op->name);
    const Model read = from_json(to_json(model));
    CHECK(read == model);
    CHECK(read.part()->op == op);
  }
}

TEST_CASE("every library model goes through JSON and back") {
  for (const Model& model : library_models()) {
    CAPTURE(model.class_name());
    CHECK(to_json(model).find("submodels") == std::string::npos);
    check_round_trip(model);
  }
}

TEST_CASE("every library model goes through JSON and back as a part") {
  for (const Model& part : library_models()) {
    CAPTURE(part.class_name());
    Bindings bindings;
    for (const std::string& key : part.input_keys())
      bindings.emplace_back(key, IOKey{.name = "its_" + key});
    Model model;
    model |= part(bindings);
    check_round_trip(model);
  }
}

TEST_CASE("random compositions go through JSON and back") {
  for (uint64_t seed = 1; seed <= sampled(40, 200); ++seed) {
    CAPTURE(seed);
    const RandomModel random = random_model(seed);
    check_round_trip(compose(random));
    check_round_trip(compose(random, {.nested = true, .order = seed}));
    check_round_trip(compose(random, {.fillers = true}));
    check_round_trip(compose(random, {.nested = true, .order = seed, .fillers = true}));
  }
}

TEST_CASE("parts without ports go through JSON and back, wherever they stand") {
  Model empty_first;
  empty_first |= Model()({});
  empty_first |= Model::op("relu")({{"input", "x"}, {"output", "y"}});
  check_round_trip(empty_first);
  Model between;
  between |= Model::op("relu")({{"input", "x"}, {"output", "h"}});
  between |= empty_first({{"x", "h"}, {"y", "z"}});
  between |= Model()({});
  between |= Model::op("relu")({{"input", "z"}, {"output", "y"}});
  between |= Model()({});
  check_round_trip(between);
}

}  // namespace mithril::tests
