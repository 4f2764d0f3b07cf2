// Solvers among facts that grow: of wires that have names, and of a part's ports.
#pragma once
#include "mithril/op/part.hpp"
#include "mithril/op/solver.hpp"

namespace mithril {

class WireSolver : public Solver {
 public:
  const Datum* value(std::string_view port, int item) override;
  bool shape(std::string_view port, std::vector<Dim>& dims, int item) override;
  Kinds form(std::string_view port, int item) override;
  Kinds kinds(std::string_view port, int item) const override;
  Kinds kind(std::string_view port, int item) override;
  bool number(const Dim& dim, int64_t& number) override;

  void set_shape(std::string_view port, const std::vector<Dim>& dims, int item) override;
  void set_value(std::string_view port, const Datum& datum, int item) override;
  void narrow(std::string_view port, Kinds kinds, int item) override;
  void same_type(std::string_view port, std::string_view other) override;
  void same(const Dim& a, const Dim& b) override;
  Dim fresh(bool size) override;

  bool await(const Dim& dim) override;

 protected:
  WireSolver(Facts& facts, Relation& self) : facts_(facts), self_(self) {}
  ~WireSolver() = default;
  virtual Wire* wire(std::string_view port, int item) const = 0;
  // The default of a port that has no wire; null: it has one.
  virtual const Datum* left_out(std::string_view) const { return nullptr; }
  void refuse(std::string message, std::string expected, std::string got, ErrorKind kind) override;
  Facts& facts_;

 private:
  Relation& self_;
};

class PartSolver final : public WireSolver {
 public:
  PartSolver(Facts& facts, const Part& part, Relation& self)
      : WireSolver(facts, self), part_(part) {}

  Dim dim(std::string_view name) const override;
  int count(std::string_view port) const override { return part_.count(port); }
  void set(std::string_view dim, const Dim& is) override;

 private:
  Wire* wire(std::string_view port, int item) const override {
    return part_.wire(facts_, port, item);
  }
  const Datum* left_out(std::string_view port) const override { return part_.left_out(port); }
  const Part& part_;
};

}  // namespace mithril
