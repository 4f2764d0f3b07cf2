#include "mithril/viewer/profile_page.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "mithril/base/text.hpp"
#include "mithril/viewer/json_text.hpp"
#include "mithril/viewer/page.hpp"
#include "mithril/viewer/view_graph.hpp"

namespace mithril {
namespace {

// The steps as a graph: a node for each value that a step makes.
class StepGraph {
 public:
  explicit StepGraph(const std::vector<TraceEvent>& events) {
    view_.id = "steps";
    view_.title = "Steps";
    std::set<std::string> seen;
    for (const TraceEvent& event : events) {
      if (event.step && seen.insert(event.step->name).second) steps_.push_back(event.step.get());
    }
    for (const TracedStep* step : steps_) {
      for (const TracedTensor& tensor : step->writes) made_.insert(tensor.name);
    }
    for (const TracedStep* step : steps_) add(*step);
  }

  ViewGraph take() { return std::move(view_); }

 private:
  using Group = std::optional<std::size_t>;

  std::size_t value_of(const TracedTensor& tensor) {
    const auto [at, is_new] = values_.try_emplace(tensor.name, view_.values.size());
    if (is_new) {
      view_.values.push_back({.name = tensor.name,
                              .shape = "[" + join(tensor.dims, ", ") + "]",
                              .dtype = tensor.dtype});
    }
    return at->second;
  }

  // The group of a path: "encoder.fc1" is in "encoder".
  Group group_of(const std::string& path) {
    if (path.empty()) return std::nullopt;
    const auto found = groups_.find(path);
    if (found != groups_.end()) return found->second;
    const std::size_t dot = path.rfind('.');
    const Group parent = dot == path.npos ? std::nullopt : group_of(path.substr(0, dot));
    const std::string name = dot == path.npos ? path : path.substr(dot + 1);
    view_.groups.push_back({.name = name, .class_name = {}, .parent = parent, .is_named = true});
    groups_[path] = view_.groups.size() - 1;
    return groups_[path];
  }

  // A value that no step makes is a parameter if it belongs to a part, and else an input.
  void add_read(ViewNode& node, const TracedTensor& tensor) {
    const bool is_new = !values_.contains(tensor.name);
    const std::size_t value = value_of(tensor);
    if (!made_.contains(tensor.name) && tensor.name.find('.') != tensor.name.npos) {
      node.parameters.push_back({"", tensor.name, value});
      return;
    }
    if (is_new && !made_.contains(tensor.name)) {
      view_.nodes.push_back({.kind = ViewNode::Kind::input,
                             .name = tensor.name,
                             .is_named = true,
                             .outputs = {{"", value}}});
    }
    node.inputs.push_back({"", value});
  }

  void add(const TracedStep& step) {
    ViewNode node{.name = step.name, .class_name = join(step.ops, ", ")};
    if (step.layer != step.name) {  // a key of the model belongs to no part
      node.group = group_of(step.layer);
      const std::size_t begin = step.name.find(step.layer + ".");
      if (begin != step.name.npos) node.name = step.name.substr(begin + step.layer.size() + 1);
    }
    node.arguments = {{"kernel", step.kernel}, {"phase", step.phase}, {"device", step.device}};
    for (const TracedTensor& tensor : step.reads) add_read(node, tensor);
    for (const TracedTensor& tensor : step.writes) node.outputs.push_back({"", value_of(tensor)});
    view_.nodes.push_back(std::move(node));
  }

  ViewGraph view_;
  std::vector<const TracedStep*> steps_;
  std::set<std::string> made_;
  std::map<std::string, std::size_t> values_, groups_;
};

}  // namespace

std::string profile_page(const Profile& profile, std::string_view title) {
  JsonText json;
  json.open('{').key("schema").number(1).key("title").text(title).key("graphs").open('[');
  write(json, StepGraph(profile.events()).take());
  json.close(']').key("histograms").open('{').close('}').key("measured").open('{');
  const std::vector<ProfileRow> rows = profile.rows({.by = ProfileBy::path});
  json.key("bytes").open('{');
  for (const ProfileRow& row : rows) json.key(row.name).real(static_cast<double>(row.bytes));
  json.close('}').key("time").open('{');
  for (const ProfileRow& row : rows) json.key(row.name).real(row.seconds);
  json.close('}').close('}').close('}');
  return page_with(title, json.take());
}

}  // namespace mithril
