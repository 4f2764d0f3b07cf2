// A composite part: its children, the names of its wires, and, while it is a root, the facts.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mithril/model/binding.hpp"
#include "mithril/model/initializer.hpp"
#include "mithril/op/part.hpp"

namespace mithril {

class Solver;  // op/solver.hpp

class Composition;  // model/composition.hpp

struct Key {
  Note name;  // kept by the facts
  Wire* wire;
  bool exposed = false;
};
struct CanonicalPort {
  Wire* wire;
  int32_t uses;  // when it became canonical: a canonical output that is read later is one no more
};
struct StatePair {
  Wire *input, *output;
  InitialState initial;
};
struct TensorLiteral {
  Wire* wire;
  Tensor tensor;
};
struct WireDistribution {
  Wire* wire;
  Wire* fan_of;  // null: its own
  Initializer initializer;
};
struct Interval {
  Wire* wire;
  double low, high;
};
// The record, the arguments and the number of parts of a library model, for JSON.
struct Recipe {
  Note name;  // of a record, which stays
  Arguments arguments;
  uint32_t parts = 0, keys = 0;
  uint64_t made_at = 0;
  std::vector<std::pair<size_t, std::string>> renamed =
      {};  // keys, with the names they were made with
};
// A user's statement about a wire. Facts alone do not distinguish statements from consequences.
struct StatedState {
  Wire* output;
  InitialState initial;
};
struct StatedDistribution {
  Initializer initializer;
  Wire* fan_of;  // null: its own
};
struct StatedConstraint {
  std::vector<std::string> keys;
  std::function<bool(Solver&)> ask;
};
struct StatedFact {
  Wire* wire;  // null for a constraint
  std::variant<Datum, Tensor, ShapeSpec, PortType, bool, std::pair<double, double>,
               StatedDistribution, StatedState, StatedConstraint>
      what;
};

// Members that few models need, allocated on demand. The lists cover the whole tree.
struct Extras {
  std::vector<StatePair> states;
  std::vector<TensorLiteral> literals;
  std::vector<WireDistribution> distributions;
  std::vector<Interval> intervals;
  std::map<std::string, Dim> symbols;  // named in shapes of this model
  std::map<std::string, Run*> runs;
};

// Wires that Model::create copied, and their copies.
struct Copied {
  std::weak_ptr<Composite> from;
  std::vector<std::pair<Wire*, Wire*>> wires;
};

// Additions to a model when it is compiled or becomes a part: a training model adds its cost, which
// depends on all losses up to then.
class Completion {
 public:
  virtual ~Completion() = default;
  virtual void require() const = 0;   // raises if it is not ready
  virtual bool is_ready() const = 0;  // whether require() would not
  virtual void complete(Composition& composition) const = 0;
  virtual std::vector<Wire*> objectives() const = 0;  // the results of losses and metrics
  // The completion of a copy of the model. `part` and `wire` return what a part and a wire of this
  // model are in the copy.
  virtual std::unique_ptr<Completion> copy(
      const std::function<std::shared_ptr<Part>(const std::shared_ptr<Part>&)>& part,
      const std::function<Wire*(Wire*)>& wire) const = 0;
  virtual std::string summary(const Composite& model, bool shapes, bool types, int depth) const = 0;

  bool done = false;  // for good: the model has become a part
};

// The line of the user's program that added a part to a model.
struct SourceLine {
  std::string file;
  int line = 0;
};

// A part that is one op, and the values its maker gave for ports.
struct OpPart final : Part {
  std::shared_ptr<const SourceLine> source;  // null: not known. Copies of the part share it.
  std::unique_ptr<const Arguments> arguments;
};

struct Composite final : Part, std::enable_shared_from_this<Composite> {
  std::shared_ptr<const SourceLine> source;  // as that of an op
  std::vector<std::shared_ptr<Part>> parts;
  std::vector<Key> keys;  // in the order of naming
  std::vector<CanonicalPort> canonical_inputs, canonical_outputs;
  std::unique_ptr<Facts> facts;            // while a root
  std::unique_ptr<Extras> extras;          // while a root
  std::unique_ptr<Recipe> recipe;          // of a library model
  std::unique_ptr<Completion> completion;  // of a training model
  std::vector<StatedFact> statements;      // of this level, without those of a recipe
  std::vector<Copied> copied;              // of a model that Model::create made
  uint64_t adopted_at = 0;                 // when it became a part
  uint64_t revision = 0;                   // how many changes were committed
  int64_t op_count = 0;                    // of the ops at all depths
  std::string size_advice;  // the help of an error about a size of this model, if there is one
  std::shared_ptr<Composite> merged_into;  // an expression that has become part of another model
  bool expression = false;       // made by Connection("x"): merged into the model that uses it
  bool selects_outputs = false;  // expose_keys was called: only exposed keys are outputs
  bool orphaned = false;         // its parent is gone, and with it all that was known
  bool by_recipe = false;        // a recipe is making it: statements are not recorded
  bool exposes_keys = false, chooses_inputs = false, chooses_outputs = false;  // not by its recipe

  explicit Composite(std::string class_name = "Model");
  ~Composite() override;  // without recursion: models may be nested very deep
  std::string class_name() const override { return class_.name; }
  std::string_view label() const override {
    return given_name().empty() ? class_.label : given_name();
  }
  std::string name_of(const Part& child) const override;

  Key* find_key(std::string_view name);
  Wire* find_wire(
      std::string_view path);  // a key, or a port by its path: "encoder.fc1.weight"; null: none
  Part* find_part(std::string_view name);  // a child by its name; null: none
  // The copy of a wire of `root` in this model, which Model::create made; null: none.
  Wire* find_copy(const std::shared_ptr<Composite>& root, const Wire* wire) const;
  Wire* named(std::string_view name);  // the key's wire, made if there is none
  // These are undone with the Attempt that is open.
  void add_key(std::string_view name, Wire* wire);
  void rename(std::string_view from, std::string_view to,
              Wire* wire);                        // of a key, or a name for a wire without one
  void adopt_child(std::shared_ptr<Part> child);  // owner, name, parts
  Extras& more();
  void note(StatedFact fact);
  void note_renaming(std::string_view key);         // of a key of its recipe, the first time
  void set_recipe(Note name, Arguments arguments);  // all so far is its work

 private:
  struct Class {
    std::string name, label;  // "Linear", "linear"
  };
  struct Index;  // by name, for large models
  static const Class& class_of(std::string name);
  Part* find_namesake(std::string_view label, size_t number) const;
  size_t free_number(std::string_view label);  // the number after the name of the next such child
  void forget_last_child();
  const Class& class_;
  std::unique_ptr<Index> index_;
};

inline std::shared_ptr<const SourceLine>& source_of(Part& part) {
  return part.op ? static_cast<OpPart&>(part).source : static_cast<Composite&>(part).source;
}
inline const std::shared_ptr<const SourceLine>& source_of(const Part& part) {
  return source_of(const_cast<Part&>(part));
}

// A model without a parent, with its own facts.
std::shared_ptr<Composite> new_root(std::string class_name = "Model");
// The model that the holder of a wire belongs to: through merged expressions and up to the root.
// ConnectionError E0108 if it was destroyed.
std::shared_ptr<Composite> root_of(const std::shared_ptr<Composite>& model);
// The same, but ConnectionError E0104 if the model is already a part of another.
Composite& open_model(const std::shared_ptr<Composite>& model);

}  // namespace mithril
