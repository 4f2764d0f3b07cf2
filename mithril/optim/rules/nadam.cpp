// NAdam (Dozat, "Incorporating Nesterov momentum into Adam", 2016).
#include <cmath>

#include "mithril/optim/update_rule.hpp"

namespace mithril {
namespace {

// 1 minus a product of momenta is 1 once the product is not above the smallest one.
constexpr double smallest_product = 1e-20;
constexpr double most_products = 1 << 20;  // in the table of a graph

struct NAdamFormula {
  double beta1, beta2, eps, momentum_decay;
  bool decoupled;

  explicit NAdamFormula(const OptimizerSettings& options)
      : beta1(options.pair("betas").first),
        beta2(options.pair("betas").second),
        eps(options.real("eps")),
        momentum_decay(options.real("momentum_decay")),
        decoupled(options.flag("decoupled_weight_decay")) {}

  std::vector<OptimizerSlot> slots() const { return {{"exp_avg"}, {"exp_avg_sq"}}; }

  template <typename Number>
  Number momentum(const Number& step) const {
    return beta1 * (1 - 0.5 * power_of(0.96, step * momentum_decay));
  }

  // Calls `use` with the product of the momenta of the first step, of the first two steps and so
  // on, at most `most` times.
  template <typename Use>
  void visit_products(double most, const Use& use) const {
    const double factor = std::pow(0.96, momentum_decay);
    double product = 1, decay = 1;
    for (double step = 0; step < most && product > smallest_product; ++step) {
      decay *= factor;
      product *= beta1 * (1 - 0.5 * decay);
      use(product);
    }
  }

  double momentum_product(double steps) const {
    double last = 1;
    visit_products(steps, [&](double product) { last = product; });
    return last;
  }

  // A graph picks the product from a table.
  Expression momentum_product(const Expression& steps) const {
    std::vector<double> products = {1};
    visit_products(most_products, [&](double product) { products.push_back(product); });
    const auto count = static_cast<std::int64_t>(products.size());
    Graph& graph = *steps.graph;
    const std::string name = *steps.scope + ".momenta_" + std::to_string(graph.constants().size());
    const Expression table{&graph, graph.add_constant(name, Tensor::of<double>({count}, products)),
                           steps.scope};
    const Expression place = call("cast", {steps, Datum(DType::int64)});
    return call("gather", {table, call("minimum", {place, Datum(count - 1)})});
  }

  // The rates of the gradient and of the mean, what roots of the squares are multiplied with, and
  // what decay leaves of the parameter.
  template <typename Number>
  std::vector<Number> step_scalars(const StepNumbers<Number>& step) const {
    if (std::is_same_v<Number, Expression> && std::pow(beta1, most_products) > smallest_product)
      return {};
    const Number product = momentum_product(step.steps);
    const Number now = momentum(step.steps), next = momentum(step.steps + 1);
    const Number of_gradient = step.lr * (1 - now), of_mean = step.lr * next;
    const Number rest = 1 - product, next_rest = 1 - product * next;
    return {of_gradient / rest, of_mean / next_rest,
            1 / square_root(1 - power_of(beta2, step.steps)), 1 - step.lr * step.weight_decay};
  }

  template <typename Value>
  void operator()(ParameterUpdate<Value>& update) const {
    Value &mean = update.slots[0], &square = update.slots[1];
    if (decoupled && update.weight_decay != 0) update.param = update.param * update.step_scalars[3];
    const Value direction = decoupled ? update.gradient : update.decayed_gradient();
    mean = mean + (direction - mean) * update.constant(1 - beta1);
    const Value kept = square * update.constant(beta2);
    square = kept + direction * update.constant(1 - beta2) * direction;
    const Value scale = square_root(square) * update.step_scalars[2] + update.constant(eps);
    const Value of_gradient = direction * update.step_scalars[0],
                of_mean = mean * update.step_scalars[1];
    update.param = update.param - (of_gradient + of_mean) / scale;
  }
};

}  // namespace

OptimizerDef define_nadam() {
  return {.name = "NAdam",
          .doc = "Adam with Nesterov momentum, as torch.optim.NAdam.",
          .source = "Dozat, \"Incorporating Nesterov momentum into Adam\", 2016",
          .lr = 2e-3,
          .options = {{.name = "betas",
                       .value = Tuple{0.9, 0.999},
                       .range = OptionRange::from_0_below_1,
                       .doc = "decay rates of the running means of the gradient and of its square"},
                      {.name = "eps",
                       .value = 1e-8,
                       .doc = "term that is added to the denominator for numerical stability"},
                      {.name = "weight_decay",
                       .value = 0.0,
                       .doc = "factor of the parameter that is added to its gradient"},
                      {.name = "momentum_decay",
                       .value = 4e-3,
                       .doc = "decay of the momentum: step t uses betas[0] * (1 - 0.5 * 0.96 ** (t "
                              "* momentum_decay))"},
                      {.name = "decoupled_weight_decay",
                       .value = false,
                       .doc = "whether weight decay shrinks the parameter itself, as in AdamW"}},
          .rule = rule_of<NAdamFormula>};
}

}  // namespace mithril
