// The errors of making models of the library and of the book of ops, as text.
#include <doctest/doctest.h>

#include <string>

#include "mithril/models/library.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {

using tests::text_of_error;
using tests::without_known;

TEST_CASE("an unknown model gives the nearest") {
  CHECK(without_known(text_of_error([] { make_model("Linaer", {}); })) ==
        "mithril.NameError[E0608]: there is no model 'Linaer'\n"
        "  help: did you mean 'Linear'?");
}

TEST_CASE("an unknown argument of a model gives the nearest") {
  CHECK(text_of_error([] {
          make_model("Linear", {{"dimensoin", 3}});
        }) ==
        "mithril.NameError[E0605]: Linear has no argument 'dimensoin'\n"
        "  known : dimension, use_bias\n"
        "  help: did you mean 'dimension'?");
}

TEST_CASE("an argument of another kind is refused") {
  CHECK(text_of_error([] {
          make_model("Linear", {{"dimension", "three"}});
        }) ==
        "mithril.TypeError[E0304]: Linear: argument 'dimension' has the wrong kind\n"
        "  expected : int or None\n"
        "  got      : \"three\"   str");
}

TEST_CASE("an argument of an op of another kind is refused when the op is made") {
  CHECK(text_of_error([] {
          make_model("Softmax", {{"axis", "one"}});
        }) ==
        "mithril.TypeError[E0304]: Softmax: argument 'axis' has the wrong kind\n"
        "  expected : int\n"
        "  got      : \"one\"   str");
}

TEST_CASE("a model that an argument names and that is not there is told with the argument") {
  CHECK(without_known(text_of_error([] {
          make_model("Layer", {{"activation", "Rleu"}});
        })) ==
        "mithril.NameError[E0608]: Layer, argument 'activation': there is no model 'Rleu'\n"
        "  help: did you mean 'Relu'?");
}

TEST_CASE("an argument out of its range is refused") {
  CHECK(text_of_error([] {
          make_model("Dropout", {{"p", 1.5}});
        }) ==
        "mithril.ValueError[E0402]: Dropout: argument 'p' is out of range\n"
        "  expected : at least 0 and below 1\n"
        "  got      : 1.5");
}

TEST_CASE("a negative size is refused by the name of its argument") {
  const auto refused = [](const char* model, const char* argument) {
    return text_of_error([&] {
             make_model(model, {{argument, -4}});
           }) == std::string("mithril.ValueError[E0402]: ") + model + ": argument '" + argument +
                     "' is out of range\n  expected : at least 0\n  got      : -4";
  };
  CHECK(refused("Linear", "dimension"));
  CHECK(refused("Embedding", "num_embeddings"));
  CHECK(refused("Embedding", "dim"));
  CHECK(refused("BatchNorm2D", "num_features"));
}

TEST_CASE("an argument that is needed is asked for") {
  CHECK(text_of_error([] { make_model("Split", {}); }) ==
        "mithril.ValueError[E0408]: Split needs the argument 'split_size' (int)");
}

TEST_CASE("an op with the name of another op is refused") {
  OpDef second = find_op("relu");
  CHECK(text_of_error([&] { add_op(std::move(second)); }) ==
        "mithril.NameError[E0603]: an op named 'relu' exists already");
}

}  // namespace mithril
