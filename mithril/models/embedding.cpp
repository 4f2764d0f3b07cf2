#include "mithril/models/embedding.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {

Model Embedding(const EmbeddingOptions& options) {
  const auto datum = [](const std::optional<int64_t>& number) {
    return number ? Datum(*number) : Datum();
  };
  return make_model("Embedding", {{"num_embeddings", datum(options.num_embeddings)},
                                  {"dim", datum(options.dim)}});
}

ModelDef define_embedding_model();
ModelDef define_embedding_model() {
  return {
      .name = "Embedding",
      .doc =
          "Rows of a table, chosen by index. Ports: input [...] (int), weight [num_embeddings, "
          "dim], output [..., dim].",
      .arguments = {{"num_embeddings", "int|none", Datum(), "rows of the table; None: inferred"},
                    {"dim", "int|none", Datum(), "columns of the table; None: inferred"}},
      .build =
          [](const CheckedArguments& arguments) {
            Model model = model_of_class("Embedding");
            model["input"];
            model["weight"];
            model.set_shapes(
                {{"weight", ShapeSpec(std::vector<DimSpec>{arguments.size("num_embeddings"),
                                                           arguments.size("dim")})}});
            model |= Model::op("embedding")(
                {{"input", "input"}, {"weight", "weight"}, {"output", "output"}});
            model.set_initializer("weight", {.distribution = Initializer::Distribution::normal});
            return model;
          },
  };
}

}  // namespace mithril
