#include "mithril/edit/levels.hpp"

#include <algorithm>
#include <unordered_map>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/infer/known_shape.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/part_view.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

// A part whose name is the first segments of the path.
Part* child_at(Composite& model, std::string_view& path) {
  if (Part* part = model.find_part(path)) {
    path = {};
    return part;
  }
  for (size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1)) {
    Part* part = model.find_part(path.substr(0, dot));
    if (!part) continue;
    path.remove_prefix(dot + 1);
    return part;
  }
  return nullptr;
}

std::shared_ptr<Part> held(const Part& part) {
  const auto& parts = static_cast<const Composite*>(part.owner)->parts;
  return *std::find_if(parts.begin(), parts.end(),
                       [&](const auto& child) { return child.get() == &part; });
}

// Connections that have become one inside a part are one outside, too.
void join_ports(LevelForm& form, const std::string& id) {
  std::unordered_map<std::string, size_t> net_of_port;
  for (size_t i = 0; i < form.nets.size(); ++i) {
    std::vector<size_t> same;
    std::erase_if(form.nets[i].ends, [&](const FormEnd& end) {
      if (end.id != id) return false;
      const auto [at, is_new] = net_of_port.emplace(end.port, i);
      if (!is_new) same.push_back(at->second);
      return !is_new;
    });
    for (const size_t net : same) form.join(net, i);
  }
}

Json opened_form(const Composite& model, Functions& functions) {
  Functions own;
  const Model opened = from_form(model_form(model, own), own, true);
  return model_form(*opened.part(), functions);
}

}  // namespace

Model restated(const Model& model) {
  Functions functions;
  const Json form = model_form(*model.part(), functions);
  const Model made = from_form(form, functions);
  return Model(std::static_pointer_cast<Part>(made.composite()));
}

Located located(const Model& model, std::string_view path) {
  Located found;
  Composite* at = model.composite().get();
  while (!path.empty()) {
    Part* part = child_at(*at, path);
    if (!part) break;
    found.around.push_back(at);
    found.part = part;
    if (part->op) break;
    at = static_cast<Composite*>(part);
  }
  found.port = path;
  return found;
}

Model opened_around(Model model, std::string_view path) {
  while (true) {
    const Located found = located(model, path);
    const auto closed =
        std::find_if(found.around.begin(), found.around.end(),
                     [](const Composite* level) { return level->recipe != nullptr; });
    if (closed == found.around.end()) return model;
    model =
        closed == found.around.begin() ? opened(model) : opened_at(model, mithril::path(*closed));
  }
}

Model opened(const Model& model) {
  Functions functions;
  const Json form = opened_form(*model.composite(), functions);
  return from_form(form, functions);
}

Model opened_at(const Model& model, std::string_view path) {
  Levels levels(model, path);
  const auto part = std::static_pointer_cast<Composite>(levels.part().part());
  levels.form().part(levels.id()).json = opened_form(*part, levels.functions());
  return levels.rebuilt();
}

Levels::Levels(const Model& model, std::string_view path, bool port)
    : model_(opened_around(model, path)), at_(located(model_, path)), path_(path) {
  if (!at_.part || (!port && !at_.port.empty())) {
    static_cast<void>(part_at(model_, path));  // raises
  }
  id_ = at_.part->owner->name_of(*at_.part);
  for (Composite* level : at_.around) {
    if (level->completion) {
      raise({.kind = ErrorKind::connection,
             .code = "E0115",
             .path = mithril::path(level),
             .message = level->class_name() + " does not take edits",
             .help = "edit the model before it is trained"});
    }
    levels_.emplace_back(*level, functions_);
  }
}

Model Levels::part() const { return Model(held(*at_.part)); }

Model Levels::rebuilt() {
  for (size_t i = levels_.size() - 1; i > 0; --i) pass_on(levels_[i], levels_[i - 1]);
  return from_form(levels_.front().json(), functions_);
}

// The outer model has the changed model as a part, and its ports under their new names.
void Levels::pass_on(LevelForm& inner, LevelForm& outer) {
  const std::string id = outer.model.name_of(inner.model);
  outer.part(id).json = inner.json();
  for (size_t i = 0; i < outer.nets.size(); ++i) {
    std::vector<std::string> lost;
    for (FormEnd& end : outer.nets[i].ends) {
      if (end.id != id) continue;
      const auto net = inner.net_of(end.wire);
      if (!net || inner.nets[*net].is_gone()) {
        lost.push_back(end.port);
        continue;
      }
      const bool names = outer.nets[i].giver == end.path();
      end.port = inner.nets[*net].name();
      if (names) outer.nets[i].giver = end.path();
    }
    for (const std::string& port : lost) lose_end(outer, i, id, port, path_);
  }
  join_ports(outer, id);
}

void lose_end(LevelForm& form, size_t index, const std::string& id, const std::string& port,
              const std::string& path) {
  FormNet& net = form.nets[index];
  const auto at = std::find_if(net.ends.begin(), net.ends.end(), [&](const FormEnd& end) {
    return end.id == id && end.port == port;
  });
  const Wire* wire = at->wire ? top(at->wire) : nullptr;
  const Part* part = form.model.find_part(id);
  const Part* driver = wire ? wire->driver : nullptr;
  while (driver && driver != part) driver = driver->owner;
  const std::string lost = at->path();
  const std::string readers = readers_text(form, index, id);
  net.ends.erase(at);
  if (net.giver == lost) net.giver.clear();
  if (driver && !net.is_gone()) {
    refuse_edit(path, "the edit removes " + quoted(lost) + ", which is read elsewhere",
                {{"value", lost, ""}, {"readers", readers, ""}},
                "edit its readers first, or give the new part an output of this name");
  }
  if (net.ends.empty()) net.keys.clear();
}

void refuse_edit(const std::string& path, std::string message, std::vector<Fact> facts,
                 std::string help) {
  raise({.kind = ErrorKind::connection,
         .code = "E0124",
         .path = path,
         .message = std::move(message),
         .facts = std::move(facts),
         .help = std::move(help)});
}

std::string ports_text(const Model& part, bool inputs) {
  if (part.part()->op && !part.part()->owner) {
    std::vector<std::string> names;
    const OpDef& op = *part.part()->op;
    for (const PortDef& port : inputs ? op.inputs : op.outputs) names.push_back(port.name);
    return join(names, ", ");
  }
  const PartView view(part);
  const auto shapes = view.shapes();
  std::vector<std::string> texts;
  for (const std::string& name : inputs ? view.inputs() : view.outputs()) {
    const auto shape = shapes.find(name);
    texts.push_back(shape == shapes.end() ? name : name + " " + to_string(shape->second));
  }
  return texts.empty() ? "none" : join(texts, ", ");
}

std::string readers_text(const LevelForm& form, size_t net, const std::string& id) {
  std::vector<std::string> readers;
  for (const std::string& key : form.nets[net].keys) readers.push_back("key " + quoted(key));
  for (const FormEnd& end : form.nets[net].ends) {
    if (end.id != id) readers.push_back(end.path());
  }
  return readers.empty() ? "none" : join(readers, ", ");
}

void refuse_shared(const Part& part) {
  const Composite* root = static_cast<const Composite*>(part.owner);
  while (root->owner) root = static_cast<const Composite*>(root->owner);
  const auto inside = [&](const Part* at) {
    while (at && at != &part) at = at->owner;
    return at != nullptr;
  };
  const auto owned_by_part = [&](const Part* home) {  // not by a model that contains `part`
    const Part* around = &part;
    while (around && around != home) around = around->owner;
    return home && (around == nullptr || home == &part);
  };
  const Model handle(held(part));
  std::vector<const Wire*> data;
  for (const Connection& input : handle.cins()) data.push_back(top(input.wire()));
  std::vector<const Wire*> own;
  const std::vector<Part*> ops = all_op_parts(*root);
  for (const Part* op : ops) {
    if (!inside(op)) continue;
    for (size_t slot = 0; slot < op->input_count; ++slot) {
      const Wire* wire = op->slots[slot] ? top(op->slots[slot]) : nullptr;
      if (!wire || wire->driver || is_valued(wire) || !owned_by_part(wire->home)) continue;
      if (std::find(data.begin(), data.end(), wire) == data.end()) own.push_back(wire);
    }
  }
  for (const Part* op : ops) {
    if (inside(op)) continue;
    for (size_t slot = 0; slot < op->input_count; ++slot) {
      Wire* wire = op->slots[slot] ? top(op->slots[slot]) : nullptr;
      if (!wire || std::find(own.begin(), own.end(), wire) == own.end()) continue;
      raise({.kind = ErrorKind::connection,
             .code = "E0123",
             .path = path(&part),
             .port = wire_name(wire),
             .message = "the part is used in two places: both read " + quoted(wire_name(wire)),
             .facts = {{"one place", path(&part), ""}, {"another place", path(op), ""}},
             .help = "give the parameter a key of the model, rename(" + quoted(wire_name(wire)) +
                     ", \"shared\"), so that each place can be edited by itself"});
    }
  }
}

}  // namespace mithril
