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

PortDef::PortDef(std::string_view name, std::string_view shape, std::string_view type)
    : name(name), shape(shape), type(type) {}
PortDef::PortDef(std::string_view name, std::string_view shape, std::string_view type,
                 Datum fallback)
    : name(name), shape(shape), type(type), fallback(std::move(fallback)) {}
PortDef::PortDef(const PortDef& other) = default;
PortDef::PortDef(PortDef&& other) noexcept = default;
PortDef& PortDef::operator=(const PortDef& other) = default;
PortDef& PortDef::operator=(PortDef&& other) noexcept = default;
PortDef::~PortDef() = default;

Spelling::Spelling(std::string_view target, std::string_view text,
                   std::string (*write)(const SpellingContext&))
    : target(target), text(text), write(write) {}
Spelling::Spelling(const Spelling& other) = default;
Spelling::Spelling(Spelling&& other) noexcept = default;
Spelling& Spelling::operator=(const Spelling& other) = default;
Spelling& Spelling::operator=(Spelling&& other) noexcept = default;
Spelling::~Spelling() = default;

PortDef value(std::string_view name, std::string_view kinds) {
  return {name, "", "value " + std::string(kinds)};
}

PortDef value(std::string_view name, std::string_view kinds, Datum fallback) {
  return {name, "", "value " + std::string(kinds), std::move(fallback)};
}

PortDef word(std::string_view name, std::vector<std::string> words) {
  PortDef port = value(name, "str", words.front());
  port.words = std::move(words);
  return port;
}

PortDef optional(std::string_view name, std::string_view shape, std::string_view type) {
  return {name, shape, std::string(type) + "|none", Datum()};
}

PortDef list(std::string_view name, std::string_view shape, std::string_view type) {
  PortDef port(name, shape, type);
  port.list = true;
  return port;
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
