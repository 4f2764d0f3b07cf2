#include "mithril/model/composite.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <mutex>
#include <unordered_map>

#include "mithril/base/error.hpp"
#include "mithril/model/undo.hpp"

namespace mithril {
namespace {

constexpr size_t many = 16;  // from here on a hash table is quicker than a walk

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return text;
}

// "relu_12" -> "relu" and 12.
bool split_number(std::string_view name, std::string_view& label, size_t& number) {
  const size_t underscore = name.rfind('_');
  if (underscore == std::string_view::npos || underscore + 1 == name.size()) return false;
  label = name.substr(0, underscore);
  const auto [end, error] =
      std::from_chars(name.data() + underscore + 1, name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size();
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
  static std::mutex mutex;
  static std::map<std::string, Class> classes;
  const std::lock_guard lock(mutex);
  Class& found = classes[name];
  if (found.name.empty()) found = {name, lower(name)};
  return found;
}

Composite::Composite(std::string class_name) : class_(class_of(std::move(class_name))) {}

Composite::~Composite() {
  std::vector<std::shared_ptr<Part>> dying = std::move(parts);
  while (!dying.empty()) {
    const std::shared_ptr<Part> part = std::move(dying.back());
    dying.pop_back();
    part->owner = nullptr;
    if (part->op) {
      clear_slots(*part);
      continue;
    }
    Composite& composite = static_cast<Composite&>(*part);
    orphan(composite);  // someone may still hold it
    composite.index_.reset();
    for (auto& child : composite.parts) dying.push_back(std::move(child));
    composite.parts.clear();
  }
}

size_t Composite::count_namesakes(std::string_view label) const {
  if (index_ && !index_->namesakes.empty()) {
    const auto at = index_->namesakes.find(label);
    return at == index_->namesakes.end() ? 0 : at->second.size();
  }
  const auto bears = [&](const auto& part) { return part->label() == label; };
  return static_cast<size_t>(std::count_if(parts.begin(), parts.end(), bears));
}

Part* Composite::find_namesake(std::string_view label, size_t number) const {
  if (index_ && !index_->namesakes.empty()) return index_->namesakes.at(label)[number];
  const auto is_it = [&](const auto& part) {
    return part->index == number && part->label() == label;
  };
  return std::find_if(parts.begin(), parts.end(), is_it)->get();
}

std::string Composite::name_of(const Part& child) const {
  std::string name(child.label());
  if (count_namesakes(child.label()) > 1) name += "_" + std::to_string(child.index);
  return name;
}

Part* Composite::find_part(std::string_view name) {
  if (count_namesakes(name) == 1) return find_namesake(name, 0);
  std::string_view label;
  size_t number = 0;
  if (!split_number(name, label, number)) return nullptr;
  const size_t count = count_namesakes(label);
  return count > 1 && number < count ? find_namesake(label, number) : nullptr;
}

void Composite::adopt_child(std::shared_ptr<Part> child) {
  const size_t index = count_namesakes(child->label());
  on_undo([this, owner = child->owner, index = child->index] {
    const std::shared_ptr<Part> last = parts.back();
    forget_last_child();
    last->owner = owner;
    last->index = index;
  });
  if (!child->op) static_cast<Composite&>(*child).adopted_at = moment();
  child->owner = this;
  child->index = static_cast<uint32_t>(index);
  parts.push_back(std::move(child));
  if (index_ && !index_->namesakes.empty()) {  // once in use it holds all, also after an undo
    index_->namesakes[parts.back()->label()].push_back(parts.back().get());
  } else if (parts.size() > many) {
    if (!index_) index_ = std::make_unique<Index>();
    for (const auto& part : parts) index_->namesakes[part->label()].push_back(part.get());
  }
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
  keys.push_back({kept, wire});
  if (index_ && !index_->keys.empty()) {
    index_->keys.emplace(*kept, keys.size() - 1);
  } else if (keys.size() > many) {
    if (!index_) index_ = std::make_unique<Index>();
    for (size_t i = 0; i < keys.size(); ++i) index_->keys.emplace(*keys[i].name, i);
  }
  save(wire->home);
  save(wire->name);
  wire->home = this;
  wire->name = kept;
  on_undo([this] {
    if (index_) index_->keys.erase(*keys.back().name);
    keys.pop_back();
  });
}

void Composite::rename(std::string_view from, std::string_view to, Wire* wire) {
  Key* key = find_key(from);
  if (!key) return add_key(to, wire);
  const Note kept = facts->note(to);
  if (index_ && index_->keys.erase(*key->name) > 0) {
    index_->keys.emplace(*kept, static_cast<size_t>(key - keys.data()));
  }
  key->name = kept;
  top(wire)->home = this;
  top(wire)->name = kept;
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
  recipe->renamed.emplace_back(at, key);
}

void Composite::note(StatedFact fact) {
  if (by_recipe) return;
  statements.push_back(std::move(fact));
  on_undo([this] { statements.pop_back(); });
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
