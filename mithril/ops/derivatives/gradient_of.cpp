// gradient_of: the gradient of a tensor by others that it depends on.
#include <algorithm>

#include "mithril/graph/reverse_mode.hpp"
#include "mithril/ops/support/collectives.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_gradient(Solver& s) {
  const bool known = solve_mirrored_list(s, "wrt", "gradients");
  const Kinds form = s.form("seed");
  if (form == 0) return false;
  if (form & kind::tensor) return known;
  std::vector<Dim> dims;
  if (!s.shape("of", dims)) return false;
  if (!dims.empty())
    s.reject("the gradient of a tensor that is not a scalar needs a seed",
             "a scalar, or a seed: 1.0 gives the gradient of the sum", to_string(dims),
             ErrorKind::shape);
  return known;
}

// The seed of a scalar. It reads the scalar only where the rank is checked when it runs.
Expression one_for(const Expression& of) {
  const Expression one = call_in(of, "full", {Datum::dims({}), 1.0, Datum(of.dtype())});
  return of.ranked() ? one : call("same_shape", {one, of});
}

// Seeds of a scalar. In a sum of products each factor has the other one as its seed, which takes no
// tensor of ones: products with a Hessian are such sums, as are derivatives in a direction.
class ScalarSeeds {
 public:
  ScalarSeeds(ReverseMode& reverse, const Expression& of, const std::vector<ValueId>& wanted)
      : reverse_(reverse), graph_(*of.graph), of_(of), wanted_(wanted) {}

  void seed(ValueId id) {
    if (const Node* total = maker_of(id, "add")) {
      const std::vector<Argument> terms = total->arguments;  // seeds add nodes
      for (const Argument& term : terms) seed(*tensor_of(term));
      return;
    }
    const Node* sum = maker_of(id, "sum");
    const Node* product = sum ? maker_of(*tensor_of(sum->arguments.front()), "multiply") : nullptr;
    if (!product) return reverse_.seed(id, one_for({&graph_, id, of_.scope}).id);
    const ValueId left = *tensor_of(product->arguments[0]),
                  right = *tensor_of(product->arguments[1]);
    reverse_.seed(left, right);
    reverse_.seed(right, left);
  }

 private:
  // The node of this op that makes the value, if both arguments are as large as the value, or if
  // the value is a scalar. None for a value whose own gradient is wanted.
  const Node* maker_of(ValueId id, std::string_view op) const {
    if (std::find(wanted_.begin(), wanted_.end(), id) != wanted_.end()) return nullptr;
    for (const Node& node : graph_.nodes()) {
      if (node.outputs.front() != id) continue;
      return node.op->name == op && passes_all(node) ? &node : nullptr;
    }
    return nullptr;
  }

  bool passes_all(const Node& node) const {
    const Value& made = graph_.value(node.outputs.front());
    if (!made.ranked) return false;
    if (node.op->name == "sum") return made.dims.empty();
    return std::all_of(node.arguments.begin(), node.arguments.end(), [&](const Argument& argument) {
      const ValueId* id = tensor_of(argument);
      if (!id || !graph_.value(*id).ranked || graph_.value(*id).dtype != made.dtype) return false;
      const std::vector<Dim>& dims = graph_.value(*id).dims;
      return std::equal(dims.begin(), dims.end(), made.dims.begin(), made.dims.end(),
                        [](const Dim& a, const Dim& b) { return same(a, b); });
    });
  }

  ReverseMode& reverse_;
  Graph& graph_;
  const Expression of_;
  const std::vector<ValueId>& wanted_;
};

void expand_gradient(ExpandContext& c) {
  std::vector<ValueId> wanted;
  for (int k = 0; k < c.list_size(); ++k) wanted.push_back(c.in("wrt", k).id);
  const Expression of = c.in("of");
  ReverseMode reverse(*of.graph, *of.scope + ".", wanted);
  if (c.has("seed")) {
    reverse.seed(of.id, c.in("seed").id);
  } else {
    ScalarSeeds(reverse, of, wanted).seed(of.id);
  }
  reverse.run();
  for (int k = 0; k < c.list_size(); ++k) {
    const Expression& by = c.in("wrt", k);
    const ValueId gradient = reverse.gradient_or_zeros(by.id, by.value().name);
    c.become({of.graph, gradient, of.scope}, k);
  }
}

}  // namespace

OpDef define_gradient_of() {
  return {
      .name = "gradient_of",
      .doc =
          "The gradients of the sum of of * seed with respect to each tensor of `wrt`; without a "
          "seed those of a scalar. The paths from `wrt` to `of` are those of the whole model. "
          "Zeros "
          "where there is none.",
      .internal = true,
      .inputs = {{"of", "*o", "float"},
                 optional("seed", "*o", "float"),
                 list("wrt", "*s", "float")},
      .outputs = {list("gradients", "*s", "float")},
      .solve = solve_gradient,
      .expand = expand_gradient,
      .outputs_from = "wrt",
      .transform = true,
      .work = {.uncounted = true},
  };
}

}  // namespace mithril
