// Reads facts, watches unknown facts, and states new ones.
#include "mithril/op/part_solver.hpp"

#include <bit>

#include "mithril/base/error.hpp"
#include "mithril/op/faulty_record.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

const Datum* WireSolver::value(std::string_view port, int item) {
  if (const Datum* datum = left_out(port)) return datum;
  DatumVariable* variable = find(value_of(facts_, wire(port, item)));
  if (variable->known) return &variable->datum;
  facts_.watch(&self_, variable);
  return nullptr;
}

bool WireSolver::shape(std::string_view port, std::vector<Dim>& dims, int item) {
  Wire* at = wire(port, item);
  if (Facts::known(at->shape, dims)) return true;
  facts_.watch(&self_, static_cast<Variable*>(Facts::resolve(at->shape).run));
  return false;
}

Kinds WireSolver::form(std::string_view port, int item) {
  if (left_out(port)) return kind::value;
  Type* type = find(wire(port, item)->type);
  if (!(type->kinds & kind::tensor)) return kind::value;
  if (!(type->kinds & kind::value)) return kind::tensor;
  facts_.watch(&self_, type);
  return 0;
}

Kinds WireSolver::kinds(std::string_view port, int item) const {
  if (const Datum* datum = left_out(port)) return datum->kind();
  return find(wire(port, item)->type)->kinds;
}

Kinds WireSolver::kind(std::string_view port, int item) {
  if (const Datum* datum = left_out(port)) return datum->kind();
  Type* type = find(wire(port, item)->type);
  if (std::has_single_bit(type->kinds)) return type->kinds;
  facts_.watch(&self_, type);
  return 0;
}

bool WireSolver::number(const Dim& dim, int64_t& number) {
  const Dim now = resolve(dim);
  if (!now.is_constant()) return await(now);
  number = now.constant();
  return true;
}

Dim PartSolver::dim(std::string_view name) const {
  const auto& names = part_.op->compiled.dims;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return part_.dims[i];
  }
  faulty_record(*part_.op, "its patterns have no dim '" + std::string(name) + "'");
}

void PartSolver::set(std::string_view dim, const Dim& is) { facts_.unify(this->dim(dim), is); }

void WireSolver::set_shape(std::string_view port, const std::vector<Dim>& dims, int item) {
  facts_.unify(wire(port, item)->shape, std::span<const Dim>(dims));
}

void WireSolver::set_value(std::string_view port, const Datum& datum, int item) {
  Wire* at = wire(port, item);
  facts_.narrow(at->type, datum.kind());
  facts_.set(value_of(facts_, at), datum);
}

void WireSolver::narrow(std::string_view port, Kinds kinds, int item) {
  facts_.narrow(wire(port, item)->type, kinds);
}

void WireSolver::same_type(std::string_view port, std::string_view other) {
  facts_.unify(wire(port, 0)->type, wire(other, 0)->type);
}

void WireSolver::same(const Dim& a, const Dim& b) { facts_.unify(a, b); }

Dim WireSolver::fresh(bool size) { return Dim(facts_.symbol({}, size)); }

bool WireSolver::await(const Dim& dim) {
  facts_.watch(&self_, dim);
  return false;
}

void WireSolver::refuse(std::string message, std::string expected, std::string got,
                        ErrorKind kind) {
  ErrorDetails details{.kind = kind,
                       .code = kind == ErrorKind::shape ? "E0206" : "E0402",
                       .message = std::move(message)};
  details.facts = {{"expected", std::move(expected), ""}, {"got", std::move(got), ""}};
  if (facts_.decorate) facts_.decorate(details, facts_.current, {}, {});
  raise(std::move(details));
}

}  // namespace mithril
