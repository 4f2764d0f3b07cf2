#include "mithril/onnx/function_body.hpp"

#include <set>

namespace mithril::onnx {
namespace {

const AttributeRecord* find_attribute(const std::vector<AttributeRecord>& attributes,
                                      const std::string& name) {
  for (const AttributeRecord& attribute : attributes)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

class CallBody {
 public:
  CallBody(const FunctionRecord& function, const NodeRecord& call)
      : function_(function), call_(call) {
    for (std::size_t i = 0; i < function.inputs.size(); ++i)
      if (i >= call.inputs.size() || call.inputs[i].empty()) left_out_.insert(function.inputs[i]);
  }

  std::vector<NodeRecord> nodes(const std::vector<NodeRecord>& from) const {
    std::vector<NodeRecord> made;
    for (const NodeRecord& node : from) made.push_back(written(node));
    return made;
  }

 private:
  NodeRecord written(const NodeRecord& node) const {
    NodeRecord made = node;
    for (std::string& input : made.inputs)
      if (left_out_.contains(input)) input.clear();
    made.attributes.clear();
    for (const AttributeRecord& attribute : node.attributes) {
      if (attribute.reference.empty()) {
        made.attributes.push_back(written(attribute));
      } else if (const AttributeRecord* given = given_attribute(attribute.reference)) {
        made.attributes.push_back(*given);
        made.attributes.back().name = attribute.name;
      }
    }
    return made;
  }

  AttributeRecord written(const AttributeRecord& attribute) const {
    AttributeRecord made = attribute;
    if (!attribute.g) return made;
    GraphRecord graph = *attribute.g;
    graph.nodes = nodes(graph.nodes);
    made.g = std::make_shared<const GraphRecord>(std::move(graph));
    return made;
  }

  // Null if the call leaves it out, and it has no default.
  const AttributeRecord* given_attribute(const std::string& name) const {
    const AttributeRecord* given = find_attribute(call_.attributes, name);
    return given ? given : find_attribute(function_.defaults, name);
  }

  const FunctionRecord& function_;
  const NodeRecord& call_;
  std::set<std::string> left_out_;
};

}  // namespace

GraphRecord body_of_call(const FunctionRecord& function, const NodeRecord& call) {
  GraphRecord made;
  made.nodes = CallBody(function, call).nodes(function.nodes);
  return made;
}

}  // namespace mithril::onnx
