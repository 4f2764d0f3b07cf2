// Random numbers whose rows are not the first axis, or in a loop or a choice: they belong to rows
// (threads here).
#include "mithril/models/cond.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/models/ops/shapes.hpp"
#include "mithril/models/random.hpp"
#include "mithril/models/recurrent_layers.hpp"
#include "mithril/models/while.hpp"
#include "tests/distributed/trained_loops.hpp"

namespace mithril::tests {
namespace {

Model dropping_step() {
  Model step;
  step |= recurrent_step()({{"x", "x"}, {"h", "h"}, {"h_next", "new"}});
  step |= Dropout({.p = 0.5})({{"input", "new"}, {"output", "h_next"}});
  return step;
}

// h_next = dropout(g) after two steps of g = dropout(g + h w)
Model nested_dropping() {
  Model inner, body, net;
  inner |= Model::create({{"sum", key("g") + key("h") * key("w")}})(
      {{"g", "g"}, {"h", "h"}, {"w", "w"}, {"sum", "sum"}});
  inner |= Dropout({.p = 0.5})({{"input", "sum"}, {"output", "g_next"}});
  body |= Linear({.dimension = width})({{"input", "x"}, {"output", "a"}});
  body |= Scan(inner, {.carry = {{"g", "g_next"}}, .length = 2})(
      {{"g", "a"}, {"h", "h"}, {"w", "w"}, {"g_last", "last"}});
  body |= Dropout({.p = 0.25})({{"input", "last"}, {"output", "h_next"}});
  net |= Scan(body, {.carry = {{"h", "h_next"}}, .sequences = {"x"}, .axis = 1})(
      {{"x", "x"}, {"h", "h"}, {"w", "w"}, {"h_last", "y"}});
  return net;
}

Model chosen_dropping() {
  Model then, otherwise, net;
  then |= Linear({.dimension = width})({{"input", "h"}});
  then += Dropout({.p = 0.5})({{"output", "y"}});
  otherwise |= Linear({.dimension = width})({{"input", "h"}, {"output", "y"}});
  net |= Model::create({{"is_large", key("factor") > 0.0}})(
      {{"factor", "factor"}, {"is_large", "is_large"}});
  net |= Cond("is_large", then, otherwise)({{"h", "h"}, {"is_large", "is_large"}, {"y", "y"}});
  return net;
}

Model repeated_dropping() {
  Model step, net;
  step |= Model::create({{"q", key("h") - key("h") * key("w") * 0.5}, {"i_next", key("i") + 1.0}})(
      {{"h", "h"}, {"w", "w"}, {"i", "i"}, {"q", "q"}, {"i_next", "i_next"}});
  step |= Dropout({.p = 0.5})({{"input", "q"}, {"output", "h_next"}});
  net |= While(Model::create({{"goes_on", key("i") < 3.0}}), step,
               {.carry = {{"h", "h_next"}, {"i", "i_next"}}, .max_steps = 5})(
      {{"h", "h"}, {"w", "w"}, {"i", "factor"}, {"h_last", "y"}});
  return net;
}

Model layers(bool batch_first) {
  Model net;
  const char* input = batch_first ? "x" : "turned";
  if (!batch_first)
    net |= Transpose({.axes = Tuple{1, 0, 2}})({{"input", "x"}, {"output", "turned"}});
  net |= LSTM({.hidden_size = width, .num_layers = 3, .batch_first = batch_first, .dropout = 0.5})(
      {{"input", input}, {"output", "all"}});
  net |= Mean({.axis = batch_first ? 1 : 0})({{"input", "all"}, {"output", "mean"}});
  net |= Model::create({{"y", key("mean") + key("h")}})({{"mean", "mean"}, {"h", "h"}, {"y", "y"}});
  return net;
}

// h W + n k of random numbers n and ints k.
Model noisy() {
  Model net;
  net |= Linear({.dimension = width})({{"input", "h"}, {"output", "a"}});
  net |= Randn()({{"shape", key("a").shape()}, {"output", "noise"}});
  net |= RandInt({.low = -3, .high = 4})({{"shape", key("a").shape()}, {"output", "ints"}});
  net |= Model::create({{"y", key("a") + key("noise") * key("ints")}})(
      {{"a", "a"}, {"noise", "noise"}, {"ints", "ints"}, {"y", "y"}});
  return net;
}

}  // namespace

TEST_CASE("noise and random ints") { check_groups(noisy); }

TEST_CASE("dropout in the steps of a loop") {
  check_groups([] { return recurrent(dropping_step(), {}); });
  check_groups([] { return recurrent(dropping_step(), {.reverse = true}); });
  check_groups([] { return recurrent(dropping_step(), {.lengths = "lengths"}); });
  check_groups(nested_dropping);
}

TEST_CASE("dropout in a choice, and in a loop with a condition") {
  check_groups(chosen_dropping);
  check_groups(repeated_dropping);
}

TEST_CASE("dropout between recurrent layers") {
  check_groups([] { return layers(true); });
  check_groups([] { return layers(false); });
}

}  // namespace mithril::tests
