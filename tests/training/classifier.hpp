// A model to be trained, with its data.
#pragma once

#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/embedding.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/reductions.hpp"

namespace mithril::tests {

// Maps words to one of five classes by rows of a table, products and a norm.
inline Model classifier() {
  Model model;
  model |= Embedding({.num_embeddings = 40, .dim = 24})(
      {{"input", "words"}, {"weight", "table"}, {"output", "rows"}});
  model |= Linear({.dimension = 48})({{"input", "rows"}, {"output", "wide"}});
  model |= LayerNorm()({{"input", "wide"}, {"output", "even"}});
  model |= Gelu()({{"input", "even"}, {"output", "active"}});
  model |= Linear({.dimension = 5})({{"input", "active"}, {"output", "scores"}});
  model |= CrossEntropy()({{"input", "scores"}, {"target", "classes"}, {"output", "losses"}});
  model |= Mean()({{"input", "losses"}, {"output", "loss"}});
  model.expose_keys({"loss"});
  return model;
}

inline CompiledModel compiled_classifier(CpuOptions options = {}, CompileOptions how = {}) {
  how.data_keys = {"words", "classes"};
  how.shapes = {{"words", {any}}, {"classes", {any}}};
  return compile(classifier(), cpu(options), how);
}

inline TensorMap batch(int64_t size, int64_t first = 0) {
  Tensor words(DType::int64, {size}), classes(DType::int64, {size});
  for (int64_t i = 0; i < size; ++i) {
    words.mutable_values<int64_t>()[static_cast<size_t>(i)] = (first + i * i) % 37 - 2;
    classes.mutable_values<int64_t>()[static_cast<size_t>(i)] = (first + i) % 5;
  }
  return {{"words", words}, {"classes", classes}};
}

inline void check_identical(const TensorMap& a, const TensorMap& b) {
  for (const auto& item : a) {
    CAPTURE(item.key());
    CHECK(identical(item.tensor(), b.at(item.key())));
  }
}

}  // namespace mithril::tests
