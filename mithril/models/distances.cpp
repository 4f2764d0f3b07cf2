#include "mithril/models/distances.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

Connection modified_norm(Model& model) {
  const Connection norm = model["norm"];
  model.set_types({{"norm", kind::float_tensor}});
  return only_output("NormModifier", {{"input", widened(norm)}});
}

// 5 - |(input - 1) mod 8 - 4|. The difference from the floor makes the slope at the peaks 0.
Model build_norm_modifier(const CheckedArguments&) {
  Model model = model_of_class("NormModifier");
  const Connection input = model["input"], shifted = widened(input) - 1.0;
  const Connection remainder = shifted - apply("floor", {shifted / 8.0}) * 8.0;
  model.set_types({{"input", kind::float_tensor}});
  return finished(model, narrowed(5.0 - (remainder - 4.0).abs(), {input}));
}

Model build_cartesian_difference(const CheckedArguments&) {
  Model model = model_of_class("CartesianDifference");
  const Connection left = model["left"], right = model["right"];
  model.expose_keys(
      {{"output", apply("expand_dims", {left, 1}) - apply("expand_dims", {right, 0})}});
  const DimSpec rows = std::string("N"), others = std::string("M"), columns = std::string("D");
  model.set_shapes({{"left", ShapeSpec(std::vector<DimSpec>{rows, columns})},
                    {"right", ShapeSpec(std::vector<DimSpec>{others, columns})}});
  const Kinds number = kind::int_tensor | kind::float_tensor;
  model.set_types({{"left", number}, {"right", number}});
  return model.set_cin({"left"}).set_cout({"output"});
}

Model build_transposed_diagonal(const CheckedArguments&) {
  Model model = model_of_class("TransposedDiagonal");
  const Connection input = model["input"];
  const Connection chosen = apply("equal", {apply("eye_like", {input}), 1});
  const DimSpec rows = std::string("N");
  Model done = finished(model, apply("where", {chosen, input, 0}).sum(1, true));
  done.set_shapes({{"input", ShapeSpec(std::vector<DimSpec>{rows, rows})}});
  done.set_types({{"input", kind::int_tensor | kind::float_tensor}});
  return done;
}

Model build_encoder_distance_matrix(const CheckedArguments& arguments) {
  Model model = model_of_class("EncoderDistanceMatrix");
  const Connection a = model["input1"], b = model["input2"], norm = modified_norm(model);
  const Connection powers = apply("distance_matrix", {widened(a), widened(b), norm});
  const bool robust = arguments.flag("robust"), final = arguments.flag("get_final_distance");
  const Connection output = final ? apply("power", {powers, 1.0 / norm, robust}) : powers;
  model.expose_keys({{"output", narrowed(output, {a, b})}});
  const DimSpec rows = std::string("N"), others = std::string("M");
  model.set_shapes({{"output", ShapeSpec(std::vector<DimSpec>{rows, others})}});
  model.set_cin({"input1", "input2"}).set_cout({"output"});
  return model;
}

Model build_mds_core(const CheckedArguments& arguments) {
  Model model = model_of_class("MDSCore");
  const std::vector<Connection> given{model["distances"], model["pred_distances"]};
  const Connection distances = widened(given[0]), predicted = widened(given[1]);
  const Connection norm = modified_norm(model);
  const Connection inverse = apply("stable_reciprocal", {norm});
  auto power = [&](const Connection& base, const Connection& exponent) {
    return apply("power", {base, exponent, arguments.flag("robust")});
  };
  const bool exact = arguments.flag("exact_distances");
  const Connection wanted = exact ? distances : power(distances, inverse);
  const Connection powers = exact ? power(distances, norm) : distances;
  const Connection apart = (wanted - power(predicted, inverse)).abs();
  const Connection whole = apply("stable_reciprocal", {powers.sum()});
  const Connection stress = power(power(apart, norm).sum() * whole, inverse);
  model.expose_keys({{"output", narrowed(stress, given)}});
  const DimSpec rows = std::string("N");
  const ShapeSpec square(std::vector<DimSpec>{rows, rows});
  model.set_shapes({{"distances", square}, {"pred_distances", square}});
  model.set_cin({"distances", "pred_distances", "norm"}).set_cout({"output"});
  return model;
}

Model build_tsne_core(const CheckedArguments& arguments) {
  if (!(arguments.real("perplexity") > 0)) arguments.reject("perplexity", "more than 0");
  Model model = model_of_class("TSNECore");
  const std::vector<Connection> given{model["distances"], model["pred_distances"]};
  const Connection distances = widened(given[0]), predicted = widened(given[1]);
  auto wanted = [&]() -> Connection {
    if (!arguments.flag("calculate_p_joint")) return widened(model["p_joint"]);
    const bool exact = arguments.flag("exact_distances");
    const Connection squares = exact ? apply("square", {distances}) : distances;
    return apply("tsne_p_joint", {squares, arguments.real("perplexity")});
  };
  const Connection others = apply("eye_complement", {distances.size(0)});
  const Connection near = 1.0 / (1.0 + predicted) * others;
  const Connection loss = apply("kl_divergence", {near / near.sum(), wanted()}).sum();
  model.expose_keys({{"output", narrowed(loss, given)}});
  const DimSpec rows = std::string("N");
  const ShapeSpec square(std::vector<DimSpec>{rows, rows});
  model.set_shapes({{"distances", square}, {"pred_distances", square}});
  model.set_cin({"distances"}).set_cout({"output"});
  return model;
}

}  // namespace

Model NormModifier() { return make_model("NormModifier"); }
Model CartesianDifference() { return make_model("CartesianDifference"); }
Model TransposedDiagonal() { return make_model("TransposedDiagonal"); }
Model EncoderDistanceMatrix(const EncoderDistanceMatrixOptions& options) {
  return make_model("EncoderDistanceMatrix", {{"get_final_distance", options.get_final_distance},
                                              {"robust", options.robust}});
}
Model MDSCore(const MDSCoreOptions& options) {
  return make_model("MDSCore",
                    {{"exact_distances", options.exact_distances}, {"robust", options.robust}});
}

Model TSNECore(const TSNECoreOptions& options) {
  return make_model("TSNECore", {{"exact_distances", options.exact_distances},
                                 {"calculate_p_joint", options.calculate_p_joint},
                                 {"perplexity", options.perplexity}});
}

ModelDef define_norm_modifier();
ModelDef define_norm_modifier() {
  return {.name = "NormModifier",
          .doc =
              "5 - |(input - 1) mod 8 - 4|, a triangle wave between 1 and 5. From 1 to 5 it is the "
              "input itself. Its slope at the peaks is 0.",
          .ports = {{"input", "[...]"}, {"output", "[...]"}},
          .arguments = {},
          .build = build_norm_modifier};
}

ModelDef define_cartesian_difference();
ModelDef define_cartesian_difference() {
  return {.name = "CartesianDifference",
          .doc = "left[i] - right[j] for all pairs of rows.",
          .ports = {{"left", "[N, D]"}, {"right", "[M, D]"}, {"output", "[N, M, D]"}},
          .arguments = {},
          .build = build_cartesian_difference};
}

ModelDef define_transposed_diagonal();
ModelDef define_transposed_diagonal() {
  return {.name = "TransposedDiagonal",
          .doc = "The diagonal of a square matrix as a matrix of one column.",
          .ports = {{"input", "[N, N]"}, {"output", "[N, 1]"}},
          .arguments = {},
          .build = build_transposed_diagonal};
}

ModelDef define_encoder_distance_matrix();
ModelDef define_encoder_distance_matrix() {
  return {
      .name = "EncoderDistanceMatrix",
      .doc =
          "The distances between all pairs of rows. NormModifier keeps their norm between 1 and 5.",
      .ports = {{"input1", "[N, D]"}, {"input2", "[M, D]"}, {"norm", "[]"}, {"output", "[N, M]"}},
      .arguments = {{"get_final_distance", "bool", true,
                     "whether the root of the sum of powers is taken"},
                    {"robust", "bool", true, "whether the root is computed with robust=True"}},
      .build = build_encoder_distance_matrix};
}

ModelDef define_mds_core();
ModelDef define_mds_core() {
  return {
      .name = "MDSCore",
      .doc =
          "The stress of multidimensional scaling: (sum(|d - p| ** norm) / sum(d ** norm)) ** (1 / "
          "norm) for distances d and predicted distances p. `pred_distances` are p ** norm.",
      .ports = {{"distances", "[N, N]"},
                {"pred_distances", "[N, N]"},
                {"norm", "[]"},
                {"output", "[]"}},
      .arguments = {{"exact_distances", "bool", true,
                     "whether distances are given, not their powers"},
                    {"robust", "bool", true, "whether powers are computed with robust=True"}},
      .objective = true,
      .build = build_mds_core};
}

ModelDef define_tsne_core();
ModelDef define_tsne_core() {
  return {
      .name = "TSNECore",
      .doc =
          "The loss of t-SNE, the Kullback-Leibler divergence sum(p * log(p / q)) of the joint "
          "probabilities p of `distances` and q of `pred_distances`, which are squared distances.",
      .ports = {{"distances", "[N, N]"},
                {"pred_distances", "[N, N]"},
                {"p_joint", "[N, N] unless it is calculated"},
                {"output", "[]"}},
      .arguments = {{"exact_distances", "bool", true,
                     "whether distances are given, not their squares"},
                    {"calculate_p_joint", "bool", false,
                     "whether p_joint is computed from the distances"},
                    {"perplexity", "float", 20.0, "effective number of neighbours of a point"}},
      .objective = true,
      .build = build_tsne_core};
}

}  // namespace mithril
