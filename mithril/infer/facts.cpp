// Creates variables, and adopts those of other facts.
#include "mithril/infer/facts.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "mithril/base/names.hpp"
#include "mithril/infer/symbol.hpp"

namespace mithril {
namespace {

std::atomic<int64_t> last_age{0};  // see Symbol::age

}  // namespace

Facts::~Facts() {
  if (Trail* trail = Trail::active()) trail->outlive(*this, arena_);
}

Home* Facts::home() {
  if (!home_) {
    home_ = make<Home>();
    home_->facts = this;
  }
  return home_;
}

Symbol* Facts::symbol(std::string_view name, bool size) {
  Symbol* symbol = make<Symbol>();
  symbol->home = home();
  // Facts other than those of the attempt may have been destroyed when it is undone.
  if (const Trail* trail = Trail::active(); trail && trail->speaking == this) save(last_id_);
  symbol->id = ++last_id_;
  symbol->age = last_age.fetch_add(1, std::memory_order_relaxed);
  symbol->size = size;
  if (!name.empty()) {
    symbol->notes = make<SymbolNotes>();
    symbol->notes->name = note(name);
    symbol->notes->name_age = symbol->age;
  }
  return symbol;
}

Dim Facts::fixed(int64_t number) {
  Symbol* symbol = this->symbol({}, number >= 0);
  symbol->set_definition(number);
  symbol->origin = current;
  return Dim(symbol);
}

Run* Facts::run() { return make<Run>(); }

Type* Facts::type(Kinds kinds) {
  Type* type = make<Type>();
  type->kinds = kinds;
  type->origin = current;
  return type;
}

Note Facts::note(std::string_view text) {
  check_name(text);
  char* kept = static_cast<char*>(arena_.allocate(text.size() + 1));
  *std::copy(text.begin(), text.end(), kept) = '\0';
  return Note(kept);
}

StoredShape Facts::store(const Shape& shape) {
  StoredShape stored;
  stored.run = shape.run;
  stored.head_size = static_cast<uint32_t>(shape.head.size());
  stored.tail_size = static_cast<uint32_t>(shape.tail.size());
  const size_t count = shape.head.size() + shape.tail.size();
  if (count == 0) return stored;
  Dim* dims = static_cast<Dim*>(arena_.allocate(count * sizeof(Dim)));
  std::copy(shape.head.begin(), shape.head.end(), dims);
  std::copy(shape.tail.begin(), shape.tail.end(), dims + shape.head.size());
  stored.dims = dims;
  return stored;
}

StoredShape Facts::store(std::span<const Dim> dims) {
  StoredShape stored;
  stored.dims = arena_.copy(dims.data(), dims.size());
  stored.tail_size = static_cast<uint32_t>(dims.size());
  return stored;
}

void Facts::adopt(Facts& other) {
  if (Trail* trail = Trail::active()) {
    trail->adoptions.emplace_back(this, &other);
  } else {
    take_over(other);
  }
}

void Facts::conflict(ErrorKind kind, std::string code, std::string message, std::string left,
                     std::string right, Origin left_origin, Origin right_origin) {
  ErrorDetails details{.kind = kind, .code = std::move(code), .message = std::move(message)};
  if (!left.empty()) {
    details.facts.push_back({right.empty() ? "got" : "one side", std::move(left)});
  }
  if (!right.empty()) details.facts.push_back({"other side", std::move(right)});
  if (decorate) {
    // Writing dims that int64 cannot hold as text conflicts again. That error is not decorated.
    struct Restored {
      Decorate& to;
      Decorate by;
      ~Restored() { to = by; }
    } const restored{decorate, std::exchange(decorate, nullptr)};
    restored.by(details, current, left_origin, right_origin);
  }
  raise(std::move(details));
}

Dim rename(const Dim& dim, Renaming& memo, Facts& facts) {
  return rename(dim, memo, [&](Symbol* symbol) {
    const Note name = symbol->name();
    return Dim(facts.symbol(name ? *name : std::string_view(), symbol->size));
  });
}

}  // namespace mithril
