#include "mithril/infer/dim.hpp"

#include "mithril/base/error.hpp"

namespace mithril {

int64_t Dim::constant() const {
  MITHRIL_CHECK(is_constant(), "a dim that is not a number was taken for one");
  return number_;
}

}  // namespace mithril
