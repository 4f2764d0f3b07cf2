// vmap of loops, worked out by hand. python/tests/loops compares with each index alone.
#include "mithril/models/vmap.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/error.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/models/derivatives.hpp"
#include "mithril/models/scan.hpp"
#include "mithril/passes/pipeline.hpp"

namespace mithril::tests {
namespace {

// h_next = h * x + 1, and the number of steps.
Model affine_loop() {
  const Connection x(IOKey{.name = "x"}), h(IOKey{.name = "h"}), n(IOKey{.name = "n"});
  const Model step = Model::create({{"h_next", h * x + 1.0}, {"n_next", n + 1.0}});
  Model loop = Scan(step, {.carry = {{"h", "h_next"}, {"n", "n_next"}},
                           .sequences = {"x"},
                           .outputs = {"h_next", "n_next"}});
  return loop.set_shapes({{"x", {3}}, {"h", {}}, {"n", {}}});
}

std::vector<double> values(const Tensor& tensor) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < tensor.size(); ++i) all.push_back(tensor.at_as_double(i));
  return all;
}

std::vector<ScanLoop> loops_of_model(const Model& model) {
  const Graph graph = run_passes(flatten(model, DType::float64).graph);
  std::vector<ScanLoop> loops;
  for (const Node& node : graph.nodes()) {
    if (is_scan(node)) loops.push_back(scan_of(node));
  }
  return loops;
}

}  // namespace

TEST_CASE("a vmap of a loop, worked out by hand") {
  const Model mapped = vmap(affine_loop(), {.in_axes = {{"x", 1}}});
  const CompiledModel compiled = compile(mapped, cpu({.dtype = DType::float64}),
                                         {.shapes = {{"x", {3, 2}}}, .data_keys = {"h", "n"}});
  TensorMap data;
  data["x"] = Tensor::of<double>({3, 2}, {1, 2, 1, 3, 1, 4});
  data["h"] = Tensor::of<double>({}, {1});
  data["n"] = Tensor::of<double>({}, {0});
  const TensorMap out = compiled.evaluate({}, data);
  CHECK(values(out.at("h_next")) == std::vector<double>{2, 3, 4, 3, 10, 41});
  CHECK(values(out.at("h_last")) == std::vector<double>{4, 41});
  CHECK(values(out.at("n_next")) == std::vector<double>{1, 2, 3, 1, 2, 3});
}

TEST_CASE("only the carries that depend on a mapped input have the axis") {
  const auto loops = loops_of_model(vmap(affine_loop(), {.in_axes = {{"x", 0}}, .size = 5}));
  REQUIRE(loops.size() == 1);
  const Graph& body = loops.front().body;
  const auto rank = [&](size_t i) { return body.value(body.inputs()[i]).dims.size(); };
  CHECK(body.value(body.inputs()[0]).name == "scan.scancarry.output");
  CHECK(rank(0) == 1);
  CHECK(rank(1) == 0);
  CHECK(rank(2) == 1);
}

TEST_CASE("the gradient of each index through a loop is two loops") {
  Model net;
  net |= affine_loop()({{"x", "x"}, {"h", "h"}, {"n", "n"}, {"h_last", "y"}});
  net.expose_keys({"y"});
  const Model slopes = Gradient(net, {.of = "y", .wrt = {"x"}});
  CHECK(loops_of_model(slopes).size() == 2);
  CHECK(loops_of_model(vmap(slopes, {.in_axes = {{"x", 0}}, .size = 5})).size() == 2);
}

}  // namespace mithril::tests
