// Shapes as values, for users: a snapshot of the known facts about a shape.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mithril/infer/dim.hpp"

namespace mithril {

class UnknownNumbers;  // base/unknowns.hpp
struct Shape;          // infer/facts.hpp
struct StoredShape;

// A size: a number, or an expression of symbols: "N", "2*H + 3"; "?1" is a size without a name.
class KnownDim {
 public:
  KnownDim(int number);
  KnownDim(int64_t number);
  KnownDim(const char* symbol);
  KnownDim(std::string symbol, bool has_name = true);
  // Not inline, as in class Datum.
  KnownDim(const KnownDim& other);
  KnownDim(KnownDim&& other) noexcept;
  KnownDim& operator=(const KnownDim& other);
  KnownDim& operator=(KnownDim&& other) noexcept;
  ~KnownDim();

  std::optional<int64_t> number() const;  // none for a symbolic size
  bool has_name() const { return has_name_; }
  bool operator==(const KnownDim& other) const;
  friend std::string to_string(const KnownDim& dim);

 private:
  std::variant<int64_t, std::string> held_;
  bool has_name_ = true;
};

// The sizes of a tensor: `head`, or where the rank is not known `head`, a run of any number of
// sizes, and `tail`. Equal shapes have equal numbers and symbols. Example:
//   ml::KnownShape shape = model.shape("x");
//   if (shape.rank() == 2 && shape[1] == 64) ...
//   CHECK(shape == ml::KnownShape{"N", 64});
class KnownShape {
 public:
  KnownShape(std::initializer_list<KnownDim> dims) : head_(dims) {}
  explicit KnownShape(std::vector<KnownDim> dims) : head_(std::move(dims)) {}
  KnownShape(std::vector<KnownDim> head, std::vector<KnownDim> tail)
      : head_(std::move(head)), tail_(std::move(tail)), has_run_(true) {}

  std::optional<size_t> rank() const;  // none if it is not known
  bool has_run() const { return has_run_; }
  const std::vector<KnownDim>& head() const { return head_; }  // all, without a run
  const std::vector<KnownDim>& tail() const { return tail_; }
  // A negative axis counts from the end. ValueError E0472 for an axis that does not exist or is not
  // known.
  const KnownDim& operator[](int64_t axis) const;
  bool operator==(const KnownShape&) const = default;

 private:
  std::vector<KnownDim> head_, tail_;
  bool has_run_ = false;
};
std::string to_string(const KnownShape& shape);  // "[N, 64]", "[..., 3]"
std::ostream& operator<<(std::ostream& stream, const KnownShape& shape);

// The facts that are known now. Shapes with the same `unknowns` share the numbers of unnamed sizes.
KnownShape to_known(const StoredShape& shape, UnknownNumbers& unknowns);
KnownShape to_known(const Shape& resolved, UnknownNumbers& unknowns);
KnownShape to_known(const std::vector<Dim>& dims, UnknownNumbers& unknowns);

}  // namespace mithril
