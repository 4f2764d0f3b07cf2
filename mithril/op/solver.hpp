// The argument of an op's `solve`. It records the unknowns that `solve` reads; the relation waits
// for exactly these.
#pragma once
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/infer/datum.hpp"

namespace mithril {

class Solver {
 public:
  // Reading: null or false if it is not known yet.
  virtual const Datum* value(std::string_view port, int item = 0) = 0;
  virtual bool shape(std::string_view port, std::vector<Dim>& dims, int item = 0) = 0;
  // A bit set inside kind::tensor or inside kind::value once it is decided which of them; 0: not
  // known yet.
  virtual Kinds form(std::string_view port, int item = 0) = 0;
  virtual Kinds kinds(std::string_view port,
                      int item = 0) const = 0;  // as known now, without waiting
  virtual Kinds kind(std::string_view port,
                     int item = 0) = 0;  // the one kind; 0: more than one is possible yet
  virtual bool number(const Dim& dim, int64_t& number) = 0;  // false: symbolic; waits for it
  virtual Dim dim(std::string_view name) const = 0;          // a variable of the patterns
  virtual int count(std::string_view port) const = 0;        // wires at a list port

  // Stating.
  virtual void set(std::string_view dim, const Dim& is) = 0;
  virtual void set_shape(std::string_view port, const std::vector<Dim>& dims, int item = 0) = 0;
  virtual void set_value(std::string_view port, const Datum& datum,
                         int item = 0) = 0;  // its kind too
  virtual void narrow(std::string_view port, Kinds kinds, int item = 0) = 0;
  virtual void same_type(std::string_view port, std::string_view other) = 0;  // now and for good
  virtual void same(const Dim& a, const Dim& b) = 0;
  virtual Dim fresh(bool size = true) = 0;

  virtual bool await(const Dim& dim) = 0;  // waits for a change of its symbols; returns false
  // Raises ValueError E0402, or ShapeError if `kind` says so.
  [[noreturn]] void reject(std::string message, std::string expected, std::string got,
                           ErrorKind kind = ErrorKind::value) {
    refuse(std::move(message), std::move(expected), std::move(got), kind);
    std::abort();
  }

 protected:
  ~Solver() = default;
  virtual void refuse(std::string message, std::string expected, std::string got,
                      ErrorKind kind) = 0;  // raises
};

}  // namespace mithril
