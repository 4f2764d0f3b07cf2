#include "mithril/onnx/node_context.hpp"

#include <cmath>

#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/onnx/element_type.hpp"
#include "mithril/onnx/tensor.hpp"

namespace mithril::onnx {

void refuse(std::string reason, std::string help) {
  throw Refusal{std::move(reason), std::move(help)};
}

std::int64_t within(const std::string& what, std::int64_t number, std::int64_t least,
                    std::int64_t most) {
  if (number >= least && number <= most) return number;
  const bool is_low = number < least;
  refuse(what + " is " + std::to_string(number) + ", expected at " +
         (is_low ? "least " + std::to_string(least) : "most " + std::to_string(most)));
}

void need_count(const std::string& what, std::size_t found, std::size_t expected) {
  if (found == expected) return;
  refuse(what + " has " + std::to_string(found) + " elements, expected " +
         std::to_string(expected));
}

std::vector<std::int64_t> within(const std::string& what, std::vector<std::int64_t> numbers,
                                 std::size_t count, std::int64_t least) {
  need_count(what, numbers.size(), count);
  for (const std::int64_t number : numbers) within("an element of " + what, number, least);
  return numbers;
}

namespace {

std::string attribute_text(const std::string& name) { return "its attribute " + in_quotes(name); }

[[noreturn]] void refuse_type(const std::string& name, const char* expected) {
  refuse(attribute_text(name) + " is not " + expected);
}

std::string utf8_text(const std::string& name, const std::string& text) {
  if (utf8_bytes(text) != text.size()) refuse_type(name, "text in UTF-8");
  return text;
}

}  // namespace

bool NodeContext::has(std::size_t i) const {
  return i < node_.inputs.size() && !node_.inputs[i].empty();
}

const Value& NodeContext::value(std::size_t i) const {
  if (!has(i)) refuse("its input " + std::to_string(i) + " is left out");
  return inputs_[i];
}

Connection NodeContext::operator[](std::size_t i) const {
  if (value(i).is_sequence || value(i).is_empty)
    refuse("its input " + std::to_string(i) + " is not a tensor");
  return workspace_.connection(value(i));
}

Connection NodeContext::frozen(std::size_t i) const {
  Value copy = value(i);
  copy.is_frozen = true;
  return workspace_.connection(copy);
}

std::vector<Size> NodeContext::sizes(std::size_t i) const {
  if (is_known(i)) {
    const Dims& dims = value(i).known.dims();
    return {dims.begin(), dims.end()};
  }
  auto sizes = sizes_of((*this)[i]);
  if (!sizes) {
    refuse("the rank of " + in_quotes(node_.inputs[i]) + " is not known",
           "shapes= of an input states its sizes");
  }
  return *std::move(sizes);
}

std::size_t NodeContext::rank(std::size_t i) const { return sizes(i).size(); }

std::size_t NodeContext::need_rank(std::size_t i, std::size_t least, std::size_t most) const {
  const std::size_t found = rank(i);
  if (found >= least && found <= most) return found;
  const std::string bound = found < least ? std::to_string(least) : std::to_string(most);
  refuse("its input " + in_quotes(node_.inputs[i]) + " has " + std::to_string(found) +
         " axes, expected " +
         (least == most   ? ""
          : found < least ? "at least "
                          : "at most ") +
         bound);
}

std::optional<std::vector<std::int64_t>> NodeContext::dims(std::size_t i) const {
  return numbers_of(sizes(i));
}

std::vector<std::int64_t> NodeContext::known_dims(std::size_t i) const {
  std::vector<std::int64_t> made;
  for (const Size& size : sizes(i)) made.push_back(known_size(i, size));
  return made;
}

std::int64_t NodeContext::known_dim(std::size_t i, std::size_t axis) const {
  const std::vector<Size> found = sizes(i);
  if (axis >= found.size())
    refuse("its input " + in_quotes(node_.inputs[i]) + " has no axis " + std::to_string(axis));
  return known_size(i, found[axis]);
}

std::int64_t NodeContext::known_size(std::size_t i, const Size& size) const {
  const auto* number = std::get_if<std::int64_t>(&size);
  if (!number) {
    refuse("it needs the sizes of " + in_quotes(node_.inputs[i]),
           "shapes= of the inputs states them");
  }
  return within("a size of " + in_quotes(node_.inputs[i]), *number, 0);
}

const Tensor& NodeContext::known(std::size_t i) const {
  if (!is_known(i)) {
    refuse("its input " + in_quotes(value(i).name) + " has to be known at import",
           "constants= fixes an input of the model, and shapes= its sizes");
  }
  return *value(i).known;
}

std::vector<std::int64_t> NodeContext::ints(std::size_t i) const {
  within("the number of elements of its input " + std::to_string(i), known(i).size(), 0,
         most_computed);
  const Tensor elements = known(i).to(DType::int64);
  const auto values = elements.values<std::int64_t>();
  return {values.begin(), values.end()};
}

double NodeContext::number(std::size_t i) const {
  if (known(i).size() != 1) refuse("its input " + std::to_string(i) + " is not one number");
  return known(i).at_as_double(0);
}

std::int64_t NodeContext::clamped(std::size_t i, std::int64_t least, std::int64_t most) const {
  const double found = number(i);
  if (std::isnan(found)) refuse("its input " + std::to_string(i) + " is NaN");
  if (found <= static_cast<double>(least)) return least;
  return found >= static_cast<double>(most) ? most : static_cast<std::int64_t>(found);
}

std::vector<Size> NodeContext::elements(std::size_t i) const {
  if (value(i).sizes) return *value(i).sizes;
  const std::vector<std::int64_t> numbers = ints(i);
  return {numbers.begin(), numbers.end()};
}

const AttributeRecord* NodeContext::attribute(const std::string& name) const {
  for (const AttributeRecord& attribute : node_.attributes) {
    if (attribute.name != name) continue;
    attribute.is_read = true;
    return &attribute;
  }
  return nullptr;
}

// Writers of proto3 leave out zeros, so the type alone stands for one.
std::int64_t NodeContext::integer(const std::string& name,
                                  std::optional<std::int64_t> fallback) const {
  if (const AttributeRecord* found = attribute(name)) {
    if (!found->i && found->type != attribute_type::integer) refuse_type(name, "an int");
    return found->i.value_or(0);
  }
  if (!fallback) refuse(attribute_text(name) + " is missing");
  return *fallback;
}

bool NodeContext::flag(const std::string& name, bool fallback) const {
  return integer(name, fallback ? 1 : 0) != 0;
}

double NodeContext::real(const std::string& name, std::optional<double> fallback) const {
  if (const AttributeRecord* found = attribute(name)) {
    if (!found->f && found->type != attribute_type::real) refuse_type(name, "a float");
    return static_cast<double>(found->f.value_or(0.0F));
  }
  if (!fallback) refuse(attribute_text(name) + " is missing");
  return *fallback;
}

std::vector<float> NodeContext::reals(const std::string& name) const {
  const AttributeRecord* found = attribute(name);
  if (!found) return {};
  const bool is_other = found->type != attribute_type::reals &&
                        (found->type != attribute_type::none || found->i || found->f || found->s);
  if (found->floats.empty() && is_other) refuse_type(name, "a list of floats");
  return found->floats;
}

std::string NodeContext::text(const std::string& name, const std::string& fallback) const {
  const AttributeRecord* found = attribute(name);
  if (!found) return fallback;
  if (!found->s && found->type != attribute_type::text) refuse_type(name, "text");
  return utf8_text(name, found->s.value_or(""));
}

std::vector<std::string> NodeContext::texts(const std::string& name) const {
  const AttributeRecord* found = attribute(name);
  if (!found) return {};
  for (const std::string& each : found->strings) utf8_text(name, each);
  return found->strings;
}

std::optional<std::vector<std::int64_t>> NodeContext::integers(const std::string& name) const {
  const AttributeRecord* found = attribute(name);
  if (!found) return std::nullopt;
  const bool is_other = found->type != attribute_type::integers &&
                        (found->type != attribute_type::none || found->i || found->f || found->s);
  if (found->ints.empty() && is_other) refuse_type(name, "a list of ints");
  return found->ints;
}

std::vector<std::int64_t> NodeContext::integers(const std::string& name, std::size_t count,
                                                std::int64_t least, std::int64_t fallback) const {
  auto found = integers(name);
  if (!found) return std::vector<std::int64_t>(count, fallback);
  return within(attribute_text(name), *std::move(found), count, least);
}

KnownTensor NodeContext::tensor(const AttributeRecord& attribute) const {
  if (!attribute.t) refuse("its attribute " + in_quotes(attribute.name) + " is not a tensor");
  return read_tensor(*attribute.t, file_, attribute.name);
}

std::optional<std::vector<std::int64_t>> NodeContext::integers_or_input(const std::string& name,
                                                                        std::size_t i) const {
  if (attribute(name)) return integers(name);
  return has(i) ? std::optional(ints(i)) : std::nullopt;
}

bool NodeContext::wants(std::size_t output) const {
  return output < node_.outputs.size() && !node_.outputs[output].empty();
}

std::int64_t NodeContext::axis(std::int64_t axis, std::size_t rank) const {
  const auto count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count) {
    refuse("there is no axis " + std::to_string(axis) + " of " + std::to_string(count));
  }
  return axis < 0 ? axis + count : axis;
}

}  // namespace mithril::onnx
