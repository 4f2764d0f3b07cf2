// What is known about shapes, types and values, and the relations that wait to learn more. Every change goes through an
// undo trail while an Attempt is open, so that a failed call leaves no trace.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/infer/arena.hpp"
#include "mithril/infer/datum.hpp"
#include "mithril/infer/dim.hpp"
#include "mithril/infer/kind.hpp"
#include "mithril/infer/trail.hpp"

namespace mithril {

struct Part;  // the part of a model that a fact comes from; this layer only carries the pointer
class Facts;

// Who fixed a fact: a port of a part ("from encoder.fc1.weight"), or, without a part, a call ("given by set_shapes(...)").
// `what` lives as long as the facts do: a port's name in an op's record, or a note (Facts::note).
struct Origin {
  const Part* part = nullptr;
  const std::string* what = nullptr;
};

struct Relation;
struct Watch;

// A union-find node with a list of the relations that wait for it.
struct Variable {
  Variable* parent = nullptr;
  Watch *first = nullptr, *last = nullptr;
  Origin origin;
  int32_t weight = 1;
};
template <typename T>
T* find(T* variable) {  // without path compression: union by size, and undo stays simple
  while (variable->parent) variable = static_cast<T*>(variable->parent);
  return variable;
}

// ---- shapes: dims with at most one run of unknown length ----
struct Run;
struct Shape {
  std::vector<Dim> head;
  Run* run = nullptr;
  std::vector<Dim> tail;  // without a run every dim stands here
};
std::string to_string(const Shape& shape);  // "[N, ..., 64]"

// The same, stored: two spans in the arena.
struct DimSpan {
  const Dim* data = nullptr;
  uint32_t size = 0;
};
struct StoredShape {
  DimSpan head;
  Run* run = nullptr;
  DimSpan tail;
};
struct Run : Variable {
  bool bound = false;
  StoredShape definition;
};

// ---- types and values ----
struct Type : Variable {
  Kinds kinds = kind::any;
};
struct DatumVariable : Variable {
  bool known = false;
  Datum datum;
};

// A fact that cannot be stated yet, or a rule that turns facts into facts. It is asked again when something it watches
// changes, and must be idempotent.
struct Relation {
  Origin origin;
  int32_t stamp = 0;
  bool queued = false, done = false;
  // True: finished. False: it has called facts.watch for everything that it waits on.
  virtual bool progress(Facts& facts) = 0;

 protected:
  ~Relation() = default;
};

class Facts {
 public:
  // Fills in path, port, origins and shapes of an error before it is thrown; installed by the layer that knows parts.
  using Decorate = void (*)(ErrorDetails& details, Origin at, Origin left, Origin right);

  Facts();
  ~Facts();
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  // ---- making ----
  template <typename T, typename... Args>
  T* make(Args&&... args) {
    return arena_.make<T>(std::forward<Args>(args)...);
  }
  Arena& arena() { return arena_; }
  // Takes over the other's memory in constant time; the other is empty afterwards.
  void adopt(Facts& other);
  Symbol* symbol(std::string_view name = {}, bool size = true);  // size: never negative
  Dim fixed(int64_t number);  // a constant that remembers `current` as who fixed it
  Run* run();
  Type* type(Kinds kinds = kind::any);
  const std::string* note(std::string text);  // for Origin::what
  StoredShape store(const Shape& shape);
  StoredShape store(std::span<const Dim> dims);

  // ---- stating ----
  void unify(const Dim& a, const Dim& b);
  void unify(const Shape& a, const Shape& b);
  void unify(const StoredShape& a, const StoredShape& b);
  void unify(const StoredShape& a, std::span<const Dim> dims);
  void unify(Type* a, Type* b);
  void unify(DatumVariable* a, DatumVariable* b);
  void unify(const Datum& a, const Datum& b);
  void narrow(Type* type, Kinds kinds);
  void set(DatumVariable* variable, const Datum& datum);

  // ---- asking ----
  static Shape resolve(const StoredShape& shape);  // run expanded as far as known; dims keep their symbols (provenance)
  static Shape resolve(const Shape& shape);
  static bool known(const StoredShape& shape, std::vector<Dim>& dims);  // false: the rank is not known

  // ---- relations ----
  void post(Relation* relation);  // new: tried once, soon
  void watch(Relation* relation, Variable* variable);
  void watch(Relation* relation, const Dim& dim);
  void settle();   // runs the queue until nothing moves
  void abandon();  // empties the queue (after a failure)
  void broadcast(const StoredShape& a, const StoredShape& b, const StoredShape& out, Origin origin);
  void promote(Type* a, Type* b, Type* out, Origin origin);  // bool < int < float; a tensor wins over a value

  // Raises, as who is `current`, that two things contradict each other.
  [[noreturn]] void conflict(ErrorKind kind, std::string code, std::string message, std::string left, std::string right,
                             Origin left_origin = {}, Origin right_origin = {});

  Origin current;  // who is speaking
  Decorate decorate = nullptr;
  int64_t steps = 0;  // relations tried: for tests of cost

 private:
  Arena arena_;
  std::vector<Relation*> queue_;
  // (further private members as the implementation needs)
};

// All or nothing: what is stated between construction and commit() is undone unless commit() is called. Nests: only the
// outermost one undoes. One thread works on one set of facts at a time.
class Attempt {
 public:
  explicit Attempt(Facts& facts);
  ~Attempt();
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  void commit();

 private:
  Facts& facts_;
  Trail trail_;
  bool outermost_;
};

}  // namespace mithril
