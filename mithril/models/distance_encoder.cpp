// DistanceEncoder and its two variants: points with given distances.
#include "mithril/models/builder.hpp"
#include "mithril/models/distances.hpp"

namespace mithril {
namespace {

ArgumentDef input_type() {
  return {"input_type",
          "str",
          "distances",
          "the contents of the input: \"distances\", \"powered_distances\" or \"points\"",
          {"distances", "powered_distances", "points"}};
}

// Powers of the distances between the rows of a key.
Connection powers_between(Model& model, const std::string& key) {
  const Model matrix = make_model("EncoderDistanceMatrix", {{"get_final_distance", false}});
  const Connection points = model[key], norm = model["norm"];
  return matrix.apply(Bindings{{"input1", points}, {"input2", points}, {"norm", norm}}).front();
}

Model encoder(const std::string& name, const std::string& type, const Model& base) {
  Model model = model_of_class(name);
  Bindings bindings{{"output", "output"}};
  for (const std::string& key : base.input_keys()) {
    if (key == "norm" || (type == "points" && key == "p_joint")) bindings.emplace_back(key, key);
  }
  const Connection input = model["input"];
  const Connection distances = type == "points" ? powers_between(model, "input") : input;
  bindings.emplace_back("distances", distances);
  bindings.emplace_back("pred_distances", powers_between(model, "coords"));
  model |= base(bindings);
  model |= Model::op("buffer")({{"input", "coords"}, {"output", "predicted_coords"}});
  model.set_cin({"input"}).set_cout({"output"});
  return model;
}

// Sets the number of dims of the points.
Model sized(Model model, const CheckedArguments& arguments) {
  const DimSpec dims = arguments.size("prediction_dim");
  model.set_shapes({{"coords", ShapeSpec(std::vector<DimSpec>{Any{}, dims})}});
  return model;
}

Model build_distance_encoder(const CheckedArguments& arguments) {
  const std::string type = arguments.text("input_type");
  const std::string& name = arguments.text("base_model");
  const Model base = make_model(name, {{"exact_distances", type == "distances"}});
  return encoder("DistanceEncoder", type, base);
}

Model build_mds(const CheckedArguments& arguments) {
  const std::string type = arguments.text("input_type");
  const Model base = make_model("MDSCore", {{"exact_distances", type == "distances"}});
  return sized(encoder("MDS", type, base), arguments);
}

Model build_tsne(const CheckedArguments& arguments) {
  const std::string type = arguments.text("input_type");
  if (!(arguments.real("preplexity") > 0)) arguments.reject("preplexity", "more than 0");
  const Model base = make_model("TSNECore", {{"exact_distances", type == "distances"},
                                             {"calculate_p_joint", arguments["calculate_p_joint"]},
                                             {"perplexity", arguments["preplexity"]}});
  return sized(encoder("TSNE", type, base), arguments);
}

}  // namespace

std::string_view name(DistanceModel model) {
  return model == DistanceModel::TSNECore ? "TSNECore" : "MDSCore";
}

std::string_view name(DistanceInput input) {
  constexpr const char* names[] = {"distances", "powered_distances", "points"};
  return names[static_cast<size_t>(input)];
}

Model DistanceEncoder(const DistanceEncoderOptions& options) {
  return make_model("DistanceEncoder", {{"base_model", std::string(name(options.base_model))},
                                        {"input_type", std::string(name(options.input_type))}});
}
Model MDS(const MDSOptions& options) {
  return make_model("MDS", {{"prediction_dim", options.prediction_dim},
                            {"input_type", std::string(name(options.input_type))}});
}
Model TSNE(const TSNEOptions& options) {
  return make_model("TSNE", {{"prediction_dim", options.prediction_dim},
                             {"input_type", std::string(name(options.input_type))},
                             {"preplexity", options.preplexity},
                             {"calculate_p_joint", options.calculate_p_joint}});
}

ModelDef define_distance_encoder();
ModelDef define_distance_encoder() {
  return {.name = "DistanceEncoder",
          .doc =
              "Fits points `coords` to the distances in the input. `output` is the loss: MDSCore "
              "or TSNECore.",
          .ports = {{"input", "[N, N] or [N, D] for points"},
                    {"coords", "[N, d]"},
                    {"norm", "[]"},
                    {"output", "[]"},
                    {"predicted_coords", "[N, d]"}},
          .arguments =
              {{"base_model", "str", {}, "\"MDSCore\" or \"TSNECore\"", {"MDSCore", "TSNECore"}},
               input_type()},
          .build = build_distance_encoder};
}

ModelDef define_mds();
ModelDef define_mds() {
  return {.name = "MDS",
          .doc =
              "Multidimensional scaling: fits points `coords` to the distances in the input. "
              "`output` is the loss.",
          .ports = {{"input", "[N, N] or [N, D] for points"},
                    {"coords", "[N, prediction_dim]"},
                    {"norm", "[]"},
                    {"output", "[]"},
                    {"predicted_coords", "[N, prediction_dim]"}},
          .arguments = {{"prediction_dim", "int", {}, "dims of the points"}, input_type()},
          .build = build_mds};
}

ModelDef define_tsne();
ModelDef define_tsne() {
  return {.name = "TSNE",
          .doc =
              "t-distributed stochastic neighbour embedding "
              "(https://jmlr.org/papers/v9/vandermaaten08a.html): fits points `coords` to the "
              "neighbours in the input. `output` is the loss.",
          .ports = {{"input", "[N, N] or [N, D] for points"},
                    {"coords", "[N, prediction_dim]"},
                    {"norm", "[]"},
                    {"p_joint", "[N, N] unless it is calculated"},
                    {"output", "[]"},
                    {"predicted_coords", "[N, prediction_dim]"}},
          .arguments = {{"prediction_dim", "int", {}, "dims of the points"},
                        input_type(),
                        {"preplexity", "float", 20.0,
                         "the perplexity, which is the effective number of neighbours of a point"},
                        {"calculate_p_joint", "bool", false,
                         "whether p_joint is computed from the distances of the input"}},
          .build = build_tsne};
}

}  // namespace mithril
