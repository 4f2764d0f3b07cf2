#include "mithril/op/eval_context.hpp"

#include <cstring>

#include "mithril/base/error.hpp"
#include "mithril/op/faulty_record.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

[[noreturn]] void refuse_access(const OpDef& op, const char* code, const char* verb,
                                std::string_view port, const Tensor& tensor, int64_t index,
                                const char* help) {
  raise({.kind = ErrorKind::value,
         .code = code,
         .port = std::string(port),
         .message = op.name + ": eval " + verb + " element " + std::to_string(index) +
                    " of port '" + std::string(port) + "', which has " +
                    std::to_string(tensor.size()) + " elements",
         .facts = {{"dims", to_string(tensor.dims()), ""}},
         .help = help});
}

}  // namespace

template class Elements<bool>;
template class Elements<std::int32_t>;
template class Elements<std::int64_t>;
template class Elements<float>;
template class Elements<double>;

void refuse_write(const OpDef& op, std::string_view port, const Tensor& tensor, int64_t index) {
  refuse_access(
      op, "E0478", "writes", port, tensor, index,
      "the dims of an output are those that the record infers, by its patterns and solve");
}

void refuse_read(const OpDef& op, std::string_view port, const Tensor& tensor, int64_t index) {
  refuse_access(op, "E0479", "reads", port, tensor, index,
                "an index that follows from the dims of an output is wrong where solve is");
}

void EvalContext::write_all(const Tensor& made, int index) {
  Tensor& tensor = output(index);
  MITHRIL_CHECK(made.dtype() == tensor.dtype() && made.dims() == tensor.dims(), "an output");
  if (made.size() > 0) std::memcpy(tensor.mutable_raw_data(), made.raw_data(), made.bytes());
}

Tensor& EvalContext::output(int index) const {
  if (index < 0 || index >= output_count())
    faulty_record(op_, "its eval asks for output " + std::to_string(index) + " of " +
                           std::to_string(output_count()));
  return outputs_[static_cast<size_t>(index)];
}

const std::string& EvalContext::output_port(int index) const {
  int after = 0;
  for (const PortDef& def : op_.outputs) {
    after += def.list ? output_count() + 1 - static_cast<int>(op_.outputs.size()) : 1;
    if (index < after) return def.name;
  }
  return op_.outputs.back().name;
}

const std::string& EvalContext::op_name() const { return op_.name; }

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
