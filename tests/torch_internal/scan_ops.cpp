// Linear recurrences by operators of torch, against a loop.
#include "backends/torch/device/scan_ops.hpp"

#include <ATen/ops/allclose.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include <limits>

#include "tests/torch_internal/doctest.hpp"

namespace mithril::tests {
namespace {

using torch_backend::linear_scan_by_doubling, torch_backend::linear_scan_by_rows;

// Scans the rows of [rows, columns] in a loop.
at::Tensor looped(const at::Tensor& x, const at::Tensor& decay, bool reverse, bool exclusive) {
  at::Tensor made = at::zeros(x.sizes(), x.options());
  for (int64_t column = 0; column < x.size(1); ++column) {
    double state = 0;
    for (int64_t k = 0; k < x.size(0); ++k) {
      const int64_t row = reverse ? x.size(0) - 1 - k : k;
      const auto added = x[row][column].item<double>();
      const double next = k == 0 ? added : decay[row][column].item<double>() * state + added;
      made[row][column] = exclusive ? state : next;
      state = next;
    }
  }
  return made;
}

void check_scans(const at::Tensor& x, const at::Tensor& decay, double tolerance) {
  for (const bool reverse : {false, true}) {
    for (const bool exclusive : {false, true}) {
      CAPTURE(reverse);
      CAPTURE(exclusive);
      const at::Tensor expected =
          looped(x.to(at::kDouble), decay.to(at::kDouble), reverse, exclusive);
      for (const auto scan : {linear_scan_by_rows, linear_scan_by_doubling}) {
        const at::Tensor rows = scan(x, decay, 0, reverse, exclusive);
        CHECK((rows.scalar_type() == x.scalar_type()));
        CHECK((rows.sizes() == x.sizes()));
        CHECK(at::allclose(rows.to(at::kDouble), expected, tolerance, tolerance));
        const at::Tensor columns = scan(x.t(), decay.t(), -1, reverse, exclusive).t();
        CHECK(at::allclose(columns.to(at::kDouble), expected, tolerance, tolerance));
      }
    }
  }
}

}  // namespace

TEST_CASE("linear scans by rows and by doubling equal a loop") {
  for (const int64_t rows : {1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 64, 65}) {
    CAPTURE(rows);
    const at::Tensor x = at::randn({rows, 3}, at::kDouble),
                     decay = at::randn({rows, 3}, at::kDouble);
    check_scans(x, decay, 1e-12);
    check_scans(x.to(at::kFloat), decay.sigmoid().to(at::kFloat), 1e-5);
    check_scans(x.to(at::kBFloat16), decay.sigmoid().to(at::kBFloat16), 1e-2);
  }
}

TEST_CASE("a linear scan does not read the decay of its first row") {
  for (const bool reverse : {false, true}) {
    const at::Tensor x = at::zeros({5, 2}, at::kDouble);
    at::Tensor decay = at::randn({5, 2}, at::kDouble);
    decay[reverse ? 4 : 0].fill_(std::numeric_limits<double>::infinity());
    for (const auto scan : {linear_scan_by_rows, linear_scan_by_doubling})
      CHECK(at::allclose(scan(x, decay, 0, reverse, false), x));
  }
}

TEST_CASE("a linear scan by doubling is finite where the recurrence is") {
  at::Tensor x = at::zeros({300, 2}, at::kFloat), decay = at::zeros({300, 2}, at::kFloat).fill_(2);
  x[299].fill_(1);
  CHECK(at::allclose(linear_scan_by_doubling(x, decay, 0, false, false), x));
  x.fill_(1);
  decay[200].fill_(0);  // no state passes this row
  const at::Tensor made = linear_scan_by_doubling(x, decay, 0, false, false);
  CHECK(made[200][0].item<float>() == 1);
  CHECK(made[201][0].item<float>() == 3);
}

TEST_CASE("a linear scan of one row is a copy") {
  const at::Tensor x = at::randn({1, 3});
  for (const auto scan : {linear_scan_by_rows, linear_scan_by_doubling}) {
    const at::Tensor made = scan(x, x, 0, false, false);
    CHECK(at::allclose(made, x));
    CHECK(made.data_ptr() != x.data_ptr());
  }
}

TEST_CASE("linear scans of no rows and of rank 0") {
  for (const auto scan : {linear_scan_by_rows, linear_scan_by_doubling}) {
    const at::Tensor none = at::zeros({2, 0}), one = at::randn({});
    CHECK((scan(none, none, 1, false, true).sizes() == none.sizes()));
    CHECK(at::allclose(scan(one, one, 0, false, false), one));
    CHECK(scan(one, one, 0, false, true).item<float>() == 0);
  }
}

}  // namespace mithril::tests
