#include "mithril/viewer/view_graph.hpp"

#include <map>
#include <string_view>

namespace mithril {
namespace {

using TextPairs = std::vector<std::pair<std::string, std::string>>;

void write_pairs(JsonText& json, std::string_view key, const TextPairs& pairs) {
  if (pairs.empty()) return;
  json.key(key).open('[');
  for (const auto& [name, text] : pairs) json.open('[').text(name).text(text).close(']');
  json.close(']');
}

void write_ports(JsonText& json, std::string_view key, const std::vector<ViewPort>& ports) {
  if (ports.empty()) return;
  json.key(key).open('[');
  for (const ViewPort& port : ports) {
    json.open('[').text(port.port).number(static_cast<std::int64_t>(port.value)).close(']');
  }
  json.close(']');
}

void write_group(JsonText& json, std::string_view key, std::optional<std::size_t> group) {
  if (group) json.key(key).number(static_cast<std::int64_t>(*group));
}

const char* word_of(ViewNode::Kind kind) {
  switch (kind) {
    case ViewNode::Kind::input:
      return "input";
    case ViewNode::Kind::state:
      return "state";
    case ViewNode::Kind::output:
      return "output";
    case ViewNode::Kind::op:
      break;
  }
  return "op";
}

void write_node(JsonText& json, const ViewNode& node) {
  json.open('{').key("name").text(node.name);
  if (node.kind != ViewNode::Kind::op) json.key("kind").text(word_of(node.kind));
  if (!node.class_name.empty()) json.key("class").text(node.class_name);
  write_group(json, "group", node.group);
  if (node.is_named) json.key("named").flag(true);
  if (!node.source.empty()) json.key("source").text(node.source);
  write_pairs(json, "arguments", node.arguments);
  write_ports(json, "inputs", node.inputs);
  write_ports(json, "outputs", node.outputs);
  if (!node.parameters.empty()) {
    json.key("parameters").open('[');
    for (const ViewParameter& each : node.parameters) {
      json.open('[').text(each.port).text(each.key);
      json.number(static_cast<std::int64_t>(each.value)).close(']');
    }
    json.close(']');
  }
  json.close('}');
}

// Each text once: most sizes of a model have few origins.
class OriginTable {
 public:
  std::int64_t index_of(const std::string& text) {
    const auto [at, is_new] = indices_.try_emplace(text, static_cast<std::int64_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return at->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::int64_t> indices_;
  std::vector<std::string> texts_;
};

void write_value(JsonText& json, const ViewValue& value, OriginTable& origins) {
  json.open('[').text(value.name).text(value.shape).text(value.dtype).flag(value.is_tensor);
  if (!value.facts.empty()) {
    json.open('[');
    for (const auto& [what, origin] : value.facts) json.text(what).number(origins.index_of(origin));
    json.close(']');
  }
  json.close(']');
}

}  // namespace

void write(JsonText& json, const ViewGraph& graph) {
  json.open('{').key("id").text(graph.id).key("title").text(graph.title);
  json.key("groups").open('[');
  for (const ViewGroup& group : graph.groups) {
    json.open('{').key("name").text(group.name).key("class").text(group.class_name);
    write_group(json, "parent", group.parent);
    if (group.is_named) json.key("named").flag(true);
    if (group.is_composed) json.key("composed").flag(true);
    if (!group.source.empty()) json.key("source").text(group.source);
    write_pairs(json, "options", group.options);
    json.close('}');
  }
  json.close(']').key("values").open('[');
  OriginTable origins;
  for (const ViewValue& value : graph.values) write_value(json, value, origins);
  json.close(']').key("origins").open('[');
  for (const std::string& text : origins.texts()) json.text(text);
  json.close(']').key("nodes").open('[');
  for (const ViewNode& node : graph.nodes) write_node(json, node);
  json.close(']').close('}');
}

}  // namespace mithril
