// Sizes of two parts that have the same name and are not equal get distinct names in texts.
#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"

namespace ml = mithril;

namespace {

ml::Model relu_of_rows() {
  ml::Model model;
  model |= ml::Relu()({{"input", "a"}, {"output", "x"}});
  model.set_shapes({{"a", {"N", "H"}}});
  model.expose_keys({"x"});
  return model;
}

ml::Model two_parts() {
  ml::Model model;
  model |= relu_of_rows()({{"a", "p"}, {"x", "q"}});
  model |= relu_of_rows()({{"a", "r"}, {"x", "s"}});
  model.expose_keys({"q", "s"});
  return model;
}

}  // namespace

TEST_CASE("sizes of two parts with one name have distinct names in the tables of the model") {
  const ml::Model model = two_parts();
  CHECK(model.summary().find("inputs:  p [N, H], r [N_1, H_1]\n"
                             "outputs: q [N, H], s [N_1, H_1]\n") != std::string::npos);
  const auto shapes = model.get_shapes();
  CHECK(to_string(shapes.at("s")) == "[N_1, H_1]");
  CHECK(to_string(shapes.at("r")) == to_string(shapes.at("s")));
  CHECK(to_string(shapes.at("p")) == "[N, H]");
}

TEST_CASE("sizes of two parts with one name have distinct names in the compiled model") {
  const ml::CompiledModel compiled = ml::compile(two_parts(), ml::cpu(), {.data_keys = {"p", "r"}});
  const std::string summary = compiled.summary();
  CHECK(summary.find("r    data    [N_1, H_1]") != std::string::npos);
  CHECK(summary.find("s    output  [N_1, H_1]") != std::string::npos);
  const ml::TensorMap outputs =
      compiled.evaluate({}, {{"p", ml::Tensor(ml::DType::float32, {2, 3})},
                             {"r", ml::Tensor(ml::DType::float32, {4, 5})}});
  CHECK(outputs.at("s").dims() == ml::Dims{4, 5});
}

TEST_CASE("one size of two parts has one name") {
  ml::Model model = two_parts();
  model.set_shapes({{"p", {"M", 3}}, {"r", {"M", 4}}});
  CHECK(model.summary().find("inputs:  p [N, 3], r [N, 4]\n") != std::string::npos);
}
