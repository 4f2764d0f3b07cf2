// What an op's `solve` sees. Reads note what was unknown; the relation then waits for exactly that.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "mithril/op/part.hpp"

namespace mithril {

class Solver {
 public:
  Solver(Facts& facts, const Part& part, Relation& self)
      : facts_(facts), part_(part), self_(self) {}

  // ---- reading: null or false where it is not known yet ----
  const Datum* value(std::string_view port, int item = 0);
  bool shape(std::string_view port, std::vector<Dim>& dims, int item = 0);
  // A bit set inside kind::tensor or inside kind::value once it is decided which of them; 0: not
  // known yet.
  Kinds form(std::string_view port, int item = 0);
  Kinds kinds(std::string_view port, int item = 0) const;  // as known now, without waiting
  Kinds kind(std::string_view port,
             int item = 0);                      // the one kind; 0: more than one is possible yet
  bool number(const Dim& dim, int64_t& number);  // false: symbolic; waits for it
  Dim dim(std::string_view name) const;          // a variable of the patterns
  int count(std::string_view port) const { return part_.count(port); }

  // ---- stating ----
  void set(std::string_view dim, const Dim& is);
  void set_shape(std::string_view port, const std::vector<Dim>& dims, int item = 0);
  void set_value(std::string_view port, const Datum& datum, int item = 0);  // its kind too
  void narrow(std::string_view port, Kinds kinds, int item = 0);
  void same_type(std::string_view port, std::string_view other);  // now and for good
  void same(const Dim& a, const Dim& b);
  Dim fresh(bool size = true);

  bool await(const Dim& dim);  // waits for a change to what it mentions; returns false
  // Raises: ValueError E0402, or ShapeError where `kind` says so.
  [[noreturn]] void reject(std::string message, std::string expected, std::string got,
                           ErrorKind kind = ErrorKind::value);

 private:
  Facts& facts_;
  const Part& part_;
  Relation& self_;
};

}  // namespace mithril
