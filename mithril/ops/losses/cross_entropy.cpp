// Loss: cross entropy of logits, probabilities or their logarithms, with classes or distributions.
#include <string>
#include <string_view>
#include <vector>

#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/paired.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_same_shape(Solver& s, std::string_view a, std::string_view b) {
  std::vector<Dim> dims;
  if (s.shape(a, dims)) {
    s.set_shape(b, dims);
    return true;
  }
  if (!s.shape(b, dims)) return false;
  s.set_shape(a, dims);
  return true;
}

void check_weights(Solver& s, const Datum& weights) {
  if (weights.kind() == kind::tuple) s.set("C", Dim(static_cast<int64_t>(weights.tuple().size())));
  const bool known =
      weights.kind() != kind::string || weights.text() == "auto" || weights.text().empty();
  if (!known)
    s.reject("the weights are unknown", "numbers, True, \"auto\" or False", to_string(weights));
}

bool solve_cross_entropy(Solver& s) {
  const Datum *type = s.value("input_type"), *weights = s.value("weights"),
              *categorical = s.value("categorical");
  if (!type || !weights || !categorical) return false;
  const std::string& name = type->text();
  if (name != "logits" && name != "probs" && name != "log_probs") {
    s.reject("the input_type is unknown", "\"logits\", \"probs\" or \"log_probs\"",
             to_string(*type));
  }
  if (name == "log_probs") s.narrow("input", kind::float_tensor);
  check_weights(s, *weights);
  if (categorical->flag()) s.narrow("target", kind::int_tensor);
  return solve_same_shape(s, "target", categorical->flag() ? "output" : "input");
}

class CrossEntropy {
 public:
  explicit CrossEntropy(ExpandContext& e)
      : e_(e), x_(e.in("input")), target_(e.in("target")), type_(e.value("input_type").text()) {}

  void run() { e_.become(-(e_.value("categorical").flag() ? of_classes() : of_distributions())); }

 private:
  Expression log(const Expression& p) {
    return call("log", {p, e_.operand("robust"), e_.operand("threshold")});
  }

  // The class is picked first, so that a probability of 0 elsewhere does no harm.
  Expression of_classes() {
    const bool logits = type_ == "logits";
    const Expression picked =
        call("pick_class", {logits ? call("log_softmax", {x_, 1}) : x_, target_});
    const Expression result = type_ == "probs" ? log(picked) : picked;
    if (!weighted()) return result;
    auto distribution = [&] { return call("place_class", {fill_like(result, 1.0), target_, x_}); };
    return result * call("gather", {class_weights(result.dtype(), distribution), target_});
  }

  Expression of_distributions() {
    const Expression logarithm = type_ == "logits"  ? call("log_softmax", {x_, 1})
                                 : type_ == "probs" ? log(x_)
                                                    : x_;
    const Expression shaped = paired(e_, "target", "input");
    const bool same_dtype = shaped.dtype() == logarithm.dtype();
    const Expression target =
        same_dtype ? shaped : call("cast", {shaped, Datum(logarithm.dtype())});
    const Expression products = target * logarithm;
    if (!weighted()) return call("sum", {products, 1});
    const Expression weights = class_weights(products.dtype(), [&] { return target; });
    return call("sum", {class_last(class_last(products) * weights), 1});
  }

  bool weighted() const {
    const Datum& weights = e_.value("weights");
    return weights.kind() == kind::string ? !weights.text().empty()
                                          : weights.kind() == kind::tuple || weights.flag();
  }

  // One weight for each class; True and "auto" give all classes the same total weight, whatever
  // their share of the samples.
  template <typename Distribution>
  Expression class_weights(DType dtype, Distribution distribution) {
    const Datum& given = e_.value("weights");
    if (given.kind() == kind::tuple) return e_.make("to_tensor", {given, Datum(dtype)});
    const Expression samples = call("flatten", {class_last(distribution()), 0, -2});
    const Expression counts = call("sum", {samples, 0});
    return call("mean", {counts}) / counts;
  }

  static Expression class_last(const Expression& e) { return call("swapaxes", {e, 1, -1}); }

  ExpandContext& e_;
  const Expression x_, target_;
  const std::string& type_;
};

}  // namespace

OpDef define_cross_entropy() {
  return {
      .name = "cross_entropy",
      .doc =
          "-log(p[target]) for each sample, where the second axis of the input [N, C, ...] holds "
          "the classes and p is its "
          "softmax for input_type=\"logits\", the input for \"probs\", its exp for \"log_probs\". "
          "The target [N, ...] holds "
          "the classes as ints, or, with categorical=False, as [N, C, ...] their probabilities: "
          "-sum(target * log(p)). "
          "Weights are a number for each class, or True or \"auto\" to make up for classes with "
          "fewer samples; robust and "
          "threshold are those of log, for \"probs\".",
      .inputs = {{"input", "N C *s", "number"},
                 {"target", "*t", "any"},
                 word("input_type", {"logits", "probs", "log_probs"}),
                 value("weights", "bool|str|tuple", false),
                 value("categorical", "bool", true),
                 value("robust", "bool", false),
                 value("threshold", "float|none", None())},
      .outputs = {{"output", "N *s", "float"}},
      .solve = solve_cross_entropy,
      .expand = [](ExpandContext& e) { CrossEntropy(e).run(); },
      .cast = CastPolicy::float32,
      .objective = true,
  };
}

}  // namespace mithril
