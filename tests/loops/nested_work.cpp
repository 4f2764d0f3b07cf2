// The work of compiling loops in loops: each body is differentiated and batched once.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/graph/batch_context.hpp"
#include "mithril/graph/grad_context.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/models/derivatives.hpp"
#include "mithril/models/scan.hpp"
#include "mithril/models/vmap.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril::tests {
namespace {

int calls_of_rules = 0;
void (*gradient_of_sin)(GradContext&) = nullptr;

// While it exists, counts how often nodes of op `sin` are differentiated and batched.
class CountedRules {
 public:
  CountedRules() : sin_(const_cast<OpDef&>(find_op("sin"))), batch_(sin_.batch) {
    gradient_of_sin = sin_.grad;
    calls_of_rules = 0;
    sin_.grad = [](GradContext& context) {
      ++calls_of_rules;
      gradient_of_sin(context);
    };
    sin_.batch = [](BatchContext& context) {
      ++calls_of_rules;
      batch_by_patterns(context);
    };
  }
  ~CountedRules() {
    sin_.grad = gradient_of_sin;
    sin_.batch = batch_;
  }
  CountedRules(const CountedRules&) = delete;
  CountedRules& operator=(const CountedRules&) = delete;

 private:
  OpDef& sin_;  // of the registry
  void (*batch_)(BatchContext&);
};

std::string carry_of(int level) { return "h" + std::to_string(level); }

// Loops in loops. Each has a carry of its own, which begins anew in each step of the loop around
// it. The result is a stack, so that no carry has a gradient at first.
Model nested_loops(int depth) {
  const Connection x(IOKey{.name = "x", .shape = ShapeSpec{3}});
  const Connection h(IOKey{.name = "h0", .shape = ShapeSpec{3}});
  Model body = Model::create({{"h0_next", (x * h).sin()}, {"y", h * x}});
  for (int level = 0;; ++level) {
    const std::string carry = carry_of(level);
    Model loop =
        Scan(body, {.carry = {{carry, carry + "_next"}}, .sequences = {"x"}, .outputs = {"y"}});
    if (level + 1 == depth) return loop;
    const std::string outer = carry_of(level + 1);
    Bindings ports{{"y", "inner"}};
    for (const std::string& key : loop.input_keys()) ports.emplace_back(key, key);
    body = Model();
    body |= loop(ports);
    body |= Model::op("sum")({{"input", "inner"}, {"axis", 0}, {"output", "s"}});
    body |= Model::op("multiply")({{"left", outer}, {"right", "s"}, {"output", outer + "_next"}});
    body |= Model::op("add")({{"left", outer}, {"right", "s"}, {"output", "y"}});
    body.set_shapes({{outer, ShapeSpec{3}}});
    body.expose_keys({outer + "_next", "y"});
  }
}

// Loops in loops without sequences, of 2 steps each. What a loop reads depends on the carry of the
// loop around it.
Model loops_of_carries(int depth) {
  const Connection x(IOKey{.name = "x", .shape = ShapeSpec{3}});
  const Connection h(IOKey{.name = "h0", .shape = ShapeSpec{3}});
  Model body = Model::create({{"h0_next", (x * h).sin()}});
  for (int level = 0;; ++level) {
    const std::string carry = carry_of(level), outer = carry_of(level + 1);
    Model loop = Scan(body, {.carry = {{carry, carry + "_next"}}, .length = Binding(2)});
    if (level + 1 == depth) return loop;
    Bindings ports{{carry + "_last", "inner"}};
    for (const std::string& key : loop.input_keys()) ports.emplace_back(key, key);
    for (auto& [key, bound] : ports) {
      if (key == "x") bound = "mixed";
    }
    body = Model();
    body |= Model::op("add")({{"left", "x"}, {"right", outer}, {"output", "mixed"}});
    body |= loop(ports);
    body |=
        Model::op("multiply")({{"left", outer}, {"right", "inner"}, {"output", outer + "_next"}});
    body.set_shapes({{outer, ShapeSpec{3}}, {"x", ShapeSpec{3}}});
    body.expose_keys({outer + "_next"});
  }
}

NestedWork work_of_compile(const Model& model) {
  std::vector<KeyRef> keys;
  for (const std::string& key : model.input_keys()) keys.emplace_back(key);
  const NestedWork before = nested_work();
  compile(model, cpu({.dtype = DType::float64}), {.data_keys = keys});
  return {.texts = nested_work().texts - before.texts,
          .copies = nested_work().copies - before.copies};
}

std::vector<KeyRef> keys_of(int depth) {
  std::vector<KeyRef> keys{"x"};
  for (int level = 0; level < depth; ++level) keys.emplace_back(carry_of(level));
  return keys;
}

Tensor values_of_nested(const Dims& dims) {
  Tensor made(DType::float64, dims);
  double next = 0.1;
  for (double& element : made.mutable_values<double>()) element = next += 0.07;
  return made;
}

}  // namespace

TEST_CASE("the gradient of loops in loops differentiates each body once") {
  for (int depth = 1; depth <= 6; ++depth) {
    CAPTURE(depth);
    Dims x(static_cast<size_t>(depth), 2);
    x.push_back(3);
    const CompiledModel compiled =
        compile(nested_loops(depth), cpu({.dtype = DType::float64}), {.data_keys = keys_of(depth)});
    TensorMap data;
    for (int level = 0; level < depth; ++level) data[carry_of(level)] = values_of_nested({3});
    data["x"] = values_of_nested(x);
    const Dims made = compiled.evaluate({}, data).at("y").dims();
    const CountedRules counted;
    compiled.evaluate({}, data, {{"y", values_of_nested(made)}}, {.gradient_keys = {"x"}});
    CHECK(calls_of_rules == 1);
  }
}

TEST_CASE("a vmap of loops in loops batches each body once") {
  for (int depth = 1; depth <= 6; ++depth) {
    CAPTURE(depth);
    const Model mapped = vmap(nested_loops(depth), {.in_axes = {{"x", 0}}, .size = 2});
    const CountedRules counted;
    compile(mapped, cpu({.dtype = DType::float64}), {.data_keys = keys_of(depth)});
    CHECK(calls_of_rules == 1);
  }
}

TEST_CASE("the work of compiling loops in loops grows with their number") {
  using Derive = Model (*)(const Model&, const std::string&);
  const Derive derivatives[] = {
      [](const Model& model, const std::string&) { return model; },
      [](const Model& model, const std::string& of) {
        return Gradient(model, {.of = of, .wrt = {"x"}});
      },
      [](const Model& model, const std::string& of) {
        return Jvp(model, {.of = of, .wrt = {"x"}});
      },
      [](const Model& model, const std::string&) {
        return vmap(model, {.in_axes = {{"x", 0}}, .size = 2});
      },
  };
  for (const Derive& derive : derivatives) {
    CAPTURE(&derive - derivatives);
    const auto copies = [&](int depth) {
      const NestedWork work =
          work_of_compile(derive(loops_of_carries(depth), carry_of(depth - 1) + "_last"));
      CHECK(work.texts == 0);
      return work.copies;
    };
    const int64_t of_four = copies(4), of_eight = copies(8), of_sixteen = copies(16);
    CHECK(of_four > 0);
    CHECK(of_sixteen - of_eight == 2 * (of_eight - of_four));
  }
}

}  // namespace mithril::tests
