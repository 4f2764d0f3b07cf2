// The errors of composing models, as text.
#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "mithril/model/connection.hpp"
#include "mithril/model/model.hpp"
#include "mithril/models/convolution.hpp"
#include "mithril/models/pooling.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;
using tests::without_known;

Model relu() { return Model::op("relu"); }

Model with_relu(const char* input, const char* output) {
  Model model;
  model |= relu()({{"input", input}, {"output", output}});
  return model;
}

}  // namespace

TEST_CASE("two outputs for one connection are named") {
  Model model = with_relu("a", "y");
  CHECK(text_of_error([&] {
          model |= relu()({{"input", "b"}, {"output", "y"}});
        }) ==
        "mithril.ConnectionError[E0101]: y: two outputs drive one connection\n"
        "  first  : relu\n"
        "  second : relu_1\n"
        "  help: give one of the outputs another name");
}

TEST_CASE("a tensor for a connection that has a source is refused") {
  Model model = with_relu("a", "y");
  CHECK(text_of_error([&] {
          model.set_values({{"y", Tensor(DType::float32, {2})}});
        }) ==
        "mithril.ConnectionError[E0101]: y: a tensor is given to a connection that has a source "
        "already");
}

TEST_CASE("a cycle is shown") {
  Model model = with_relu("a", "b");
  model |= relu()({{"input", "b"}, {"output", "c"}});
  CHECK(text_of_error([&] {
          model |= relu()({{"input", "c"}, {"output", "a"}});
        }) ==
        "mithril.ConnectionError[E0102]: relu_2: its output flows back into its own input\n"
        "  cycle : relu_2 <- relu <- relu_1 <- relu_2\n"
        "  help: bind one of these ports to another name; for recurrence over calls use "
        "bind_state_keys");
}

TEST_CASE("a part has one parent") {
  const Model part = relu();
  Model model;
  model |= part({{"input", "a"}});
  CHECK(text_of_error([&] {
          model |= part({{"input", "b"}});
        }) ==
        "mithril.ConnectionError[E0103]: relu: this part belongs to a model already\n"
        "  help: make a new part for each place; part.shared() makes one that reads the same "
        "parameters and states");
  CHECK(text_of_error([&] { model |= model; }) ==
        "mithril.ConnectionError[E0103]: a model cannot be a part of itself\n"
        "  help: make a new part for each place; part.shared() makes one that reads the same "
        "parameters and states");
}

TEST_CASE("a model that is a part is frozen") {
  Model inner = with_relu("a", "b");
  Model outer;
  outer |= inner({{"a", "x"}});
  CHECK(text_of_error([&] {
          inner |= relu()({{"input", "b"}});
        }) ==
        "mithril.ConnectionError[E0104]: model: this model is a part of another and cannot be "
        "changed any more\n"
        "  help: change it before it is added, or change the outer model");
}

TEST_CASE("a chain needs one end") {
  Model model = with_relu("a", "b");
  model |= relu()({{"input", "a"}, {"output", "c"}});
  CHECK(text_of_error([&] { model += relu(); }) ==
        "mithril.ConnectionError[E0105]: the canonical output of the model is not unique\n"
        "  candidates : b, c\n"
        "  help: name the port, or choose one with set_cin or set_cout");
}

TEST_CASE("a chain needs one beginning") {
  Model two = with_relu("a", "b");
  two |= relu()({{"input", "c"}, {"output", "d"}});
  Model model = with_relu("x", "y");
  CHECK(text_of_error([&] { model += two; }) ==
        "mithril.ConnectionError[E0105]: the canonical input of the part is not unique\n"
        "  candidates : a, c\n"
        "  help: name the port, or choose one with set_cin or set_cout");
}

TEST_CASE("a connection of a model that is not one of the parts is refused") {
  Model other = with_relu("a", "b");
  Model model;
  CHECK(text_of_error([&] {
          model |= relu()({{"input", other.at("b")}});
        }) ==
        "mithril.ConnectionError[E0107]: connection 'b' belongs to another model\n"
        "  help: add that model as a part first, or use its ports by name");
}

TEST_CASE("a connection whose model is gone is refused") {
  std::optional<Model> outer{Model()};
  Model inner = with_relu("a", "b");
  *outer |= inner({{"a", "x"}});
  const Connection b = inner.at("b");
  outer.reset();
  CHECK(text_of_error([&] { b.name(); }) ==
        "mithril.ConnectionError[E0108]: this part belonged to a model that is gone\n"
        "  help: keep the outer model for as long as its parts are used");
  CHECK(text_of_error([&] { inner.at("b"); }) ==
        "mithril.ConnectionError[E0108]: this part belonged to a model that is gone\n"
        "  help: keep the outer model for as long as its parts are used");
}

TEST_CASE("a list port takes a list") {
  Model model;
  CHECK(text_of_error([&] {
          model |= Model::op("concat")({{"input", "x"}});
        }) ==
        "mithril.ConnectionError[E0109]: port 'input' of Concat takes a list\n"
        "  help: bind it to a list of names, connections or values");
}

TEST_CASE("an op whose list of outputs is empty is refused") {
  Model model;
  CHECK(text_of_error([&] {
          model |= Model::op("split", {{"sizes", Datum(Tuple{})}})({{"input", "x"}});
        }) ==
        "mithril.ConnectionError[E0109]: PrimitiveSplit has no outputs: the list at "
        "port 'sizes' is empty\n"
        "  help: give one item or more");
}

TEST_CASE("a part is not applied to more than it takes") {
  const Connection x("x");
  CHECK(text_of_error([&] { relu()(x, x, x); }) ==
        "mithril.ConnectionError[E0110]: Relu takes 1 inputs, not 3");
}

TEST_CASE("state needs an open input and an output") {
  Model model = with_relu("a", "b");
  CHECK(text_of_error([&] { model.bind_state_keys("b", "a", Tensor(DType::float32, {2})); }) ==

        "mithril.ConnectionError[E0111]: state needs an open input and an output of an op\n"
        "  input  : b   has a source\n"
        "  output : a   nothing makes it");
}

TEST_CASE("a shape has no negative dims and one run") {
  Model model = with_relu("a", "b");
  CHECK(text_of_error([&] {
          model.set_shapes({{"a", {2, -1}}});
        }) == "mithril.ShapeError[E0204]: a: the shape [2, -1] has a negative dim");
  CHECK(text_of_error([&] {
          model.set_shapes({{"a", {rest(), 3, rest()}}});
        }) ==
        "mithril.ShapeError[E0207]: a: the shape [..., 3, ...] has two runs of unknown length");
}

TEST_CASE("integers are not differentiable") {
  Model model = with_relu("a", "b");
  model.set_types({{"a", kind::int_tensor}});
  CHECK(text_of_error([&] {
          model.set_differentiability({{"a", true}});
        }) ==
        "mithril.TypeError[E0303]: a: only float tensors can be differentiable\n"
        "  type : int tensor");
}

TEST_CASE("an unknown key gives the nearest") {
  Model model = with_relu("image", "logits");
  const std::string expected =
      "mithril.NameError[E0606]: there is no key 'imgae'\n"
      "  known : image, logits\n"
      "  help: did you mean 'image'?";
  CHECK(text_of_error([&] { model.set_shapes({{"imgae", {1}}}); }) == expected);
  CHECK(text_of_error([&] { model.set_types({{"imgae", kind::tensor}}); }) == expected);
  CHECK(text_of_error([&] { model.set_values({{"imgae", 1}}); }) == expected);
  CHECK(text_of_error([&] { model.set_differentiability({{"imgae", true}}); }) == expected);
  CHECK(text_of_error([&] { model.set_initializer("imgae", {}); }) == expected);
  CHECK(text_of_error([&] { model.set_cin({"imgae"}); }) == expected);
  CHECK(text_of_error([&] { model.set_cout({"imgae"}); }) == expected);
  CHECK(text_of_error([&] { model.expose_keys(std::vector<std::string>{"imgae"}); }) == expected);
  CHECK(text_of_error([&] { model.rename_key("imgae", "x"); }) == expected);
  CHECK(text_of_error([&] { model.merge_connections({"imgae", "logits"}); }) == expected);
  CHECK(text_of_error([&] { model.bind_state_keys("imgae", "logits", Tensor()); }) == expected);
  CHECK(text_of_error([&] { model.at("imgae"); }) == expected);
  CHECK(text_of_error([&] { model.shape("imgae"); }) == expected);
}

TEST_CASE("a key is renamed to a name that is free") {
  Model model = with_relu("a", "b");
  CHECK(text_of_error([&] { model.rename_key("a", "b"); }) ==
        "mithril.NameError[E0607]: there is a key 'b' already\n"
        "  help: choose another name, or join the two with merge_connections");
}

TEST_CASE("an unknown port gives the nearest") {
  Model model;
  CHECK(text_of_error([&] {
          model |= relu()({{"inptu", "x"}});
        }) ==
        "mithril.NameError[E0604]: Relu has no port 'inptu'\n"
        "  known : input, output\n"
        "  help: did you mean 'input'?");
  CHECK(text_of_error([&] {
          model |= with_relu("image", "logits")({{"imgae", "x"}});
        }) ==
        "mithril.NameError[E0604]: Model has no port 'imgae'\n"
        "  known : image, logits\n"
        "  help: did you mean 'image'?");
}

TEST_CASE("an unknown op gives the nearest") {
  CHECK(without_known(text_of_error([] { Model::op("rellu"); })) ==
        "mithril.NameError[E0602]: there is no op 'rellu'\n"
        "  help: did you mean 'relu'?");
}

TEST_CASE("an unknown argument of an op gives the nearest") {
  CHECK(text_of_error([] {
          Model::op("softmax", {{"axsi", 1}});
        }) ==
        "mithril.NameError[E0605]: Softmax has no argument 'axsi'\n"
        "  known : input, axis\n"
        "  help: did you mean 'axis'?");
}

TEST_CASE("parts are chained from inputs to outputs") {
  Model model;
  model |= Model::op("relu")({{"input", "x"}, {"output", "y"}});
  CHECK(text_of_error([&] { model.set_cin({"y"}); }) ==
        "mithril.NameError[E0611]: 'y' of set_cin is not an input of the model\n"
        "  inputs : x");
  CHECK(text_of_error([&] { model.set_cout({"x"}); }) ==
        "mithril.NameError[E0611]: 'x' of set_cout is not an output of the model\n"
        "  outputs : y");
}

TEST_CASE("a port is bound once") {
  CHECK(text_of_error([] {
          Model::op("add")({{"left", "a"}, {"right", "b"}, {"left", "c"}});
        }) ==
        "mithril.ConnectionError[E0112]: port 'left' of Add is bound twice\n"
        "  ports : left, right, output\n"
        "  help: bind each port once; bindings without a name are those of the ports in this "
        "order");
}

TEST_CASE("an interval begins before it ends") {
  CHECK(text_of_error([] {
          Connection(IOKey{.name = "x", .interval = {{3, 2}}});
        }) ==
        "mithril.ValueError[E0409]: x: an interval ends before it begins\n"
        "  got : 3.000000 to 2.000000");
}

TEST_CASE("a key is described as differentiable only where it can be") {
  CHECK(text_of_error([] {
          Connection(IOKey{.name = "x", .type = kind::int_tensor, .differentiable = true});
        }) ==
        "mithril.TypeError[E0303]: x: only float tensors can be differentiable\n"
        "  type : int tensor");
}

TEST_CASE("a string is not taken for a name where the port has a value") {
  Model model;
  CHECK(
      text_of_error([&] {
        model |= Conv2d({.filters = 4, .kernel_size = 3})({{"input", "x"}, {"padding", "same"}});
      }) ==
      "mithril.ConnectionError[E0120]: conv2d: port 'padding' of Conv2d has a value, and 'same' is "
      "the name of a new key\n"
      "  value : 0\n"
      "  help: a string in a binding is a name: give another value to the constructor, as "
      "'padding' "
      "(in C++ text is Datum(\"same\")); IOKey(\"same\") names the value that the port has");
  CHECK(model.input_keys().empty());
  CHECK(text_of_error([&] {
          model |= Conv2d({.filters = 4, .kernel_size = 3})({{"stride", {"2", 1}}});
        }).find("port 'stride' of Conv2d has a value, and '2' is") != std::string::npos);
  CHECK(text_of_error([&] {
          model |= Model::op("mean", {{"axis", 1}})({{"axis", "0"}});
        }).find("port 'axis' of Mean has a value, and '0' is") != std::string::npos);
}

TEST_CASE("a key that exists or an IOKey names the value of a port") {
  Model model;
  model |= Model::op("mean")({{"input", "x"}, {"axis", "axis"}});
  model |= MaxPool2D({.kernel_size = 2})({{"input", "z"}, {"stride", IOKey{"s"}}});
  model |= MaxPool2D({.kernel_size = 2})({{"input", "w"}, {"stride", "s"}});
  CHECK(model.input_keys() == std::vector<std::string>{"x", "axis", "z", "w"});
}

}  // namespace mithril
