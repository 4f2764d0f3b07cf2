// Loops and choices that read rows run on the rows of each process (threads here).
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "mithril/models/cond.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/models/ops/shapes.hpp"
#include "mithril/models/while.hpp"
#include "tests/distributed/trained_loops.hpp"

namespace mithril::tests {
namespace {

// A loop over the same two factors in each step.
Model nested() {
  Model step = Model::create({{"g_next", (key("g") + key("factor") * key("w")) * 0.5}});
  Model body, net;
  body |= Scan(step, {.carry = {{"g", "g_next"}}, .sequences = {"factor"}})(
      {{"factor", "factors"}, {"g", "start"}, {"w", "w"}, {"g_last", "last"}});
  body |=
      Model::create({{"start", key("h") + key("a")}})({{"h", "h"}, {"a", "a"}, {"start", "start"}});
  body |= Linear({.dimension = width})({{"input", "x"}, {"output", "a"}});
  body |= Tanh()({{"input", "last"}, {"output", "h_next"}});
  net |= Scan(body, {.carry = {{"h", "h_next"}}, .sequences = {"x"}, .axis = 1})(
      {{"x", "x"}, {"h", "h"}, {"factors", "factors"}, {"w", "w"}, {"h_last", "y"}});
  return net;
}

// One of two layers.
Model chosen() {
  Model then, otherwise, net;
  then |= Linear({.dimension = width})({{"input", "h"}, {"output", "y"}});
  otherwise |= Linear({.dimension = width})({{"input", "h"}});
  otherwise += Tanh()({{"output", "y"}});
  net |= Model::create({{"is_large", key("factor") > 0.0}})(
      {{"factor", "factor"}, {"is_large", "is_large"}});
  net |= Cond("is_large", then, otherwise)({{"h", "h"}, {"is_large", "is_large"}, {"y", "y"}});
  return net;
}

// h (1 - w / 2) in each of at most 5 steps, while i is below the limit.
Model repeated() {
  Model step =
      Model::create({{"h_next", key("h") - key("h") * key("w") * 0.5}, {"i_next", key("i") + 1.0}});
  Model net;
  net |= While(Model::create({{"goes_on", key("i") < 3.0}}), step,
               {.carry = {{"h", "h_next"}, {"i", "i_next"}}, .max_steps = 5})(
      {{"h", "h"}, {"w", "w"}, {"i", "factor"}, {"h_last", "y"}});
  return net;
}

// A loop over the trained sum of all rows, which at most 4 steps add to.
Model summed_while() {
  Model step, net;
  step |= Linear({.dimension = width})({{"input", "h"}, {"output", "q"}});
  step |= Sum({.axis = 0})({{"input", "q"}, {"output", "of_rows"}});
  step |= Model::create({{"s_next", key("s") + key("of_rows") * 0.1}, {"i_next", key("i") + 1.0}})(
      {{"s", "s"}, {"i", "i"}, {"of_rows", "of_rows"}, {"s_next", "s_next"}, {"i_next", "i_next"}});
  net |= While(Model::create({{"goes_on", key("i") < 3.0}}), step,
               {.carry = {{"s", "s_next"}, {"i", "i_next"}}, .max_steps = 4})(
      {{"h", "h"},
       {"s", Tensor::full(DType::float64, {width}, 0.5)},
       {"i", "factor"},
       {"s_last", "last"}});
  net |= Model::create({{"y", key("h") + key("last")}})({{"h", "h"}, {"last", "last"}, {"y", "y"}});
  return net;
}

// The carry of an outer loop is a carry of the inner one, which adds sums over rows to it.
Model summed_in_loops() {
  Model step, outer, net;
  step |= Linear({.dimension = width})({{"input", "h"}, {"output", "q"}});
  step |= Sum({.axis = 0})({{"input", key("q") * key("g")}, {"output", "of_rows"}});
  step |= Model::create(
      {{"s_next", key("s") * 0.5 + key("of_rows") * 0.1}, {"g_next", key("g") * 0.9}})(
      {{"s", "s"}, {"g", "g"}, {"of_rows", "of_rows"}, {"s_next", "s_next"}, {"g_next", "g_next"}});
  outer |= Scan(step, {.carry = {{"s", "s_next"}, {"g", "g_next"}}, .length = 3})(
      {{"h", "h"}, {"s", "s"}, {"g", "b"}, {"s_last", "s_next"}});
  outer |= Model::create({{"b_next", key("b") * 0.7}})({{"b", "b"}, {"b_next", "b_next"}});
  net |= Scan(outer, {.carry = {{"s", "s_next"}, {"b", "b_next"}}, .length = 2})(
      {{"h", "h"},
       {"s", Tensor::full(DType::float64, {width}, 0.5)},
       {"b", Tensor::ones({width}).to(DType::float64)},
       {"s_last", "last"}});
  net |= Model::create({{"y", key("h") + key("last")}})({{"h", "h"}, {"last", "last"}, {"y", "y"}});
  return net;
}

// Loops in loops, whose placement takes long if each follows those in it several times.
Model many_nested() {
  Model step, net;
  step |= Linear({.dimension = width})({{"input", "h"}, {"output", "sum"}});
  step |= Tanh()({{"input", "sum"}, {"output", "h_next"}});
  for (int depth = 0; depth < 14; ++depth) {
    Model outer;
    outer |=
        Scan(step, {.carry = {{"h", "h_next"}}, .length = 1})({{"h", "h"}, {"h_last", "h_next"}});
    step = outer;
  }
  net |= step({{"h", "h"}, {"h_next", "y"}});
  return net;
}

// The features of all rows, as one axis, divided by their number in a graph.
Model of_merged_rows(bool in_loop) {
  Model net, scaled = Model::create({{"z", key("h") / key("h").shape()[0]}});
  net |= Linear({.dimension = width})({{"input", "h"}, {"output", "q"}});
  net |= Reshape({.shape = Tuple{-1}})({{"input", "q"}, {"output", "merged"}});
  if (in_loop) {
    net |=
        Scan(scaled, {.carry = {{"h", "z"}}, .length = 2})({{"h", "merged"}, {"h_last", "last"}});
  } else {
    net |= Model::create({{"is_large", key("factor") > 0.0}})(
        {{"factor", "factor"}, {"is_large", "is_large"}});
    net |= Cond("is_large", scaled, Model::create({{"z", key("h") * 0.5}}))(
        {{"h", "merged"}, {"is_large", "is_large"}, {"z", "last"}});
  }
  net |= Reshape({.shape = Tuple{-1, width}})({{"input", "last"}, {"output", "y"}});
  return net;
}

// A loop over the features of all rows, as one axis.
Model over_merged_rows(const Model& step) {
  Model net;
  net |= Linear({.dimension = width})({{"input", "h"}, {"output", "q"}});
  net |= Reshape({.shape = Tuple{-1}})({{"input", "q"}, {"output", "merged"}});
  net |= Scan(step, {.carry = {{"h", "z"}}, .length = 2})({{"h", "merged"}, {"h_last", "last"}});
  net |= Reshape({.shape = Tuple{-1, width}})({{"input", "last"}, {"output", "y"}});
  return net;
}

// The rows of the features again.
Model layer_of_merged_rows() {
  Model step;
  step |= Reshape({.shape = Tuple{-1, width}})({{"input", "h"}, {"output", "rows"}});
  step |= Linear({.dimension = width})({{"input", "rows"}, {"output", "sum"}});
  step |= Tanh()({{"input", "sum"}, {"output", "made"}});
  step |= Reshape({.shape = Tuple{-1}})({{"input", "made"}, {"output", "z"}});
  return step;
}

// The mean over all rows, divided by their number in each step.
Model of_bound_number() {
  Model net;
  net |= Linear({.dimension = width})({{"input", "h"}, {"output", "q"}});
  net |= Sum({.axis = 0})({{"input", "q"}, {"output", "g"}});
  net |= Model::create({{"n", key("h").shape()[0]}})({{"h", "h"}, {"n", "n"}});
  const Model step = Model::create({{"z", key("g") / key("n")}});
  net |= Scan(step,
              {.carry = {{"g", "z"}}, .length = 2})({{"g", "g"}, {"n", "n"}, {"g_last", "last"}});
  net |= Model::create({{"y", key("h") + key("last")}})({{"h", "h"}, {"last", "last"}, {"y", "y"}});
  return net;
}

}  // namespace

TEST_CASE("loops over the steps of each row give the parameters of one process") {
  check_groups([] { return recurrent(recurrent_step(), {}); });
  check_groups([] { return recurrent(recurrent_step(), {.reverse = true}); });
  check_groups([] { return recurrent(recurrent_step(), {.lengths = "lengths"}); });
  check_groups(nested);
  check_groups(many_nested);
}

TEST_CASE("loops over the features of all rows give the parameters of one process") {
  check_groups([] { return over_merged_rows(Model::create({{"z", key("h") * key("h")}})); });
  check_groups([] { return over_merged_rows(layer_of_merged_rows()); });
}

TEST_CASE("loops that add sums over rows to a carry give the parameters of one process") {
  check_groups(summed_while);
  check_groups(summed_in_loops);
}

TEST_CASE("choices and loops with a condition give the parameters of one process") {
  check_groups(chosen);
  check_groups(repeated);
}

TEST_CASE("a loop whose steps need all rows is refused") {
  const auto centred = [] {
    Model step;
    step |= recurrent_step()({{"x", "x"}, {"h", "h"}, {"h_next", "raw"}});
    step |= Mean({.axis = 0, .keepdim = true})({{"input", "raw"}, {"output", "mean"}});
    step |= Model::create({{"h_next", key("raw") - key("mean")}})(
        {{"raw", "raw"}, {"mean", "mean"}, {"h_next", "h_next"}});
    return recurrent(step, {});
  };
  CHECK(refused(centred) ==
        "mithril.StateError[E0950]: model.scan.model.mean: mean mixes the rows of a batch that 2 "
        "processes share\n"
        "  reason : it mixes the elements along axis 0, which holds the samples\n"
        "  help: use a layer that treats each row by itself, or train with one process");
}

TEST_CASE("a loop or a choice that reads the number of merged rows is refused") {
  const auto why = [](const std::string& op) {
    return "mithril.StateError[E0950]: last: " + op +
           " mixes the rows of a batch that 2 processes share\n"
           "  reason : its graph reads the number of rows at 'model." +
           op +
           ".model.z'\n"
           "  help: divide by the number of rows before the loop or choice, or after it";
  };
  CHECK(refused([] { return of_merged_rows(true); }) == why("scan"));
  CHECK(refused([] { return of_merged_rows(false); }) == why("cond"));
  CHECK(refused(of_bound_number) == why("scan"));
}

TEST_CASE("a sum over the rows of all steps may begin with an infinite value") {
  const auto sums = [](const std::shared_ptr<Communicator>& group) {
    Model step, net;
    step |= Sum({.axis = 0})({{"input", "x"}, {"output", "of_rows"}});
    step |= Model::create({{"s_next", key("s") + key("of_rows")}})(
        {{"s", "s"}, {"of_rows", "of_rows"}, {"s_next", "s_next"}});
    net |= Scan(step, {.carry = {{"s", "s_next"}}, .sequences = {"x"}, .axis = 1})(
        {{"x", "x"}, {"s", "factors"}, {"s_last", "sums"}});
    CompileOptions options{.shapes = {{"x", {any, steps, 2}}, {"factors", {2}}},
                           .data_keys = {"x", "factors"},
                           .group = group};
    options.replicated_keys = {"factors"};
    const CompiledModel compiled =
        compile(net, cpu({.dtype = DType::float64, .threads = 1}), options);
    TensorMap batch = rows_of_process(compiled, batch_of(compiled, 5, 1));
    batch["factors"] = Tensor::of<double>({2}, {std::numeric_limits<double>::infinity(), 1});
    return compiled.evaluate({}, batch).at("sums");
  };
  const Tensor alone = sums(nullptr);
  CHECK(std::isinf(alone.values<double>()[0]));
  std::vector<Tensor> each(3);
  const auto errors = on_each_rank(3, [&](Communicator& own) {
    each[static_cast<size_t>(own.rank())] = sums(communicator(own.name()));
  });
  CHECK(errors == no_errors(3));
  for (const Tensor& found : each) {
    CHECK(found.values<double>()[0] == alone.values<double>()[0]);
    CHECK(relative_distance(Tensor::of<double>({1}, {found.values<double>()[1]}),
                            Tensor::of<double>({1}, {alone.values<double>()[1]})) <= 1e-12);
  }
}

TEST_CASE("a number that does not grow evenly with the rows is refused outside of loops, too") {
  CHECK(refused([] {
          Model net;
          net |= Model::create({{"n", floor_divide(key("h").shape()[0], 2)}})(
              {{"h", "h"}, {"n", "n"}});
          net |= Linear({.dimension = width})({{"input", "h"}, {"output", "q"}});
          net |= Model::create({{"y", key("q") / key("n")}})({{"q", "q"}, {"n", "n"}, {"y", "y"}});
          return net;
        }).starts_with("mithril.StateError[E0953]: "));
}

}  // namespace mithril::tests
