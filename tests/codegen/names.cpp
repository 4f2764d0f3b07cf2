// Generated code is valid whatever names a user chooses.
#include "codegen/common/names.hpp"

#include <doctest/doctest.h>

#include "codegen/common/code_line.hpp"
#include "mithril/op/registry.hpp"
#include "tests/codegen/check_models.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {

using codegen::comment;
using codegen::identifier;

TEST_CASE("names of ports become identifiers of C++") {
  CHECK(identifier("encoder.fc1.output") == "encoder_fc1_output");
  CHECK(identifier("class") == "class_");
  CHECK(identifier("NULL") == "NULL_");
  CHECK(identifier("N") == "N");
  CHECK(identifier("int64_t") == "int64_t_");
  CHECK(identifier("__x__") == "x");
  CHECK(identifier("2nd") == "n2nd");
  CHECK(identifier("größe") == "gr_e");
  CHECK(identifier("\"\n*/") == "unnamed");
  CHECK(identifier("") == "unnamed");
}

TEST_CASE("comments end with their line and show their text") {
  CHECK(comment("encoder.fc1") == "encoder.fc1");
  CHECK(comment("a\nint x;") == "a\\x0aint x;");
  CHECK(comment("a\\") == "a\\.");
  CHECK(comment("a?\?/") == "a?\?/.");
  CHECK(comment("\xe2\x80\xae") == "\\xe2\\x80\\xae");
}

TEST_CASE("a long line is broken, and a comment is not") {
  const std::string words = "one two three four five six seven eight nine ten eleven twelve",
                    all = words + ", " + words;
  CHECK(codegen::code_line(2, "// " + all) == "  // " + all + "\n");
  CHECK(codegen::code_line(2, "call(" + all + ");").find("\n      ") != std::string::npos);
}

TEST_CASE("equal identifiers are numbered") {
  codegen::Identifiers names({"sum"});
  CHECK(names.add("a.b") == "a_b");
  CHECK(names.add("a_b") == "a_b_2");
  CHECK(names.add("a_b_2") == "a_b_2_2");
  CHECK(names.add("sum") == "sum_2");
}

TEST_CASE("hostile names cannot break out of identifiers, strings or comments") {
  const std::vector<std::string> names = {
      "a\"b",       "a\nb",   "*/ #error", "// x",   "\\",
      "a\\\nb",     "?\?/",   "\xc3\xbc",  "class",  "i",
      "j",          "inputs", "at",        "Tensor", "sum",
      "workspace",  "a.b",    "a_b",       "double", "size_t",
      "std",        "none",   "1",         "_",      "\"; abort(); //",
      ")snippet\"", "tensor", "ints",      "copy"};
  Graph graph;
  std::vector<Tensor> inputs;
  Random random(7);
  ValueId last{};
  for (const std::string& name : names) {
    const ValueId x = graph.add_input({.name = name, .dims = {2, 3}, .dtype = DType::float64});
    inputs.push_back(random_direction({2, 3}, random));
    if (name == names.front()) {
      last = x;
      continue;
    }
    const ValueId product = graph.add(find_op("multiply"), {x, last}, name + ".\n*/").front();
    const ValueId sum = graph.add(find_op("sum"), {product}, name + "\\").front();
    last = graph.add(find_op("add"), {product, sum}, name + " ").front();
    graph.add_output(name + "\"", last);
  }
  ModelChecks checks;
  checks.add("hostile", graph, inputs, names);
  checks.run();
}

}  // namespace mithril::tests
