// A model with losses, regularisation and metrics. Training minimises its cost.
#pragma once
#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril {

class Training;

struct LossOptions {
  std::vector<Model> reduce_steps = {};  // one after the other; none: Mean()
  std::string key_name = {};             // makes the result an output of this name
  std::optional<double> coef = {};
  // A key or a connection with a weight [N] for each sample: its losses are multiplied by it before
  // they are reduced.
  std::optional<Binding> sample_weight = {};
};
struct RegularizationOptions {
  std::string reg_key = {};   // the port that the regularised key is bound to; empty: the canonical
  std::string key_name = {};  // makes the penalty an output, before it is multiplied and divided
};
struct MetricOptions {
  std::vector<Model> reduce_steps = {};  // none: as the metric makes it
  std::string key_name = {};             // empty: the metric's class in lower case
};
// All inputs that would be parameters and whose names contain a match of a regular expression
// (ECMAScript).
struct KeyPattern {
  std::string text;
};

// A model with the keys of the model that it trains and one more output, the scalar final_cost. The
// cost is assembled from everything that was added when the model is compiled or becomes a part. It
// stays open to more losses, but takes no further parts (ConnectionError E0115). A new key that a
// port is bound to becomes an input that is data, not a parameter.
//
//   TrainModel train(net);
//   train.add_loss(CrossEntropy(), {{"input", "logits"}, {"target", "target"}});
//   train.add_regularization(L2(), 1e-3, KeyPattern{"weight"});
//   const auto [out, gradients] = compile(train, cpu()).evaluate(params, data, of_cost);
class TrainModel : public Model {
 public:
  explicit TrainModel(const Model& model);
  // The model as a training model; none if it is another model.
  static std::optional<TrainModel> of(const Model& model);

  // ConnectionError E0113 for an unbound port, E0114 if no port is bound to an output of the model,
  // E0117 for a loss with several outputs. After an error nothing has changed.
  TrainModel& add_loss(const Model& loss, const Bindings& ports, const LossOptions& options = {});
  // Adds coef * penalty / r, where r is the geometric mean of the reduction sizes of the losses
  // that depend on the key. NameError E0606 for an unknown key, with the nearest keys.
  TrainModel& add_regularization(const Model& model, double coef, const Bindings& ports,
                                 const RegularizationOptions& options = {});
  // The same for each match. NameError E0621 without a match, ValueError E0434 for an invalid
  // regular expression, TypeError E0305 for a user's own model, which cannot be made again for each
  // match. A template, so that braces are ports.
  template <std::same_as<KeyPattern> Pattern>
  TrainModel& add_regularization(const Model& model, double coef, const Pattern& keys,
                                 const RegularizationOptions& options = {}) {
    return regularize_matches(model, coef, keys.text, options);
  }
  TrainModel& add_metric(const Model& metric, const Bindings& ports,
                         const MetricOptions& options = {});
  // Combines the tensor of all losses (or the only loss) into one number; default: Sum().
  TrainModel& set_loss_combiner(const Model& combiner);

 private:
  struct FromPart {};
  TrainModel(const Model& model, FromPart) : Model(model) {}
  Training& training();
  TrainModel& regularize_matches(const Model& model, double coef, const std::string& pattern,
                                 const RegularizationOptions& options);
};

}  // namespace mithril
