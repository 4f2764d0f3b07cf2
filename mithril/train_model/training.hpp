// The losses, regularisers and metrics of a training model, and its cost.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mithril/model/composition.hpp"
#include "mithril/model/model.hpp"

namespace mithril {

using PartPointer = std::shared_ptr<Part>;  // the training model holds it, too

// A loss or a metric: a part and its reduce steps.
struct Objective {
  PartPointer part;
  std::vector<std::string> ports = {};  // that are bound
  std::vector<PartPointer> reduce_steps = {};
  std::string key_name = {};  // of the result; empty: none
  std::optional<double> coef = {};
  Wire* output = nullptr;
};

// A regulariser: one part, or with a regular expression one for each key that it matches.
struct Penalty {
  struct Term {
    PartPointer part;
    Wire *key, *output;
  };
  std::vector<Term> terms = {};
  std::vector<std::string> ports = {};
  std::string reg_key = {};  // the port that the regularised key is bound to; empty: the canonical
  std::string pattern = {};  // empty: none
  std::string key_name = {};
  double coef = 0;
};

// The cost is combiner(losses) + the sum of coef * penalty / geometric mean of the sizes that the
// losses which depend on the penalty's key are averaged over.
class Training final : public Completion {
 public:
  PartPointer model;
  std::vector<Objective> losses, metrics;
  std::vector<Penalty> penalties;
  Model combiner = Model::op("sum");

  void require() const override;  // ConnectionError E0116 without a loss
  bool is_ready() const override { return !losses.empty(); }
  void complete(Composition& composition) const override;
  std::vector<Wire*> objectives() const override;
  std::unique_ptr<Completion> copy(const std::function<PartPointer(const PartPointer&)>& part,
                                   const std::function<Wire*(Wire*)>& wire) const override;
  std::string summary(const Composite& model, bool shapes, bool types, int depth) const override;
};

inline constexpr const char* cost_key = "final_cost";

// The name of the only input that a part may be chained to. ConnectionError E0105 with the
// candidates if there are several.
std::string canonical_input(Part& part);
// The wire of its only output. ConnectionError E0117 if there are several.
Wire* only_output(const Part& part);
// Adds the part with these bindings, and returns its result.
Wire* add_part(Composition& composition, const PartPointer& part, const Bindings& bindings);
Connection connection_of(Composition& composition, Wire* wire);

}  // namespace mithril
