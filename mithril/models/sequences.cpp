#include "mithril/models/sequences.hpp"

#include <cmath>

#include "mithril/models/builder.hpp"
#include "mithril/op/solver.hpp"

namespace mithril {
namespace {

Model build_one_hot(const CheckedArguments& arguments) {
  const int64_t classes = arguments.integer("num_classes");
  if (classes < 1) arguments.reject("num_classes", "at least 1");
  Model model = model_of_class("OneHot");
  const Connection input = model["input"];
  model.set_types({{"input", kind::int_tensor}});
  const Connection is_class = apply("expand_dims", {input, -1}).eq(apply("arange", {classes}));
  return finished(model, is_class.cast(DType::int64));
}

constexpr double default_base = 10000.0;

void check_base(const CheckedArguments& arguments) {
  const double base = arguments.real("base");
  if (!(base > 0)) arguments.reject("base", "above 0");
  if (arguments.has("frequencies") && base != default_base)
    arguments.reject("base", "the default, because frequencies are given");
}

// How many frequencies are given; 0: the base says them.
int64_t count_frequencies(const CheckedArguments& arguments) {
  if (!arguments.has("frequencies")) return 0;
  const Tuple& frequencies = arguments["frequencies"].tuple();
  for (const Datum& item : frequencies) {
    const bool is_number = item.kind() & (kind::int_value | kind::float_value);
    if (!is_number || !std::isfinite(item.real()))
      arguments.reject("frequencies", "finite numbers");
  }
  if (frequencies.empty()) arguments.reject("frequencies", "one for each pair of elements");
  return static_cast<int64_t>(frequencies.size());
}

const char* const wrong_count =
    "RotaryEmbedding: argument 'frequencies' does not have a number for each pair of elements";

std::string pairs_of(int64_t elements) {
  return std::to_string(elements / 2) + ", for " + std::to_string(elements) + " elements";
}

void require_pairs(Model& model, int64_t count) {
  const auto has_pairs = [count](Solver& s) {
    std::vector<Dim> dims;
    if (!s.shape("input", dims)) return false;
    int64_t size = 0;
    if (s.number(dims.back(), size) && size != 2 * count)
      s.reject(wrong_count, pairs_of(size), std::to_string(count), ErrorKind::shape);
    s.same(dims.back(), Dim(2 * count));
    return true;
  };
  model.add_constraint(has_pairs, {"input"});
}

// The number of the first elements that are rotated.
int64_t dim_of(const CheckedArguments& arguments, int64_t count) {
  const int64_t dim = arguments.integer("dim");
  if (dim < 2 || dim % 2 != 0) arguments.reject("dim", "a positive even number");
  if (count == 0 || dim == 2 * count) return dim;
  raise({.kind = ErrorKind::value,
         .code = "E0402",
         .message = wrong_count,
         .facts = {{"expected", pairs_of(dim), ""}, {"got", std::to_string(count), ""}}});
}

// The elements from `start` to `stop` of the last axis, in steps.
Connection part_of(const Connection& x, const Binding& start, const Binding& stop,
                   const Binding& step = none) {
  return x.at({ellipsis, slice(start, stop, step)});
}

// `factors`: cos and sin.
Connection rotated(const Connection& x, const std::vector<Connection>& factors, bool interleaved) {
  const Connection half = floor_divide(x.shape()[-1], 2);
  const Connection first = interleaved ? part_of(x, 0, none, 2) : part_of(x, none, half);
  const Connection second = interleaved ? part_of(x, 1, none, 2) : part_of(x, half, none);
  const Connection &cos = factors[0], &sin = factors[1];
  const Connection a = first * cos - second * sin, b = second * cos + first * sin;
  if (!interleaved) return apply("concat", {Binding({a, b}), -1});
  const Connection pairs = apply(
      "concat", {Binding({apply("expand_dims", {a, -1}), apply("expand_dims", {b, -1})}), -1});
  return apply("reshape_like", {pairs, x});
}

Model build_rotary_embedding(const CheckedArguments& arguments) {
  check_base(arguments);
  const int64_t count = count_frequencies(arguments);
  Model model = model_of_class("RotaryEmbedding");
  const Connection input = model["input"];
  model.set_shapes({{"input", {rest(), "L", "D"}}});
  Connection positions;
  if (arguments.flag("use_positions")) {
    positions = model["positions"];
    model.set_types({{"positions", kind::int_tensor}});
  } else {
    positions = apply("arange", {input.shape()[-2]});
  }
  // Each [..., L, pairs].
  const auto factors = [&](const Connection& x) {
    return Model::op("rotary_factors")
        .apply({positions, x, arguments.real("base"), arguments["frequencies"]});
  };
  const bool interleaved = arguments.flag("interleaved");
  if (!arguments.has("dim")) {
    if (count > 0) require_pairs(model, count);
    return finished(model, rotated(input, factors(input), interleaved));
  }
  const int64_t dim = dim_of(arguments, count);
  const Connection turned = part_of(input, none, dim);
  return finished(model, apply("concat", {Binding({rotated(turned, factors(turned), interleaved),
                                                   part_of(input, dim, none)}),
                                          -1}));
}

// [L, S]: how many positions each key is after each query.
Connection key_after_query(const Connection& query, const Connection& key) {
  const Connection queries = query.shape()[-2], keys = key.shape()[-2];
  const Connection places = apply("arange", {queries}).reshape({-1, 1}) + (keys - queries);
  return apply("arange", {keys}) - places;
}

Model build_causal_mask(const CheckedArguments& arguments) {
  Model model = model_of_class("CausalMask");
  const Connection query = model["query"], key = model["key"];
  model.set_shapes({{"query", {rest(), "L", "E"}}, {"key", {rest(), "S", "E"}}});
  model.set_types({{"query", kind::float_tensor}, {"key", kind::float_tensor}});
  const Connection after = key_after_query(query, key);
  Connection mask = after <= 0;
  if (arguments.has("window")) {
    const int64_t window = arguments.integer("window");
    if (window < 1) arguments.reject("window", "at least 1");
    mask = mask & (after > -window);
  }
  model.expose_keys({{"output", mask}});
  return model.set_cin({"query"}).set_cout({"output"});
}

// Distances from which on the next bucket begins: the first half of the buckets has one distance
// each, and the others grow as the logarithm up to the longest distance.
std::vector<int64_t> bucket_bounds(int64_t buckets, int64_t longest) {
  const int64_t exact = buckets / 2;
  std::vector<int64_t> bounds;
  for (int64_t distance = 1; distance <= exact; ++distance) bounds.push_back(distance);
  const double range = std::log(static_cast<double>(longest) / static_cast<double>(exact));
  for (int64_t distance = exact + 1;
       distance <= longest && static_cast<int64_t>(bounds.size()) + 1 < buckets; ++distance) {
    const double part =
        std::log(static_cast<double>(distance) / static_cast<double>(exact)) / range;
    const double reached = part * static_cast<double>(buckets - exact) + 1e-6;  // of whole numbers
    const auto bucket = std::min(exact + static_cast<int64_t>(reached), buckets - 1);
    while (static_cast<int64_t>(bounds.size()) < bucket) bounds.push_back(distance);
  }
  return bounds;
}

Model build_relative_position_bias(const CheckedArguments& arguments) {
  const int64_t buckets = arguments.integer("num_buckets"), heads = arguments.integer("num_heads");
  const bool bidirectional = arguments.flag("bidirectional");
  const int64_t own = bidirectional ? buckets / 2 : buckets;
  if (own < 2 || (bidirectional && buckets % 2 != 0))
    arguments.reject("num_buckets", "a positive multiple of 4, or of 2 if not bidirectional");
  if (arguments.integer("max_distance") <= own / 2)
    arguments.reject("max_distance", "above " + std::to_string(own / 2));
  if (heads < 1) arguments.reject("num_heads", "at least 1");
  Model model = model_of_class("RelativePositionBias");
  const Connection query = model["query"], key = model["key"], weight = model["weight"];
  model.set_shapes(
      {{"query", {rest(), "L", "E"}}, {"key", {rest(), "S", "E"}}, {"weight", {buckets, heads}}});
  model.set_types({{"query", kind::float_tensor}, {"key", kind::float_tensor}});
  const Connection after = key_after_query(query, key);
  const Connection distance = bidirectional ? after.abs() : apply("maximum", {-after, 0});
  const std::vector<int64_t> bounds = bucket_bounds(own, arguments.integer("max_distance"));
  const Tensor limits = Tensor::of({static_cast<int64_t>(bounds.size())}, bounds);
  Connection bucket = (apply("expand_dims", {distance, -1}) >= limits).cast(DType::int64).sum(-1);
  if (bidirectional) bucket = bucket + (after > 0).cast(DType::int64) * own;
  const Connection rows = apply("embedding", {bucket, weight});
  model.expose_keys({{"output", rows.transpose({2, 0, 1})}});
  model.set_initializer("weight", {.distribution = Initializer::Distribution::normal});
  return model.set_cin({"query"}).set_cout({"output"});
}

}  // namespace

Model OneHot(OneHotOptions options) {
  return make_model("OneHot", {{"num_classes", options.num_classes}});
}
Model RotaryEmbedding(const RotaryEmbeddingOptions& options) {
  Datum frequencies;
  if (options.frequencies)
    frequencies = Datum(Tuple(options.frequencies->begin(), options.frequencies->end()));
  return make_model("RotaryEmbedding", {{"base", options.base},
                                        {"dim", options.dim ? Datum(*options.dim) : Datum()},
                                        {"interleaved", options.interleaved},
                                        {"use_positions", options.use_positions},
                                        {"frequencies", frequencies}});
}
Model CausalMask(CausalMaskOptions options) {
  return make_model("CausalMask", {{"window", options.window ? Datum(*options.window) : Datum()}});
}
Model RelativePositionBias(const RelativePositionBiasOptions& options) {
  return make_model("RelativePositionBias", {{"num_heads", options.num_heads},
                                             {"num_buckets", options.num_buckets},
                                             {"max_distance", options.max_distance},
                                             {"bidirectional", options.bidirectional}});
}

ModelDef define_one_hot();
ModelDef define_one_hot() {
  return {.name = "OneHot",
          .doc = "One-hot vectors: 1 at the class of each element, otherwise 0.",
          .ports = {{"input", "[...]", "int"}, {"output", "[..., num_classes]", "int"}},
          .arguments = {{"num_classes", "int", {}, "size of the last axis"}},
          .build = build_one_hot};
}

ModelDef define_rotary_embedding();
ModelDef define_rotary_embedding() {
  return {.name = "RotaryEmbedding",
          .doc =
              "Rotates pairs of elements by angles that grow with the position "
              "(https://arxiv.org/abs/2104.09864).",
          .ports = {{"input", "[..., L, D]"},
                    {"positions", "[..., L]", "int"},
                    {"output", "[..., L, D]"}},
          .arguments = {{"base", "int|float", Datum(default_base),
                         "the angle of pair i at position p is p * base^(-2 * i / dim)"},
                        {"dim", "int|none", Datum(),
                         "number of first elements that are rotated; None: all"},
                        {"interleaved", "bool", false,
                         "pairs are neighbours, instead of elements of both halves"},
                        {"use_positions", "bool", false,
                         "whether there is a port positions; else they are 0, 1, ..."},
                        {"frequencies", "tuple|none", Datum(),
                         "in place of base: the angle of pair i at position p is p * "
                         "frequencies[i]; one for each pair"}},
          .build = build_rotary_embedding};
}

ModelDef define_causal_mask();
ModelDef define_causal_mask() {
  return {.name = "CausalMask",
          .doc =
              "True where a query may attend to a key, which must not be later than the query. The "
              "last query has the position of the last key.",
          .ports = {{"query", "[..., L, E]"}, {"key", "[..., S, E]"}, {"output", "[L, S]", "bool"}},
          .arguments = {{"window", "int|none", Datum(),
                         "the keys that a query sees, its own included; None: all before it"}},
          .build = build_causal_mask};
}

ModelDef define_relative_position_bias();
ModelDef define_relative_position_bias() {
  return {.name = "RelativePositionBias",
          .doc =
              "A learned bias that is added to attention scores. It depends on the distance of key "
              "and query (https://arxiv.org/abs/1910.10683).",
          .ports = {{"query", "[..., L, E]"},
                    {"key", "[..., S, E]"},
                    {"weight", "[num_buckets, num_heads]"},
                    {"output", "[num_heads, L, S]"}},
          .arguments =
              {{"num_heads", "int", {}, "columns of the weight"},
               {"num_buckets", "int", 32,
                "number of buckets of distances; half of them are for later keys if bidirectional"},
               {"max_distance", "int", 128, "distances from here on share a bucket"},
               {"bidirectional", "bool", true, "whether later keys have buckets of their own"}},
          .build = build_relative_position_bias};
}

}  // namespace mithril
