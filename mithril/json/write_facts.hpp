// Writes the statements about the connections of one level.
#pragma once
#include <map>

#include "mithril/json/level.hpp"
#include "mithril/json/values.hpp"

namespace mithril {

class FactsWriter {
 public:
  FactsWriter(const Composite& model, const Level& level);

  const std::string& name(size_t group) const { return names_[group]; }
  // A later part gave the connection its name, so the parts are joined when all are there.
  bool names_late(size_t group) const { return late_[group]; }
  // The literal that the first port of a connection without a key is bound to; false: none.
  bool literal(size_t group, Json& spec);
  void write(Json::Object& fields) const;

 private:
  void choose_name(size_t group);
  size_t local_uses(const Wire* wire) const;
  std::string name_of(Wire* wire) const;
  Json::Array chosen_inputs() const;
  Json::Array chosen_outputs() const;

  const Composite& model_;
  const Level& level_;
  std::vector<std::string> names_;
  std::vector<bool> late_, bound_;  // bound: the value is written at its binding
  std::vector<std::vector<const StatedFact*>> stated_;
};

}  // namespace mithril
