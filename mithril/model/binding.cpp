#include "mithril/model/binding.hpp"

#include "mithril/base/error.hpp"

namespace mithril {

void refuse_number(std::string number) {
  raise({.kind = ErrorKind::value,
         .code = "E0470",
         .message = "an int is at most 9223372036854775807",
         .facts = {{"got", std::move(number)}}});
}

ShapeSpec::ShapeSpec(std::initializer_list<Item> items) {
  for (const Item& item : items) dims_.push_back(item.spec());
}

std::string to_string(const ShapeSpec& shape) {
  std::string text;
  for (const DimSpec& dim : shape.dims()) {
    if (!text.empty()) text += ", ";
    if (const auto* size = std::get_if<int64_t>(&dim)) {
      text += std::to_string(*size);
    } else if (const auto* symbol = std::get_if<std::string>(&dim)) {
      text += *symbol;
    } else {
      text += std::holds_alternative<Rest>(dim) ? "..." : "None";
    }
  }
  return "[" + text + "]";
}

}  // namespace mithril
