// The errors of reading a model, as text; each names the place.
#include <doctest/doctest.h>

#include "mithril/base/error.hpp"
#include "mithril/infer/facts.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/op/solver.hpp"

namespace mithril {
namespace {

std::string refusal_of_model(std::string_view text) {
  try {
    from_json(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was raised";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Returns the JSON of a chain of two parts with further fields.
std::string chain(const std::string& connections, const std::string& more = "") {
  return R"({"name": "Model", "submodels": {"m1": {"name": "Linear", "args": {"dimension": 3}},
             "m2": {"name": "Relu"}}, "connections": {)" +
         connections + "}" + more + "}";
}

}  // namespace

TEST_CASE("JSON names only models and ops that are registered") {
  const std::string text =
      refusal_of_model(R"({"name": "Model", "submodels": {"m1": {"name": "Linaer"}}})");
  CHECK(first_line(text) ==
        "mithril.NameError[E0608]: /submodels/m1/name: there is no model 'Linaer'");
  CHECK(text.ends_with("\n  help: did you mean 'Linear'?"));
  CHECK(first_line(refusal_of_model(R"({"name": "Lniear", "args": {"dimension": 2}})")) ==
        "mithril.NameError[E0608]: /name: there is no model 'Lniear'");
  CHECK(first_line(refusal_of_model(R"("os.system")")) ==
        "mithril.NameError[E0608]: /: there is no model 'os.system'");
}

TEST_CASE("JSON with an unknown field gives the nearest") {
  const std::string text = refusal_of_model(R"({"name": "Relu", "conections": {}})");
  CHECK(first_line(text) == "mithril.NameError[E0640]: /: there is no field 'conections'");
  CHECK(text.ends_with("\n  help: did you mean 'connections'?"));
  CHECK(refusal_of_model(chain(R"("m1": {"input": {"key": {"nmae": "x"}}})")) ==
        "mithril.NameError[E0640]: /connections/m1/input/key: there is no field 'nmae'\n"
        "  known : name, connect, expose, value, shape, type, differentiable, interval\n"
        "  help: did you mean 'name'?");
}

TEST_CASE("JSON with an unknown or wrong argument names its place") {
  CHECK(refusal_of_model(R"({"name": "Model", "submodels": {"m1":
                    {"name": "Linear", "args": {"dimensoin": 3}}}})") ==
        "mithril.NameError[E0605]: /submodels/m1/args: Linear has no argument 'dimensoin'\n"
        "  known : dimension, use_bias\n"
        "  help: did you mean 'dimension'?");
  CHECK(refusal_of_model(R"({"name": "Linear", "args": {"dimension": "three"}})") ==
        "mithril.TypeError[E0304]: /args: Linear: argument 'dimension' has the wrong kind\n"
        "  expected : int or None\n"
        "  got      : \"three\"   str");
  CHECK(refusal_of_model(R"({"name": "Linear", "args": {"dimension": {"dtype": "float31"}}})")
            .starts_with("mithril.NameError[E0680]: /args/dimension/dtype: "));
}

TEST_CASE("JSON that connects to an unknown part or port gives the nearest") {
  CHECK(refusal_of_model(chain(R"("m2": {"input": {"key": {"connect": [["m0", "output"]]}}})")) ==
        "mithril.NameError[E0641]: /connections/m2/input/key/connect/0: there is no part before "
        "this one 'm0'\n"
        "  known : m1");
  CHECK(refusal_of_model(chain(R"("m2": {"input": {"key": {"connect": [["m1", "outptu"]]}}})")) ==
        "mithril.NameError[E0606]: m1: there is no key 'outptu'\n"
        "  at    : /connections/m2/input/key/connect/0\n"
        "  known : input, weight, bias, output\n"
        "  help: did you mean 'output'?");
  CHECK(refusal_of_model(chain(R"("m3": {"input": "x"})")) ==
        "mithril.NameError[E0641]: /connections: there is no part 'm3'\n"
        "  known : m1, m2");
  CHECK(refusal_of_model(chain(R"("m2": {"inputs": "x"})")) ==
        "mithril.NameError[E0604]: /connections/m2: Relu has no port 'inputs'\n"
        "  known : input, output\n"
        "  help: did you mean 'input'?");
}

TEST_CASE("JSON of another form is refused with the expected form") {
  CHECK(refusal_of_model("[1, 2]") ==
        "mithril.ParseError[E0726]: /: this does not fit here\n"
        "  expected : an object\n"
        "  got      : [1, 2]");
  CHECK(refusal_of_model(R"({"name": 7})") ==
        "mithril.ParseError[E0726]: /name: this does not fit here\n"
        "  expected : a string\n"
        "  got      : 7");
  CHECK(refusal_of_model(R"({"args": {}})") ==
        "mithril.ParseError[E0727]: /: the field 'name' is missing");
  CHECK(refusal_of_model(R"({"name": "Relu", "assigned_shapes": [["input", [2, -1.5]]]})") ==
        "mithril.ParseError[E0726]: /assigned_shapes/0/1/1: this does not fit here\n"
        "  expected : a number, a name, null, or \"...\"\n"
        "  got      : -1.5");
  CHECK(refusal_of_model(
            R"({"name": "Relu", "assigned_types": [["input", {"Tensor": ["double"]}]]})") ==
        "mithril.ParseError[E0726]: /assigned_types/0/1/Tensor/0: this does not fit here\n"
        "  expected : one of bool, int, float\n"
        "  got      : \"double\"");
  CHECK(refusal_of_model(R"({"name": "Relu", "assigned_differentiabilities": [["input"]]})") ==
        "mithril.ParseError[E0726]: /assigned_differentiabilities/0: this does not fit here\n"
        "  expected : [key, fact]\n"
        "  got      : [\"input\"]");
  CHECK(refusal_of_model(chain(R"("m1": {"input": {"tensor": [[1, 2], [3]]}})")) ==
        "mithril.ParseError[E0726]: /connections/m1/input/tensor/1: this does not fit here\n"
        "  expected : an array of 2, as before it\n"
        "  got      : [3]");
  CHECK(refusal_of_model(chain(R"("m1": {"input": {"key": {}, "tensor2": 1}})"))
            .starts_with("mithril.NameError[E0640]: /connections/m1/input: there is no field "));
  CHECK(refusal_of_model(
            R"({"name": "Relu", "assigned_initializers": [["input", {"law": "gauss"}]]})") ==
        "mithril.ParseError[E0726]: /assigned_initializers/0/1/law: this does not fit here\n"
        "  expected : one of zeros, ones, constant, uniform, normal, uniform_fan_in, "
        "uniform_fan_out, uniform_fan_mean, normal_fan_in, normal_fan_out, normal_fan_mean, "
        "function\n"
        "  got      : \"gauss\"");
}

TEST_CASE("JSON with tuples and enumerations that do not fit their arguments is refused") {
  CHECK(refusal_of_model(R"({"name": "MaxPool1D", "args": {"kernel_size": 2, "padding": 1},
                    "tuples": ["padding"]})") ==
        "mithril.ParseError[E0726]: /tuples/0: this does not fit here\n"
        "  expected : the name of an argument that is an array\n"
        "  got      : \"padding\"");
  CHECK(refusal_of_model(
            R"({"name": "MaxPool1D", "args": {"kernel_size": 2}, "enums": {"stride": "Pad"}})") ==
        "mithril.NameError[E0642]: /enums/stride: there is no enumeration 'Pad'\n"
        "  known : PaddingType");
  CHECK(refusal_of_model(R"({"name": "Convolution1D", "args": {"padding": 7},
                    "enums": {"padding": "PaddingType"}})") ==
        "mithril.ParseError[E0726]: /enums/padding: this does not fit here\n"
        "  expected : 0 (valid) or 1 (same)\n"
        "  got      : 7");
}

TEST_CASE("JSON of a model that cannot be composed names the place beside the path") {
  CHECK(refusal_of_model(
            chain(R"("m1": {"input": "x", "output": "y"}, "m2": {"input": "z", "output": "y"})")) ==
        "mithril.ConnectionError[E0101]: y: two outputs drive one connection\n"
        "  at     : /connections/m2\n"
        "  first  : m1.primitivelinear\n"
        "  second : m2\n"
        "  help: give one of the outputs another name");
  CHECK(refusal_of_model(R"({"name": "Linear", "assigned_shapes": [["weight", [2, 3, 4]]]})")
            .find("/assigned_shapes/0/1") != std::string::npos);
  CHECK(refusal_of_model(chain(R"("m1": {"output": "y"},
                         "m2": {"output": {"key": {"name": "z", "connect": [["m1", "output"]]}}})"))
            .starts_with("mithril.ConnectionError[E0101]: z: two outputs drive one connection\n"
                         "  at     : /connections/m2/output/key\n"));
  CHECK(first_line(refusal_of_model(R"({"name": "Relu", "exposed_keys": ["outptu"]})")) ==
        "mithril.NameError[E0606]: /exposed_keys: there is no key 'outptu'");
}

TEST_CASE("a model that JSON cannot hold is not written") {
  Model model;
  for (int i = 0; i < 130; ++i) {
    Model outer;
    outer |= model;
    model = outer;
  }
  CHECK_THROWS_WITH(static_cast<void>(to_json(model)),
                    "mithril.ValueError[E0422]: models are nested too deep for the JSON form\n"
                    "  expected : at most 120 levels\n"
                    "  help: compose fewer levels, for example by adding parts to one model");
  Facts facts;
  const Datum unknown(Dim(facts.symbol("N")));
  CHECK_THROWS_WITH(static_cast<void>(to_json(Model::op("softmax", {{"axis", unknown}}))),
                    "mithril.ValueError[E0421]: an int whose number is not known has no JSON form\n"
                    "  got : N");
  Model constrained;
  constrained |= Relu()({{"input", "x"}});
  constrained.add_constraint([](Solver&) { return true; }, {"x"});
  CHECK_THROWS_WITH(
      static_cast<void>(to_json(constrained)),
      "mithril.ValueError[E0424]: a constraint is a function, and has no JSON form\n"
      "  keys : x\n"
      "  help: write the model before the constraint is added, and add it after reading");
}

TEST_CASE("JSON nested as deep as is written is read, and no deeper") {
  Model model;
  model |= Relu()({{"input", "x"}});
  for (int i = 1; i < 120; ++i) {
    Model outer;
    outer |= model({{"x", "x"}});
    model = outer;
  }
  const std::string text = to_json(model);
  CHECK(from_json(text) == model);
  std::string deeper = text;
  for (int i = 0; i < 20; ++i) deeper = R"({"name": "Model", "submodels": {"m": )" + deeper + "}}";
  CHECK(
      first_line(refusal_of_model(deeper)).starts_with("mithril.ParseError[E0721]: /submodels/m/"));
}

}  // namespace mithril
