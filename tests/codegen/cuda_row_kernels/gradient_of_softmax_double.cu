template <int lanes>
__device__ void gradient_of_softmax_double_rows(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[2];
    find_row_offsets(at, layout, row);
    double part_v2 = Sum::start<double>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<double, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        const double v1 = a1.at[k];
        part_v2 = Sum::of<double>(part_v2, v0 * v1);
      }
    }
    const double v2 = over_row<Sum>(part_v2);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<double, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      Lanes<double, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        const double v1 = a1.at[k];
        const double v3 = v1 * (v0 - v2);
        const double v4 = v3 * 0.5;
        b0.at[k] = v4;
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) gradient_of_softmax_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0, const Layout layout) {
  gradient_of_softmax_double_rows<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) gradient_of_softmax_double_lanes(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0, const Layout layout) {
  gradient_of_softmax_double_rows<4>(x0, x1, y0, layout);
}
