#include "mithril/model/part_view.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "mithril/base/key_patterns.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/infer/distinct_names.hpp"
#include "mithril/model/composite.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

const Composite* composite_of(const Part& part) {
  return part.op ? nullptr : static_cast<const Composite*>(&part);
}

// The ports of an op that have wires.
std::vector<NamedPort> ports_of_op(const Part& part, bool inputs) {
  std::vector<NamedPort> ports;
  const size_t first = inputs ? 0 : part.input_count;
  const size_t end = inputs ? part.input_count : part.slot_count;
  for (size_t slot = first; slot < end; ++slot) {
    if (!part.slots[slot]) continue;
    std::string name = part.port_at(slot).name;
    if (part.port_at(slot).list) {
      size_t item = 0;
      while (slot > item && part.port_of(slot - item - 1) == part.port_of(slot)) ++item;
      name += "_" + std::to_string(item);
    }
    ports.push_back({std::move(name), top(part.slots[slot])});
  }
  return ports;
}

std::vector<NamedPort> ports_of(const Part& part, bool inputs) {
  const Composite* composite = composite_of(part);
  if (!composite) return ports_of_op(part, inputs);
  return inputs ? input_ports(*composite) : output_ports(*composite);
}

std::vector<std::string> names_of(const std::vector<NamedPort>& ports) {
  std::vector<std::string> names;
  for (const NamedPort& port : ports) names.push_back(port.name);
  return names;
}

template <typename Accept>
std::vector<PartView> those(const Model& model, const Accept& accept) {
  std::vector<PartView> found;
  for (PartView& part : walk(model)) {
    if (accept(part)) found.push_back(std::move(part));
  }
  return found;
}

// "Linear(dimension=8)", or of a composed model its parts, a line for each.
void write_tree(const PartView& part, const std::string& indent, std::string& text) {
  text += part.class_name() + "(";
  const std::vector<PartView> inner = part.is_composed() ? part.parts() : std::vector<PartView>();
  if (inner.empty()) {
    std::string options;
    for (const auto& [name, value] : part.options())
      options += (options.empty() ? "" : ", ") + name + "=" + to_string(value);
    text += options + ")";
    return;
  }
  for (const PartView& child : inner) {
    text += "\n" + indent + "  (" + child.name() + "): ";
    write_tree(child, indent + "  ", text);
  }
  text += "\n" + indent + ")";
}

}  // namespace

PartView::PartView(const Model& model) : part_(model.part()), root_(root_of(model.composite())) {}

std::string PartView::name() const {
  return part_->owner ? part_->owner->name_of(*part_) : std::string(part_->label());
}
std::string PartView::path() const { return mithril::path(part_.get()); }
std::string PartView::class_name() const { return part_->class_name(); }

Arguments PartView::options() const {
  if (const Composite* composite = composite_of(*part_))
    return composite->recipe ? composite->recipe->arguments : Arguments{};
  const auto& arguments = static_cast<const OpPart&>(*part_).arguments;
  return arguments ? *arguments : Arguments{};
}

std::vector<std::string> PartView::inputs() const { return names_of(ports_of(*part_, true)); }
std::vector<std::string> PartView::outputs() const { return names_of(ports_of(*part_, false)); }

std::map<std::string, KnownShape> PartView::shapes() const {
  std::map<std::string, KnownShape> shapes;
  Facts facts;
  DistinctNames names(facts);
  UnknownNumbers unknowns;
  for (const bool inputs : {true, false}) {
    for (const auto& [name, wire] : ports_of(*part_, inputs)) {
      if (find(wire->type)->kinds & kind::tensor)
        shapes.emplace(name, to_known(names.copy(Facts::resolve(wire->shape)), unknowns));
    }
  }
  return shapes;
}

bool PartView::is_composed() const {
  const Composite* composite = composite_of(*part_);
  return composite && !composite->recipe;
}

std::vector<PartView> PartView::parts() const {
  std::vector<PartView> views;
  const Composite* composite = composite_of(*part_);
  if (!composite) return views;
  for (const auto& part : composite->parts) views.push_back(PartView(part, root_));
  return views;
}

std::vector<PartView> parts(const Model& model) { return PartView(model).parts(); }

std::vector<PartView> walk(const Model& model) {
  std::vector<PartView> found, open = parts(model);
  std::reverse(open.begin(), open.end());
  while (!open.empty()) {
    found.push_back(std::move(open.back()));
    open.pop_back();
    std::vector<PartView> inner = found.back().parts();
    open.insert(open.end(), std::make_move_iterator(inner.rbegin()),
                std::make_move_iterator(inner.rend()));
  }
  return found;
}

std::vector<PartView> find_class(const Model& model, std::string_view class_name) {
  return those(model, [&](const PartView& part) { return part.class_name() == class_name; });
}

std::vector<PartView> find_paths(const Model& model, std::string_view pattern) {
  const std::string inside = PartView(model).path();
  const size_t prefix = inside.empty() ? 0 : inside.size() + 1;
  return those(model, [&](const PartView& part) {
    return matches(pattern, std::string_view(part.path()).substr(prefix));
  });
}

PartView part_at(const Model& model, std::string_view path) {
  std::vector<std::string> paths;
  const std::string inside = PartView(model).path();
  const size_t prefix = inside.empty() ? 0 : inside.size() + 1;
  for (PartView& part : walk(model)) {
    paths.push_back(part.path().substr(prefix));
    if (paths.back() == path) return std::move(part);
  }
  unknown_name(ErrorKind::name, "E0606", "part", path, inside, paths);
}

std::string tree(const Model& model) {
  std::string text;
  write_tree(PartView(model), "", text);
  return text;
}

}  // namespace mithril
