#include "mithril/onnx/node_context.hpp"

#include "mithril/base/text.hpp"
#include "mithril/onnx/element_type.hpp"
#include "mithril/onnx/tensor.hpp"

namespace mithril::onnx {

void refuse(std::string reason, std::string help) {
  throw Refusal{std::move(reason), std::move(help)};
}

bool NodeContext::has(std::size_t i) const {
  return i < node_.inputs.size() && !node_.inputs[i].empty();
}

const Value& NodeContext::value(std::size_t i) const {
  if (!has(i)) refuse("its input " + std::to_string(i) + " is left out");
  return inputs_[i];
}

Connection NodeContext::operator[](std::size_t i) const { return workspace_.connection(value(i)); }

Connection NodeContext::frozen(std::size_t i) const {
  Value copy = value(i);
  copy.is_frozen = true;
  return workspace_.connection(copy);
}

std::vector<Size> NodeContext::sizes(std::size_t i) const {
  if (is_known(i)) {
    const Dims& dims = known(i).dims();
    return {dims.begin(), dims.end()};
  }
  auto sizes = sizes_of((*this)[i]);
  if (!sizes) {
    refuse("the rank of " + quoted(node_.inputs[i]) + " is not known",
           "shapes= of an input states its sizes");
  }
  return *std::move(sizes);
}

std::size_t NodeContext::rank(std::size_t i) const { return sizes(i).size(); }

std::optional<std::vector<std::int64_t>> NodeContext::dims(std::size_t i) const {
  return numbers_of(sizes(i));
}

std::vector<std::int64_t> NodeContext::known_dims(std::size_t i) const {
  const auto numbers = dims(i);
  if (!numbers) {
    refuse("it needs the sizes of " + quoted(node_.inputs[i]), "shapes= of the inputs states them");
  }
  return *numbers;
}

const Tensor& NodeContext::known(std::size_t i) const {
  if (!is_known(i)) {
    refuse("its input " + quoted(value(i).name) + " has to be known at import",
           "constants= fixes an input of the model, and shapes= its sizes");
  }
  return *value(i).known;
}

std::vector<std::int64_t> NodeContext::ints(std::size_t i) const {
  const Tensor elements = known(i).to(DType::int64);
  const auto values = elements.values<std::int64_t>();
  return {values.begin(), values.end()};
}

double NodeContext::number(std::size_t i) const {
  if (known(i).size() != 1) refuse("its input " + std::to_string(i) + " is not one number");
  return known(i).at_as_double(0);
}

std::vector<Size> NodeContext::elements(std::size_t i) const {
  if (value(i).sizes) return *value(i).sizes;
  const std::vector<std::int64_t> numbers = ints(i);
  return {numbers.begin(), numbers.end()};
}

const AttributeRecord* NodeContext::attribute(const std::string& name) const {
  for (const AttributeRecord& attribute : node_.attributes)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

std::int64_t NodeContext::integer(const std::string& name,
                                  std::optional<std::int64_t> fallback) const {
  const AttributeRecord* found = attribute(name);
  if (found && found->i) return *found->i;
  if (!fallback) refuse("its attribute " + quoted(name) + " is missing");
  return *fallback;
}

bool NodeContext::flag(const std::string& name, bool fallback) const {
  return integer(name, fallback ? 1 : 0) != 0;
}

double NodeContext::real(const std::string& name, std::optional<double> fallback) const {
  const AttributeRecord* found = attribute(name);
  if (found && found->f) return static_cast<double>(*found->f);
  if (!fallback) refuse("its attribute " + quoted(name) + " is missing");
  return *fallback;
}

std::string NodeContext::text(const std::string& name, const std::string& fallback) const {
  const AttributeRecord* found = attribute(name);
  return found && found->s ? *found->s : fallback;
}

std::optional<std::vector<std::int64_t>> NodeContext::integers(const std::string& name) const {
  const AttributeRecord* found = attribute(name);
  return found ? std::optional(found->ints) : std::nullopt;
}

Tensor NodeContext::tensor(const AttributeRecord& attribute) const {
  if (!attribute.t) refuse("its attribute " + quoted(attribute.name) + " is not a tensor");
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
