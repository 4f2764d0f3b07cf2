#include "mithril/serialization/pickled_value.hpp"

#include <map>
#include <utility>

namespace mithril {
namespace {

// A few bytes of a pickle can refer to a dict many times. No file of PyTorch comes near these.
constexpr std::size_t most_items = 300'000;         // of all dicts, each time they occur
constexpr std::size_t deepest_dict = 100;           // of dicts in dicts
constexpr std::size_t most_name_bytes = 1U << 26U;  // of all tensors

// A dict, the items of it that were read, and the length of its name.
struct OpenDict {
  const PickledValue* value;
  std::size_t next;
  std::size_t name_bytes;
};

}  // namespace

std::vector<PickledTensor> named_tensors(PickledValue& root,
                                         const std::vector<PickledTensor>& tensors) {
  using Kind = PickledValue::Kind;
  std::vector<PickledTensor> found;
  std::map<std::string, std::size_t> places;
  std::string name;
  std::size_t items = 0, name_bytes = 0;
  PickledValue no_name{.kind = Kind::text};
  const PickledValue outermost{.kind = Kind::dict, .items = {&no_name, &root}};
  std::vector<OpenDict> open{{&outermost, 0, 0}};
  while (!open.empty()) {
    OpenDict& dict = open.back();
    name.resize(dict.name_bytes);
    if (dict.next == dict.value->items.size()) {
      open.pop_back();
      continue;
    }
    const PickledValue* key = dict.value->items[dict.next];
    const PickledValue* value = dict.value->items[dict.next + 1];
    dict.next += 2;
    if (++items > most_items) throw PickleFault{"its dicts have too many items"};
    if (key->kind != Kind::text && key->kind != Kind::integer) continue;
    if (value->kind != Kind::tensor && value->kind != Kind::dict) continue;
    if (!name.empty()) name += '.';
    name += key->kind == Kind::text ? key->text : std::to_string(key->integer);
    name_bytes += name.size();
    if (name_bytes > most_name_bytes) throw PickleFault{"the names of its tensors are too long"};
    if (value->kind == Kind::dict) {
      if (open.size() == deepest_dict) throw PickleFault{"its dicts are nested too deep"};
      open.push_back({value, 0, name.size()});
      continue;
    }
    PickledTensor tensor = tensors[static_cast<std::size_t>(value->integer)];
    tensor.name = name;
    const auto [place, is_new] = places.emplace(name, found.size());
    if (is_new) found.emplace_back();
    found[place->second] = std::move(tensor);
  }
  return found;
}

}  // namespace mithril
