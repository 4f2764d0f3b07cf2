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

bool reads(const Part& op, const Wire* wire) {
  const auto slots = op.input_slots();
  return std::any_of(slots.begin(), slots.end(),
                     [&](Wire* slot) { return slot && top(slot) == wire; });
}

// Whether an op reads it that is inside the model, or is not.
bool is_read(const Composite& root, const Wire* wire, const Composite& model, bool inside) {
  const std::vector<Part*> ops = all_op_parts(root);
  return std::any_of(ops.begin(), ops.end(), [&](const Part* op) {
    return is_inside(op, model) == inside && reads(*op, wire);
  });
}

// The path of the port, or the key, of a part that gives the value; empty: it has none.
std::string output_path(const Part& part, const Wire* wire) {
  if (!part.op) {
    for (const Key& key : static_cast<const Composite&>(part).keys) {
      if (top(key.wire) == wire) return path(&part) + "." + std::string(*key.name);
    }
    return {};
  }
  size_t item = 0;
  for (size_t slot = part.input_count; slot < part.slot_count; ++slot) {
    const PortDef& port = part.port_at(slot);
    item = slot > part.input_count && part.port_of(slot - 1) == part.port_of(slot) ? item + 1 : 0;
    if (part.slots[slot] && top(part.slots[slot]) == wire)
      return path(&part) + "." + port.name + (port.list ? "_" + std::to_string(item) : "");
  }
  return {};
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

std::string place_of_value(const Model& model, std::string_view path) {
  const Located found = located(model, path);
  std::string given(path);
  if (!found.part || found.part->op || found.port.empty()) return given;
  auto& inner = static_cast<Composite&>(*found.part);
  const Wire* wire = inner.find_wire(found.port);
  if (!wire || !wire->driver || !is_inside(wire->driver, inner)) return given;
  const Composite& root = *found.around.front();
  const auto has_key = [&](const Composite* level) {
    return std::any_of(level->keys.begin(), level->keys.end(),
                       [&](const Key& key) { return top(key.wire) == wire; });
  };
  const bool is_outside = is_read(root, wire, inner, false) ||
                          std::any_of(found.around.begin(), found.around.end(), has_key);
  if (is_outside || !is_read(root, wire, inner, true)) return given;
  const Part* child = wire->driver;
  while (child->owner != &inner) child = child->owner;
  const std::string place = output_path(*child, wire);
  return place.empty() ? output_path(*wire->driver, wire) : place_of_value(model, place);
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
  const std::shared_ptr<Composite> made = from_form(form, functions).composite();
  // An op alone is made again as one. Its model has only the op, which no recipe needs to make.
  if (made->parts.size() == 1 && made->parts.front()->op &&
      made->parts.front()->class_name() == made->class_name())
    made->recipe.reset();
  return Model(std::static_pointer_cast<Part>(made));
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
    refuse_edit(path, "the edit removes " + in_quotes(lost) + ", which is read elsewhere",
                {{"value", lost, ""}, {"readers", readers, ""}},
                "edit its readers first, or give the new part an output of this name");
  }
  if (net.ends.empty()) net.keys.clear();
}

std::vector<std::string> canonical_ports(const Model& part, bool inputs) {
  std::vector<std::string> names;
  if (part.part()->op) {
    const OpDef& op = *part.part()->op;
    if (inputs) return canonical_names(op);
    if (!op.outputs.empty()) names.push_back(op.outputs.front().name);
    return names;
  }
  const std::shared_ptr<Composite> model = part.composite();
  const Level level = level_of(*model);
  for (Wire* wire : inputs ? open_inputs(*model) : open_outputs(*model)) {
    const Group& group = level.groups[level.group_of.at(wire_in(*model, wire))];
    names.push_back(group.keys.empty() ? level.endpoints[group.endpoints.front()].path()
                                       : std::string(*model->keys[group.keys.front()].name));
  }
  return names;
}

bool takes_list(const Model& part, const std::string& port) {
  if (!part.part()->op) return false;
  const OpDef& op = *part.part()->op;
  return std::any_of(op.inputs.begin(), op.inputs.end(),
                     [&](const PortDef& input) { return input.list && input.name == port; });
}

// Outer levels may have joined the wires of this one, so they are looked up as the part has them.
std::vector<size_t> canonical_nets(const LevelForm& form, const Model& part, bool inputs) {
  std::vector<size_t> nets;
  const auto add = [&](std::optional<size_t> net) {
    if (net && std::find(nets.begin(), nets.end(), *net) == nets.end()) nets.push_back(*net);
  };
  if (part.part()->op) {
    const std::string id = form.model.name_of(*part.part()) + ".";
    for (const std::string& name : canonical_ports(part, inputs)) {
      const auto net = form.net_named(id + name);
      add(net ? net : form.net_named(id + name + "_0"));
    }
    return nets;
  }
  const std::shared_ptr<Composite> model = part.composite();
  for (const CanonicalPort& port : inputs ? model->canonical_inputs : model->canonical_outputs) {
    const Wire* wire = top(port.wire);
    const bool is_port =
        inputs ? !is_valued(wire) && !is_inside(wire->driver, *model) : wire->uses <= port.uses;
    if (is_port) add(form.net_of(port.wire));
  }
  return nets;
}

void refuse_unread(const Model& model, const std::string& value, const std::string& path) {
  const std::shared_ptr<Composite> root = model.composite();
  Wire* found = find_port(*root, value);
  const Wire* wire = found ? top(found) : nullptr;
  const std::vector<NamedPort> outputs = output_ports(*root);
  const bool is_output = std::any_of(outputs.begin(), outputs.end(),
                                     [&](const NamedPort& port) { return port.wire == wire; });
  const bool is_next =
      root->extras &&
      std::any_of(root->extras->states.begin(), root->extras->states.end(),
                  [&](const StatePair& state) { return top(state.output) == wire; });
  if (!wire || is_output || is_next || is_read(*root, wire, *root, true)) return;
  refuse_edit(path, "nothing would read " + in_quotes(value) + ", the output of the new part", {},
              "give the path of a value that a part reads, or that is an output of the model");
}

void refuse_name(const std::string& path, std::string message) {
  raise({.kind = ErrorKind::name,
         .code = "E0607",
         .path = path,
         .message = std::move(message),
         .help = "choose another name"});
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
  for (const std::string& key : form.nets[net].keys) readers.push_back("key " + in_quotes(key));
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
             .message = "the part is used in two places: both read " + in_quotes(wire_name(wire)),
             .facts = {{"one place", path(&part), ""}, {"another place", path(op), ""}},
             .help = "give the parameter a key of the model, rename(" + in_quotes(wire_name(wire)) +
                     ", \"shared\"), so that each place can be edited by itself"});
    }
  }
}

}  // namespace mithril
