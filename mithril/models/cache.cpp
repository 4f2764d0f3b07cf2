#include "mithril/models/cache.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

int64_t limit_of(const CheckedArguments& arguments) {
  if (arguments.integer("limit") < 1) arguments.reject("limit", "at least 1");
  return arguments.integer("limit");
}

Model build_key_value_cache(const CheckedArguments& arguments) {
  const int64_t limit = limit_of(arguments);
  Model model = model_of_class("KeyValueCache");
  const Connection input = model["input"], start = model["start"], cache = model["cache"];
  model.set_shapes({{"input", {rest("batch"), "L", "D"}},
                    {"start", ShapeSpec{}},
                    {"cache", {rest("batch"), limit, "D"}}});
  model.set_types({{"start", kind::int_tensor}});
  const Connection places = apply("arange", {input.shape()[-2]}) + start;
  const Connection index = apply("broadcast_to", {places.reshape({-1, 1}), input.shape()});
  model.expose_keys({{"output", apply("scatter", {cache, index, input, -2})}});
  model.bind_state_keys("cache", "output", Tensor::scalar(0.0f));
  return model.set_cin({"input"}).set_cout({"output"});
}

Model build_cache_positions(const CheckedArguments& arguments) {
  const int64_t limit = limit_of(arguments);
  Model model = model_of_class("CachePositions");
  const Connection input = model["input"], length = model["length"];
  const Connection cached = model["cached_tokens"];
  model.set_shapes(
      {{"input", {"N", "L"}}, {"length", ShapeSpec{}}, {"cached_tokens", {"N", limit}}});
  model.set_types({{"input", kind::bool_tensor}});
  const Connection tokens = input.cast(DType::int64), count = input.shape()[1];
  const Connection before = cached.sum(1, true) - 1;
  const Connection positions = apply("maximum", {apply("cumsum", {tokens, 1}) + before, 0});
  const Connection places = apply("arange", {count}) + length;
  const Connection index = apply("broadcast_to", {places, input.shape()});
  const Connection all = apply("scatter", {cached, index, tokens, 1});
  const Connection rows = apply("arange", {limit}), own = places.reshape({-1, 1});
  Connection seen = rows <= own;
  if (arguments.has("window")) {
    const int64_t window = arguments.integer("window");
    if (window < 1) arguments.reject("window", "at least 1");
    seen = seen & (rows > own - window);
  }
  const Connection mask = apply("expand_dims", {all > 0, 1}) & seen;
  const auto bind_next = [&](const std::string& key, const Connection& next) {
    model |= Model::op("buffer")({{"input", next}, {"output", "new_" + key}});
    model.bind_state_keys(key, "new_" + key, Tensor::scalar(int64_t{0}));
  };
  bind_next("length", length + count);
  bind_next("cached_tokens", all);
  model.expose_keys(
      {{"start", apply("buffer", {length})}, {"positions", positions}, {"mask", mask}});
  return model.set_cin({"input"}).set_cout({"start", "positions", "mask"});
}

}  // namespace

Model KeyValueCache(KeyValueCacheOptions options) {
  return make_model("KeyValueCache", {{"limit", options.limit}});
}
Model CachePositions(const CachePositionsOptions& options) {
  return make_model(
      "CachePositions",
      {{"limit", options.limit}, {"window", options.window ? Datum(*options.window) : Datum()}});
}

ModelDef define_key_value_cache();
ModelDef define_key_value_cache() {
  return {.name = "KeyValueCache",
          .doc =
              "Writes the rows of the input into the cache from row `start` on. The output is the "
              "whole cache: the rows of all evaluations so far, followed by zeros "
              "(docs/generation.md).",
          .ports = {{"input", "[..., L, D]"},
                    {"start", "[]", "int"},
                    {"output", "[..., limit, D]"},
                    {"cache", "[..., limit, D]", "a state"}},
          .arguments = {{"limit", "int", 1024, "the number of rows"}},
          .build = build_key_value_cache};
}

ModelDef define_cache_positions();
ModelDef define_cache_positions() {
  return {.name = "CachePositions",
          .doc =
              "Positions for models with caches (docs/generation.md): `start` is the index of the "
              "first new row in the caches, `positions` are those of the tokens in their texts, "
              "and `mask` is true for the rows that each token may attend to. The input is true at "
              "tokens and false at padding.",
          .ports = {{"input", "[N, L]", "bool"},
                    {"start", "[]", "int"},
                    {"positions", "[N, L]", "int"},
                    {"mask", "[N, L, limit]", "bool"},
                    {"length", "[]", "a state"},
                    {"cached_tokens", "[N, limit]", "a state"}},
          .arguments = {{"limit", "int", 1024, "the number of rows of the caches"},
                        {"window", "int|none", Datum(),
                         "the rows that a token sees, its own included; None: all before it"}},
          .build = build_cache_positions};
}

}  // namespace mithril
