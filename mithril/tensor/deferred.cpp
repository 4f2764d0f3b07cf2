#include "mithril/tensor/deferred.hpp"

#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {
namespace {

class DeferredElements final : public ForeignElements {
 public:
  DeferredElements(DType dtype, Dims dims, std::function<Tensor()> make)
      : dtype_(dtype), dims_(std::move(dims)), make_(std::move(make)) {}

  std::string_view library() const override { return "mithril"; }
  const void* object() const override { return nullptr; }
  std::string device() const override { return "cpu"; }
  Tensor host() const override {
    Tensor made = make_();
    MITHRIL_CHECK(made.dtype() == dtype_ && made.dims() == dims_,
                  "a deferred tensor has " + dtype_and_dims(made));
    return made;
  }
  Tensor converted(DType dtype) const override { return host().to(dtype); }

 private:
  const DType dtype_;
  const Dims dims_;
  const std::function<Tensor()> make_;
};

}  // namespace

Tensor deferred(DType dtype, Dims dims, std::function<Tensor()> make) {
  auto elements = std::make_shared<DeferredElements>(dtype, dims, std::move(make));
  return Tensor::foreign(dtype, std::move(dims), std::move(elements), nullptr);
}

}  // namespace mithril
