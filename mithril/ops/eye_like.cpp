// eye_like: ones on the diagonal of a matrix of the same size.
#include <algorithm>

#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_eye_like() {
  return {
      .name = "eye_like",
      .doc = "A matrix in the dims and the dtype of `like`: ones on its diagonal, zeros elsewhere.",
      .inputs = {{"like", "N M", "T=any"}},
      .outputs = {{"output", "N M", "T"}},
      .eval =
          [](EvalContext& c) {
            const int64_t rows = c.out().dims()[0], columns = c.out().dims()[1];
            c.typed([&](auto zero) {
              using T = decltype(zero);
              T* y = c.write<T>();
              for (int64_t i = 0; i < std::min(rows, columns); ++i) y[i * columns + i] = T(1);
            });
          },
      .grad = [](GradContext&) {},  // the elements of `like` do not matter: nothing flows
      .operations = no_arithmetic,
      .spell = {{"torch", "aten::eye(output.shape[0], output.shape[1])"},
                {"c", "unsupported: a loop nest"}},
  };
}

}  // namespace mithril
