// Loss: binary cross entropy of logits or of probabilities.
#include "mithril/ops/support/paired.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// Each logarithm by a softplus: precise on both sides, without overflow.
Expression of_logits(const Expression& x, const Expression& target, const Operand& weight) {
  const Expression others = call("subtract", {1.0, target});
  return call("softplus", {-x}) * target * weight + call("softplus", {x}) * others;
}

Expression of_probabilities(ExpandContext& e, const Expression& target, const Operand& weight) {
  auto log = [&](const Expression& x) {
    return call("log", {x, e.operand("robust"), e.operand("threshold")});
  };
  const Expression p = e.in("input");
  const Expression others = call("subtract", {1.0, target});
  return -(log(p) * target * weight + log(call("subtract", {1.0, p})) * others);
}

// True: weights positive targets by the ratio of negative to positive ones; 1 if there are none.
// For logits the fraction is that of the sigmoid of the targets, as in the Python library of this
// name.
Operand positive_weight(ExpandContext& e, const Expression& target, bool logits) {
  const Datum& given = e.value("pos_weight");
  if (given.kind() != kind::bool_value) return Operand(given);
  if (!given.flag()) return 1.0;
  const Expression share = call("mean", {logits ? call("sigmoid", {target}) : target});
  const Expression is_zero = call("equal", {share, 0.0});
  return call("subtract", {1.0, share}) / call("where", {is_zero, 1.0, share});
}

}  // namespace

OpDef define_binary_cross_entropy() {
  return {
      .name = "binary_cross_entropy",
      .doc =
          "-(pos_weight * target * log(p) + (1 - target) * log(1 - p)), elementwise. p is "
          "sigmoid(input) for input_type=\"logits\" and input for \"probs\". pos_weight=True is (1 "
          "- m) / m, where m is the mean of target for \"probs\" and of sigmoid(target) for "
          "\"logits\", or 1 if m is 0. `robust` and `threshold` are those of log, for \"probs\".",
      .inputs = {{"input", "*s", "float"},
                 {"target", "*s", "any"},
                 word("input_type", {"logits", "probs"}),
                 value("pos_weight", "float|int|bool", 1.0),
                 value("robust", "bool", false),
                 value("threshold", "float|none", None())},
      .outputs = {{"output", "*s", "float"}},
      .solve =
          [](Solver& s) {
            const Datum* type = s.value("input_type");
            if (!type) return false;
            if (type->text() == "logits" || type->text() == "probs") return true;
            s.reject("the input_type is unknown", "\"logits\" or \"probs\"", to_string(*type));
          },
      .expand =
          [](ExpandContext& e) {
            const Expression x = e.in("input");
            Expression target = paired(e, "target", "input");
            if (target.dtype() != x.dtype()) target = call("cast", {target, Datum(x.dtype())});
            const bool logits = e.value("input_type").text() == "logits";
            const Operand weight = positive_weight(e, target, logits);
            e.become(logits ? of_logits(x, target, weight) : of_probabilities(e, target, weight));
          },
      .dtype_from = "input",
      .cast = CastPolicy::float32,
      .objective = true,
  };
}

}  // namespace mithril
