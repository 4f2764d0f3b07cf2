// Suggestions for names that do not exist, and the text helpers they are written with.
#include "mithril/base/names.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "mithril/base/text.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {

namespace {

using Names = std::vector<std::string>;

std::string text_of_unknown(std::string_view name, const Names& candidates) {
  try {
    unknown_name(ErrorKind::name, "E0601", "port", name, "encoder.fc1", candidates);
  } catch (const NameError& error) {
    return error.what();
  }
  return "nothing was raised";
}

}  // namespace

TEST_CASE("the edit distance counts inserted, dropped and replaced letters") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("weight", "weights") == 1);
}

TEST_CASE("two swapped letters are one edit") { CHECK(edit_distance("wieght", "weight") == 1); }

TEST_CASE("the edit distance is symmetric") {
  CHECK(edit_distance("sunday", "saturday") == edit_distance("saturday", "sunday"));
}

TEST_CASE("the nearest name comes first") {
  CHECK(nearest("weigth", {"weights", "bias", "weight"}) == Names{"weight", "weights"});
}

TEST_CASE("equally near names keep their order") {
  CHECK(nearest("fc3", {"fc2", "fc1"}) == Names{"fc2", "fc1"});
}

TEST_CASE("at most the requested number of names is returned") {
  CHECK(nearest("fc9", {"fc1", "fc2", "fc3", "fc4"}).size() == 3);
  CHECK(nearest("fc9", {"fc1", "fc2", "fc3", "fc4"}, 1) == Names{"fc1"});
}

TEST_CASE("the first part of a path is near it") {
  CHECK(nearest("fc1", {"fc1.weight", "fc10.weight"}) == Names{"fc1.weight"});
}

TEST_CASE("the part before an underscore is near the name") {
  CHECK(nearest("float8", {"float16", "float8_e5m2", "float8_e4m3fn"}) ==
        Names{"float8_e5m2", "float8_e4m3fn", "float16"});
}

TEST_CASE("names are compared without case") { CHECK(nearest("RELU", {"Relu"}) == Names{"Relu"}); }

TEST_CASE("the last part of a path is near the path") {
  CHECK(nearest("weight", {"encoder.fc1.weight", "encoder.fc1.bias"}) ==
        Names{"encoder.fc1.weight"});
}

TEST_CASE("names of one letter do not suggest each other") { CHECK(nearest("x", {"y"}).empty()); }

TEST_CASE("no name is near an empty name") { CHECK(nearest("", {"a", "fc1.weight"}).empty()); }

TEST_CASE("a suggestion is made only if a name is near") {
  CHECK(did_you_mean("wieght", {"weight", "bias"}) == "did you mean 'weight'?");
  CHECK(did_you_mean("fc9", {"fc1", "fc2", "fc3"}) == "did you mean 'fc1', 'fc2' or 'fc3'?");
  CHECK(did_you_mean("padding", {"weight", "bias"}).empty());
}

TEST_CASE("an error about an unknown name lists the known names and the nearest") {
  CHECK(text_of_unknown("wieght", {"input", "weight", "bias"}) ==
        "mithril.NameError[E0601]: encoder.fc1: there is no port 'wieght'\n"
        "  known : input, weight, bias\n"
        "  help: did you mean 'weight'?");
}

TEST_CASE("an error about an unknown name says if there are no names") {
  CHECK(text_of_unknown("a", {}) ==
        "mithril.NameError[E0601]: encoder.fc1: there is no port 'a'\n"
        "  known : none");
}

TEST_CASE("many known names are cut") {
  Names many;
  for (int i = 0; i < 25; ++i) many.push_back("n" + std::to_string(i));
  CHECK(text_of_unknown("something else", many).ends_with(", n18, n19 and 5 more"));
}

TEST_CASE("an unknown name raises the requested kind of error") {
  CHECK_THROWS_AS(unknown_name(ErrorKind::input, "E0801", "key", "x", "", {}), InputError);
}

TEST_CASE("join separates strings and integers") {
  CHECK(join(Names{"a", "b"}, ", ") == "a, b");
  CHECK(join(std::vector<int>{2, -3}, "x") == "2x-3");
  CHECK(join(Names{}, ", ").empty());
}

TEST_CASE("the width of text counts code points") {
  CHECK(text_width("größe") == 5);
  CHECK(in_quotes("a") == "'a'");
}

TEST_CASE("every kind of name is refused if it contains a NUL") {
  const std::string name("a\0b", 3);
  const std::string text =
      "mithril.NameError[E0622]: a name holds a NUL: 'a\\x00b'\n"
      "  help: give it a name without the character \\x00";
  Model model;
  model += Relu();
  for (const std::string& refused :
       {tests::text_of_error([&] { Model{name}; }), tests::text_of_error([&] { model[name]; }),
        tests::text_of_error([&] {
          model |= Relu()({{"input", name}});
        }),
        tests::text_of_error([&] { model.rename_key("output", name); }),
        tests::text_of_error([&] { static_cast<void>(Connection(name)); })}) {
    CHECK(refused == text);
  }
  const std::string symbol = tests::text_of_error([&] {
    model.set_shapes({{"relu.output", {name}}});
  });
  CHECK(symbol ==
        "mithril.NameError[E0622]: relu.output: a name holds a NUL: 'a\\x00b'\n"
        "  help: give it a name without the character \\x00");
}

TEST_CASE("long names get no suggestions, because the comparison takes quadratic time") {
  const std::string name(100'000, 'a');
  CHECK(nearest(name, {name + "b", "a"}).empty());
}

}  // namespace mithril
