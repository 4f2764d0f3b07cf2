// Values: making, asking, comparing, writing.
#include "mithril/infer/datum.hpp"

#include <bit>

#include <fmt/format.h>

#include "mithril/base/limits.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/infer/text_source.hpp"

namespace mithril {

struct Datum::Text {
  std::string text;  // empty with a source
  std::shared_ptr<const TextSource> source;
};

struct Datum::Nest {
  Tuple items;
  int depth = 1;
  int64_t size = 0;  // items at all depths; shared tuples count each time
};

namespace {

constexpr int deepest_tuple =
    1000;  // so that walks of a datum may recurse, its destruction included

constexpr Kinds kinds_by_index[] = {kind::none,        kind::bool_value, kind::int_value,
                                    kind::float_value, kind::string,     kind::dtype,
                                    kind::tuple,       kind::slice,      kind::ellipsis};

}  // namespace

Datum::Datum() = default;
Datum::Datum(None) {}
Datum::Datum(bool flag) : held_(flag) {}
Datum::Datum(int number) : held_(Dim(number)) {}
Datum::Datum(int64_t number) : held_(Dim(number)) {}
Datum::Datum(Dim dim) : held_(dim) {}
Datum::Datum(double number) : held_(number) {}
Datum::Datum(const char* text) : Datum(std::string(text)) {}
Datum::Datum(DType dtype) : held_(dtype) {}
Datum::Datum(Ellipsis) : held_(Ellipsis{}) {}
Datum::Datum(const Datum& other) = default;
Datum::Datum(Datum&& other) noexcept = default;
Datum& Datum::operator=(const Datum& other) = default;
Datum& Datum::operator=(Datum&& other) noexcept = default;
Datum::~Datum() = default;

Datum::Datum(std::string text)
    : held_(std::make_shared<const Text>(Text{std::move(text), nullptr})) {}

Datum::Datum(Tuple items) {
  Nest nest{std::move(items)};
  for (const Datum& item : nest.items) {
    nest.depth = std::max(nest.depth, item.depth() + 1);
    const auto* inner = std::get_if<std::shared_ptr<const Nest>>(&item.held_);
    nest.size += 1 + (inner ? (*inner)->size : 0);
  }
  check_limit(nest.size, &Limits::tuple_items, "E0463",
              fmt::format("a tuple has {} items", nest.size));
  if (nest.depth > deepest_tuple) {
    raise({.kind = ErrorKind::value,
           .code = "E0405",
           .message = fmt::format("a tuple nests {} deep, expected at most {}", nest.depth,
                                  deepest_tuple)});
  }
  held_ = std::make_shared<const Nest>(std::move(nest));
}

Datum::Datum(Slice slice) : held_(std::make_shared<const Slice>(std::move(slice))) {}

Datum Datum::ints(const std::vector<int64_t>& numbers) {
  return Datum(Tuple(numbers.begin(), numbers.end()));
}

Datum Datum::dims(const std::vector<Dim>& dims) { return Datum(Tuple(dims.begin(), dims.end())); }

int Datum::depth() const {
  if (const auto* nest = std::get_if<std::shared_ptr<const Nest>>(&held_)) return (*nest)->depth;
  const auto* slice = std::get_if<std::shared_ptr<const Slice>>(&held_);
  if (!slice) return 0;
  return 1 + std::max({(*slice)->start.depth(), (*slice)->stop.depth(), (*slice)->step.depth()});
}

Kinds Datum::kind() const { return kinds_by_index[held_.index()]; }

namespace {

template <typename T, typename Held>
const T& held_as(const Held& held, const Datum& datum, const char* wanted) {
  const T* value = std::get_if<T>(&held);
  if (value) return *value;
  raise({.kind = ErrorKind::value,
         .code = "E0477",
         .message = fmt::format("{} was read as {}", to_string(datum), wanted)});
}

}  // namespace

bool Datum::flag() const { return held_as<bool>(held_, *this, "a bool"); }

const Dim& Datum::dim() const { return held_as<Dim>(held_, *this, "an int"); }

double Datum::real() const {
  if (const double* number = std::get_if<double>(&held_)) return *number;
  return static_cast<double>(integer());
}

int64_t Datum::integer() const {
  if (const bool* flag = std::get_if<bool>(&held_)) return *flag;
  return resolve(dim()).constant();
}

const std::string& Datum::text() const {
  const Text& held = *held_as<std::shared_ptr<const Text>>(held_, *this, "a str");
  return held.source ? held.source->text() : held.text;
}

Datum text_datum(std::shared_ptr<const TextSource> source) {
  Datum datum;
  datum.held_ = std::make_shared<const Datum::Text>(Datum::Text{{}, std::move(source)});
  return datum;
}

std::shared_ptr<const TextSource> text_source(const Datum& datum) {
  const auto* held = std::get_if<std::shared_ptr<const Datum::Text>>(&datum.held_);
  return held ? (*held)->source : nullptr;
}

size_t text_hash(const Datum& datum) {
  const auto source = text_source(datum);
  return source ? source->hash() : std::hash<std::string>()(datum.text());
}

DType Datum::dtype() const { return held_as<DType>(held_, *this, "a dtype"); }

const Tuple& Datum::tuple() const {
  return held_as<std::shared_ptr<const Nest>>(held_, *this, "a tuple")->items;
}

const Slice& Datum::slice() const {
  return *held_as<std::shared_ptr<const Slice>>(held_, *this, "a slice");
}

namespace {

bool same_text(const Datum& a, const Datum& b) {
  const auto left = text_source(a), right = text_source(b);
  if (!left || !right) return a.text() == b.text();
  return left == right || left->is_same(*right);
}

}  // namespace

bool same(const Datum& a, const Datum& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case kind::bool_value:
      return a.flag() == b.flag();
    case kind::int_value:
      return same(a.dim(), b.dim());
    case kind::float_value:  // a NaN is itself
      return std::bit_cast<uint64_t>(a.real()) == std::bit_cast<uint64_t>(b.real());
    case kind::string:
      return same_text(a, b);
    case kind::dtype:
      return a.dtype() == b.dtype();
    case kind::tuple:
      return std::equal(a.tuple().begin(), a.tuple().end(), b.tuple().begin(), b.tuple().end(),
                        [](const Datum& x, const Datum& y) { return same(x, y); });
    case kind::slice:
      return same(a.slice().start, b.slice().start) && same(a.slice().stop, b.slice().stop) &&
             same(a.slice().step, b.slice().step);
    default:
      return true;
  }
}

bool is_symbolic(const Datum& datum) {
  if (datum.kind() == kind::int_value) return !resolve(datum.dim()).is_constant();
  if (datum.kind() == kind::tuple) {
    return std::any_of(datum.tuple().begin(), datum.tuple().end(), is_symbolic);
  }
  if (datum.kind() != kind::slice) return false;
  const Slice& slice = datum.slice();
  return is_symbolic(slice.start) || is_symbolic(slice.stop) || is_symbolic(slice.step);
}

Datum map_dims(const Datum& datum, const std::function<Dim(const Dim&)>& map) {
  if (datum.kind() == kind::int_value) return Datum(map(datum.dim()));
  if (datum.kind() == kind::tuple) {
    Tuple items;
    for (const Datum& item : datum.tuple()) items.push_back(map_dims(item, map));
    return Datum(std::move(items));
  }
  if (datum.kind() != kind::slice) return datum;
  const Slice& slice = datum.slice();
  return Datum(
      Slice{map_dims(slice.start, map), map_dims(slice.stop, map), map_dims(slice.step, map)});
}

namespace {

std::string float_text(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string string_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return printable(quoted) + '"';
}

std::string tuple_text(const Tuple& items) {
  std::string text;
  for (const Datum& item : items) text += (text.empty() ? "" : ", ") + to_string(item);
  return "(" + text + (items.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string to_string(const Datum& datum) {
  switch (datum.kind()) {
    case kind::none:
      return "None";
    case kind::bool_value:
      return datum.flag() ? "True" : "False";
    case kind::int_value:
      return to_string(datum.dim());
    case kind::float_value:
      return float_text(datum.real());
    case kind::string:
      return string_text(datum.text());
    case kind::dtype:
      return std::string(name(datum.dtype()));
    case kind::tuple:
      return tuple_text(datum.tuple());
    case kind::slice:
      return fmt::format("slice({}, {}, {})", to_string(datum.slice().start),
                         to_string(datum.slice().stop), to_string(datum.slice().step));
    default:
      return "...";
  }
}

}  // namespace mithril
