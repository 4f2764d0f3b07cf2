#include "mithril/json/read_specs.hpp"

#include "mithril/base/names.hpp"
#include "mithril/json/fields.hpp"
#include "mithril/json/values.hpp"
#include "mithril/model/composite.hpp"

namespace mithril {

Bindings SpecReader::bindings(const Json& specs, const Place& place) {
  Bindings bindings;
  for (const auto& [port, spec] : object_of(specs, place))
    bindings.emplace_back(port, binding(spec, place.at(port)));
  return bindings;
}

Binding SpecReader::binding(const Json& spec, const Place& place) {
  if (const auto* name = spec.as<std::string>()) return *name;
  if (const auto* items = spec.as<Json::Array>()) {
    std::vector<Binding> bindings;
    for (size_t i = 0; i < items->size(); ++i)
      bindings.push_back(binding((*items)[i], place.at(i)));
    return bindings;
  }
  const auto* fields = spec.as<Json::Object>();
  if (!fields || is_value_object(spec)) return datum_of(spec, place);
  const Fields all(spec, place, {"key", "tensor", "dtype", "shape", "float", "slice", "ellipsis"});
  if (all.find("tensor")) return tensor_of(spec, place);
  const Json* key = all.find("key");
  if (!key || fields->size() != 1) wrong_form(spec, place, "a key, a tensor or a value");
  return described(*key, place.at("key"));
}

// A key with its facts, and the ports of other parts that it is merged with.
Binding SpecReader::described(const Json& json, const Place& place) {
  const Fields fields(
      json, place,
      {"name", "connect", "expose", "value", "shape", "type", "differentiable", "interval"});
  IOKey key;
  if (const Json* name = fields.find("name"); name && *name != Json())
    key.name = text_of(*name, place.at("name"));
  if (const Json* value = fields.find("value")) {
    const auto* object = value->as<Json::Object>();
    if (object && !is_value_object(*value)) {
      key.tensor = tensor_of(*value, place.at("value"));
    } else {
      key.value = datum_of(*value, place.at("value"));
    }
  }
  if (const Json* shape = fields.find("shape")) key.shape = shape_of(*shape, place.at("shape"));
  if (const Json* type = fields.find("type")) key.type = type_of(*type, place.at("type"));
  if (const Json* flag = fields.find("differentiable"))
    key.differentiable = flag_of(*flag, place.at("differentiable"));
  if (const Json* interval = fields.find("interval")) {
    const Place here = place.at("interval");
    const Json::Array& ends = items_of(*interval, here, 2, "[low, high]");
    key.interval.emplace(real_of(ends[0], here.at(size_t{0})),
                         real_of(ends[1], here.at(size_t{1})));
  }
  if (const Json* expose = fields.find("expose");
      expose && flag_of(*expose, place.at("expose")) && !key.name.empty())
    exposed_.push_back(key.name);

  std::vector<Binding> targets;
  if (const Json* connect = fields.find("connect")) {
    const Place here = place.at("connect");
    const Json::Array& pairs = array_of(*connect, here);
    for (size_t i = 0; i < pairs.size(); ++i) targets.push_back(target(pairs[i], here.at(i)));
  }
  if (targets.empty()) return key;
  if (key.name.empty()) note_open(targets);
  const Binding first = key.name.empty() ? targets.front() : Binding(key);
  const bool says_more = key.value || key.tensor || key.shape || key.type.kinds ||
                         key.differentiable.has_value() || key.interval;
  if (!key.name.empty()) {
    targets.insert(targets.begin(), key.name);
  } else if (says_more) {
    targets.push_back(Connection(key));
  }
  if (targets.size() > 1) joins_.emplace_back(place.pointer(), std::move(targets));
  return first;
}

void SpecReader::note_open(const std::vector<Binding>& targets) {
  for (const Binding& target : targets) {
    const auto& connection = std::get<Connection>(target.held());
    if (!connection.wire()->driver) open_.push_back(connection);
  }
}

Connection SpecReader::target(const Json& pair, const Place& place) {
  const Json::Array& items = items_of(pair, place, 2, "[part, port]");
  const std::string& id = text_of(items[0], place.at(size_t{0}));
  const std::string& port = text_of(items[1], place.at(size_t{1}));
  const auto at = parts_.find(id);
  if (at == parts_.end())
    unknown_name(ErrorKind::name, "E0641", "part before this one", id, place.pointer(), ids_);
  return reading(place, [&] {
    const std::shared_ptr<Composite> model = model_.composite();
    if (Wire* wire = model->find_wire(model->name_of(*at->second) + "." + port))
      return Connection(model, wire);
    return Model(at->second).at(port);
  });
}

void SpecReader::added(const std::string& id, const Model& part) {
  parts_.emplace(id, part.part());
  ids_.push_back(id);
  for (const auto& [pointer, connections] : joins_) {
    reading(pointer, [&, &joined = connections] { model_.merge_connections(joined); });
  }
  joins_.clear();
  for (const Connection& connection : open_) {
    if (connection.wire()->driver) fed_.push_back(connection);
  }
  open_.clear();
}

}  // namespace mithril
