// Programs of checked inputs: their ports, evaluations by themselves and joined, and states.
#include "mithril/compile/inference_program.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/dropout.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

using Texts = std::vector<std::string>;

Tensor floats(Dims dims, const std::vector<float>& values) {
  return Tensor::of<float>(std::move(dims), values);
}

// twice [N, 2*L] is x [N, L] beside x, and scaled [N, L] is x * w. Dropout changes training alone.
CompiledModel doubling() {
  Model model;
  model |= Dropout()({{"input", "x"}, {"output", "kept"}});
  model |= Model::op("concat")(
      {{"input", std::vector<Binding>{"kept", "kept"}}, {"axis", 1}, {"output", "twice"}});
  model |= Model::op("multiply")({{"left", "kept"}, {"right", "w"}, {"output", "scaled"}});
  model.expose_keys({"twice", "scaled"});
  return compile(model, cpu(), {.shapes = {{"x", {"N", "L"}}, {"w", {}}}, .data_keys = {"x"}});
}

// total is the state; y = (total + x) * w.
CompiledModel summing() {
  Model model;
  model |= Model::op("add")({{"left", "x"}, {"right", "total"}, {"output", "sum"}});
  model.bind_state_keys("total", "sum", floats({2}, {10, 20}));
  model |= Model::op("multiply")({{"left", "sum"}, {"right", "w"}, {"output", "y"}});
  return compile(model, cpu(), {.data_keys = {"x"}, .inference = true});
}

Texts texts_of(const ProgramPort& port) {
  Texts texts;
  for (const ProgramSize& size : port.sizes.value()) texts.push_back(size.text);
  return texts;
}

const TensorMap two_as_weight = {{"w", floats({}, {2})}};

}  // namespace

TEST_CASE("a program knows the sizes of the values of its graph") {
  const InferenceProgram program(doubling());
  const Graph& graph = program.graph();
  const ValueId x = graph.inputs()[program.inputs().front().index];
  REQUIRE(program.size(x, 1).has_value());
  CHECK(program.size(x, 1)->text == "L");
  CHECK(!program.size(x, 1)->number.has_value());
  CHECK(!program.size(x, 2).has_value());
  const InferenceProgram fixed(compile(Model::op("relu"), cpu(), {.shapes = {{"input", {2, 3}}}}));
  CHECK(fixed.size(fixed.graph().inputs()[0], 1)->number == 3);
}

TEST_CASE("the ports of a program have the sizes of the model as symbols") {
  const InferenceProgram program(doubling());
  CHECK(names_of(program.inputs()) == Texts{"x"});
  CHECK(names_of(program.outputs()) == Texts{"twice", "scaled"});
  CHECK(program.states().empty());
  const ProgramPort& x = program.inputs().front();
  CHECK(x.dtype == DType::float32);
  CHECK(texts_of(x) == Texts{"N", "L"});
  const ProgramPort* twice = port_named(program.outputs(), "twice");
  REQUIRE(twice);
  CHECK(texts_of(*twice) == Texts{"N", "2*L"});
  CHECK(twice->sizes->back().symbols == Texts{"L"});
  CHECK_FALSE(twice->sizes->back().number);
  CHECK(texts_of(*port_named(program.outputs(), "scaled")) == texts_of(x));
  CHECK(port_named(program.outputs(), "x") == nullptr);
}

TEST_CASE("a size that is a number has no symbols") {
  Model model;
  model |= Model::op("exp")({{"input", "x"}, {"output", "y"}});
  const InferenceProgram program(
      compile(model, cpu(), {.shapes = {{"x", {"N", 3}}}, .data_keys = {"x"}}));
  const ProgramSize& size = program.inputs().front().sizes->back();
  CHECK(size.text == "3");
  CHECK(size.number == 3);
  CHECK(size.symbols.empty());
}

TEST_CASE("checked inputs are evaluated as infer does, also joined along the batch axis") {
  const CompiledModel compiled = doubling();
  const InferenceProgram program(compiled);
  const TensorMap first = {{"x", floats({1, 2}, {1, 2})}};
  const TensorMap both = {{"x", floats({2, 2}, {1, 2, 3, 4})}};
  const std::vector<Tensor> one = program.check(two_as_weight, first);
  const TensorMap outputs = program.run(one), expected = compiled.infer(two_as_weight, first);
  CHECK(outputs.keys() == expected.keys());
  for (const auto& [key, tensor] : outputs) CHECK(identical(tensor, expected.at(key)));
  std::vector<Tensor> joined = one;
  joined[program.inputs().front().index] = both.at("x");
  CHECK(identical(program.run(joined).at("twice"), floats({2, 4}, {1, 2, 1, 2, 3, 4, 3, 4})));
}

TEST_CASE("inputs of another width are converted, and those that do not fit are refused") {
  const InferenceProgram program(doubling());
  const Tensor wide = Tensor::of<double>({1, 2}, std::vector<double>{1, 2});
  CHECK(identical(program.run(program.check(two_as_weight, {{"x", wide}})).at("scaled"),
                  floats({1, 2}, {2, 4})));
  CHECK(text_of_error([&] {
          program.check(two_as_weight, {{"x", floats({2}, {1, 2})}});
        }).starts_with("mithril.InputError[E0803]: 'x'"));
  CHECK(text_of_error([&] {
          program.check(two_as_weight, {}, {.data_name = "the request"});
        }).starts_with("mithril.InputError[E0801]: the request lacks x"));
}

TEST_CASE("a run with a state replaces it with the next one") {
  const CompiledModel compiled = summing();
  const InferenceProgram program(compiled);
  CHECK(names_of(program.states()) == Texts{"total"});
  CHECK(program.state_bytes() == 8);
  const std::vector<Tensor> inputs = program.check(two_as_weight, {{"x", floats({2}, {1, 1})}});
  State state = program.initial_state();
  CHECK(identical(program.run(inputs, state).at("y"), floats({2}, {22, 42})));
  CHECK(identical(state.at("total"), floats({2}, {11, 21})));
  CHECK(identical(program.run(inputs, state).at("y"), floats({2}, {24, 44})));
  // The initial state, and runs that begin with it, stay as they are.
  CHECK(identical(program.initial_state().at("total"), floats({2}, {10, 20})));
  CHECK(identical(program.run(inputs).at("y"), floats({2}, {22, 42})));
}

TEST_CASE("the bytes of a program are those of its constants") {
  const TensorMap params = {{"w", floats({2}, {1, 2})}};
  const InferenceProgram bound(summing().bind(params)), unbound(summing());
  CHECK(bound.bytes() == 8);
  CHECK(unbound.bytes() == 0);
}

TEST_CASE("a program calls the hooks that the model has when it is made") {
  CompiledModel compiled = doubling();
  int calls = 0;
  HookHandle handle = compiled.register_hook("scaled", [&](const Tensor&) -> std::optional<Tensor> {
    ++calls;
    return std::nullopt;
  });
  const InferenceProgram hooked(compiled);
  const std::vector<Tensor> inputs = hooked.check(two_as_weight, {{"x", floats({1, 1}, {3})}});
  hooked.run(inputs);
  CHECK(calls == 1);
  handle.remove();
  const InferenceProgram plain(compiled);
  plain.run(plain.check(two_as_weight, {{"x", floats({1, 1}, {3})}}));
  CHECK(calls == 1);
}

}  // namespace mithril::tests
