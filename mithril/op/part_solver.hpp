// The solver of a part among facts that grow.
#pragma once
#include "mithril/op/part.hpp"
#include "mithril/op/solver.hpp"

namespace mithril {

class PartSolver final : public Solver {
 public:
  PartSolver(Facts& facts, const Part& part, Relation& self)
      : facts_(facts), part_(part), self_(self) {}

  const Datum* value(std::string_view port, int item) override;
  bool shape(std::string_view port, std::vector<Dim>& dims, int item) override;
  Kinds form(std::string_view port, int item) override;
  Kinds kinds(std::string_view port, int item) const override;
  Kinds kind(std::string_view port, int item) override;
  bool number(const Dim& dim, int64_t& number) override;
  Dim dim(std::string_view name) const override;
  int count(std::string_view port) const override { return part_.count(port); }

  void set(std::string_view dim, const Dim& is) override;
  void set_shape(std::string_view port, const std::vector<Dim>& dims, int item) override;
  void set_value(std::string_view port, const Datum& datum, int item) override;
  void narrow(std::string_view port, Kinds kinds, int item) override;
  void same_type(std::string_view port, std::string_view other) override;
  void same(const Dim& a, const Dim& b) override;
  Dim fresh(bool size) override;

  bool await(const Dim& dim) override;

 private:
  void refuse(std::string message, std::string expected, std::string got, ErrorKind kind) override;
  Facts& facts_;
  const Part& part_;
  Relation& self_;
};

}  // namespace mithril
