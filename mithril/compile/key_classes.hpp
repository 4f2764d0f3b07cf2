// Classifies the inputs of a flat model: parameter, data or state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mithril/compile/options.hpp"
#include "mithril/model/flatten.hpp"

namespace mithril {

enum class KeyClass { parameter, data, state };
std::string_view name(KeyClass key_class);  // "parameter"

// How a parameter begins.
struct InitialDistribution {
  Initializer initializer = {.distribution = Initializer::Distribution::uniform_fan_in};
  bool own_fan = true;                // false: the fan is that of `fan_dims`
  std::optional<Dims> fan_dims = {};  // of another key; absent: not known
  std::optional<std::pair<double, double>> interval = {};
};

// The key sets of the options, by wire. Made before facts are stated, because a fact may give a key
// a value.
class KeySets {
 public:
  enum class Set { none, constant, data, trainable, discard };

  // ValueError E0407 for a key in two sets, E0415 for one that is a state.
  KeySets(Composite& model, const CompileOptions& options);

  Set of(const Wire* wire) const;
  bool is_asked(const Wire* wire) const { return asked_.contains(wire); }  // in `outputs`
  // NameError E0611 if a key of data_keys or trainable_keys is not an input, or a key of
  // discard_keys or outputs is not an output.
  void check_placed(const FlatModel& flat, const std::vector<NamedPort>& outputs) const;

 private:
  struct Member {
    Set set;
    std::string name;
  };
  void add(Wire* wire, Set set, std::string name);
  void ask(Wire* wire, std::string name);
  void refuse_states(const Composite& model) const;
  std::unordered_map<const Wire*, Member> members_;
  // Apart, because an input may be an output, too.
  std::unordered_map<const Wire*, std::string> asked_;
};

struct InputKey {
  std::string key;   // as the user sees it
  std::string path;  // as the graph names it
  KeyClass key_class = KeyClass::data;
  InitialDistribution initial = {};          // of a parameter
  KeySets::Set stated = KeySets::Set::none;  // the set of the options that has it
  bool frozen = false;                       // a parameter without a gradient
};

// The keys of inputs in the order of flat.graph.inputs(). GradientError E0506 for a trainable key
// that cannot be a parameter. A parameter of a layer that is declared not differentiable is frozen.
std::vector<InputKey> classify(const Composite& model, const FlatModel& flat, const KeySets& sets);

// Freezes the parameters among `inputs` and `spare` that match one of the patterns. Errors as those
// of CompileOptions::frozen.
void freeze(std::vector<InputKey>& inputs, std::vector<InputKey>& spare,
            const std::vector<std::string>& patterns);

// Replaces paths by their last components, numbered if several paths share one.
void shorten(std::vector<InputKey>& inputs, const std::vector<Output>& outputs);

}  // namespace mithril
