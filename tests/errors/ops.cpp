// The errors that ops raise: when they are composed, compiled, differentiated and evaluated, as
// text.
#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/models/library.hpp"
#include "mithril/models/sequences.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

Model one(const char* op, Bindings bindings) {
  Model model;
  model |= Model::op(op)(std::move(bindings));
  return model;
}

}  // namespace

TEST_CASE("an unknown value of a graph gives the nearest") {
  const Graph graph = parse_graph("graph { input image: float32[2] }");
  CHECK(text_of_error([&] { graph.id_of("imgae"); }) ==
        "mithril.NameError[E0601]: there is no value 'imgae'\n"
        "  known : image\n"
        "  help: did you mean 'image'?");
}

TEST_CASE("a shape that an op cannot take is refused with the dims that it read") {
  Model model = one("squeeze", {{"input", "x"}, {"axis", 0}, {"output", "y"}});
  CHECK(text_of_error([&] {
          model.set_shapes({{"x", {3, 2}}});
        }) ==
        "mithril.ShapeError[E0206]: squeeze: axis 0 cannot be squeezed\n"
        "  expected : size 1\n"
        "  got      : size 3\n"
        "  input    : [3, 2]   on x, pattern \"*s\"\n"
        "  output   : [...]    on y, pattern \"*o\"");
}

TEST_CASE("a value that an op cannot take is refused") {
  Model model = one("softmax", {{"input", "x"}, {"axis", 2}, {"output", "y"}});
  CHECK(text_of_error([&] {
          model.set_shapes({{"x", {3, 2}}});
        }) ==
        "mithril.ValueError[E0402]: softmax: axis 2 is out of range for rank 2\n"
        "  expected : -2 to 1\n"
        "  got      : 2\n"
        "  input    : [3, 2]   on x, pattern \"*s\"\n"
        "  output   : [3, 2]   on y, pattern \"*s\"");
}

TEST_CASE("compiling asks for a value that has no source") {
  const Model model = one("softmax", {{"input", "x"}, {"axis", "axis"}, {"output", "y"}});
  CHECK(
      text_of_error([&] { compile(model, cpu()); }) ==
      "mithril.ValueError[E0403]: y: softmax: the value of port 'axis' is not known\n"
      "  help: bind it to a value, or state one with set_values; a string in a binding is the name "
      "of a key");
}

TEST_CASE("a value that follows from a shape of unknown rank is named with its tensor") {
  CHECK(text_of_error([&] { compile(RotaryEmbedding(), cpu()); }) ==
        "mithril.ValueError[E0403]: arange: the value of port 'stop' is not known: it follows from "
        "the shape of 'input', whose rank is not known\n"
        "  input : [..., L, D]\n"
        "  help: state the shape: shapes of compile, or set_shapes");
  const CompiledModel compiled =
      compile(RotaryEmbedding(), cpu(), {.shapes = {{"input", {any, any, 4}}}});
  const Tensor x(DType::float32, {2, 3, 4});
  CHECK(compiled.evaluate({}, {{"input", x}}).at("output").dims() == Dims{2, 3, 4});
}

TEST_CASE("a mask of attention that does not fit the scores is refused") {
  Model model = one("attention_weights",
                    {{"query", "q"}, {"key", "k"}, {"attn_mask", "mask"}, {"output", "y"}});
  model.set_shapes({{"q", {2, 3, 4}}, {"k", {2, 5, 4}}});
  model.set_types({{"mask", kind::bool_tensor}});
  CHECK(text_of_error([&] {
          model.set_shapes({{"mask", {2, 3}}});
        }) ==
        "mithril.ShapeError[E0206]: attentionweights: port 'attn_mask' does not broadcast to the "
        "scores, [..., 3, 5]\n"
        "  expected  : 1 or 5 at axis -1\n"
        "  got       : 3\n"
        "  query     : [2, 3, 4]   on q, pattern \"*q L E\"\n"
        "  key       : [2, 5, 4]   on k, pattern \"*k S E\"\n"
        "  attn_mask : [2, 3]      on mask, pattern \"*m\"\n"
        "  output    : [2, 3, 5]   on y, pattern \"*o L S\"\n"
        "  L         : 3           given by set_shapes({\"q\": [2, 3, 4]})\n"
        "  E         : 4           given by set_shapes({\"q\": [2, 3, 4]})\n"
        "  S         : 5           given by set_shapes({\"k\": [2, 5, 4]})");
}

TEST_CASE("dropout in the op of attention is refused with a hint to the model Attention") {
  CHECK(text_of_error([] {
          Model model;
          model |= Model::op("scaled_dot_product", {{"dropout_p", 0.1}})(
              {{"query", "query"}, {"key", "key"}, {"value", "value"}, {"output", "output"}});
        }) ==
        "mithril.ValueError[E0402]: primitivescaleddotproduct: port 'dropout_p' asks for weights "
        "dropped at random\n"
        "  expected : 0; the model ScaledDotProduct drops them, with a key\n"
        "  got      : 0.1\n"
        "  query    : [..., ?1, ?2]   on query, pattern \"*q L E\"\n"
        "  key      : [..., ?3, ?2]   on key, pattern \"*k S E\"\n"
        "  value    : [..., ?3, ?4]   on value, pattern \"*v S F\"\n"
        "  output   : [..., ?1, ?4]   on output, pattern \"*o L F\"");
}

TEST_CASE("division of an int by zero is refused where it happens") {
  const Model model =
      one("floor_divide", {{"numerator", "a"}, {"denominator", "b"}, {"output", "y"}});
  const CompiledModel compiled =
      compile(model, cpu(), {.types = {{"a", kind::int_tensor}, {"b", kind::int_tensor}}});
  CHECK(text_of_error([&] {
          compiled.evaluate(
              {}, {{"a", Tensor::of<int64_t>({1}, {7})}, {"b", Tensor::of<int64_t>({1}, {0})}});
        }) ==
        "mithril.ValueError[E0404]: y: floor_divide: an int is divided by zero, at port "
        "'denominator'\n"
        "  help: divide floats, where the result is infinite");
}

TEST_CASE("a class out of range is refused where it is read") {
  const Model model =
      one("cross_entropy", {{"input", "logits"}, {"target", "y"}, {"output", "loss"}});
  const CompiledModel compiled = compile(model, cpu(), {.types = {{"y", kind::int_tensor}}});
  CHECK(text_of_error([&] {
          compiled.evaluate({}, {{"logits", Tensor(DType::float32, {1, 3})},
                                 {"y", Tensor::of<int64_t>({1}, {3})}});
        }) ==
        "mithril.ValueError[E0412]: loss.pick_class_1: pick_class: class 3 is out of range for 3 "
        "classes\n"
        "  expected : 0 to 2\n"
        "  index    : 3\n"
        "  help: number the classes from 0 on");
}

TEST_CASE("an op without a gradient says why when one is asked for") {
  OpDef stairs = find_op("relu");
  stairs.name = "stairs";
  stairs.grad = nullptr;
  stairs.not_differentiable = "its slope is zero wherever it has one";
  Graph graph;
  const ValueId x = graph.add_input({.name = "x", .dims = {3}});
  graph.add_output("y", graph.add(stairs, {x}, "steps").front());
  CHECK(text_of_error([&] { differentiate(graph, {.outputs = {"y"}, .wanted = {"x"}}); }) ==
        "mithril.GradientError[E0501]: steps: no gradient flows through op 'stairs' to its port "
        "'input'\n"
        "  reason : its slope is zero wherever it has one\n"
        "  help: declare the inputs before it as not differentiable, or do without this op");
}

TEST_CASE("the gradient of an integer is refused when it is asked for") {
  const Model model = one("greater", {{"left", "x"}, {"right", "w"}, {"output", "larger"}});
  const CompiledModel compiled = compile(model, cpu());
  const Tensor number = Tensor::of<float>({1}, {1});
  CHECK(text_of_error([&] {
          compiled.evaluate({{"w", number}}, {{"x", number}},
                            {{"larger", Tensor::of<bool>({1}, {true})}});
        }) ==
        "mithril.GradientError[E0502]: larger: output 'larger' is bool: only float tensors have "
        "gradients");
}

}  // namespace mithril
