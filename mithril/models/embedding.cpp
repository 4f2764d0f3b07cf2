#include "mithril/models/embedding.hpp"

#include <string>

#include "mithril/models/builder.hpp"

namespace mithril {

Model Embedding(const EmbeddingOptions& options) {
  const auto datum = [](const std::optional<int64_t>& number) {
    return number ? Datum(*number) : Datum();
  };
  return make_model("Embedding", {{"num_embeddings", datum(options.num_embeddings)},
                                  {"dim", datum(options.dim)},
                                  {"padding_idx", datum(options.padding_idx)}});
}

namespace {

// The row of padding, counted from the first.
int64_t padding_row(const CheckedArguments& arguments) {
  const int64_t index = arguments.integer("padding_idx");
  if (!arguments.has("num_embeddings")) {
    if (index < 0) arguments.reject("padding_idx", "at least 0 without num_embeddings");
    return index;
  }
  const int64_t rows = arguments.integer("num_embeddings");
  if (index < -rows || index >= rows) {
    arguments.reject("padding_idx",
                     "from " + std::to_string(-rows) + " to " + std::to_string(rows - 1));
  }
  return index < 0 ? index + rows : index;
}

}  // namespace

ModelDef define_embedding_model();
ModelDef define_embedding_model() {
  return {
      .name = "Embedding",
      .doc = "output[...] = weight[input[...]]: the row of a table at each index.",
      .ports = {{"input", "[...]", "int"},
                {"weight", "[num_embeddings, dim]"},
                {"output", "[..., dim]"}},
      .arguments = {{"num_embeddings", "int|none", Datum(), "rows of the table; None: inferred"},
                    {"dim", "int|none", Datum(), "columns of the table; None: inferred"},
                    {"padding_idx", "int|none", Datum(),
                     "the row of padding, which gets no gradient"}},
      .build =
          [](const CheckedArguments& arguments) {
            Model model = model_of_class("Embedding");
            model["input"];
            model["weight"];
            model.set_shapes(
                {{"weight", ShapeSpec(std::vector<DimSpec>{arguments.size("num_embeddings"),
                                                           arguments.size("dim")})}});
            Initializer initializer{.distribution = Initializer::Distribution::normal};
            if (arguments.has("padding_idx")) initializer.zero_row = padding_row(arguments);
            model.set_initializer("weight", initializer);
            if (!arguments.has("padding_idx")) {
              model |= Model::op("embedding")(
                  {{"input", "input"}, {"weight", "weight"}, {"output", "output"}});
              return model;
            }
            const Connection input = model["input"];
            const Connection rows = apply("embedding", {input, model["weight"]});
            const Connection padded = apply("equal", {input, padding_row(arguments)});
            return finished(model, apply("where", {apply("expand_dims", {padded, -1}),
                                                   apply("stop_gradient", {rows}), rows}));
          },
  };
}

}  // namespace mithril
