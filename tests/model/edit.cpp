// Edits of models: each equals a model that was composed so.
#include "mithril/edit/edit.hpp"

#include <doctest/doctest.h>

#include "mithril/json/model_json.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/arithmetic.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"

namespace mithril::tests {
namespace {

Model encoder_of(std::int64_t width, Model activation) {
  Model encoder;
  encoder |= Linear({.dimension = width}).named("fc1")({{"input", "x"}, {"output", "h"}});
  encoder |= activation.named("act")({{"input", "h"}, {"output", "r"}});
  return encoder;
}

Model net_of(std::int64_t width, Model activation, std::int64_t classes) {
  Model net;
  net |= encoder_of(width, std::move(activation)).named("encoder")({{"x", "x"}, {"r", "r"}});
  net |= Linear({.dimension = classes}).named("head")({{"input", "r"}, {"output", "y"}});
  return net;
}

Model chain() {
  Model net;
  net += Linear({.dimension = 8}).named("a");
  net += Tanh().named("t");
  net += Linear({.dimension = 8}).named("b");
  return net;
}

// Refused, and nothing is changed.
template <typename Action>
doctest::String refused(EditableModel& model, Action action) {
  const std::string before = to_json(model);
  doctest::String text;
  try {
    action();
  } catch (const Error& error) {
    text = error.what();
  }
  CHECK(to_json(model) == before);
  return text;
}

}  // namespace

TEST_CASE("a copy to edit equals its model") {
  CHECK(edit(net_of(8, Tanh(), 3)) == net_of(8, Tanh(), 3));
  CHECK(edit(chain()) == chain());
  EditableModel same = edit(net_of(8, Tanh(), 3));
  same.replace("encoder.act", Tanh()).replace("head", Linear({.dimension = 3}));
  CHECK(same == net_of(8, Tanh(), 3));
}

TEST_CASE("replaced parts are connected as the old ones, at all levels") {
  EditableModel model = edit(net_of(8, Tanh(), 3));
  model.replace("head", Linear({.dimension = 5}));
  CHECK(model == net_of(8, Tanh(), 5));
  model.replace("encoder.act", Relu());
  CHECK(model == net_of(8, Relu(), 5));
  model.set_shapes({{"x", {2, 4}}});
  CHECK(model.shape("y") == KnownShape{2, 5});
}

TEST_CASE("sizes that were inferred from a part go with it") {
  Model net = net_of(8, Tanh(), 3);
  net.set_shapes({{"x", {2, 4}}});
  EditableModel model = edit(net);
  model.replace("encoder.fc1", Linear({.dimension = 6}));
  CHECK(model.shape("head.weight") == KnownShape{3, 6});
  CHECK(model.shape("encoder.fc1.weight") == KnownShape{6, 4});
}

TEST_CASE("parts are inserted and removed") {
  EditableModel model = edit(net_of(8, Tanh(), 3));
  const Model before = model;
  model.insert_after("encoder.fc1", LayerNorm());
  CHECK(model.at("encoder.layernorm.output").name() == "encoder.h");
  model.insert_before("head", Relu());
  CHECK(model.at("relu.input").name() == "r");
  model.remove("relu").remove("encoder.layernorm");
  CHECK(model == before);
  EditableModel chained = edit(chain());
  chained.insert_after("t", Relu()).remove("t");
  Model expected;
  expected += Linear({.dimension = 8}).named("a");
  expected += Relu();
  expected += Linear({.dimension = 8}).named("b");
  CHECK(chained == expected);
  chained.remove("a");
  CHECK(chained.input_keys() == std::vector<std::string>{"relu.input", "b.weight", "b.bias"});
}

TEST_CASE("values are exposed, and parts and keys renamed") {
  EditableModel model = edit(net_of(8, Tanh(), 3));
  model.expose("encoder.fc1", "features").rename("encoder.fc1", "first").rename("r", "state");
  CHECK(model.output_keys() == std::vector<std::string>{"state", "y", "features"});
  CHECK(model.input_keys() == std::vector<std::string>{"x", "encoder.first.weight",
                                                       "encoder.first.bias", "head.weight",
                                                       "head.bias"});
}

TEST_CASE("wrapped parts keep the keys of their parameters") {
  EditableModel model = edit(net_of(8, Tanh(), 3));
  model.set_shapes({{"x", {2, 4}}});
  const std::vector<std::string> keys = model.input_keys();
  int calls = 0;
  model.wrap_class("Linear", [&](const Model& part) {
    ++calls;
    CHECK(to_string(part.shape("weight")) == (calls == 1 ? "[8, 4]" : "[3, 8]"));
    Model scaled;
    Bindings bindings{{"output", "h"}};
    for (const std::string& key : part.input_keys()) bindings.emplace_back(key, key);
    scaled |= part(bindings);
    scaled |= Multiply()({{"left", "h"}, {"right", 2.0}, {"output", "output"}});
    scaled.expose_keys({"output"});
    return scaled;
  });
  CHECK(calls == 2);
  CHECK(model.input_keys() == keys);
}

TEST_CASE("a part between values is a model") {
  const EditableModel model = edit(net_of(8, Tanh(), 3));
  Model features = model.extract({{"x", "x"}}, {{"f", "encoder.fc1"}});
  CHECK(features.input_keys() ==
        std::vector<std::string>{"x", "encoder.fc1.weight", "encoder.fc1.bias"});
  CHECK(features.output_keys() == std::vector<std::string>{"f"});
  Model rest = model.extract({{"f", "encoder.fc1"}}, {{"y", "y"}});
  CHECK(rest.input_keys() == std::vector<std::string>{"f", "head.weight", "head.bias"});
  CHECK_THROWS_WITH_AS(model.extract({{"y", "y"}}, {{"f", "encoder.fc1"}}),
                       doctest::Contains("not between"), ConnectionError);
}

TEST_CASE("edits that do not fit are refused and change nothing") {
  EditableModel model = edit(net_of(8, Tanh(), 3));
  model.set_shapes({{"x", {2, 4}}, {"y", {2, 3}}});
  using doctest::Contains;
  const doctest::String shapes =
      refused(model, [&] { model.replace("head", Linear({.dimension = 5})); });
  CHECK(shapes == Contains("set_shapes({\"y\": [2, 3]})"));
  CHECK(shapes == Contains("replace('head', Linear)"));
  CHECK(shapes == Contains("input [2, 8], weight [3, 8], bias [3]"));
  CHECK(refused(model, [&] { model.replace("hed", Tanh()); }) == Contains("head"));
  CHECK(refused(model, [&] {
          model.insert_after("encoder.fc1", Add()({{"right", "act.output"}}));
        }) == Contains("E0102"));
  Model tied;
  tied |= Linear({.dimension = 4}).named("fc")({{"input", "x"}, {"weight", "w"}, {"output", "y"}});
  EditableModel other = edit(tied);
  const doctest::String ports = refused(other, [&] { other.replace("fc", Relu()); });
  CHECK(ports == Contains("Relu has no port 'weight'"));
  CHECK(ports == Contains("key 'w'"));
  CHECK(refused(other, [&] { other.remove("fc"); }) == Contains("nothing would compute 'y'"));
  CHECK(refused(model, [&] { model.rename("head", "encoder"); }) == Contains("already"));
}

TEST_CASE("ops whose outputs leave their model are edited") {
  Model net;
  Model encoder;
  encoder |= Linear({.dimension = 8}).named("fc1")({{"input", "x"}, {"output", "h"}});
  encoder |= Relu()({{"input", "h"}, {"output", "r"}});
  net |= encoder({{"x", "x"}, {"r", "r"}});
  net |= Linear({.dimension = 3}).named("head")({{"input", "r"}, {"output", "y"}});
  EditableModel edited = edit(net);
  edited.replace("head", Linear({.dimension = 10})).remove("model.relu");
  edited.set_shapes({{"x", {2, 4}}});
  CHECK(edited.shape("y") == KnownShape{2, 10});
  EditableModel other = edit(net);
  other.replace("model.relu", Tanh()).insert_after("model.relu", Relu());
  other.set_shapes({{"x", {2, 4}}});
  CHECK(other.at("model.relu_1.output").name() == "r");
}

TEST_CASE("a part is inserted where its output is read") {
  Model inner;
  inner |= Linear({.dimension = 8}).named("l1")({{"input", "x"}, {"output", "h"}});
  inner |= Tanh().named("ad")({{"input", "h"}, {"output", "t"}});
  inner.expose_keys({"t"});
  Model net;
  net |= inner({{"x", "x"}, {"t", "t"}});
  net |= Linear({.dimension = 3}).named("head")({{"input", "t"}, {"output", "y"}});
  EditableModel model = edit(net);
  using doctest::Contains;
  CHECK(refused(model, [&] { model.insert_after("model.x", Relu()); }) == Contains("is an input"));
  CHECK(refused(model, [&] { model.insert_after("model.l1.input", Relu()); }) ==
        Contains("is an input"));
  CHECK(refused(model, [&] { model.insert_before("model.l1.output", Relu()); }) ==
        Contains("is an output"));
  model.insert_after("model.h", Relu());
  CHECK(model.at("model.ad.input").name() == model.at("model.relu.output").name());
  Model chosen;
  chosen |= Linear({.dimension = 8}).named("read")({{"input", "x"}, {"output", "h"}});
  chosen |= Linear({.dimension = 8}).named("unread")({{"input", "h"}});
  chosen.expose_keys({"h"});
  EditableModel other = edit(chosen);
  CHECK(refused(other, [&] { other.insert_after("unread", Relu()); }) ==
        Contains("nothing would read"));
}

TEST_CASE("a binding names a key, a port or a new key") {
  EditableModel model = edit(net_of(8, Tanh(), 3));
  using doctest::Contains;
  CHECK(refused(model, [&] {
          model.insert_after("encoder.fc1", Add()({{"right", "act.outptu"}}));
        }) == Contains("E0606"));
  model.insert_after("head", Add()({{"right", "head.bias"}}));
  CHECK(model.input_keys().size() == 5);
}

TEST_CASE("what extract cannot give is refused") {
  const EditableModel model = edit(net_of(8, Tanh(), 3));
  CHECK_THROWS_WITH_AS(model.extract({{"x", "x"}}, {{"x", "x"}, {"y", "y"}}),
                       doctest::Contains("E0124"), ConnectionError);
}

TEST_CASE("an op alone is extracted") {
  const Model made = edit(Relu()).extract({{"x", "input"}}, {{"y", "output"}});
  CHECK(made.input_keys() == std::vector<std::string>{"x"});
  CHECK(made.output_keys() == std::vector<std::string>{"y"});
}

TEST_CASE("names that are taken or empty are refused") {
  EditableModel model = edit(net_of(8, Tanh(), 3));
  using doctest::Contains;
  CHECK(refused(model, [&] { model.rename("encoder.fc1.weight", "head.weight"); }) ==
        Contains("E0607"));
  CHECK(refused(model, [&] { model.rename("r", ""); }) == Contains("needs a name"));
  CHECK(refused(model, [&] { model.rename("head", ""); }) == Contains("needs a name"));
  CHECK(refused(model, [&] { model.expose("x", "given"); }) == Contains("E0124"));
  CHECK(refused(model, [&] { model.expose("encoder.fc1", "x"); }) == Contains("E0607"));
}

TEST_CASE("a part that is used in two places is not edited") {
  Model net;
  Model layer = Linear({.dimension = 4}).named("first");
  net |= layer({{"input", "x"}, {"output", "h"}});
  net |= layer.shared().named("second")({{"input", "h"}, {"output", "y"}});
  EditableModel model = edit(net);
  for (const char* path : {"first", "second"}) {
    const doctest::String text =
        refused(model, [&] { model.replace(path, Linear({.dimension = 4})); });
    CHECK(text == doctest::Contains("E0123"));
    CHECK(text == doctest::Contains("first"));
    CHECK(text == doctest::Contains("second"));
  }
  model.insert_after("first", Relu());
  model.rename("first.weight", "w").rename("first.bias", "b");
  model.replace("second", Linear({.dimension = 4}));
  CHECK(model.input_keys() == std::vector<std::string>{"x", "w", "b"});
}

TEST_CASE("constraints survive edits") {
  Model net = net_of(8, Tanh(), 3);
  net.add_constraint([](Solver&) { return true; }, {"x", "y"});
  EditableModel model = edit(net);
  model.replace("encoder.act", Relu());
  Model expected = net_of(8, Relu(), 3);
  expected.add_constraint([](Solver&) { return true; }, {"x", "y"});
  CHECK(model == expected);
}

}  // namespace mithril::tests
