// Dtypes that tensors have, and values of models do not.
#include <doctest/doctest.h>

#include "mithril/infer/datum.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {

TEST_CASE("a value of a model that is a narrow dtype is refused") {
  CHECK(tests::text_of_error([] { Datum narrow(DType::int8); }) ==
        "mithril.TypeError[E0370]: models do not compute in int8\n"
        "  help: models widen such tensors to int32 or int64: choose one of these");
  for (const DType dtype : computed_dtypes) CHECK(Datum(dtype).dtype() == dtype);
  CHECK_THROWS_AS(static_cast<void>(Datum(DType::int16)), TypeError);
  CHECK_THROWS_AS(static_cast<void>(Datum(DType::uint8)), TypeError);
}

}  // namespace mithril
