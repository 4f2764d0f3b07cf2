#include "mithril/models/random.hpp"

#include <algorithm>

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

void check_shape(const CheckedArguments& arguments) {
  if (!arguments.has("shape")) return;
  for (const int64_t size : arguments.ints("shape")) {
    if (size < 0) arguments.reject("shape", "sizes of at least 0");
  }
}

void check_range(const CheckedArguments& arguments) {
  if (!arguments.has("low") || !arguments.has("high")) return;
  if (arguments.integer("high") <= arguments.integer("low"))
    arguments.reject("high", "more than low, " + std::to_string(arguments.integer("low")));
}

void check_dtype(const CheckedArguments& arguments, bool floats) {
  if (arguments.has("dtype") && is_floating(arguments["dtype"].dtype()) != floats)
    arguments.reject("dtype", floats ? "a dtype of floats" : "a dtype of ints");
}

// The op with its values as ports of the model: given ones are known, the others are open.
Model drawing(const std::string& name, const char* op, const CheckedArguments& arguments,
              const std::vector<std::string>& ports, const std::vector<std::string>& open) {
  Model model = model_of_class(name);
  const Connection key = model["key"];
  model.set_types({{"key", kind::int_tensor}});
  Bindings bindings{{"key", key}, {"output", "output"}};
  for (const std::string& port : ports) {
    const bool is_open =
        !arguments.has(port) && std::find(open.begin(), open.end(), port) != open.end();
    bindings.emplace_back(
        port, is_open ? IOKey{.name = port} : IOKey{.name = port, .value = arguments[port]});
  }
  model |= Model::op(op)(bindings);
  model |= Model::op("add")({{"left", key}, {"right", 1}, {"output", "new_key"}});
  model.expose_keys(std::vector<std::string>{"output"});
  model.bind_state_keys("key", "new_key", RandomKey{arguments.integer("key")});
  model.set_cin({"shape"}).set_cout({"output"});
  return model;
}

Arguments given(const std::optional<std::vector<int64_t>>& shape, int64_t key,
                const std::optional<DType>& dtype) {
  Arguments arguments{{"key", key}};
  if (shape) arguments.emplace_back("shape", Datum::ints(*shape));
  if (dtype) arguments.emplace_back("dtype", *dtype);
  return arguments;
}

ArgumentDef shape() {
  return {"shape", "int|tuple|none", Datum(), "the shape; if None, the port gives it"};
}
ArgumentDef key() {
  return {"key", "int", 0, "seed of the numbers, which also depend on the path of the part"};
}

}  // namespace

Model Randn(const RandnOptions& options) {
  return make_model("Randn", given(options.shape, options.key, options.dtype));
}
Model RandInt(const RandIntOptions& options) {
  Arguments arguments = given(options.shape, options.key, options.dtype);
  arguments.emplace_back("low", options.low);
  arguments.emplace_back("high", options.high);
  return make_model("RandInt", arguments);
}

ModelDef define_randn_model();
ModelDef define_randn_model() {
  return {
      .name = "Randn",
      .doc =
          "Random numbers from a normal distribution with mean 0 and standard deviation 1. Each "
          "evaluation draws other numbers.",
      .ports = {{"shape"}, {"dtype"}, {"output", "[...]"}, {"key", "[]", "a state"}},
      .arguments = {shape(), key(), {"dtype", "dtype|none", Datum(), "None: the default float"}},
      .build = [](const CheckedArguments& arguments) {
        check_shape(arguments);
        check_dtype(arguments, true);
        return drawing("Randn", "randn", arguments, {"shape", "dtype"}, {"shape"});
      }};
}

ModelDef define_randint_model();
ModelDef define_randint_model() {
  return {
      .name = "RandInt",
      .doc = "Random ints, uniform in [low, high). Each evaluation draws other numbers.",
      .ports =
          {{"shape"}, {"low"}, {"high"}, {"dtype"}, {"output", "[...]"}, {"key", "[]", "a state"}},
      .arguments = {shape(),
                    key(),
                    {"low", "int|none", Datum(),
                     "lower bound, included; if None, the port gives it"},
                    {"high", "int|none", Datum(),
                     "upper bound, excluded; if None, the port gives it"},
                    {"dtype", "dtype|none", Datum(), "None: the default int"}},
      .build = [](const CheckedArguments& arguments) {
        check_shape(arguments);
        check_range(arguments);
        check_dtype(arguments, false);
        return drawing("RandInt", "randint", arguments, {"shape", "low", "high", "dtype"},
                       {"shape", "low", "high"});
      }};
}

}  // namespace mithril
