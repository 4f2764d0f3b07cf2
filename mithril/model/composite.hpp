// A composite part: its children, the names it gives to wires, and, while it is a root, what is known.
#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "mithril/model/model.hpp"
#include "mithril/op/part.hpp"

namespace mithril {

struct Key {
  const std::string* name;  // kept by the facts
  Wire* wire;
  bool exposed = false;
};
struct CanonicalPort {
  Wire* wire;
  int32_t uses;  // when it became canonical: a canonical output that is read later is one no more
};
struct StatePair {
  Wire *input, *output;
  Tensor initial;
};
struct TensorLiteral {
  Wire* wire;
  Tensor tensor;
};
struct StartingLaw {
  Wire* wire;
  Initializer initializer;
  Wire* fan_of;
};
// How a library model was made: for its JSON form.
struct Recipe {
  std::string name;
  Arguments arguments;
};

// What only some models have, out of the way of the many that do not.
struct Extras {
  std::vector<StatePair> states;          // of the whole tree, while a root
  std::vector<TensorLiteral> literals;    // likewise
  std::vector<StartingLaw> laws;          // likewise
  std::unordered_map<std::string, Dim> symbols;   // named in shapes of this model
  std::unordered_map<std::string, Run*> runs;
  std::unordered_map<Wire*, std::pair<double, double>> intervals;
  std::optional<Recipe> recipe;
};

struct Composite final : Part {
  std::string class_label = "Model";
  std::vector<std::shared_ptr<Part>> parts;
  std::vector<Key> keys;                    // in the order of naming
  std::vector<CanonicalPort> canonical_inputs, canonical_outputs;
  std::unique_ptr<Facts> facts;             // while a root
  std::unique_ptr<Extras> extras;
  std::shared_ptr<Composite> merged_into;   // an expression that has become part of another model
  bool expression = false;                  // made by Connection("x"): joins whatever it is used in
  bool selects_outputs = false;             // expose_keys was called: only exposed keys are outputs

  Composite();
  ~Composite() override;  // without recursion: models may be nested very deep
  std::string class_name() const override { return class_label; }
  std::string name_of(const Part& child) const override;

  Key* find_key(std::string_view name);
  Wire* find_wire(std::string_view path);   // a key, or a port by its path: "encoder.fc1.weight"; null: none
  Part* find_part(std::string_view name);   // a child by its name; null: none
  Wire* named(std::string_view name);       // the key's wire, made where there is none (undone by an Attempt)
  void add_key(std::string_view name, Wire* wire);
  void adopt_child(const std::shared_ptr<Part>& child);  // owner, index among its namesakes, parts
  Extras& more();

 private:
  void index_children();
  std::unordered_map<std::string, uint32_t> namesakes_;         // label -> children of it
  std::unordered_map<std::string_view, size_t> key_index_;      // once there are many
  std::unordered_map<std::string, Part*> part_index_;           // made when first asked
  size_t indexed_parts_ = 0;
};

// The model that a wire's holder now belongs to: through merged expressions and up to the root.
std::shared_ptr<Composite> root_of(const std::shared_ptr<Composite>& model);

}  // namespace mithril
