// Limits on the models that short inputs build: the error names the limit, which can be raised.
#include "mithril/base/limits.hpp"

#include <doctest/doctest.h>

#include "mithril/infer/facts.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/library.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

// Sets limits, and restores the previous ones.
struct WithLimits {
  explicit WithLimits(const Limits& now) { set_limits(now); }
  ~WithLimits() { set_limits(before); }
  Limits before = limits();
};

std::string refusal_of(const std::string& json) {
  return tests::text_of_error([&] { from_json(json); });
}

// x, x * x, x * x * x * x, ...
Dim squared(Dim dim, int times) {
  for (int i = 0; i < times; ++i) dim = dim * dim;
  return dim;
}

}  // namespace

TEST_CASE("an argument that is a repetition count has a limit") {
  CHECK(refusal_of(R"({"name": "AUC", "args": {"n_classes": 1000000000}})") ==
        "mithril.ValueError[E0402]: /args: AUC: argument 'n_classes' is out of range\n"
        "  expected : at most 4096, the limit 'repetitions', which set_limits raises\n"
        "  got      : 1000000000");
  for (
      const char* json :
      {R"({"name": "Split", "args": {"split_size": 1000000000, "axis": 0}})",
       R"({"name": "OneToMany", "args": {"cell_type": "RNNCell", "max_sequence_length": 1000000000}})",
       R"({"name": "OneToManyInference", "args": {"cell_type": "RNNCell",
            "max_sequence_length": 1000000000}})",
       R"({"name": "ManyToOne", "args": {"cell_type": "LSTMCell", "max_sequence_length": 5000}})",
       R"({"name": "EncoderDecoder", "args": {"cell_type": "RNNCell",
            "max_input_sequence_length": 1, "max_target_sequence_length": 5000}})",
       R"({"name": "Model", "submodels": {"m": {"name": "PolynomialFeatures",
            "args": {"degree": 1000000000}}}})"})
    CHECK(refusal_of(json).find("at most 4096, the limit 'repetitions'") != std::string::npos);
  const WithLimits low({.repetitions = 3});
  CHECK(make_model("AUC", {{"n_classes", 3}}).output_keys() == std::vector<std::string>{"output"});
  CHECK_THROWS_AS(make_model("AUC", {{"n_classes", 4}}), ValueError);
}

TEST_CASE("the size of a metric does not depend on the number of classes") {
  const Model metric = make_model("F1", {{"average", "macro"}, {"n_classes", 1'000'000'000}});
  const std::string few = make_model("F1", {{"average", "macro"}, {"n_classes", 3}}).summary(false);
  CHECK(metric.summary(false) == few);
}

TEST_CASE("a model has a limit of parts, at all depths, and stays as it was") {
  const WithLimits low({.parts = 4});
  Model inner;
  inner += Relu();
  inner += Relu();
  Model model;
  model += inner;
  model += Relu();
  const std::string before = model.summary();
  Model more;
  more += Relu();
  more += Relu();
  CHECK(tests::text_of_error([&] { model += more; }) ==
        "mithril.ValueError[E0461]: a model has 5 parts, and the limit 'parts' is 4\n"
        "  help: raise the limit 'parts' with set_limits if this is meant to be so large");
  CHECK(model.summary() == before);
  model += Relu();
  set_limits({.parts = 5});
  model += Relu();
  CHECK_THROWS_AS(model += Relu(), ValueError);
}

TEST_CASE("a refused part does not count towards the limit") {
  const WithLimits low({.parts = 2});
  Model model;
  model += Relu();
  for (int i = 0; i < 9; ++i) CHECK_THROWS_AS((model |= Relu()({{"inptu", "x"}})), NameError);
  for (int i = 0; i < 9; ++i)
    CHECK_THROWS_AS((model |= Relu()({{"input", "x"}, {"output", model.at("relu.output")}})),
                    ConnectionError);
  model += Relu();
  CHECK(model.output_keys().size() == 1);
}

TEST_CASE("products of dims have a limit") {
  Facts facts;
  const Dim n(facts.symbol("n")), m(facts.symbol("m"));
  CHECK(tests::text_of_error([&] { squared(n, 24); }) ==
        "mithril.ValueError[E0462]: a product of dims has 2048 factors, and the limit 'dim_terms' "
        "is 1024\n"
        "  help: raise the limit 'dim_terms' with set_limits if this is meant to be so large");
  Dim product = 1;
  const auto double_often = [&] {
    for (int i = 0; i < 24; ++i)
      product = product * (Dim(facts.symbol("a")) + Dim(facts.symbol("b")));
  };
  CHECK(tests::text_of_error(double_often)
            .starts_with("mithril.ValueError[E0462]: a product of dims has 2048 terms"));
  CHECK(to_string(squared(n, 2) - squared(n, 2)) == "0");
}

TEST_CASE("a model whose dims double at each part is refused, and stays usable") {
  for (const bool square : {true, false}) {
    Model model;
    Connection size = model["x"].shape()[0];
    model.set_shapes({{"x", {"n", 3}}});
    const auto grow = [&] {
      for (int i = 0; i < 24; ++i) size = square ? size * size : size * (size + 1);
    };
    CHECK(tests::text_of_error(grow).find("the limit 'dim_terms' is 1024") != std::string::npos);
    model |= Relu()({{"input", "x"}, {"output", "y"}});
    CHECK(model.output_keys().front() == "y");
  }
}

TEST_CASE("nested tuples have a limit") {
  Datum tuple(Tuple{1, 2});
  const auto grow = [&] {
    for (int i = 0; i < 24; ++i) tuple = Datum(Tuple{tuple, tuple});
  };
  CHECK(tests::text_of_error(grow) ==
        "mithril.ValueError[E0463]: a tuple has 1048574 items, and the limit 'tuple_items' is "
        "1000000\n"
        "  help: raise the limit 'tuple_items' with set_limits if this is meant to be so large");
}

TEST_CASE("a limit is at least 1, and a refused change leaves all limits as they were") {
  CHECK(tests::text_of_error([] { set_limits({.repetitions = 7, .parts = 0}); }) ==
        "mithril.ValueError[E0464]: the limit 'parts' is 0, expected at least 1");
  CHECK(limits().repetitions == Limits().repetitions);
}

}  // namespace mithril
