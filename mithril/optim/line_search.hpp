// A search for a step along a direction that satisfies the strong Wolfe conditions.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace mithril {

// A point on the line: the step from its beginning, and the loss and its gradient there.
struct LinePoint {
  double step = 0;
  double loss = 0;
  std::vector<double> gradient;
  double slope = 0;  // of the loss along the direction
};

// The point that torch.optim.LBFGS finds (Nocedal and Wright, algorithms 3.5 and 3.6, with cubic
// interpolation). `begin`: the point at step 0, with a negative slope. `at` evaluates a step.
// `largest`: the largest absolute element of the direction; brackets that move no parameter by more
// than `tolerance` end the search.
LinePoint strong_wolfe(const std::function<LinePoint(double step)>& at, const LinePoint& begin,
                       double first_step, double largest, double tolerance);

}  // namespace mithril
