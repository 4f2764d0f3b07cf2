#include "backends/torch/tensors.hpp"

#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <torch/headeronly/version.h>

#include <map>
#include <utility>

#include "mithril/tensor/bool_bytes.hpp"
#include "mithril/tensor/scalable_elements.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::torch_backend {
namespace {

constexpr std::string_view library_name = "torch " TORCH_VERSION;

class TorchElements final : public ForeignElements, public ScalableElements {
 public:
  explicit TorchElements(at::Tensor tensor) : tensor_(std::move(tensor)) {}

  std::string_view library() const override { return library_name; }
  const void* object() const override { return &tensor_; }
  std::string device() const override { return tensor_.device().str(); }
  Tensor host() const override { return from_torch(tensor_.detach().cpu().contiguous()); }
  // Recorded by autograd: gradients flow back through a change of dtype.
  Tensor converted(DType dtype) const override {
    return from_torch(tensor_.to(scalar_type(dtype), /*non_blocking=*/false, /*copy=*/true));
  }
  std::vector<Tensor> scaled(std::span<const Tensor> tensors, float factor,
                             bool* finite) const override;

 private:
  at::Tensor tensor_;
};

// A few kernels for all tensors of a device and dtype.
struct ScaledGroup {
  std::vector<at::Tensor> tensors;
  std::vector<size_t> places;
};

std::vector<Tensor> TorchElements::scaled(std::span<const Tensor> tensors, float factor,
                                          bool* finite) const {
  std::map<std::pair<std::string, c10::ScalarType>, ScaledGroup> groups;
  for (size_t i = 0; i < tensors.size(); ++i) {
    at::Tensor tensor = static_cast<const at::Tensor*>(tensors[i].foreign()->object())->detach();
    ScaledGroup& group = groups[{tensor.device().str(), tensor.scalar_type()}];
    group.tensors.push_back(std::move(tensor));
    group.places.push_back(i);
  }
  std::vector<Tensor> made(tensors.size());
  std::map<std::string, at::Tensor> found;  // per device: 1 if an element is not finite
  for (auto& [key, group] : groups) {
    std::vector<at::Tensor> products = at::_foreach_mul(group.tensors, factor);
    if (finite) {
      const auto options = at::TensorOptions(c10::ScalarType::Float).device(products[0].device());
      at::Tensor& infinite = found.try_emplace(key.first, at::zeros({}, options)).first->second;
      at::_amp_foreach_non_finite_check_and_unscale_(products, infinite, at::ones({}, options));
    }
    for (size_t k = 0; k < products.size(); ++k) made[group.places[k]] = from_torch(products[k]);
  }
  for (const auto& [device, infinite] : found) {
    if (infinite.item<float>() != 0) *finite = false;
  }
  return made;
}

// Why the elements are not accessible; null if they are.
const char* opaque_form(const at::Tensor& tensor) {
  if (tensor.is_nested()) return "that is nested";
  if (tensor.is_mkldnn()) return "in a layout of oneDNN";
  if (tensor.is_meta()) return "on the device meta";
  return nullptr;
}

// A number is an argument of the kernel that writes it: nobody waits for a copy.
at::Tensor moved(const at::Tensor& tensor, c10::Device device) {
  if (tensor.dim() > 0 || device.is_cpu()) return tensor.to(device);
  return at::full({}, tensor.item(), tensor.options().device(device));
}

at::Tensor share(const Tensor& tensor) {
  // The deleter keeps the owner of the elements until torch releases them.
  void* data = const_cast<void*>(tensor.raw_data());
  return at::from_blob(
      data, tensor.dims(), [keep = tensor](void*) {},
      at::TensorOptions(scalar_type(tensor.dtype())));
}

// Nothing for float4, for integers of 4 and 2 bits, and for float8_e8m0fnu, whose casts in torch
// drop the sign.
std::optional<c10::ScalarType> known_scalar_type(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return c10::ScalarType::Bool;
    case DType::int32:
      return c10::ScalarType::Int;
    case DType::int64:
      return c10::ScalarType::Long;
    case DType::int8:
      return c10::ScalarType::Char;
    case DType::int16:
      return c10::ScalarType::Short;
    case DType::uint8:
      return c10::ScalarType::Byte;
    case DType::uint16:
      return c10::ScalarType::UInt16;
    case DType::uint32:
      return c10::ScalarType::UInt32;
    case DType::uint64:
      return c10::ScalarType::UInt64;
    case DType::float16:
      return c10::ScalarType::Half;
    case DType::bfloat16:
      return c10::ScalarType::BFloat16;
    case DType::float32:
      return c10::ScalarType::Float;
    case DType::float64:
      return c10::ScalarType::Double;
    case DType::float8_e4m3fn:
      return c10::ScalarType::Float8_e4m3fn;
    case DType::float8_e4m3fnuz:
      return c10::ScalarType::Float8_e4m3fnuz;
    case DType::float8_e5m2:
      return c10::ScalarType::Float8_e5m2;
    case DType::float8_e5m2fnuz:
      return c10::ScalarType::Float8_e5m2fnuz;
    default:
      return std::nullopt;
  }
}

}  // namespace

c10::ScalarType scalar_type(DType dtype) {
  if (const auto type = known_scalar_type(dtype)) return *type;
  raise({.kind = ErrorKind::type,
         .code = "E1366",
         .message = "the PyTorch backend has no tensors of " + std::string(name(dtype)),
         .help = "cast them to " + std::string(name(widened(dtype))) + " first"});
}

std::optional<DType> dtype_of(c10::ScalarType type) {
  for (const DType dtype : all_dtypes) {
    if (known_scalar_type(dtype) == type) return dtype;
  }
  return std::nullopt;
}

bool is_torch(const Tensor& tensor) {
  return tensor.foreign() && tensor.foreign()->library() == library_name;
}

at::Tensor to_torch(const Tensor& tensor, c10::Device device) {
  const ForeignElements* foreign = tensor.foreign();
  if (!foreign || !foreign->object()) return moved(share(tensor.host()), device);
  if (is_torch(tensor)) {
    const auto& held = *static_cast<const at::Tensor*>(foreign->object());
    return held.device() == device ? held : held.to(device);
  }
  raise({.kind = ErrorKind::type,
         .code = "E0388",
         .message = "a tensor of " + std::string(foreign->library()) +
                    " was given to a backend of " + std::string(library_name),
         .help = "give its host()"});
}

Tensor from_torch(const at::Tensor& tensor) {
  if (const char* form = opaque_form(tensor)) {
    raise({.kind = ErrorKind::type,
           .code = "E0373",
           .message = std::string("a tensor of torch ") + form + " has no elements to share",
           .help = "convert it to a strided tensor, as to_padded_tensor and to_dense do"});
  }
  const auto dtype = dtype_of(tensor.scalar_type());
  if (!dtype) {
    raise({.kind = ErrorKind::type,
           .code = "E0389",
           .message = std::string("Mithril has no dtype for tensors of torch.") +
                      c10::toString(tensor.scalar_type()),
           .help = "convert it to bool, an integer, float16, bfloat16, float32 or float64"});
  }
  const bool readable = tensor.device().is_cpu() && tensor.is_contiguous();
  if (readable && dtype == DType::boolean &&
      has_other_bytes(tensor.const_data_ptr(), tensor.numel())) {
    return from_torch(tensor.view(c10::ScalarType::Byte).ne(0));
  }
  return Tensor::foreign(*dtype, tensor.sizes().vec(), std::make_shared<TorchElements>(tensor),
                         readable ? tensor.const_data_ptr() : nullptr);
}

bool is_own(const Tensor& tensor) {
  const auto& held = *static_cast<const at::Tensor*>(tensor.foreign()->object());
  const bool alone = held.use_count() == 1 && held.storage().use_count() == 1;
  return alone && held.is_non_overlapping_and_dense();
}

}  // namespace mithril::torch_backend

namespace mithril {

at::Tensor to_torch(const Tensor& tensor) {
  const ForeignElements* foreign = tensor.foreign();
  return torch_backend::to_torch(tensor, c10::Device(foreign ? foreign->device() : "cpu"));
}

}  // namespace mithril
