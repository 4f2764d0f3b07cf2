// A value that is not a tensor: None, bool, int (symbolic, a Dim), float, string, dtype, tuple,
// slice, ellipsis.
#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mithril/infer/dim.hpp"
#include "mithril/infer/kind.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril {

class Datum;
using Tuple = std::vector<Datum>;
struct Slice;
class TextSource;  // infer/text_source.hpp
struct Ellipsis {};
struct None {};

// Immutable once made; copies of strings, tuples and slices share (shared_ptr: many holders, no
// cycles). Tuples nest at most 1,000 deep: ValueError E0405.
class Datum {
 public:
  Datum();  // None
  Datum(None);
  Datum(bool flag);
  Datum(int number);
  Datum(int64_t number);
  Datum(Dim dim);
  Datum(double number);
  Datum(const char* text);
  Datum(std::string text);
  Datum(DType dtype);
  Datum(Tuple items);
  Datum(Slice slice);
  Datum(Ellipsis);
  // datum.cpp defines these: a file that instantiates copies of a variant takes long to compile.
  Datum(const Datum& other);
  Datum(Datum&& other) noexcept;
  Datum& operator=(const Datum& other);
  Datum& operator=(Datum&& other) noexcept;
  ~Datum();
  static Datum ints(const std::vector<int64_t>& numbers);  // a tuple of ints
  static Datum dims(const std::vector<Dim>& dims);

  Kinds kind() const;
  bool is_none() const { return held_.index() == 0; }

  // ValueError E0477 if the value is of another kind.
  bool flag() const;
  const Dim& dim() const;
  double real() const;      // a float, an int whose number is known, or a bool
  int64_t integer() const;  // an int whose number is known (resolves), or a bool
  const std::string& text() const;
  DType dtype() const;
  const Tuple& tuple() const;
  const Slice& slice() const;

 private:
  friend Datum text_datum(std::shared_ptr<const TextSource> source);
  friend std::shared_ptr<const TextSource> text_source(const Datum& datum);
  struct Text;  // a string or the source of one
  struct Nest;  // a tuple and how deep it goes
  int depth() const;
  std::variant<std::monostate, bool, Dim, double, std::shared_ptr<const Text>, DType,
               std::shared_ptr<const Nest>, std::shared_ptr<const Slice>, Ellipsis>
      held_;
};

struct Slice {
  Datum start, stop, step;  // ints or None
};

// A string datum with the text of the source.
Datum text_datum(std::shared_ptr<const TextSource> source);
// The source of a string datum; null if the datum holds its text.
std::shared_ptr<const TextSource> text_source(const Datum& datum);
// The hash of a string datum.
size_t text_hash(const Datum& datum);

// Provably equal now; ints by their dims.
bool same(const Datum& a, const Datum& b);
// True if it contains an int, at any depth, whose number is not known yet.
bool is_symbolic(const Datum& datum);
// The datum with each int replaced by map(int).
Datum map_dims(const Datum& datum, const std::function<Dim(const Dim&)>& map);
// The text that Python prints: None, True, 3, 0.5, "valid", float32, (1, N), slice(1, None, None),
// ...
std::string to_string(const Datum& datum);

using Arguments = std::vector<std::pair<std::string, Datum>>;  // values for ports, by name

}  // namespace mithril
