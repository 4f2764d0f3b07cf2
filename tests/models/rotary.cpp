// RotaryEmbedding with given frequencies: its refusals, and how often it computes angles.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/models/sequences.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

int64_t nodes_of(const Graph& graph, const std::string& op) {
  return std::count_if(graph.nodes().begin(), graph.nodes().end(),
                       [&](const Node& node) { return node.op->name == op; });
}

// A query and a key, rotated by layers of their own, as in each block of a decoder.
Graph rotated_pair(const RotaryEmbeddingOptions& options) {
  const Connection query(IOKey{.name = "query", .shape = {{2, 5, 6}}});
  const Connection key(IOKey{.name = "key", .shape = {{2, 5, 6}}});
  const Connection positions(
      IOKey{.name = "positions", .shape = {{2, 5}}, .type = kind::int_tensor});
  const auto rotate = [&](const Connection& x) {
    return RotaryEmbedding(options).apply(Bindings{{"input", x}, {"positions", positions}})[0];
  };
  const Model model = Model::create({{"q", rotate(query)}, {"k", rotate(key)}});
  return run_passes(flatten(model, DType::float32).graph);
}

}  // namespace

TEST_CASE("rotations of equal frequencies compute their angles once") {
  const Graph of_base = rotated_pair({.use_positions = true});
  const Graph given = rotated_pair({.use_positions = true, .frequencies = {{1.0, 0.5, 0.25}}});
  for (const char* op : {"cos", "sin"}) {
    CHECK(nodes_of(of_base, op) == 1);
    CHECK(nodes_of(given, op) == 1);
  }
  CHECK(given.nodes().size() <= of_base.nodes().size());
}

TEST_CASE("angles of far positions are precise in half precision") {
  const auto rotated = [](const RotaryEmbeddingOptions& options, DType dtype) {
    Model model;
    model |= RotaryEmbedding(options)({{"input", "x"}, {"positions", "at"}, {"output", "y"}});
    const CompiledModel compiled =
        compile(model, cpu({.dtype = dtype}),
                {.shapes = {{"x", {2, 4}}, {"at", {2}}}, .data_keys = {"x", "at"}});
    const Tensor at = Tensor::of<int64_t>({2}, {4999, 131071});
    const TensorMap data{{"x", Tensor::full(dtype, {2, 4}, 1.5)}, {"at", at}};
    return compiled.evaluate({}, data).at("y");
  };
  for (const RotaryEmbeddingOptions& options :
       {RotaryEmbeddingOptions{.use_positions = true},
        RotaryEmbeddingOptions{.use_positions = true, .frequencies = {{1.0, 0.3}}}}) {
    const Tensor expected = rotated(options, DType::float64);
    for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32}) {
      const Tensor got = rotated(options, dtype);
      CHECK(got.dtype() == dtype);
      for (int64_t i = 0; i < got.size(); ++i)
        CHECK(std::abs(got.at_as_double(i) - expected.at_as_double(i)) < 0.03);
    }
  }
}

TEST_CASE("the frequencies say how many elements are rotated") {
  Model model = RotaryEmbedding({.frequencies = {{1.0, 0.5, 0.25}}});
  model.set_shapes({{"input", {2, 5, any}}});
  CHECK(model.shape("output") == KnownShape{2, 5, 6});
}

TEST_CASE("another number of frequencies than pairs is refused") {
  const Model model = RotaryEmbedding({.frequencies = {{1.0, 0.5, 0.25}}});
  CHECK(text_of_error([&] {
          compile(model, cpu(), {.shapes = {{"input", {2, 5, 8}}}});
        }) ==
        "mithril.ShapeError[E0206]: input: RotaryEmbedding: argument 'frequencies' does not have a "
        "number for each pair of elements\n"
        "  expected   : 4, for 8 elements\n"
        "  got        : 3\n"
        "  constraint : on input");
  CHECK(text_of_error([] { RotaryEmbedding({.dim = 4, .frequencies = {{0.5}}}); }) ==
        "mithril.ValueError[E0402]: RotaryEmbedding: argument 'frequencies' does not have a number "
        "for each pair of elements\n"
        "  expected : 2, for 4 elements\n"
        "  got      : 1");
}

TEST_CASE("frequencies that are not finite, or that have a base beside them, are refused") {
  CHECK(text_of_error([] {
          RotaryEmbedding({.frequencies = {{1.0, INFINITY}}});
        }) ==
        "mithril.ValueError[E0402]: RotaryEmbedding: argument 'frequencies' is out of range\n"
        "  expected : finite numbers\n"
        "  got      : (1.0, inf)");
  CHECK(text_of_error([] { RotaryEmbedding({.base = 500, .frequencies = {{1.0}}}); }) ==
        "mithril.ValueError[E0402]: RotaryEmbedding: argument 'base' is out of range\n"
        "  expected : the default, because frequencies are given\n"
        "  got      : 500.0");
}

}  // namespace mithril::tests
