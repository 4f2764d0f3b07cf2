#include "tests/model/dump.hpp"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "mithril/infer/symbol.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/model.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::tests {
namespace {

std::string text_of(const InitialState& initial) {
  if (const auto* key = std::get_if<RandomKey>(&initial)) return std::to_string(key->seed);
  return to_string(std::get<Tensor>(initial));
}

class Dump {
 public:
  std::string of(const Composite& root) {
    add(root, path(&root));
    for (size_t i = 0; i < wires_.size(); ++i) add(*wires_[i], i);
    return std::move(text_);
  }

 private:
  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += fmt::format(format, std::forward<Arguments>(arguments)...) + "\n";
  }

  size_t number(Wire* wire) {
    const auto [at, first] = numbers_.try_emplace(top(wire), wires_.size());
    if (first) wires_.push_back(top(wire));
    return at->second;
  }

  // Recursive, because the models of tests are shallow.
  void add(const Composite& model, const std::string& where) {
    line("model '{}' {} '{}' expression {} selects {} orphaned {} merged {} part {}", where,
         model.class_name(), model.given_name(), model.expression, model.selects_outputs,
         model.orphaned, model.merged_into != nullptr, model.owner != nullptr);
    for (const Key& key : model.keys)
      line("  key {} = {} exposed {}", *key.name, number(key.wire), key.exposed);
    for (const CanonicalPort& port : model.canonical_inputs)
      line("  canonical input {} {}", number(port.wire), port.uses);
    for (const CanonicalPort& port : model.canonical_outputs)
      line("  canonical output {} {}", number(port.wire), port.uses);
    if (model.extras) add(*model.extras);
    for (const auto& part : model.parts) {
      const std::string name = where + "." + model.name_of(*part);
      if (!part->op) {
        add(static_cast<const Composite&>(*part), name);
        continue;
      }
      line("  op '{}' {} index {}", name, part->op->name, part->index);
      for (size_t slot = 0; slot < part->slot_count; ++slot) {
        Wire* wire = part->slots[slot];
        line("    {} {}", part->port_of(slot), wire ? number(wire) : SIZE_MAX);
      }
    }
  }

  void add(const Extras& extras) {
    for (const StatePair& pair : extras.states)
      line("  state {} {} {}", number(pair.input), number(pair.output), text_of(pair.initial));
    for (const TensorLiteral& literal : extras.literals)
      line("  literal {} {}", number(literal.wire), to_string(literal.tensor));
    for (const WireDistribution& each : extras.distributions) {
      const Initializer& initializer = each.initializer;
      line("  initializer {} {} {} {} fan {} zero row {}", number(each.wire),
           static_cast<int>(initializer.distribution), initializer.a, initializer.b,
           each.fan_of ? number(each.fan_of) : SIZE_MAX, initializer.zero_row.value_or(-1));
    }
    for (const mithril::Interval& interval : extras.intervals)
      line("  interval {} {} {}", number(interval.wire), interval.low, interval.high);
    for (const auto& [name, dim] : extras.symbols) line("  size {} = {}", name, to_string(dim));
    for (const auto& [name, run] : extras.runs)
      line("  run {} = {}", name, to_string(Facts::resolve(StoredShape{.run = run})));
  }

  void add(const Wire& wire, size_t i) {
    const DatumVariable* value = wire.value ? find(wire.value) : nullptr;
    line(
        "wire {} name '{}' type {} shape {} value {} driver '{}' {} uses {} differentiable {} "
        "constant {}",
        i, wire_name(const_cast<Wire*>(&wire)), to_string_kinds(find(wire.type)->kinds),
        to_string(Facts::resolve(wire.shape)),
        value && value->known ? to_string(value->datum) : "unknown",
        wire.driver ? path(wire.driver) : "", wire.driver_slot, wire.uses, wire.differentiable,
        wire.constant);
  }

  std::string text_;
  std::map<const Wire*, size_t> numbers_;
  std::vector<Wire*> wires_;
};

}  // namespace

std::string dump(const std::shared_ptr<Composite>& model) {
  const std::shared_ptr<Composite> root = root_of(model);
  const Model handle{std::static_pointer_cast<Part>(root)};
  std::string text = Dump().of(*root);
  for (const std::string& key : handle.input_keys()) text += "input " + key + "\n";
  for (const std::string& key : handle.output_keys()) text += "output " + key + "\n";
  return text + handle.summary(true, true, 8);
}

std::string dump(const Model& model) {
  if (!model.part()->op) return dump(std::static_pointer_cast<Composite>(model.part()));
  const Part& part = *model.part();
  return fmt::format("op {} owned {} slots {}", part.op->name, part.owner != nullptr,
                     part.slot_count);
}

}  // namespace mithril::tests
