#include "mithril/model/composite.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <unordered_map>

#include "mithril/base/error.hpp"
#include "mithril/base/limits.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/undo.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

constexpr size_t many = 16;  // from here on a hash table is quicker than a walk

// "relu_12" -> "relu" and 12.
bool split_number(std::string_view name, std::string_view& label, size_t& number) {
  const size_t underscore = name.rfind('_');
  if (underscore == std::string_view::npos || underscore + 1 == name.size()) return false;
  label = name.substr(0, underscore);
  const auto [end, error] =
      std::from_chars(name.data() + underscore + 1, name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size();
}

std::string numbered_name(std::string_view label, size_t number) {
  std::string name(label);
  if (number > 0) name += "_" + std::to_string(number);
  return name;
}

// The wire at a port, or at "input_2" of a list.
Wire* find_slot(Facts& facts, const Part& part, std::string_view port) {
  std::string_view label;
  size_t number = 0;
  const bool numbered = split_number(port, label, number);
  size_t item = 0;
  for (size_t slot = 0; slot < part.slot_count; ++slot) {
    const PortDef& def = part.port_at(slot);
    if (def.name == port) return part.wire(facts, slot);
    if (numbered && def.list && def.name == label && item++ == number) {
      return part.wire(facts, slot);
    }
  }
  return nullptr;
}

void orphan(Composite& composite) {
  composite.owner = nullptr;
  composite.orphaned = true;
  composite.keys.clear();
  composite.canonical_inputs.clear();
  composite.canonical_outputs.clear();
  composite.statements.clear();
}

}  // namespace

struct Composite::Index {
  std::unordered_map<std::string_view, size_t> keys;
  std::unordered_map<std::string_view, std::vector<Part*>> namesakes;
};

// There are only as many as classes, so that they are kept for good.
const Composite::Class& Composite::class_of(std::string name) {
  check_name(name);
  static std::mutex mutex;
  static std::map<std::string, Class> classes;
  const std::lock_guard lock(mutex);
  Class& found = classes[name];
  if (found.name.empty()) found = {name, lower_case(name)};
  return found;
}

Composite::Composite(std::string class_name) : class_(class_of(std::move(class_name))) {}

// Walks down to the parts and back up by their owners, so that it needs no additional memory.
Composite::~Composite() {
  Composite* at = this;
  while (at != this || !parts.empty()) {
    if (at->parts.empty()) {
      Composite* outer = static_cast<Composite*>(at->owner);
      orphan(*at);  // someone may still hold it
      at->index_.reset();
      outer->parts.pop_back();
      at = outer;
      continue;
    }
    Part& last = *at->parts.back();
    if (!last.op) {
      at = static_cast<Composite*>(&last);
      continue;
    }
    last.owner = nullptr;
    clear_slots(last);
    at->parts.pop_back();
  }
}

Part* Composite::find_namesake(std::string_view label, size_t number) const {
  if (index_ && !index_->namesakes.empty()) {
    const auto at = index_->namesakes.find(label);
    if (at == index_->namesakes.end()) return nullptr;
    const auto part =
        std::lower_bound(at->second.begin(), at->second.end(), number,
                         [](const Part* part, size_t wanted) { return part->index < wanted; });
    return part != at->second.end() && (*part)->index == number ? *part : nullptr;
  }
  const auto is_it = [&](const auto& part) {
    return part->index == number && part->label() == label;
  };
  const auto part = std::find_if(parts.begin(), parts.end(), is_it);
  return part == parts.end() ? nullptr : part->get();
}

std::string Composite::name_of(const Part& child) const {
  return numbered_name(child.label(), child.index);
}

Part* Composite::find_part(std::string_view name) {
  if (Part* part = find_namesake(name, 0)) return part;
  std::string_view label;
  size_t number = 0;
  if (!split_number(name, label, number) || number == 0) return nullptr;
  Part* part = find_namesake(label, number);
  return part && name_of(*part) == name ? part : nullptr;
}

size_t Composite::free_number(std::string_view label) {
  size_t number = 0;
  if (index_ && !index_->namesakes.empty()) {
    const auto at = index_->namesakes.find(label);
    if (at != index_->namesakes.end()) number = at->second.back()->index + 1;
  } else {
    for (const auto& part : parts) {
      if (part->label() == label) number = part->index + 1;
    }
  }
  while (find_part(numbered_name(label, number))) ++number;
  return number;
}

void Composite::adopt_child(std::shared_ptr<Part> child) {
  const size_t index = free_number(child->label());
  const int64_t ops = child->op ? 1 : static_cast<const Composite&>(*child).op_count;
  check_limit(op_count + ops, &Limits::parts, "E0461",
              "a model has " + std::to_string(op_count + ops) + " parts");
  save(op_count);
  op_count += ops;
  on_undo([this, count = parts.size(), owner = child->owner, index = child->index] {
    if (parts.size() == count) return;
    const std::shared_ptr<Part> last = parts.back();
    forget_last_child();
    last->owner = owner;
    last->index = index;
  });
  make_room(parts);
  if (index_ && !index_->namesakes.empty()) {  // once built it holds all parts, also after an undo
    const auto [namesakes, added] = index_->namesakes.try_emplace(child->label());
    try {
      namesakes->second.push_back(child.get());
    } catch (...) {
      if (added) index_->namesakes.erase(namesakes);
      throw;
    }
  } else if (parts.size() + 1 > many) {
    decltype(Index::namesakes) namesakes;
    for (const auto& part : parts) namesakes[part->label()].push_back(part.get());
    namesakes[child->label()].push_back(child.get());
    if (!index_) index_ = std::make_unique<Index>();
    index_->namesakes = std::move(namesakes);
  }
  // Nothing below throws.
  if (!child->op) static_cast<Composite&>(*child).adopted_at = moment();
  child->owner = this;
  child->index = static_cast<uint32_t>(index);
  parts.push_back(std::move(child));
}

void Composite::forget_last_child() {
  if (index_ && !index_->namesakes.empty()) {
    const auto namesakes = index_->namesakes.find(parts.back()->label());
    namesakes->second.pop_back();
    if (namesakes->second.empty()) index_->namesakes.erase(namesakes);
  }
  parts.pop_back();
}

Key* Composite::find_key(std::string_view name) {
  if (index_ && !index_->keys.empty()) {
    const auto at = index_->keys.find(name);
    return at == index_->keys.end() ? nullptr : &keys[at->second];
  }
  for (Key& key : keys) {
    if (*key.name == name) return &key;
  }
  return nullptr;
}

void Composite::add_key(std::string_view name, Wire* wire) {
  wire = top(wire);
  const Note kept = facts->note(name);
  on_undo([this, count = keys.size()] {
    for (; keys.size() > count; keys.pop_back()) {
      if (index_) index_->keys.erase(*keys.back().name);
    }
  });
  save(wire->home);
  save(wire->name);
  make_room(keys);
  if (index_ && !index_->keys.empty()) {
    index_->keys.emplace(*kept, keys.size());
  } else if (keys.size() + 1 > many) {
    decltype(Index::keys) places;
    for (size_t i = 0; i < keys.size(); ++i) places.emplace(*keys[i].name, i);
    places.emplace(*kept, keys.size());
    if (!index_) index_ = std::make_unique<Index>();
    index_->keys = std::move(places);
  }
  keys.push_back({kept, wire});
  wire->home = this;
  wire->name = kept;
}

void Composite::rename(std::string_view from, std::string_view to, Wire* wire) {
  const Key* key = find_key(from);
  if (!key) return add_key(to, wire);
  const Note kept = facts->note(to), before = key->name;
  const size_t at = static_cast<size_t>(key - keys.data());
  wire = top(wire);
  // The entry of the index changes in place, which needs no memory.
  const auto set_name = [this, at](Note name) {
    auto entry = index_ ? index_->keys.extract(*keys[at].name) : decltype(Index::keys)::node_type();
    if (entry) {
      entry.key() = *name;
      index_->keys.insert(std::move(entry));
    }
    keys[at].name = name;
  };
  on_undo([set_name, before] { set_name(before); });
  save(wire->home);
  save(wire->name);
  set_name(kept);
  wire->home = this;
  wire->name = kept;
}

Wire* Composite::named(std::string_view name) {
  if (const Key* key = find_key(name)) return top(key->wire);
  Wire* wire = new_wire(*facts);
  add_key(name, wire);
  return wire;
}

Wire* Composite::find_wire(std::string_view path) {
  Composite* at = this;
  while (true) {
    if (const Key* key = at->find_key(path)) return top(key->wire);
    Part* child = nullptr;
    size_t dot = path.find('.');
    while (dot != std::string_view::npos && !(child = at->find_part(path.substr(0, dot))))
      dot = path.find('.', dot + 1);
    if (!child) return nullptr;
    path.remove_prefix(dot + 1);
    if (!child->op) {
      at = static_cast<Composite*>(child);
      continue;
    }
    const Composite* root = at;
    while (root->owner) root = static_cast<const Composite*>(root->owner);
    return find_slot(*root->facts, *child, path);
  }
}

Wire* Composite::find_copy(const std::shared_ptr<Composite>& root, const Wire* wire) const {
  for (const Copied& copy : copied) {
    if (copy.from.lock() != root) continue;
    for (const auto& [from, to] : copy.wires) {
      if (top(from) == wire) return top(to);
    }
  }
  return nullptr;
}

Extras& Composite::more() {
  if (!extras) extras = std::make_unique<Extras>();
  return *extras;
}

void Composite::set_recipe(Note name, Arguments arguments) {
  recipe = std::make_unique<Recipe>(Recipe{name, std::move(arguments),
                                           static_cast<uint32_t>(parts.size()),
                                           static_cast<uint32_t>(keys.size()), moment()});
  statements.clear();
  by_recipe = exposes_keys = chooses_inputs = chooses_outputs = false;
}

void Composite::note_renaming(std::string_view key) {
  const Key* found = find_key(key);
  const size_t at = found ? static_cast<size_t>(found - keys.data()) : keys.size();
  if (!recipe || at >= recipe->keys) return;
  for (const auto& [index, name] : recipe->renamed) {
    if (index == at) return;
  }
  on_undo([renamed = &recipe->renamed, size = recipe->renamed.size()] {
    if (renamed->size() > size) renamed->pop_back();
  });
  recipe->renamed.emplace_back(at, key);
}

void Composite::note(StatedFact fact) {
  if (by_recipe) return;
  take_back_growth(statements);
  statements.push_back(std::move(fact));
}

std::shared_ptr<Composite> new_root(std::string class_name) {
  auto root = std::make_shared<Composite>(std::move(class_name));
  root->facts = std::make_unique<Facts>();
  root->facts->decorate = decorate_error;
  return root;
}

std::shared_ptr<Composite> root_of(const std::shared_ptr<Composite>& model) {
  std::shared_ptr<Composite> at = model;
  while (at->merged_into || at->owner) {
    at = at->merged_into ? at->merged_into : static_cast<Composite*>(at->owner)->shared_from_this();
  }
  if (at->orphaned) {
    raise({.kind = ErrorKind::connection,
           .code = "E0108",
           .message = "this part belonged to a model that is gone",
           .help = "keep the outer model for as long as its parts are used"});
  }
  return at;
}

Composite& open_model(const std::shared_ptr<Composite>& model) {
  if (model->owner || model->merged_into) {
    raise({.kind = ErrorKind::connection,
           .code = "E0104",
           .path = path(model.get()),
           .message = "this model is a part of another and cannot be changed any more",
           .help = "change it before it is added, or change the outer model"});
  }
  if (model->orphaned) root_of(model);
  return *model;
}

}  // namespace mithril
