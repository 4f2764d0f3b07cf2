// The memory of a tensor, and operations that do not depend on the dtype.
#include "mithril/tensor/tensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "mithril/base/large_memory.hpp"
#include "mithril/base/random.hpp"
#include "mithril/base/text.hpp"
#include "mithril/tensor/bool_bytes.hpp"
#include "mithril/tensor/convert.hpp"
#include "mithril/tensor/low_bit.hpp"

namespace mithril {

namespace {

constexpr std::int64_t most_elements_printed = 12;

std::shared_ptr<void> allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  return large_memory(static_cast<std::int64_t>(bytes));
}

template <class To, class From>
void convert_elements(std::span<const From> from, To* to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = convert<To>(from[i]);
}

// Converts the weights of whole models: the same results as through double, in a few operations.
void convert_elements(std::span<const float> from, bfloat16* to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(from[i]);
    const std::uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1);
    const std::uint32_t quiet = bits | 0x400000;
    to[i] = bfloat16::from_bits(
        static_cast<std::uint16_t>((std::isnan(from[i]) ? quiet : rounded) >> 16));
  }
}
void convert_elements(std::span<const bfloat16> from, float* to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] = std::bit_cast<float>(std::uint32_t{from[i].bits} << 16);
  }
}

[[noreturn]] void raise_size_mismatch(std::string code, std::string message, const Dims& dims,
                                      std::int64_t given, std::string label) {
  raise({.kind = ErrorKind::value,
         .code = std::move(code),
         .message = std::move(message),
         .facts = {{"dims", to_string(dims), fmt::format("{} elements", element_count(dims))},
                   {std::move(label), std::to_string(given)}}});
}

// Converts any dtype to a low-bit dtype.
Tensor encoded(const Tensor& tensor, DType to) {
  Tensor made = Tensor::empty(to, tensor.dims());
  auto* codes = static_cast<std::uint8_t*>(made.mutable_raw_data());
  if (is_floating(to) || is_floating(tensor.dtype())) {
    encode(to, tensor.to(DType::float64).values<double>(), codes);
  } else {
    encode(to, tensor.to(DType::int64).values<std::int64_t>(), codes);
  }
  return made;
}

// Converts a low-bit dtype to any other.
Tensor decoded(const Tensor& tensor, DType to) {
  const std::array<float, 256>& numbers = numbers_of(tensor.dtype());
  const auto* codes = static_cast<const std::uint8_t*>(tensor.raw_data());
  const bool are_integers = is_integer(tensor.dtype());  // which wrap, unlike floats
  Tensor made = Tensor::empty(to, tensor.dims());
  visit_dtype(to, [&](auto zero) {
    using T = decltype(zero);
    for (T& element : made.mutable_values<T>()) {
      const float number = numbers[*codes++];
      element = are_integers ? convert<T>(static_cast<std::int64_t>(number)) : convert<T>(number);
    }
  });
  return made;
}

// Converts where at least one dtype is low-bit.
Tensor converted_low_bit(const Tensor& tensor, DType to) {
  if (!is_low_bit(to)) return decoded(tensor, to);
  if (!is_low_bit(tensor.dtype())) return encoded(tensor, to);
  return encoded(decoded(tensor, widened(tensor.dtype())), to);
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

}  // namespace

std::string to_string(const Dims& dims) { return "[" + join(dims, ", ") + "]"; }

std::int64_t element_count(const Dims& dims) {
  for (const std::int64_t dim : dims) {
    if (dim >= 0) continue;
    raise({.kind = ErrorKind::value,
           .code = "E0480",
           .message = fmt::format("a tensor cannot have the dims {}", to_string(dims)),
           .help = "give dims that are zero or more"});
  }
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
  // Elements of up to 8 bytes: their bytes must be countable too.
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 8;
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) {
    if (count > most / dim) {
      raise({.kind = ErrorKind::value,
             .code = "E0481",
             .message = fmt::format("a tensor of dims {} has more elements than 64 bits can count "
                                    "the bytes of",
                                    to_string(dims))});
    }
    count *= dim;
  }
  return count;
}

namespace {

[[noreturn]] void refuse_null(const Tensor& tensor) {
  raise({.kind = ErrorKind::value,
         .code = "E0482",
         .message = "the values do not fill the dims",
         .facts = {{"expected", fmt::format("{} elements of {}, for the dims {}", tensor.size(),
                                            name(tensor.dtype()), to_string(tensor.dims()))},
                   {"got", "a null pointer"}},
         .help = "give a pointer to elements that live as long as their owner"});
}

}  // namespace

Tensor::Tensor() = default;
Tensor::Tensor(const Tensor& other) = default;
Tensor::Tensor(Tensor&& other) noexcept = default;
Tensor& Tensor::operator=(const Tensor& other) = default;
Tensor& Tensor::operator=(Tensor&& other) noexcept = default;
Tensor::~Tensor() = default;

Tensor::Tensor(DType dtype, Dims dims, void* data, std::shared_ptr<void> storage, bool read_only)
    : dtype_(dtype),
      read_only_(read_only),
      dims_(std::move(dims)),
      size_(element_count(dims_)),
      data_(data),
      storage_(std::move(storage)) {}

Tensor::Tensor(DType dtype, Dims dims) : Tensor(empty(dtype, std::move(dims))) {
  if (size_ != 0) std::memset(data_, 0, bytes());
}

Tensor Tensor::empty(DType dtype, Dims dims) {
  auto storage = allocate(static_cast<std::size_t>(element_count(dims)) * size_of(dtype));
  void* data = storage.get();
  return {dtype, std::move(dims), data, std::move(storage), false};
}

Tensor Tensor::full(DType dtype, Dims dims, double value) {
  if (is_low_bit(dtype)) return full(DType::float64, std::move(dims), value).to(dtype);
  Tensor result = empty(dtype, std::move(dims));
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (T& element : result.mutable_values<T>()) element = convert<T>(value);
  });
  return result;
}

Tensor Tensor::zeros(Dims dims, DType dtype) { return {dtype, std::move(dims)}; }

Tensor Tensor::ones(Dims dims, DType dtype) { return full(dtype, std::move(dims), 1); }

Tensor Tensor::randn(Dims dims, std::uint64_t seed, DType dtype) {
  if (is_low_bit(dtype)) return randn(std::move(dims), seed, DType::float64).to(dtype);
  Tensor result = empty(dtype, std::move(dims));
  Random random(seed);
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (T& element : result.mutable_values<T>()) element = convert<T>(random.normal());
  });
  return result;
}

Tensor Tensor::borrow(DType dtype, Dims dims, void* data, std::shared_ptr<void> owner) {
  Tensor result = over(dtype, std::move(dims), data, std::move(owner));
  if (!data && result.size_ != 0) refuse_null(result);
  if (dtype != DType::boolean || !has_other_bytes(data, result.size_)) return result;
  Tensor bools = empty(dtype, result.dims_);
  normalise_bools(data, bools.data_, bools.size_);
  return bools;
}

Tensor Tensor::borrow(DType dtype, Dims dims, const void* data, std::shared_ptr<void> owner) {
  Tensor result = borrow(dtype, std::move(dims), const_cast<void*>(data), std::move(owner));
  result.read_only_ = true;
  return result;
}

Tensor Tensor::over(DType dtype, Dims dims, void* data, std::shared_ptr<void> owner) {
  return {dtype, std::move(dims), data, std::move(owner), false};
}

Tensor Tensor::foreign(DType dtype, Dims dims, std::shared_ptr<const ForeignElements> elements,
                       const void* data) {
  const ForeignElements* held = elements.get();
  Tensor result(dtype, std::move(dims), const_cast<void*>(data),
                std::const_pointer_cast<ForeignElements>(std::move(elements)), true);
  result.foreign_ = held;
  return result;
}

bool Tensor::is_borrowed() const { return storage_ && !std::get_deleter<FreeLarge>(storage_); }

Tensor Tensor::host() const { return foreign_ && !data_ && size_ != 0 ? foreign_->host() : *this; }

void* Tensor::mutable_raw_data() {
  if (read_only_) {
    raise({.kind = ErrorKind::value,
           .code = "E0483",
           .message = fmt::format("a {} tensor of dims {} is read-only: its elements are borrowed",
                                  name(dtype_), to_string(dims_)),
           .help = "write to its copy()"});
  }
  return data_;
}

double Tensor::at_as_double(std::int64_t index) const {
  MITHRIL_CHECK(index >= 0 && index < size_, fmt::format("element {} of {}", index, size_));
  if (is_low_bit(dtype_))
    return numbers_of(dtype_)[static_cast<const std::uint8_t*>(raw_data())[index]];
  return visit_dtype(dtype_,
                     [&](auto zero) { return convert<double>(data<decltype(zero)>()[index]); });
}

double Tensor::item() const {
  if (size_ != 1) {
    raise({.kind = ErrorKind::value,
           .code = "E0484",
           .message =
               fmt::format("item() needs one element, but the dims are {}", to_string(dims_))});
  }
  return at_as_double(0);
}

Tensor Tensor::to(DType dtype) const {
  if (foreign_) return foreign_->converted(dtype);
  if (dtype == dtype_) return copy();
  if (is_low_bit(dtype) || is_low_bit(dtype_)) return converted_low_bit(*this, dtype);
  Tensor result = empty(dtype, dims_);
  visit_dtype(dtype_, [&](auto from) {
    const auto source = values<decltype(from)>();
    visit_dtype(
        dtype, [&](auto zero) { convert_elements(source, result.mutable_data<decltype(zero)>()); });
  });
  return result;
}

Tensor Tensor::copy() const {
  const Tensor here = host();
  Tensor result = empty(dtype_, dims_);
  copy_bytes(result.data_, here.data_, bytes());
  return result;
}

Tensor Tensor::as_read_only() const {
  Tensor result = *this;
  result.read_only_ = true;
  return result;
}

Tensor Tensor::reshape(Dims dims) const {
  const auto open = std::find(dims.begin(), dims.end(), -1);
  if (open != dims.end()) {
    const auto refuse = [&](std::string help) {
      *open = -1;
      raise({.kind = ErrorKind::value,
             .code = "E0485",
             .message = "a tensor keeps its number of elements when reshaped",
             .facts = {{"dims", to_string(dims)}, {"tensor", std::to_string(size_)}},
             .help = std::move(help)});
    };
    if (std::find(open + 1, dims.end(), -1) != dims.end())
      refuse("leave at most one dim open (-1)");
    *open = 1;
    const std::int64_t others = element_count(dims);
    if (others == 0 || size_ % others != 0) refuse({});
    *open = size_ / others;
  }
  if (element_count(dims) != size_) {
    raise_size_mismatch("E0485", "a tensor keeps its number of elements when reshaped", dims, size_,
                        "tensor");
  }
  const Tensor here = host();
  return {dtype_, std::move(dims), here.data_, here.storage_, here.read_only_};
}

void Tensor::require_type(DType wanted) const {
  if (wanted == dtype_) return;
  raise({.kind = ErrorKind::type,
         .code = "E0380",
         .message =
             fmt::format("the elements of a {} tensor were read as {}", name(dtype_), name(wanted)),
         .help = fmt::format("convert it first: to(DType::{})",
                             wanted == DType::boolean ? "boolean" : name(wanted))});
}

void Tensor::require_host() const {
  if (!foreign_ || data_ || size_ == 0) return;
  raise({.kind = ErrorKind::value,
         .code = "E0487",
         .message =
             fmt::format("the elements of a {} tensor of dims {} are not row-major in the memory "
                         "of this process, but in {} on {}",
                         name(dtype_), to_string(dims_), foreign_->library(), foreign_->device()),
         .help = "read those of its host()"});
}

void Tensor::require_count(const Dims& dims, std::size_t count) {
  if (element_count(dims) == static_cast<std::int64_t>(count)) return;
  raise_size_mismatch("E0482", "the values do not fill the dims", dims,
                      static_cast<std::int64_t>(count), "values");
}

bool identical(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.dims() != b.dims()) return false;
  return a.bytes() == 0 || std::memcmp(a.raw_data(), b.raw_data(), a.bytes()) == 0;
}

std::string dtype_and_dims(const Tensor& tensor) {
  return std::string(name(tensor.dtype())) + to_string(tensor.dims());
}

std::string to_string(const Tensor& given) {
  const Tensor here = given.host(),
               tensor = is_low_bit(here.dtype()) ? here.to(widened(here.dtype())) : here;
  std::vector<std::string> elements;
  visit_dtype(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (const T element : tensor.values<T>()) {
      if (static_cast<std::int64_t>(elements.size()) == most_elements_printed) break;
      if constexpr (!std::is_arithmetic_v<T>) {
        elements.push_back(fmt::format("{}", static_cast<float>(element)));
      } else {
        elements.push_back(fmt::format("{}", element));
      }
    }
  });
  const char* rest = tensor.size() > most_elements_printed ? ", ..." : "";
  return fmt::format("{} {{{}{}}}", dtype_and_dims(given), join(elements, ", "), rest);
}

}  // namespace mithril
