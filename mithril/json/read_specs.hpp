// Reads the bindings of the ports of a part.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "mithril/json/json.hpp"
#include "mithril/model/model.hpp"

namespace mithril {

// The connections of one model while it is read part by part.
class SpecReader {
 public:
  explicit SpecReader(Model& model) : model_(model) {}

  // Bindings of a part that is not added yet. NameError E0641 for a part that is not there so far.
  Bindings bindings(const Json& specs, const Place& place);
  // makes the connections that bindings cannot express
  void added(const std::string& id, const Model& part);
  const std::vector<std::string>& exposed() const { return exposed_; }
  // Inputs of parts to which a later part connected an output through an unnamed key. They are not
  // outputs of the model, whatever their names.
  const std::vector<Connection>& fed() const { return fed_; }

 private:
  Binding binding(const Json& spec, const Place& place);
  Binding described(const Json& key, const Place& place);
  Connection target(const Json& pair, const Place& place);
  void note_open(const std::vector<Binding>& targets);

  Model& model_;
  std::map<std::string, std::shared_ptr<Part>> parts_;
  std::vector<std::string> ids_;
  std::vector<std::pair<std::string, std::vector<Binding>>> joins_;  // place -> connections
  std::vector<std::string> exposed_;
  std::vector<Connection> open_;  // to be connected without a name by the next part
  std::vector<Connection> fed_;
};

}  // namespace mithril
