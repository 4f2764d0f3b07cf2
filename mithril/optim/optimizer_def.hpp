// The record of an optimizer, which its class in C++ and Python, its stubs, its documentation, its
// pickles and its files follow.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mithril/infer/datum.hpp"

namespace mithril {

class UpdateRule;  // update_rule.hpp

// The rates of a parameter in one step, after the options of its group.
struct StepRates {
  double lr = 0;
  double weight_decay = 0;

  bool operator==(const StepRates&) const = default;
};

// A tensor that an optimizer keeps for each parameter, in the opmath_dtype of the parameter.
struct OptimizerSlot {
  std::string name;  // that of PyTorch
  double start = 0;  // its elements before the first step
};

// Floats, bools, and pairs of floats: {"lr", 1e-3}, {"betas", (0.9, 0.999)}, {"nesterov", true}.
using OptimizerOptions = std::vector<std::pair<std::string, Datum>>;

enum class OptionRange { at_least_0, from_0_below_1 };

struct OptimizerOption {
  std::string name;
  Datum value;                                  // the default, whose kind values have
  OptionRange range = OptionRange::at_least_0;  // of floats, and of both of a pair
  std::string doc = {};                         // "decay rate of the running mean"
};

// Options by their names.
class OptimizerSettings {
 public:
  explicit OptimizerSettings(const OptimizerOptions& options) : options_(options) {}
  double real(std::string_view name) const { return at(name).real(); }
  bool flag(std::string_view name) const { return at(name).flag(); }
  std::pair<double, double> pair(std::string_view name) const;

 private:
  const Datum& at(std::string_view name) const;
  const OptimizerOptions& options_;
};

// The name of a class, its documentation, and its options beside `groups`. `doc` is one sentence,
// and `source` names the paper of the formula. See mithril/optim/rules/lion.cpp.
struct OptimizerDef {
  std::string name, doc, source;
  double lr = 1e-3;                      // the default
  std::vector<OptimizerOption> options;  // beside `lr`; "weight_decay" may differ between groups
  std::function<std::shared_ptr<const UpdateRule>(const OptimizerSettings&)> rule;
};

// The optimizers of mithril/optim/list.inc.
const std::vector<OptimizerDef>& optimizer_defs();
// The optimizer of this name, which must be in the list.
const OptimizerDef& optimizer_def(std::string_view name);

// ValueError E0406 "optimizer: weight_decay is -1, expected at least 0".
void require_option(bool holds, const std::string& option, double got, const char* expected);

}  // namespace mithril
