#include "mithril/infer/known_shape.hpp"

#include <ostream>

#include "mithril/base/error.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/infer/facts.hpp"
#include "mithril/infer/symbol.hpp"

namespace mithril {
namespace {

KnownDim known_dim(const Dim& dim, UnknownNumbers& unknowns) {
  const Dim now = resolve(dim);
  if (now.is_constant()) return now.constant();
  const Symbol* symbol = now.symbol();
  const bool has_name = !symbol || symbol->name() || symbol->product() || symbol->quotient();
  return {unknowns.renumber(to_string(now)), has_name};
}

std::vector<KnownDim> known_dims(const std::vector<Dim>& dims, UnknownNumbers& unknowns) {
  std::vector<KnownDim> known;
  known.reserve(dims.size());
  for (const Dim& dim : dims) known.push_back(known_dim(dim, unknowns));
  return known;
}

}  // namespace

KnownDim::KnownDim(int number) : held_(int64_t{number}) {}
KnownDim::KnownDim(int64_t number) : held_(number) {}
KnownDim::KnownDim(const char* symbol) : held_(std::string(symbol)) {}
KnownDim::KnownDim(std::string symbol, bool has_name)
    : held_(std::move(symbol)), has_name_(has_name) {}
// libstdc++ 12 crashes if a variant of strings is initialized by a copy that fails.
KnownDim::KnownDim(const KnownDim& other) : has_name_(other.has_name_) { held_ = other.held_; }
KnownDim::KnownDim(KnownDim&& other) noexcept = default;
KnownDim& KnownDim::operator=(const KnownDim& other) = default;
KnownDim& KnownDim::operator=(KnownDim&& other) noexcept = default;
KnownDim::~KnownDim() = default;
bool KnownDim::operator==(const KnownDim& other) const = default;

std::optional<int64_t> KnownDim::number() const {
  const int64_t* number = std::get_if<int64_t>(&held_);
  return number ? std::optional(*number) : std::nullopt;
}

std::optional<size_t> KnownShape::rank() const {
  return has_run_ ? std::nullopt : std::optional(head_.size());
}

const KnownDim& KnownShape::operator[](int64_t axis) const {
  const std::vector<KnownDim>& side = has_run_ && axis < 0 ? tail_ : head_;
  const int64_t count = static_cast<int64_t>(side.size()), at = axis < 0 ? axis + count : axis;
  if (at < 0 || at >= count) {
    raise({.kind = ErrorKind::value,
           .code = "E0472",
           .message =
               "the shape " + to_string(*this) + " has no known axis " + std::to_string(axis)});
  }
  return side[static_cast<size_t>(at)];
}

std::string to_string(const KnownDim& dim) {
  const std::string* symbol = std::get_if<std::string>(&dim.held_);
  return symbol ? *symbol : std::to_string(*dim.number());
}

std::string to_string(const KnownShape& shape) {
  std::string text;
  const auto add = [&text](const std::string& item) { text += (text.empty() ? "" : ", ") + item; };
  for (const KnownDim& dim : shape.head()) add(to_string(dim));
  if (shape.has_run()) add("...");
  for (const KnownDim& dim : shape.tail()) add(to_string(dim));
  return "[" + text + "]";
}

std::ostream& operator<<(std::ostream& stream, const KnownShape& shape) {
  return stream << to_string(shape);
}

KnownShape to_known(const StoredShape& stored, UnknownNumbers& unknowns) {
  return to_known(Facts::resolve(stored), unknowns);
}

KnownShape to_known(const Shape& shape, UnknownNumbers& unknowns) {
  std::vector<KnownDim> head = known_dims(shape.head, unknowns),
                        tail = known_dims(shape.tail, unknowns);
  if (shape.run) return {std::move(head), std::move(tail)};
  return KnownShape(std::move(tail));
}

KnownShape to_known(const std::vector<Dim>& dims, UnknownNumbers& unknowns) {
  return KnownShape(known_dims(dims, unknowns));
}

}  // namespace mithril
