// Pages of models: what they contain, and what they refuse.
#include "mithril/viewer/view.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>

#include "mithril/base/sha256.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/viewer/histogram.hpp"
#include "mithril/viewer/json_text.hpp"

namespace mithril::tests {
namespace {

Model viewed_network(const std::string& name = "fc1") {
  Model net;
  net |= Linear({.dimension = 4}).named(name)({{"input", "x"}});
  net += Tanh();
  net += Linear({.dimension = 2}).named("head")({{"output", "y"}});
  net.set_shapes({{"x", {"N", 8}}});
  return net;
}

std::string data_of_page(const Model& model, const ViewOptions& options = {}) {
  const std::string page = view_page(model, options);
  const std::string begin = "id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return page.substr(at, page.find("</script>", at) - at);
}

bool has_text(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE("a page has the parts of a model, its values, and what stated them") {
  const std::string data = data_of_page(viewed_network());
  CHECK(has_text(data,
                 R"({"name":"fc1","class":"Linear","named":true,"options":[["dimension","4"]]})"));
  CHECK(has_text(data, R"(["x","[N, 8]",)"));
  CHECK(has_text(data, R"~("given by set_shapes({\"x\": [N, 8]})")~"));
  CHECK(has_text(data, R"~("parameters":[["weight","fc1.weight",)~"));
  CHECK(has_text(data, R"({"name":"y","kind":"output")"));
}

TEST_CASE("a page has the dtype that a port states") {
  const Connection x(IOKey{.name = "x", .shape = ShapeSpec{3}, .type = DType::uint16});
  const std::string data = data_of_page(Model::create({{"y", x * 2}}));
  CHECK(has_text(data, R"(["x","[3]","uint16",)"));
}

TEST_CASE("a page asks no network for anything") {
  const std::string page = view_page(viewed_network());
  CHECK(has_text(page, "default-src 'none'"));
  for (const char* way : {" src=", "@import", "fetch(", "XMLHttpRequest", "importScripts"}) {
    CHECK_MESSAGE(!has_text(page, way), way);
  }
}

TEST_CASE("names that look like markup or places of the page stay data") {
  const std::string name = "</script><script>alert(1)</script>{{data}}{{script}}&amp;";
  const std::string page = view_page(viewed_network(name), {.title = "<b>{{style}}</b>&"});
  CHECK(!has_text(page, "<script>alert"));
  CHECK(has_text(page, R"(\u003c/script\u003e\u003cscript\u003ealert(1))"));
  CHECK(has_text(page, "{{data}}{{script}}\\u0026amp;"));
  CHECK(has_text(page, "<title>&lt;b>{{style}}&lt;/b>&amp;</title>"));
}

TEST_CASE("gradients and passes are graphs of a page") {
  const auto ids = [](const ViewOptions& options) {
    std::vector<std::string> found;
    const std::string data = data_of_page(viewed_network(), options);
    for (std::size_t at = 0; (at = data.find("{\"id\":\"", at)) != data.npos;) {
      at += 7;
      found.push_back(data.substr(at, data.find('"', at) - at));
    }
    return found;
  };
  using Ids = std::vector<std::string>;
  CHECK(ids({}) == Ids{"model"});
  CHECK(ids({.gradients = true}) == Ids{"model", "gradient"});
  CHECK(ids({.passes = true}) ==
        Ids{"model", "graph", "graph-1-expand_ops", "graph-2-fold_constants",
            "graph-3-eliminate_common_subexpressions", "graph-4-eliminate_dead_nodes"});
  CHECK(ids({.gradients = true, .passes = true}).size() == 11);
  const std::string data = data_of_page(viewed_network(), {.gradients = true});
  CHECK(has_text(data, R"({"name":"gradient","class":"")"));
  CHECK(has_text(data, R"("name":"fc1.weight.grad","kind":"output","group":)"));
}

TEST_CASE("sizes of a page do not change the model") {
  const Model net = viewed_network();
  CHECK(has_text(data_of_page(net, {.shapes = {{"x", {3, 8}}}}), R"(["x","[3, 8]")"));
  CHECK(to_string(net.shape("x")) == "[N, 8]");
}

TEST_CASE("a page counts the elements of parameters") {
  TensorMap params;
  params["fc1.bias"] = Tensor::of<float>({4}, {-1, 0, 1, 2});
  const std::string data = data_of_page(viewed_network(), {.params = &params});
  CHECK(has_text(
      data, R"("fc1.bias":{"elements":4,"counted":4,"notFinite":0,"low":-1,"high":2,"mean":0.5,)"));
  params["fc2.bias"] = Tensor::zeros({4});
  CHECK_THROWS_WITH_AS(view_page(viewed_network(), {.params = &params}),
                       "mithril.InputError[E1352]: there is no parameter 'fc2.bias'\n"
                       "  known : fc1.weight, fc1.bias, head.weight, head.bias\n"
                       "  help: did you mean 'fc1.bias'?",
                       InputError);
}

TEST_CASE("a page refuses numbers of parts that the model lacks") {
  CHECK(has_text(data_of_page(viewed_network(), {.measured = {{"time", {{"fc1", 0.5}}}}}),
                 R"("measured":{"time":{"fc1":0.5}})"));
  CHECK_THROWS_WITH_AS(
      view_page(viewed_network(), {.measured = {{"time", {{"tail", 0.5}}}}}),
      doctest::Contains("mithril.InputError[E1353]: there is no part or value 'tail'\n"),
      InputError);
  CHECK_THROWS_WITH_AS(
      view_page(viewed_network(), {.measured = {{"time", {{"fc1.tail", 0.5}}}}}),
      doctest::Contains("mithril.InputError[E1353]: there is no part or value 'fc1.tail'\n"),
      InputError);
}

TEST_CASE("a page takes numbers of every value that has a box, such as an input") {
  const std::string data =
      data_of_page(viewed_network(), {.measured = {{"bytes", {{"x", 64}, {"y", 16}}}}});
  CHECK(has_text(data, R"("measured":{"bytes":{"x":64,"y":16}})"));
}

TEST_CASE("a page refuses measured numbers that have no share") {
  CHECK_THROWS_WITH_AS(view_page(viewed_network(), {.measured = {{"time", {{"fc1", -1}}}}}),
                       "mithril.InputError[E1354]: the time of 'fc1' is -1, and the page shows "
                       "shares of a sum\n"
                       "  help: measure finite numbers of at least 0",
                       InputError);
  for (const double number : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    CHECK_THROWS_WITH_AS(view_page(viewed_network(), {.measured = {{"time", {{"fc1", number}}}}}),
                         doctest::Contains("E1354"), InputError);
  }
}

TEST_CASE("a histogram counts each finite element once") {
  const double infinity = std::numeric_limits<double>::infinity();
  const Histogram counted =
      histogram_of(Tensor::of<double>({6}, {0, 1, 1, infinity, -infinity, std::nan("")}));
  CHECK(counted.not_finite == 3);
  CHECK(counted.bins.front() == 1);
  CHECK(counted.bins.back() == 2);
  CHECK(counted.mean == doctest::Approx(2.0 / 3));
  CHECK(counted.deviation == doctest::Approx(std::sqrt(2.0) / 3));
  const double most = std::numeric_limits<double>::max();
  CHECK(histogram_of(Tensor::of<double>({2}, {-most, most})).bins.back() == 1);
  CHECK(histogram_of(Tensor::of<double>({2}, {-most, most})).deviation == most);
  CHECK(histogram_of(Tensor::of<double>({2}, {-1e-200, 1e-200})).deviation ==
        doctest::Approx(1e-200).epsilon(1e-12));
  CHECK(histogram_of(Tensor::full(DType::float32, {5}, 3)).bins.front() == 5);
  CHECK(histogram_of(Tensor::zeros({0})).counted == 0);
  const Histogram sampled = histogram_of(Tensor::zeros({(1 << 21) + 1}));
  CHECK(sampled.elements == (1 << 21) + 1);
  CHECK(sampled.counted == 699051);
}

TEST_CASE("texts of JSON end no element and hold no control characters") {
  JsonText json;
  json.open('[').text("a\"\\</b>\n\xff").number(-3).real(0.5).real(INFINITY).flag(true).close(']');
  CHECK(json.take() == R"(["a\"\\\u003c/b\u003e\\n\\xff",-3,0.5,null,true])");
}

TEST_CASE("the library of layouts is the one that its page names") {
  const auto text_of = [](const char* path) {
    std::ifstream file(path, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const std::string library = text_of("mithril/viewer/dagre/dagre.js");
  CHECK(library.size() == 104796);
  CHECK(has_text(text_of("mithril/viewer/dagre/README.md"),
                 sha256_of(std::as_bytes(std::span(library)))));
  CHECK(has_text(library, "https://github.com/dagrejs/dagre"));
}

}  // namespace mithril::tests
