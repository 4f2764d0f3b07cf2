// Broadcasting: dims are paired from the last one on; of each pair one is 1, or both are equal.
#include <algorithm>
#include <optional>

#include "mithril/infer/shape_window.hpp"
#include "mithril/infer/symbol.hpp"

namespace mithril {
namespace {

struct Pair {
  Dim a, b;
};

// The result of two dims, if it is certain.
std::optional<Dim> result_of(Facts& facts, const Pair& pair) {
  const Dim a = resolve(pair.a), b = resolve(pair.b);
  if (a.is_constant(1) || same(a, b)) return pair.b;
  if (b.is_constant(1)) return pair.a;
  if (a.is_constant() && b.is_constant()) {
    facts.conflict(ErrorKind::shape, "E0203", "two dims do not broadcast", to_string(a),
                   to_string(b), origin_of(pair.a), origin_of(pair.b));
  }
  return {};
}

struct BroadcastDim final : Relation {
  Pair in;
  Dim out;

  bool progress(Facts& facts) override {
    if (const auto result = result_of(facts, in)) {
      facts.unify(out, *result);
      return true;
    }
    if (resolve(out).is_constant(1)) {
      facts.unify(in.a, Dim(1));
      facts.unify(in.b, Dim(1));
      return true;
    }
    for (const Dim* one : {&in.a, &in.b}) {  // a number that is not 1 is the result
      if (!resolve(*one).is_constant()) continue;
      facts.unify(out, *one);
      facts.watch(this, one == &in.a ? in.b : in.a);
      return false;
    }
    facts.watch(this, in.a);
    facts.watch(this, in.b);
    facts.watch(this, out);
    return false;
  }
};

class Broadcast final : public Relation {
 public:
  Broadcast(const StoredShape& a, const StoredShape& b, const StoredShape& out)
      : a_(a), b_(b), out_(out) {}

  bool progress(Facts& facts) override {
    save(paired_);
    if (advance(facts)) return true;
    wait(facts);
    return false;
  }

  void wait(Facts& facts) {
    for (const StoredShape& shape : {a_, b_, out_}) {
      if (Run* run = ShapeWindow(shape).run()) facts.watch(this, static_cast<Variable*>(run));
    }
  }

  // True: finished. False: nothing can be learnt until more is known about a run.
  bool advance(Facts& facts) {
    Windows at{ShapeWindow(a_), ShapeWindow(b_), ShapeWindow(out_)};
    for (uint32_t i = 0; i < paired_; ++i) {
      at.a.take_back();
      at.b.take_back();
      at.out.take_back();
    }
    if (grow_operand(facts, at.a, at.b, at.out) || grow_operand(facts, at.b, at.a, at.out)) {
      return advance(facts);
    }
    while (at.a.backs() > 0 && at.b.backs() > 0) {
      if (at.out.backs() == 0) {
        if (!at.out.is_bare()) return begin_result(facts, at);
        if (grow_result(facts, at)) return true;
        continue;
      }
      pair(facts, {at.a.take_back(), at.b.take_back()}, at.out.take_back());
      ++paired_;
    }
    return finish(facts, at);
  }

 private:
  struct Windows {
    ShapeWindow a, b, out;
  };

  // The result has more dims than `shorter`, so `longer` has all of them.
  bool grow_operand(Facts& facts, const ShapeWindow& longer, const ShapeWindow& shorter,
                    const ShapeWindow& out) {
    if (!longer.run() || shorter.run() || out.run() || out.backs() <= shorter.backs()) return false;
    SmallVector<Dim, 8> dims;
    for (size_t i = 0; i < out.backs(); ++i) dims.push_back(Dim(facts.symbol()));
    unify(facts, longer, ShapeWindow(std::span<const Dim>(dims.data(), dims.size())));
    return true;
  }

  // Only the first dims of the result are known. If the operands have known ranks, the rank of the
  // result is known; otherwise its first dims may or may not belong to the next pair.
  bool begin_result(Facts& facts, const Windows& at) {
    if (!at.out.run()) too_few_dims(facts);
    if (at.a.run() || at.b.run()) return false;
    SmallVector<Dim, 8> dims;
    for (size_t i = 0; i < std::max(at.a.backs(), at.b.backs()); ++i)
      dims.push_back(Dim(facts.symbol()));
    unify(facts, at.out, ShapeWindow(std::span<const Dim>(dims.data(), dims.size())));
    return advance(facts);
  }

  [[noreturn]] void too_few_dims(Facts& facts) {
    facts.conflict(ErrorKind::shape, "E0203", "the result of broadcasting has too few dims",
                   to_string(Facts::resolve(a_)), to_string(Facts::resolve(b_)));
  }

  // The result is a bare run: adds the dims of all pairs. True: the others are complete, too.
  bool grow_result(Facts& facts, Windows& at) {
    Run* run = at.out.run();
    if (at.a.run() == run || at.b.run() == run) too_few_dims(facts);
    SmallVector<Dim, 8> dims;  // the last one first
    const size_t count = std::min(at.a.backs(), at.b.backs());
    for (size_t i = 0; i < count; ++i) {
      const Pair operands{at.a.take_back(), at.b.take_back()};
      const auto result = result_of(facts, operands);
      dims.push_back(result ? *result : Dim(facts.symbol()));
      if (!result) post_pair(facts, operands, dims.back());
    }
    paired_ += static_cast<uint32_t>(count);
    std::reverse(dims.begin(), dims.end());
    const bool a_is_out = !at.a.run() && at.a.backs() == 0;
    const bool b_is_out = !at.b.run() && at.b.backs() == 0;
    Shape grown;
    if (a_is_out || b_is_out) {
      grown = a_is_out ? at.b.shape() : at.a.shape();
    } else {
      grown.run = facts.run();
    }
    grown.tail.insert(grown.tail.end(), dims.begin(), dims.end());
    bind(facts, run, facts.store(grown));
    at.out = ShapeWindow(grown);
    for (size_t i = 0; i < count; ++i) at.out.take_back();
    return a_is_out || b_is_out;
  }

  void pair(Facts& facts, const Pair& operands, const Dim& out) {
    if (const auto result = result_of(facts, operands)) {
      facts.unify(out, *result);
    } else {
      post_pair(facts, operands, out);
    }
  }

  void post_pair(Facts& facts, const Pair& operands, const Dim& out) {
    BroadcastDim* relation = facts.make<BroadcastDim>();
    relation->in = operands;
    relation->out = out;
    relation->origin = origin;
    facts.post(relation);
  }

  // One operand has no dims left, or only a run.
  bool finish(Facts& facts, const Windows& at) {
    const bool a_is_done = !at.a.run() && at.a.backs() == 0;
    const bool b_is_done = !at.b.run() && at.b.backs() == 0;
    const bool equal = at.a.is_bare() && at.b.is_bare() && at.a.run() == at.b.run();
    if (a_is_done || b_is_done || equal) {
      unify(facts, at.out, a_is_done ? at.b : at.a);
      return true;
    }
    if (!at.out.run() && at.out.backs() == 0) {
      unify(facts, at.a, at.out);
      unify(facts, at.b, at.out);
      return true;
    }
    return false;
  }

  StoredShape a_, b_, out_;
  uint32_t paired_ = 0;  // dims from the end on that relations of their own look after
};

}  // namespace

void Facts::broadcast(const StoredShape& a, const StoredShape& b, const StoredShape& out,
                      Origin origin) {
  // Most pairs are finished immediately and need no relation.
  const Origin outer = current;
  current = origin;
  Broadcast broadcast(a, b, out);
  broadcast.origin = origin;
  if (!broadcast.advance(*this)) make<Broadcast>(broadcast)->wait(*this);
  current = outer;
}

}  // namespace mithril
