#include "utf8.hpp"

Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t bytes = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (bytes == 1 || text.size() < bytes) return {lead, 1};
  char32_t code = lead & (0xffu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return {lead, 1};
    code = code << 6 | (byte & 0x3f);
  }
  return {code, bytes};
}
