// A model over a new axis: ensembles, derivatives of each index, and errors.
// python/tests/test_vmap.py compares with a loop and with torch.func, tests/passes/batching.cpp
// each op.
#include "mithril/models/vmap.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/derivatives.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/reductions.hpp"

namespace mithril::tests {
namespace {

Model network() {
  Model net;
  net |= Linear({.dimension = 2})({{"input", "x"}, {"output", "h"}});
  net |= Tanh()({{"input", "h"}, {"output", "y"}});
  return net;
}

CompiledModel compiled_for_x(const Model& model, const ShapeSpec& x) {
  return compile(model, cpu({.dtype = DType::float64}), {.shapes = {{"x", x}}, .data_keys = {"x"}});
}

Tensor counted(const Dims& dims) {
  Tensor made(DType::float64, dims);
  double next = -1;
  for (double& element : made.mutable_values<double>()) element = next += 0.17;
  return made;
}

void check_slice(const Tensor& all, std::int64_t index, const Tensor& expected) {
  REQUIRE(all.size() >= (index + 1) * expected.size());
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    CHECK(all.at_as_double(index * expected.size() + i) ==
          doctest::Approx(expected.at_as_double(i)).epsilon(1e-12));
  }
}

Tensor slice_of(const Tensor& all, std::int64_t index) {
  Dims dims = all.dims();
  dims.erase(dims.begin());
  Tensor one(all.dtype(), dims);
  std::int64_t at = index * one.size();
  for (double& element : one.mutable_values<double>()) element = all.at_as_double(at++);
  return one;
}

}  // namespace

TEST_CASE("an ensemble computes what its members compute") {
  const CompiledModel ensemble =
      compiled_for_x(vmap(network(), {.params = {"*"}, .size = 3}), {2, 4});
  const CompiledModel alone = compiled_for_x(network(), {2, 4});
  const TensorMap params = ensemble.get_parameters(1);
  const TensorMap data{{"x", counted({2, 4})}};
  const Tensor all = ensemble.evaluate(params, data).at("y");
  CHECK(all.dims() == Dims{3, 2, 2});
  for (std::int64_t member = 0; member < 3; ++member) {
    std::vector<TensorMap::Item> own;
    for (const auto& [key, value] : params) own.emplace_back(key, slice_of(value, member));
    check_slice(all, member, alone.evaluate(TensorMap(std::move(own)), data).at("y"));
  }
}

TEST_CASE("vmap computes each index of an input") {
  const CompiledModel mapped = compiled_for_x(vmap(network(), {.in_axes = {{"x", 0}}}), {5, 2, 4});
  const CompiledModel alone = compiled_for_x(network(), {2, 4});
  const TensorMap params = alone.get_parameters(1);
  const Tensor x = counted({5, 2, 4});
  const Tensor all = mapped.evaluate(params, {{"x", x}}).at("y");
  for (std::int64_t i = 0; i < 5; ++i)
    check_slice(all, i, alone.evaluate(params, {{"x", slice_of(x, i)}}).at("y"));
}

TEST_CASE("Jacobians in both modes and Hessians are equal to derivatives by hand") {
  const Connection x(IOKey{.name = "x", .shape = ShapeSpec{3}});
  const Connection y = x * x * x;
  const Model model = Model::create({{"reverse", jacobian(y, x)},
                                     {"forward", jacobian(y, x, JacobianMode::forward)},
                                     {"hessian", hessian(y.sum(), x)}});
  const TensorMap outputs =
      compiled_for_x(model, {3}).evaluate({}, {{"x", Tensor::of<double>({3}, {1, 2, 3})}});
  const Tensor first = Tensor::of<double>({3, 3}, {3, 0, 0, 0, 12, 0, 0, 0, 27});
  const Tensor second = Tensor::of<double>({3, 3}, {6, 0, 0, 0, 12, 0, 0, 0, 18});
  check_slice(outputs.at("reverse"), 0, first);
  check_slice(outputs.at("forward"), 0, first);
  check_slice(outputs.at("hessian"), 0, second);
}

TEST_CASE("a vmap without a mapped input is refused") {
  CHECK_THROWS_WITH_AS(vmap(network(), {}),
                       "mithril.ValueError[E0476]: vmap: no input has the new axis\n"
                       "  help: name inputs in in_axes, or parameters in params",
                       ValueError);
}

TEST_CASE("a vmap names all ops without a batching rule") {
  Model net;
  net |= Model::op("unique")({{"input", "x"}, {"size", 2}, {"output", "u"}});
  net |= Model::op("unique")({{"input", "x"}, {"size", 3}, {"output", "v"}});
  CHECK_THROWS_WITH_AS(
      compiled_for_x(vmap(net, {.in_axes = {{"x", 0}}}), {2, 4}),
      "mithril.ValueError[E0427]: vmap cannot compute 'u.row', an op unique: it has no batching "
      "rule "
      "for these inputs; 'v.row', an op unique: it has no batching rule for these inputs\n"
      "  help: compute these outside of vmap, or give the op a batching rule (OpDef::batch)",
      ValueError);
}

TEST_CASE("a state that differs for each index has the axis") {
  Model net;
  net |= Model::op("add")({{"left", "x"}, {"right", "last"}, {"output", "y"}});
  net.bind_state_keys("last", "y", counted({4}));
  net.expose_keys({"y"});
  const CompiledModel alone = compiled_for_x(net, {4});
  const CompiledModel mapped = compiled_for_x(vmap(net, {.in_axes = {{"x", 0}}}), {3, 4});
  const State start = mapped.initial_state_dict(), first = alone.initial_state_dict();
  const Tensor x = counted({3, 4});
  CHECK(start.at("model.last").dims() == Dims{3, 4});
  const auto [all, after] = mapped.evaluate({}, {{"x", x}}, start);
  for (std::int64_t i = 0; i < 3; ++i) {
    check_slice(start.at("model.last"), i, counted({4}));
    const auto [y, next] = alone.evaluate({}, {{"x", slice_of(x, i)}}, first);
    check_slice(all.at("y"), i, y.at("y"));
    check_slice(after.at("model.last"), i, next.at("last"));
  }
}

TEST_CASE("a value inside a vmap is not read outside of it") {
  Model net;
  net |= Tanh()({{"input", "x"}, {"output", "y"}});
  net |= Relu()({{"input", "y"}, {"output", "z"}});
  net.expose_keys({"z"});
  Model outer;
  outer |= vmap(net, {.in_axes = {{"x", 0}}})({{"x", "x"}, {"z", "out"}});
  outer.expose_keys({{"out", outer.at("out")}, {"inner", outer.at("vmap.model.y")}});
  CHECK_THROWS_WITH_AS(
      compiled_for_x(outer, {5, 4}),
      "mithril.ValueError[E0428]: inner: a value inside a vmap is read outside of it\n"
      "  help: make it an output of the model that vmap takes",
      ValueError);
}

}  // namespace mithril::tests
