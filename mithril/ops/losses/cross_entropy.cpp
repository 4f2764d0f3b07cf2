// Loss: cross entropy of logits, probabilities or their logarithms, with classes or distributions.
#include <optional>
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

// Options that PyTorch has for classes only, and the range of the smoothing.
void check_class_options(Solver& s, const Datum& ignored, const Datum& smoothing,
                         bool categorical) {
  if (!ignored.is_none() && !categorical)
    s.reject("the ignore_index is that of a class", "None with categorical=False",
             to_string(ignored));
  if (smoothing.real() < 0 || smoothing.real() > 1)
    s.reject("the label_smoothing is out of range", "0 to 1", to_string(smoothing));
}

bool solve_cross_entropy(Solver& s) {
  const Datum *type = s.value("input_type"), *weights = s.value("weights"),
              *categorical = s.value("categorical"), *ignored = s.value("ignore_index"),
              *smoothing = s.value("label_smoothing");
  if (!type || !weights || !categorical || !ignored || !smoothing) return false;
  check_class_options(s, *ignored, *smoothing, categorical->flag());
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
      : e_(e),
        x_(e.in("input")),
        target_(e.in("target")),
        type_(e.value("input_type").text()),
        smoothing_(e.value("label_smoothing").real()) {}

  void run() { e_.become(-(e_.value("categorical").flag() ? of_classes() : of_distributions())); }

 private:
  Expression log(const Expression& p) {
    return call("log", {p, e_.operand("robust"), e_.operand("threshold")});
  }

  Expression logarithms() {
    return type_ == "logits" ? call("log_softmax", {x_, 1}) : type_ == "probs" ? log(x_) : x_;
  }

  Expression of_classes() {
    const Datum& ignored = e_.value("ignore_index");
    std::optional<Expression> counts;  // whether a sample does
    Expression target = target_;
    if (!ignored.is_none()) {
      counts = call("not_equal", {target_, ignored});
      target = call("where", {*counts, target_, 0});
      // A probability of 0 in an ignored sample must not reach the logarithm: its slope is
      // infinite.
      if (type_ == "probs") x_ = call("where", {call("expand_dims", {*counts, 1}), x_, 1.0});
    }
    std::optional<Expression> all;
    if (type_ == "logits" || smoothing_ > 0) all = logarithms();
    Expression result = picked(all, target);
    const auto counted = [&](const Expression& of) {
      return counts ? call("where", {*counts, of, 0.0}) : of;
    };
    std::optional<Expression> weights, weight;
    if (weighted()) {
      weights = class_weights(result.dtype(), [&] {
        return call("place_class", {counted(fill_like(result, 1.0)), target, x_});
      });
      weight = call("gather", {*weights, target});
      result = result * *weight;
    }
    if (smoothing_ > 0) result = smoothed(result, *all, weights);
    result = counted(result);
    if (!normalizes(ignored) || (!weight && !counts)) return result;
    return result / call("mean", {counted(weight ? *weight : fill_like(result, 1.0))});
  }

  // The class is picked before the logarithm, so that a probability of 0 elsewhere does no harm.
  Expression picked(const std::optional<Expression>& all, const Expression& target) {
    if (all) return call("pick_class", {*all, target});
    const Expression result = call("pick_class", {x_, target});
    return type_ == "probs" ? log(result) : result;
  }

  Expression of_distributions() {
    const Expression logarithm = logarithms();
    const Expression shaped = paired(e_, "target", "input");
    const bool same_dtype = shaped.dtype() == logarithm.dtype();
    const Expression target =
        same_dtype ? shaped : call("cast", {shaped, Datum(logarithm.dtype())});
    const Expression products = target * logarithm;
    if (!weighted()) return smoothed(call("sum", {products, 1}), logarithm, {});
    const Expression weights = class_weights(products.dtype(), [&] { return target; });
    return smoothed(call("sum", {weigh(products, weights), 1}), logarithm, weights);
  }

  // A part of each target goes to all classes alike.
  Expression smoothed(const Expression& result, const Expression& logarithms,
                      const std::optional<Expression>& weights) const {
    if (smoothing_ == 0) return result;
    const Expression others =
        call("mean", {weights ? weigh(logarithms, *weights) : logarithms, 1}) * smoothing_;
    return result * (1 - smoothing_) + others;
  }

  bool normalizes(const Datum& ignored) const {
    const Datum& normalize = e_.value("normalize");
    return normalize.is_none() ? !ignored.is_none() : normalize.flag();
  }

  bool weighted() const {
    const Datum& weights = e_.value("weights");
    return weights.kind() == kind::string ? !weights.text().empty()
                                          : weights.kind() == kind::tuple || weights.flag();
  }

  // One weight for each class; True and "auto" give all classes the same total weight, whatever
  // their share of the samples, and classes without samples a weight of 0.
  template <typename Distribution>
  Expression class_weights(DType dtype, Distribution distribution) {
    const Datum& given = e_.value("weights");
    if (given.kind() == kind::tuple) return e_.make("to_tensor", {given, Datum(dtype)});
    const Expression samples = call("flatten", {class_last(distribution()), 0, -2});
    const Expression counts = call("sum", {samples, 0});
    const Expression is_absent = call("equal", {counts, 0.0});
    const Expression weights = call("mean", {counts}) / call("where", {is_absent, 1.0, counts});
    return call("where", {is_absent, 0.0, weights});
  }

  // Multiplies along the axis of classes.
  static Expression weigh(const Expression& e, const Expression& weights) {
    return class_last(class_last(e) * weights);
  }
  static Expression class_last(const Expression& e) { return call("swapaxes", {e, 1, -1}); }

  ExpandContext& e_;
  Expression x_;
  const Expression target_;
  const std::string& type_;
  const double smoothing_;
};

}  // namespace

OpDef define_cross_entropy() {
  return {
      .name = "cross_entropy",
      .doc =
          "-log(p[target]) for each sample. The second axis of input [N, C, ...] holds the "
          "classes; p is softmax(input) for input_type=\"logits\", input for \"probs\" and "
          "exp(input) for \"log_probs\". The target [N, ...] holds classes as ints. With "
          "categorical=False it holds probabilities [N, C, ...], and the loss is -sum(target * "
          "log(p)). `weights` has one number per class; True or \"auto\" gives all classes the "
          "same total weight, but classes without samples a weight of 0. `robust` and `threshold` "
          "are those of log, for \"probs\". "
          "label_smoothing=e replaces each target by (1 - e) * target + e / C. Samples of class "
          "ignore_index have loss 0. normalize=True divides by the mean weight of the samples, "
          "where ignored samples have weight 0, so that the mean of the losses is PyTorch's "
          "weighted mean; normalize=None does so only with an ignore_index.",
      .inputs = {{"input", "N C *s", "number"},
                 {"target", "*t", "any"},
                 word("input_type", {"logits", "probs", "log_probs"}),
                 value("weights", "bool|str|tuple", false),
                 value("categorical", "bool", true),
                 value("robust", "bool", false),
                 value("threshold", "float|none", None()),
                 value("ignore_index", "int|none", None()),
                 value("label_smoothing", "float|int", 0.0),
                 value("normalize", "bool|none", None())},
      .outputs = {{"output", "N *s", "float"}},
      .solve = solve_cross_entropy,
      .expand = [](ExpandContext& e) { CrossEntropy(e).run(); },
      .cast = CastPolicy::float32,
      .objective = true,
  };
}

}  // namespace mithril
