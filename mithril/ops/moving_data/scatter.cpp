// scatter: elements put or reduced into the places of each row that indices choose.
#include <algorithm>
#include <array>

#include "mithril/ops/support/along_axis.hpp"
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_scatter(Solver& s) {
  const Datum* reduce = s.value("reduce");
  constexpr std::array words = {"set", "add", "prod", "amax", "amin"};
  if (reduce && std::find(words.begin(), words.end(), reduce->text()) == words.end()) {
    s.reject("the reduction is unknown", "\"set\", \"add\", \"prod\", \"amax\" or \"amin\"",
             to_string(*reduce));
  }
  return solve_along_axis(s) && reduce;
}

template <typename T>
T scattered(const std::string& reduce, T old, T x) {
  if (reduce == "add") return static_cast<T>(wrapping(old) + wrapping(x));
  if (reduce == "prod") return static_cast<T>(wrapping(old) * wrapping(x));
  if (reduce == "amax") return x > old || x != x ? x : old;
  if (reduce == "amin") return x < old || x != x ? x : old;
  return x;
}

void eval_scatter(EvalContext& c) {
  const std::string& reduce = c.text("reduce");
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input"), source = c.read<T>("source");
    auto y = c.write<T>();
    for (int64_t i = 0; i < x.size(); ++i) y[i] = x[i];
    each_along_axis(c, [&](int64_t i, int64_t at) { y[at] = scattered(reduce, y[at], source[i]); });
  });
}

// The op of a gradient with the same indices.
class Along {
 public:
  explicit Along(GradContext& g) : g_(g) {}
  Expression take(const Expression& x) const {
    return call("take_along_axis", {x, g_.in("index"), g_.value("axis")});
  }
  Expression put(const Expression& x, const Expression& source, const char* reduce) const {
    return call("scatter", {x, g_.in("index"), source, g_.value("axis"), Datum(reduce)});
  }

 private:
  GradContext& g_;
};

// 1 where they are equal, else 0.
Expression agreement(const Expression& a, const Operand& b, const Expression& like) {
  return call("cast", {call("equal", {a, b}), Datum(like.dtype())});
}

// The gradient of mode "set": the last of the elements with the same index remains.
void flow_set(GradContext& g, const Along& along) {
  const Expression dy = g.out_grad();
  if (g.needs("input")) g.flow("input", along.put(dy, fill_like(g.in("source"), 0), "set"));
  if (!g.needs("source")) return;
  const Expression order = call("cumsum", {fill_like(g.in("index"), 1), g.value("axis")});
  const Expression none = call("cast", {fill_like(g.in("input"), 0), Datum(order.dtype())});
  const Expression last = along.take(along.put(none, order, "amax"));
  g.flow("source", call("where", {call("equal", {last, order}), along.take(dy), 0.0}));
}

// dy times the product of the others: 0 where another one is 0.
void flow_prod(GradContext& g, const Along& along) {
  const Expression x = g.in("input"), source = g.in("source"), dy = g.out_grad();
  const auto without_zeros = [](const Expression& of) {
    return call("where", {call("equal", {of, 0}), 1.0, of});
  };
  const Expression own = agreement(x, 0, x), other = agreement(source, 0, source);
  const Expression zeros = along.put(own, other, "add");
  const Expression product = along.put(without_zeros(x), without_zeros(source), "prod");
  const auto others = [&](const Expression& of, const Expression& all_zeros,
                          const Expression& own_zero, const Expression& whole) {
    const Expression none = call("equal", {all_zeros, own_zero});
    return call("where", {none, whole / without_zeros(of), 0.0});
  };
  if (g.needs("input")) g.flow("input", dy * others(x, zeros, own, product));
  if (!g.needs("source")) return;
  g.flow("source", along.take(dy) * others(source, along.take(zeros), other, along.take(product)));
}

// Elements that equal the extremum share the gradient.
void flow_shared(GradContext& g, const Along& along) {
  const Expression x = g.in("input"), source = g.in("source"), y = g.out();
  const Expression own = agreement(x, y, x), other = agreement(source, along.take(y), source);
  const Expression share = g.out_grad() / along.put(own, other, "add");
  if (g.needs("input")) g.flow("input", share * own);
  if (g.needs("source")) g.flow("source", along.take(share) * other);
}

void grad_scatter(GradContext& g) {
  const std::string& reduce = g.value("reduce").text();
  const Along along(g);
  if (reduce == "set") return flow_set(g, along);
  if (reduce == "prod") return flow_prod(g, along);
  if (reduce != "add") return flow_shared(g, along);
  if (g.needs("input")) g.flow("input", g.out_grad());
  if (g.needs("source")) g.flow("source", along.take(g.out_grad()));
}

std::string spell_scatter(const SpellingContext& c) {
  const std::vector<std::string> place = spell_along_axis(c);
  const std::string reduce = c.value("reduce").text();
  const std::vector<std::string> arguments = {spell_as_output("input"), place[0], place[1],
                                              spell_as_output("source")};
  if (reduce == "set") return spell_call("aten::scatter", arguments);
  if (reduce == "add") return spell_call("aten::scatter_add", arguments);
  std::vector<std::string> with_reduce = arguments;
  with_reduce.push_back("\"" + reduce + "\"");
  return spell_call("aten::scatter_reduce", with_reduce);
}

}  // namespace

OpDef define_scatter() {
  return {
      .name = "scatter",
      .doc =
          "A copy of `input` in which output[i, index[i, j]] is set to source[i, j] along axis 1, "
          "and likewise for other axes and ranks, as torch.scatter_reduce. `reduce` is how "
          "elements are combined: \"set\", \"add\", \"prod\", \"amax\" (maximum) or \"amin\" "
          "(minimum). `index` has the rank of `input` and is not longer along the other axes. "
          "Negative indices count from the end. For equal indices, \"set\" keeps the last element "
          "along the axis. Equal extrema share the gradient.",
      .inputs = {{"input", "*s", "T=number"},
                 {"index", "*i", "int"},
                 {"source", "*i", "T"},
                 value("axis", "int", -1),
                 word("reduce", {"set", "add", "prod", "amax", "amin"})},
      .outputs = {{"output", "*s", "T"}},
      .solve = solve_scatter,
      .eval = eval_scatter,
      .grad = grad_scatter,
      .batch = batch_beside_axis,
      .samples = samples_beside_axis,
      .integers = IntegerUse::bits,
      .spell = {{"jax", "scatter({input}, {index}, {source}, {axis}, {reduce})"},
                {"onnx", "scatter(input, index.raw, source, axis, reduce)"},
                {"torch", "aten::scatter, aten::scatter_add or aten::scatter_reduce",
                 spell_scatter},
                {"cpu", "scatter(input, index, source, axis, reduce)"}},
  };
}

}  // namespace mithril
