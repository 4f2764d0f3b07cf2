#include "mithril/op/eval_context.hpp"

#include "mithril/base/error.hpp"
#include "mithril/op/faulty_record.hpp"

namespace mithril {

int EvalContext::index_of(std::string_view port) const {
  int at = 0;
  for (const PortDef& def : op_.inputs) {
    if (def.name == port) return at;
    at += def.list ? list_size() : 1;
  }
  faulty_record(op_, "its eval asks for an input '" + std::string(port) + "'");
}

int EvalContext::list_size() const {
  return op_.list_input() < 0 ? 0 : static_cast<int>(tensors_.size() + 1 - op_.inputs.size());
}

bool EvalContext::has(std::string_view port) const {
  const auto at = static_cast<size_t>(index_of(port));
  return tensors_[at] || !values_[at].is_none();
}

const Tensor& EvalContext::in(std::string_view port, int item) const {
  const Tensor* tensor = tensors_[static_cast<size_t>(index_of(port) + item)];
  if (!tensor) faulty_record(op_, "its eval takes port '" + std::string(port) + "' for a tensor");
  return *tensor;
}

const Datum& EvalContext::value(std::string_view port) const {
  return values_[static_cast<size_t>(index_of(port))];
}

Dims EvalContext::ints(std::string_view port) const {
  const Datum& datum = value(port);
  if (datum.kind() != kind::tuple) return {datum.integer()};
  Dims result;
  for (const Datum& item : datum.tuple()) result.push_back(item.integer());
  return result;
}

}  // namespace mithril
