#include "mithril/onnx/export/functions.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mithril/onnx/export/graph_builder.hpp"
#include "mithril/onnx/export/nested_graph.hpp"

namespace mithril::onnx {
namespace {

using Names = std::vector<std::string>;

std::string part_of(const std::string& path) {
  const std::size_t dot = path.find('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

bool has_graph(const WrittenNode& node) {
  return std::any_of(node.attributes.begin(), node.attributes.end(), [](const auto& attribute) {
    return std::holds_alternative<std::shared_ptr<const WrittenGraph>>(attribute.second);
  });
}

bool is_equal(const AttributeValue& a, const AttributeValue& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&]<typename Kind>(const Kind& one) {
        const Kind& other = std::get<Kind>(b);
        if constexpr (std::is_same_v<Kind, Tensor>)
          return identical(one, other);
        else
          return one == other;
      },
      a);
}

bool is_equal(const WrittenNode& a, const WrittenNode& b) {
  return a.op == b.op && a.name == b.name && a.inputs == b.inputs && a.outputs == b.outputs &&
         a.path == b.path && a.source == b.source &&
         std::equal(a.attributes.begin(), a.attributes.end(), b.attributes.begin(),
                    b.attributes.end(), [](const auto& x, const auto& y) {
                      return x.first == y.first && is_equal(x.second, y.second);
                    });
}

bool is_equal(const WrittenFunction& a, const WrittenFunction& b) {
  return a.inputs == b.inputs && a.outputs == b.outputs &&
         std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                    [](const WrittenNode& x, const WrittenNode& y) { return is_equal(x, y); });
}

// The names inside of a function: without the path of the part.
class InnerNames {
 public:
  explicit InnerNames(const std::string& part) : prefix_(part + ".") {}

  std::string stripped(const std::string& name, const char* otherwise) const {
    return name.starts_with(prefix_) ? name.substr(prefix_.size()) : otherwise;
  }
  const std::string& of(const std::string& name, const char* otherwise) {
    std::string& made = made_[name];
    if (made.empty() && !name.empty()) made = names_.add(stripped(name, otherwise));
    return made;
  }
  // Parts may share constants, which then have the path of one of them.
  const std::string& of_input(const std::string& name) {
    std::string& made = made_[name];
    const bool is_constant = name.find('/') != std::string::npos;
    if (made.empty()) made = names_.add(is_constant ? "input" : stripped(name, "input"));
    return made;
  }

 private:
  const std::string prefix_;
  FileNames names_;
  std::map<std::string, std::string> made_;
};

class FunctionMaker {
 public:
  explicit FunctionMaker(WrittenGraph& graph) : graph_(graph) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      std::set<std::string> read;
      add_read_names(graph.nodes[i], read);
      for (const std::string& name : read) readers_[name].push_back(i);
      if (const std::string part = part_of(graph.nodes[i].path); !part.empty())
        parts_[part].push_back(i);
    }
    for (const WrittenValue& output : graph.outputs) outputs_.insert(output.name);
  }

  void make() {
    std::map<std::size_t, WrittenNode> calls;
    std::set<std::size_t> moved;
    for (const auto& [part, nodes] : parts_) {
      if (!can_move(nodes)) continue;
      calls.emplace(nodes.back(), call(part, nodes));
      moved.insert(nodes.begin(), nodes.end());
    }
    std::vector<WrittenNode> kept;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (const auto found = calls.find(i); found != calls.end()) {
        kept.push_back(std::move(found->second));
      } else if (!moved.contains(i)) {
        kept.push_back(std::move(graph_.nodes[i]));
      }
    }
    graph_.nodes = std::move(kept);
    std::erase_if(graph_.values,
                  [&](const WrittenValue& value) { return hidden_.contains(value.name); });
  }

 private:
  // The call is in the place of the last node: no other node may read a value before.
  bool can_move(const std::vector<std::size_t>& nodes) const {
    const std::set<std::size_t> own(nodes.begin(), nodes.end());
    if (nodes.size() < 2) return false;
    for (const std::size_t i : nodes) {
      if (has_graph(graph_.nodes[i])) return false;
      for (const std::string& output : graph_.nodes[i].outputs) {
        for (const std::size_t reader : readers_of(output))
          if (reader < nodes.back() && !own.contains(reader)) return false;
      }
    }
    return true;
  }

  std::vector<std::size_t> readers_of(const std::string& name) const {
    const auto found = readers_.find(name);
    return found == readers_.end() || name.empty() ? std::vector<std::size_t>() : found->second;
  }

  bool is_read_outside(const std::string& name, const std::set<std::size_t>& own) const {
    if (outputs_.contains(name)) return true;
    const std::vector<std::size_t> readers = readers_of(name);
    return std::any_of(readers.begin(), readers.end(),
                       [&](std::size_t reader) { return !own.contains(reader); });
  }

  WrittenNode call(const std::string& part, const std::vector<std::size_t>& nodes) {
    const std::set<std::size_t> own(nodes.begin(), nodes.end());
    WrittenNode made{.op = part, .name = part, .path = part, .source = "part"};
    made.domain = part_domain;
    WrittenFunction function{.name = part};
    InnerNames names(part), node_names(part);
    std::set<std::string> known;
    for (const std::size_t i : nodes) {
      WrittenNode node = graph_.nodes[i];
      for (std::string& input : node.inputs) {
        if (input.empty()) continue;
        const bool is_new = known.insert(input).second;
        if (is_new) made.inputs.push_back(input);
        input = names.of_input(input);
        if (is_new) function.inputs.push_back(input);
      }
      for (std::string& output : node.outputs) {
        if (output.empty()) continue;
        known.insert(output);
        const std::string outer = output;
        output = names.of(outer, "value");
        if (is_read_outside(outer, own)) {
          made.outputs.push_back(outer);
          function.outputs.push_back(output);
        } else {
          hidden_.insert(outer);
        }
      }
      node.name = node_names.of(node.name, "node");
      node.path = names.stripped(node.path, "");
      function.nodes.push_back(std::move(node));
    }
    for (const WrittenFunction& other : graph_.functions) {
      if (!is_equal(other, function)) continue;
      made.op = other.name;
      return made;
    }
    graph_.functions.push_back(std::move(function));
    return made;
  }

  WrittenGraph& graph_;
  std::map<std::string, std::vector<std::size_t>> parts_, readers_;
  std::set<std::string> outputs_, hidden_;
};

}  // namespace

void make_functions(WrittenGraph& graph) { FunctionMaker(graph).make(); }

}  // namespace mithril::onnx
