// The keys of a model: finding, exposing, renaming and joining them.
#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/completion.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/model.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

std::vector<std::string> Model::input_keys() const {
  std::vector<std::string> names;
  const std::shared_ptr<Composite> model = composite();
  const Completed completed(*model);
  for (NamedPort& port : input_ports(*model)) names.push_back(std::move(port.name));
  return names;
}

std::vector<std::string> Model::output_keys() const {
  std::vector<std::string> names;
  const std::shared_ptr<Composite> model = composite();
  const Completed completed(*model);
  for (NamedPort& port : output_ports(*model)) names.push_back(std::move(port.name));
  return names;
}

Connection Model::operator[](const std::string& key) {
  const std::shared_ptr<Composite> model = composite();
  if (Wire* wire = find_port(*model, key)) return {model, wire};
  refuse_early(*model, key);
  refuse_extension(*model, "the new key " + in_quotes(key));
  Composition composition(open_model(model));
  Wire* wire = model->named(key);
  composition.commit();
  return {model, wire};
}

Connection Model::add_input(const std::string& key) {
  if (!find_port(*composite(), key)) return (*this)[key];
  raise({.kind = ErrorKind::name,
         .code = "E0607",
         .message = "there is a key " + in_quotes(key) + " already",
         .help = "choose another name, or use the key: model[" + in_quotes(key) + "]"});
}

Connection Model::at(const std::string& key) const {
  if (part_->op && part_->owner) {  // an op that is a part already: its own ports
    const auto model = static_cast<Composite*>(part_->owner)->shared_from_this();
    if (part_->count(key) > 0) return {model, part_->wire(*root_of(model)->facts, key)};
    std::vector<std::string> names;
    for (size_t i = 0; i < part_->op->port_count(); ++i) names.push_back(part_->op->port(i).name);
    unknown_name(ErrorKind::name, "E0606", "key", key, path(part_.get()), names);
  }
  const std::shared_ptr<Composite> model = composite();
  if (!find_port(*model, key)) refuse_early(*model, key);
  return {model, wire_at(*model, key)};
}

Model& Model::expose_keys(std::initializer_list<const char*> keys) {
  return expose_keys(std::vector<std::string>(keys.begin(), keys.end()));
}

Model& Model::expose_keys(const std::vector<std::string>& keys) {
  Composite& model = open_model(changing());
  std::vector<std::pair<std::string, Connection>> named;
  for (const std::string& key : keys)
    named.emplace_back(key, Connection(model.shared_from_this(), wire_at(model, key)));
  return expose_keys(named);
}

Model& Model::expose_keys(const std::vector<std::pair<std::string, Connection>>& keys) {
  Composite& model = open_model(changing());
  refuse_extension(model, "expose_keys");
  Composition composition(model);
  for (const auto& [name, connection] : keys) {
    Wire* wire = composition.wire_for(connection);
    if (const Key* taken = model.find_key(name); taken && top(taken->wire) != top(wire))
      composition.join_named({name, taken->wire}, {wire_name(wire), wire});
    if (!model.find_key(name)) model.add_key(name, wire);
  }
  composition.commit();
  for (const auto& [name, connection] : keys) {
    const Wire* wire = connection.wire();
    model.find_key(name)->exposed = true;
    if (wire->driver || is_valued(wire)) model.selects_outputs = true;
  }
  model.exposes_keys = true;
  return *this;
}

Model& Model::merge_connections(const std::vector<Binding>& connections, const std::string& name) {
  Composite& model = open_model(changing());
  refuse_extension(model, "merge_connections");
  Composition composition(model);
  Wire* first = nullptr;
  for (const Binding& binding : connections) {
    const auto* key = std::get_if<std::string>(&binding.held());
    Wire* wire = key ? wire_at(model, *key) : composition.wire_for(binding);
    if (first)
      composition.join_named({wire_name(first), first}, {key ? *key : wire_name(wire), wire});
    else
      first = wire;
  }
  if (first && !name.empty() && !model.find_key(name)) {
    const auto key = std::find_if(model.keys.begin(), model.keys.end(),
                                  [&](const Key& key) { return top(key.wire) == top(first); });
    model.rename(key == model.keys.end() ? name : *key->name, name, first);
  }
  composition.commit();
  return *this;
}

Model& Model::rename_key(const std::string& from, const std::string& to) {
  Composite& model = open_model(changing());
  refuse_extension(model, "rename_key");
  Wire* wire = wire_at(model, from);
  if (model.find_key(to)) {
    raise({.kind = ErrorKind::name,
           .code = "E0607",
           .path = path(&model),
           .message = "there is a key '" + to + "' already",
           .help = "choose another name, or join the two with merge_connections"});
  }
  Composition composition(model);
  model.note_renaming(from);
  model.rename(from, to, wire);
  composition.commit();
  return *this;
}

}  // namespace mithril
