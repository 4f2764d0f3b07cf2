// Each form of docs/model-json.md is written and read back.
#include <doctest/doctest.h>

#include <cmath>

#include "mithril/base/error.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/arithmetic.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/pooling.hpp"
#include "tests/json/check_round_trip.hpp"

namespace mithril::tests {
namespace {

void check_form(const Model& model, const std::string& text) {
  CHECK(to_json(model) == text);
  check_round_trip(model);
}

}  // namespace

TEST_CASE("a library model is written as its name and its arguments that differ from defaults") {
  check_form(Linear({.dimension = 3}), R"({"name": "Linear", "args": {"dimension": 3}})");
  check_form(Linear(), R"({"name": "Linear"})");
  check_form(MaxPool1D({.kernel_size = 2, .padding = Datum::ints({0, 1})}),
             R"({"name": "MaxPool1D", "args": {"kernel_size": 2, "padding": [0, 1]}, )"
             R"("tuples": ["padding"]})");
  check_form(Model::op("softmax", {{"axis", 0}}), R"({"name": "Softmax", "args": {"axis": 0}})");
}

TEST_CASE("a chain is written with connections to ports of earlier parts") {
  Model net;
  net |= Linear({.dimension = 3})({{"input", "x"}});
  net += Relu()({{"output", "y"}});
  check_form(net,
             "{\n"
             "  \"name\": \"Model\",\n"
             "  \"submodels\": {\"linear\": {\"name\": \"Linear\", \"args\": {\"dimension\": 3}}, "
             "\"relu\": {\"name\": \"Relu\"}},\n"
             "  \"connections\": {\n"
             "    \"linear\": {\"input\": \"x\"},\n"
             "    \"relu\": {\"input\": {\"key\": {\"connect\": [[\"linear\", \"output\"]]}}, "
             "\"output\": \"y\"}\n"
             "  }\n"
             "}");
}

TEST_CASE("statements about keys and ports are kept") {
  Model model = Linear({.dimension = 3});
  model += Relu()({{"output", "act"}});
  model.rename_key("weight", "w");
  model.set_shapes({{"input", {"N", any, rest("batch"), 5}}, {"act", {rest(), 3}}});
  model.set_types({{"input", kind::float_tensor}});
  model.set_differentiability({{"input", false}});
  model.set_initializer("w", {.distribution = Initializer::Distribution::normal, .a = 0.5, .b = 2});
  model.expose_keys({"act"});
  const std::string text = to_json(model);
  CHECK(text.find(R"("renamed": [["weight", "w"]])") != std::string::npos);
  CHECK(text.find(R"(["input", ["N", null, "...batch", 5]])") != std::string::npos);
  CHECK(text.find(R"(["input", {"Tensor": ["float"]}])") != std::string::npos);
  CHECK(text.find(R"(["w", {"law": "normal", "a": 0.5, "b": 2.0}])") != std::string::npos);
  check_round_trip(model);
}

TEST_CASE("the last statement about differentiability counts") {
  Model model = Linear();
  model.set_differentiability({{"input", false}});
  model.set_differentiability({{"input", true}});
  check_form(model, R"({"name": "Linear", "assigned_differentiabilities": [["input", true]]})");
}

TEST_CASE("literals are written where they are bound") {
  const Connection x("x");
  const Model model = Model::create(
      {{"output", x[{slice(1, none), ellipsis, none}].cast(DType::float16) + INFINITY},
       {"mean", x.mean({0, 1}, true)}});
  const std::string text = to_json(model);
  CHECK(text.find(R"([{"slice": [1, null, null]}, {"ellipsis": true}, null])") !=
        std::string::npos);
  CHECK(text.find(R"({"dtype": "float16"})") != std::string::npos);
  CHECK(text.find(R"({"float": "inf"})") != std::string::npos);
  CHECK(text.find(R"("axis": [0, 1], "keepdim": true)") != std::string::npos);
  check_round_trip(model);
}

TEST_CASE("tensors keep their dtype, their dims, infinities and NaN") {
  Model model;
  model |= Model::op("add")({{"left", Tensor::of<float>({2, 1}, {0.1f, NAN})}, {"right", "x"}});
  model |= Model::op("add")({{"left", Tensor::of<int64_t>({}, {INT64_MAX})}, {"right", "y"}});
  model |= Model::op("add")({{"left", Tensor(DType::float64, {0, 3})}, {"right", "z"}});
  const std::string text = to_json(model);
  CHECK(
      text.find(R"({"tensor": [[0.10000000149011612], [{"float": "nan"}]], "dtype": "float32"})") !=
      std::string::npos);
  CHECK(text.find(R"({"tensor": 9223372036854775807})") != std::string::npos);
  CHECK(text.find(R"({"tensor": [], "shape": [0, 3]})") != std::string::npos);
  check_round_trip(model);
}

TEST_CASE("described keys, values, intervals and strings are kept") {
  Model model;
  model |= Model::op("power")({{"base", IOKey{.name = "b", .interval = std::pair(0.5, 2.0)}},
                               {"exponent", IOKey{.name = "e", .value = Datum(2.5)}}});
  model |= Model::op("pad")({{"input", IOKey{.name = "p",
                                             .shape = ShapeSpec({2, "M"}),
                                             .type = kind::float_tensor,
                                             .differentiable = true}}});
  check_round_trip(model);
  CHECK(to_json(model).find(R"("assigned_values": [["e", 2.5]])") != std::string::npos);
  CHECK(to_json(model).find(R"("assigned_intervals": [["b", [0.5, 2.0]]])") != std::string::npos);
}

TEST_CASE("states, lists and canonical ports are kept") {
  Model model;
  model |= BatchNorm2D({.inference = false})({{"input", "x"}});
  model |= Model::op("concat")({{"input", {"a", Connection("b"), IOKey{}}}, {"axis", 0}});
  model |= Model::op("add")({{"left", "count"}, {"right", 1}, {"output", "next"}});
  model.bind_state_keys("count", "next", Tensor::scalar(int64_t{3}));
  model |= Model::op("add")({{"left", "key"}, {"right", 1}, {"output", "next_key"}});
  model.bind_state_keys("key", "next_key", RandomKey{-5});
  model.set_cin({"a"}).set_cout({"concat.output"});
  const std::string text = to_json(model);
  CHECK(
      text.find(
          R"("state_keys": [["count", "next", {"tensor": 3}], ["key", "next_key", {"random_key": -5}]])") !=
      std::string::npos);
  CHECK(text.find(R"("assigned_cins": ["a"])") != std::string::npos);
  CHECK(text.find(R"("input": ["a", "b", {"key": {}}])") != std::string::npos);
  check_round_trip(model);
}

TEST_CASE("tied parameters keep the name that they got") {
  Model model;
  model |= Linear({.dimension = 4})({{"input", "x"}});
  model += Linear({.dimension = 4});
  model.merge_connections({model.at("linear_1.weight"), model.at("linear.weight")});
  model.merge_connections({"x", model["also"]});
  check_round_trip(model);
  CHECK(to_json(model).find(R"(["linear_1.weight", "linear.weight"])") != std::string::npos);
}

TEST_CASE("names are kept: given, numbered, and of the whole") {
  Model model("net");
  for (const char* name : {"block", "block", "relu_7", "linear_1"}) {
    Model part(name);
    part += Linear();
    part += Relu();
    model += part;
  }
  model += Relu();
  model += Relu();
  check_round_trip(model);
  CHECK(from_json(to_json(model)).name() == "net");
}

TEST_CASE("a model is written as it was composed, whatever the models around it join") {
  const auto inner = [] {
    Model model;
    model |= Model::op("multiply")({{"left", "a"}, {"right", "b"}, {"output", "c"}});
    return model;
  };
  const Model alone = inner(), part = inner();
  Model outer;
  outer |= part({{"a", "x"}, {"b", "x"}, {"c", "y"}});
  outer.set_values({{"x", Tensor::scalar(2.0f)}});
  CHECK(to_json(part) == to_json(alone));
  check_round_trip(outer);
}

TEST_CASE("JSON of the Python library is read") {
  const Model model = from_json(R"({"name": "model",
    "submodels": {"m1": {"name": "multiply"}, "m2": "Add", "m3": {"name": "Convolution1D",
      "args": {"kernel_size": 3, "padding": [0, 1]}, "tuples": ["padding"]}},
    "connections": {
      "m1": {"left": {"key": {"name": "x", "type": {"Tensor": ["int", "float"]}, "expose": true}},
             "right": {"tensor": 1}},
      "m2": {"left": {"key": {"connect": [["m1", "output"]]}},
             "right": {"key": {"name": "z", "shape": [2, null], "value": {"tensor": [[1.0], [2.0]]}}},
             "output": {"key": {"name": "y", "expose": true}}}}})");
  CHECK(model.output_keys() == std::vector<std::string>{"y"});
  CHECK(model.input_keys() == std::vector<std::string>{"x", "m3.input", "m3.weight", "m3.bias"});
  CHECK(to_string(model.shape("z")) == "[2, 1]");
  check_round_trip(model);
}

TEST_CASE("an argument that is a model keeps the types of its connections") {
  const char* text = R"({
  "name": "MLP",
  "args": {
    "dimensions": [1],
    "activations": [{"name": "Relu", "assigned_types": [["input", {"Tensor": ["float"]}]]}]
  },
  "tuples": ["dimensions"]
})";
  const Model model = from_json(text);
  check_round_trip(model);
  CHECK(to_json(model).find(
            R"({"name": "Relu", "assigned_types": [["input", {"Tensor": ["float"]}]]})") !=
        std::string::npos);
  CHECK_THROWS_AS(from_json(R"({"name": "MLP", "args": {"dimensions": [1], "activations": [
                      {"name": "Relu", "assigned_types": [["input", {"Tensor": ["bool"]}]]}]}})"),
                  TypeError);
}

TEST_CASE("types are read by keys, by ports of parts, and under another name") {
  const auto add = [](const std::string& fields) {
    return from_json(R"({"name": "Model", "submodels": {"m1": {"name": "Add"}}, "connections":
                         {"m1": {"left": "a", "right": "b", "output": "c"}}, )" +
                     fields + "}");
  };
  const std::string expected = to_json(add(R"("assigned_types": [["b", {"Tensor": ["float"]}]])"));
  CHECK(to_json(add(R"("types": [["b", {"Tensor": ["float"]}]])")) == expected);
  CHECK(to_json(add(R"("types": {"b": {"Tensor": ["float"]}})")) == expected);
  CHECK(to_json(add(R"("assigned_types": [[["m1", 1], {"Tensor": ["float"]}]])")) == expected);
  CHECK_THROWS_AS(add(R"("types": [[["m1", 3], "Tensor"]])"), ParseError);
  CHECK_THROWS_AS(add(R"("types": [[["m2", 0], "Tensor"]])"), NameError);
}

TEST_CASE("words of types are read in upper and lower case") {
  const auto model = [](const std::string& type) {
    return from_json(R"({"name": "Model", "submodels": {"m1": {"name": "Buffer"}}, "connections":
                         {"m1": {"input": "norm", "output": "y"}}, "types": {"norm": )" +
                     type + "}}");
  };
  const std::string tensor = to_json(model(R"({"Tensor": ["bool", "int", "float"]})"));
  for (const char* word : {R"("tensor")", R"("Tensor")", R"("TENSOR")"})
    CHECK(to_json(model(word)) == tensor);
  CHECK(to_json(model(R"({"tensor": ["Float", "INT"]})")) ==
        to_json(model(R"({"Tensor": ["int", "float"]})")));
  CHECK(to_json(model(R"(["Str", "NONE"])")) == to_json(model(R"(["str", "none"])")));
  CHECK_THROWS_AS(model(R"({"tensor": "float", "Tensor": "int"})"), NameError);
}

TEST_CASE("an output that is only connected to an earlier input is not an output of the model") {
  const auto model = [](const std::string& input) {
    return from_json(R"({"name": "Model", "submodels": {"m1": "Relu", "m2": "Negate"},
        "connections": {"m1": {)" +
                     input + R"(}, "m2": {"input": "z", "output":
            {"key": {"connect": [["m1", "input"]]}}}}})");
  };
  for (const char* input : {"", R"("input": "x")"}) {
    CHECK(model(input).input_keys() == std::vector<std::string>{"z"});
    CHECK(model(input).output_keys() == std::vector<std::string>{"output"});
    check_round_trip(model(input));
  }
}

TEST_CASE("a statement about a model of one op does not wrap the op") {
  Model model = Relu();
  model.set_differentiability({{"input", true}});
  check_form(model, R"({"name": "Relu", "assigned_differentiabilities": [["input", true]]})");
  CHECK(model.input_keys() == std::vector<std::string>{"input"});
}

TEST_CASE("a string of JSON may name a value that a part has") {
  const Model model = from_json(
      R"({"name": "Model", "submodels": {"pool": {"name": "MaxPool2D", "args": {"kernel_size": 2}}},
          "connections": {"pool": {"input": "x", "stride": "s", "output": "y"}}})");
  CHECK(model.input_keys() == std::vector<std::string>{"x"});
  check_round_trip(model);
}

}  // namespace mithril::tests
