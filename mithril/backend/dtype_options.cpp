#include "mithril/backend/dtype_options.hpp"

#include <string>

#include "mithril/base/error.hpp"

namespace mithril {

DType checked_dtype(DType dtype) {
  if (is_floating(dtype)) return dtype;
  raise({.kind = ErrorKind::type,
         .code = "E0383",
         .message =
             "the default dtype of a backend must be floating, not " + std::string(name(dtype)),
         .help = "choose float32, float64, float16 or bfloat16"});
}

DType checked_amp_dtype(DType dtype) {
  if (dtype == DType::float16 || dtype == DType::bfloat16) return dtype;
  raise({.kind = ErrorKind::type,
         .code = "E0385",
         .message = "amp_dtype is " + std::string(name(dtype)) + ", which is not a lower precision",
         .help = "choose float16 or bfloat16"});
}

}  // namespace mithril
