// Escaping of text, and all places that print names of users.
#include "mithril/base/printable.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "backends/cpu/cpu.hpp"
#include "codegen/cpp/write_cpp.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/model/html.hpp"
#include "mithril/models/library.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/shapes.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

// Ends a line and a comment, colours a terminal, changes the direction of writing, is not UTF-8.
const std::string hostile = "a\n\x1b[31m\xE2\x80\xAE\xC2\x9B\xFF*/\"<script>?\?/\\";

bool is_harmless(const std::string& text) {
  return printable(text).size() ==
         text.size() + static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

Model hostile_model() {
  Model model(hostile);
  model |= Linear({.dimension = 2})({{"input", "x" + hostile}, {"output", "y" + hostile}});
  model.set_shapes({{"x" + hostile, {"N" + hostile, 3}}});
  return model;
}

}  // namespace

TEST_CASE("printable() escapes hidden characters") {
  CHECK(printable("größe 漢字 🙂") == "größe 漢字 🙂");
  CHECK(printable("a\nb\r\tc") == "a\\nb\\r\\tc");
  CHECK(printable(std::string("\0\x1b\x7f", 3)) == "\\x00\\x1b\\x7f");
  CHECK(printable("\xC2\x85|\xE2\x80\xAE|\xE2\x81\xA6|\xEF\xBB\xBF") ==
        "\\x85|\\u202e|\\u2066|\\ufeff");
  CHECK(printable("\xFF|\xC3|\xC0\xAF|\xED\xA0\x80|\xF4\x90\x80\x80") ==
        "\\xff|\\xc3|\\xc0\\xaf|\\xed\\xa0\\x80|\\xf4\\x90\\x80\\x80");
}

TEST_CASE("control characters of names are escaped in every text") {
  const Model model = hostile_model();
  CHECK(is_harmless(model.summary()));
  CHECK(is_harmless(to_html(model)));
  CHECK(to_html(model).find("<script>") == std::string::npos);
  CHECK(is_harmless(to_string(flatten(model, DType::float32).graph)));
  CompiledModel compiled = compile(model, cpu(), {.shapes = {{"x" + hostile, {2, 3}}}});
  CHECK(is_harmless(compiled.summary()));
  CHECK(is_harmless(cpp_source(compiled.exported({}), hostile)));
  for (const std::string& text :
       {tests::text_of_error([&] { model.at(hostile); }), tests::text_of_error([&] {
          Model(model).set_shapes({{"x" + hostile, {"N", 4}}});
        }),
        tests::text_of_error([&] {
          Model(model).set_shapes({{"y" + hostile, {"N", "M", 4}}});
        }),
        tests::text_of_error([&] {
          compiled.evaluate({}, {{hostile, Tensor()}});
        }),
        tests::text_of_error([&] { from_json("{\"name\": \"\\n\\u001b\"}"); }),
        tests::text_of_error([&] { make_model(hostile); })}) {
    CHECK(text.find("[E0") != std::string::npos);
    CHECK(is_harmless(text));
    CHECK(std::count(text.begin(), text.end(), '\n') <= 5);
  }
}

TEST_CASE("the text of a graph with hidden characters in its names reads back") {
  const Graph graph = flatten(hostile_model(), DType::float32).graph;
  CHECK(parse_graph(to_string(graph)) == graph);
}

}  // namespace mithril
