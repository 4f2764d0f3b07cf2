// Numbers and shapes as a user writes them.
#include "mithril/model/binding.hpp"

#include "mithril/base/error.hpp"

namespace mithril {

void refuse_number(std::string number) {
  raise({.kind = ErrorKind::value,
         .code = "E0470",
         .message = "an int is at most 9223372036854775807",
         .facts = {{"got", std::move(number)}}});
}

ShapeSpec::Item::Item(Any) {}
ShapeSpec::Item::Item(int64_t size) : spec_(size) {}
ShapeSpec::Item::Item(const char* symbol) : spec_(std::string(symbol)) {}
ShapeSpec::Item::Item(std::string symbol) : spec_(std::move(symbol)) {}
ShapeSpec::Item::Item(Rest run) : spec_(std::move(run)) {}
ShapeSpec::Item::Item(const Item& other) = default;
ShapeSpec::Item::Item(Item&& other) noexcept = default;
ShapeSpec::Item& ShapeSpec::Item::operator=(const Item& other) = default;
ShapeSpec::Item& ShapeSpec::Item::operator=(Item&& other) noexcept = default;
ShapeSpec::Item::~Item() = default;

ShapeSpec::ShapeSpec(std::vector<DimSpec> dims) : dims_(std::move(dims)) {}
ShapeSpec::ShapeSpec(const ShapeSpec& other) = default;
ShapeSpec::ShapeSpec(ShapeSpec&& other) noexcept = default;
ShapeSpec& ShapeSpec::operator=(const ShapeSpec& other) = default;
ShapeSpec& ShapeSpec::operator=(ShapeSpec&& other) noexcept = default;
ShapeSpec::~ShapeSpec() = default;

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
