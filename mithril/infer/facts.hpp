// Known shapes, types and values, and the relations that wait for more facts. Every change goes
// through an undo trail while an Attempt is open, so a failed call has no effect.
#pragma once
#include <array>
#include <cstdint>
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
#include "mithril/infer/note.hpp"
#include "mithril/infer/trail.hpp"
#include "mithril/infer/variable.hpp"

namespace mithril {

struct Home;
struct Watch;
class Facts;

// Shapes: dims with at most one run of unknown length.
struct Run;
struct Shape {
  std::vector<Dim> head;
  Run* run = nullptr;
  std::vector<Dim> tail;  // without a run it has all dims
};
std::string to_string(const Shape& shape);  // "[N, ..., 64]"

// The same, stored in the arena.
struct StoredShape {
  const Dim* dims = nullptr;  // the head's, then the tail's
  Run* run = nullptr;
  uint32_t head_size = 0, tail_size = 0;
  std::span<const Dim> head() const { return {dims, head_size}; }
  std::span<const Dim> tail() const { return {dims + head_size, tail_size}; }
};
struct Run : Variable {
  bool bound = false;
  StoredShape definition;
};

struct Type : Variable {
  Kinds kinds = kind::any;
};
struct DatumVariable : Variable {
  bool known = false;
  Datum datum;  // valid once it is known
};

// A fact that cannot be stated yet, or a rule that derives facts. It runs again when something that
// it watches changes, and must be idempotent. Made by Facts::make. If its destructor is trivial,
// its memory is reused after it has finished.
struct Relation {
  Origin origin;
  // True: finished. False: it has called facts.watch for everything that it waits on.
  virtual bool progress(Facts& facts) = 0;

 protected:
  ~Relation() = default;

 private:
  friend class Attempt;
  friend class Facts;
  struct State {
    int32_t stamp = 0;  // of this try: watches of earlier tries do not count
    bool queued = false, done = false;
    bool fresh = false;      // made in the Attempt that is open
    uint8_t size_class = 0;  // of its memory, for using it again; 0: never
  };
  State state_;
  Relation* next_ = nullptr;  // in the queue, or in the free list
};

class Facts {
 public:
  // Fills in path, port, origins and shapes of an error before it is thrown; installed by the layer
  // that knows parts.
  using Decorate = void (*)(ErrorDetails& details, Origin at, Origin left, Origin right);

  Facts() = default;
  ~Facts();
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  // Making.
  template <typename T, typename... Args>
  T* make(Args&&... args) {
    if constexpr (std::is_base_of_v<Relation, T> && std::is_trivially_destructible_v<T>) {
      const RelationRoom room = room_for_relation(sizeof(T));
      T* made = new (room.place) T(std::forward<Args>(args)...);
      static_cast<Relation*>(made)->state_ = room.state;
      note_fresh(made);
      return made;
    } else {
      return arena_.make<T>(std::forward<Args>(args)...);
    }
  }
  Arena& arena() { return arena_; }
  // Takes over the other's memory in constant time; the other is empty afterwards. In an Attempt it
  // happens when the outermost one commits, so both must live until then.
  void adopt(Facts& other);
  Symbol* symbol(std::string_view name = {}, bool size = true);  // size: never negative
  Dim fixed(int64_t number);  // a constant with the origin `current`
  Run* run();
  Type* type(Kinds kinds = kind::any);
  Note note(std::string_view text);  // a copy that lives as long as the facts
  StoredShape store(const Shape& shape);
  StoredShape store(std::span<const Dim> dims);

  // Stating.
  void unify(const Dim& a, const Dim& b);
  void unify(const Shape& a, const Shape& b);
  void unify(const StoredShape& a, const StoredShape& b);
  void unify(const StoredShape& a, std::span<const Dim> dims);
  void unify(Type* a, Type* b);
  void unify(DatumVariable* a, DatumVariable* b);
  void unify(const Datum& a, const Datum& b);
  void narrow(Type* type, Kinds kinds);
  void set(DatumVariable* variable, const Datum& datum);

  // Asking.
  // The run expanded as far as known; dims keep their symbols (provenance).
  static Shape resolve(const StoredShape& shape);
  static Shape resolve(const Shape& shape);
  static bool known(const StoredShape& shape, std::vector<Dim>& dims);  // false: not even the rank

  // Relations.
  void post(Relation* relation);  // tried once, soon
  void watch(Relation* relation, Variable* variable);
  void watch(Relation* relation, const Dim& dim);
  void wake(Variable* variable);  // a root: posts whoever watches it, once
  void settle();                  // runs the queue until it is empty
  void abandon();                 // empties the queue (after a failure)
  void broadcast(const StoredShape& a, const StoredShape& b, const StoredShape& out, Origin origin);
  void promote(Type* a, Type* b, Type* out,
               Origin origin);  // whether weight and bias are per group

  // Raises, with the origin `current`, that two facts contradict each other.
  [[noreturn]] void conflict(ErrorKind kind, std::string code, std::string message,
                             std::string left, std::string right, Origin left_origin = {},
                             Origin right_origin = {});

  // For the solver of dims.
  Home* home();
  // Makes one class of two free ones and returns its root.
  template <typename T>
  T* merge(T* a, T* b) {
    return static_cast<T*>(merge_variables(a, b));
  }
  void link(Variable* child, Variable* root);  // child, a root, joins the other's class

  Origin current;  // of facts that are stated now
  Decorate decorate = nullptr;
  int64_t steps = 0;  // relations tried: for tests of cost

 private:
  friend class Attempt;
  struct RelationRoom {
    void* place;
    Relation::State state;
  };
  RelationRoom room_for_relation(size_t bytes);
  void note_fresh(Relation* made);
  Variable* merge_variables(Variable* a, Variable* b);
  void take_over(Facts& other);
  Watch* new_watch();
  void reuse(Watch* list);
  void reuse(Relation* finished);
  void retire(Relation* finished);

  Arena arena_;
  Home* home_ = nullptr;
  int32_t last_id_ = 0;
  Relation *queue_ = nullptr, *queue_end_ = nullptr;
  // Memory to be used again: the last elements of circular lists.
  Watch* idle_watches_ = nullptr;
  std::array<Relation*, 8> idle_relations_{};  // by size class
};

// The dim in symbols of `facts`, which have the names of the original ones.
Dim rename(const Dim& dim, Renaming& memo, Facts& facts);

// All or nothing: facts that are stated between construction and commit() are undone unless
// commit() is called. Nests: only the outermost one undoes. One thread works on one set of facts at
// a time.
class Attempt {
 public:
  explicit Attempt(Facts& facts);
  ~Attempt();
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  void commit();

 private:
  Facts& facts_;
  bool outermost_;
  Origin current_;
  std::vector<Relation*> queued_;  // before it began; usually none
};

}  // namespace mithril
