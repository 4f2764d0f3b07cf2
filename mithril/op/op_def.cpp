#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

int list_port(const std::vector<PortDef>& ports) {
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].list) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

PortDef value(std::string name, std::string kinds, std::optional<Datum> fallback) {
  return {std::move(name), "", "value " + kinds, std::move(fallback)};
}

PortDef word(std::string name, std::vector<std::string> words) {
  PortDef port = value(std::move(name), "str", words.front());
  port.words = std::move(words);
  return port;
}

PortDef optional(std::string name, std::string shape, std::string type) {
  return {std::move(name), std::move(shape), std::move(type) + "|none", Datum()};
}

PortDef list(std::string name, std::string shape, std::string type) {
  return {std::move(name), std::move(shape), std::move(type), {}, true};
}

int OpDef::list_input() const { return list_port(inputs); }
int OpDef::list_output() const { return list_port(outputs); }

bool OpDef::mirrors_list() const {
  const int list = list_input();
  return list >= 0 && inputs[static_cast<size_t>(list)].name == outputs_from;
}

const Spelling* OpDef::spelling(std::string_view target) const {
  for (const Spelling& spelling : spell) {
    if (spelling.target == target) return &spelling;
  }
  return nullptr;
}

}  // namespace mithril
