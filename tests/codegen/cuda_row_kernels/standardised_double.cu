template <int lanes>
__device__ void standardised_double_rows(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0, double* __restrict__ y1, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[2];
    find_row_offsets(at, layout, row);
    const double v5 = x1[at[1]];
    double part_v1 = Sum::start<double>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        part_v1 = Sum::of<double>(part_v1, v0);
      }
    }
    const double v1 = over_row<Sum>(part_v1);
    const double v2 = v1 / static_cast<double>(width);
    double part_v3 = Sum::start<double>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        part_v3 = Sum::of<double>(part_v3, (v0 - v2) * (v0 - v2));
      }
    }
    const double v3 = over_row<Sum>(part_v3);
    const double v4 = v3 / std::max<double>(static_cast<double>(width) - 0.0, 0.0);
    const double v6 = v4 + v5;
    double part_v8 = Sum::start<double>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        const double v7 = v0 * v6;
        part_v8 = Sum::of<double>(part_v8, v7);
      }
    }
    const double v8 = over_row<Sum>(part_v8);
    const double v9 = v8 / static_cast<double>(width);
    if (threadIdx.x == 0) {
      y0[row] = v6;
    }
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      Lanes<double, lanes> b1;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        const double v7 = v0 * v6;
        const double v10 = v7 - v9;
        b1.at[k] = v10;
      }
      store_lanes(y1 + row * width + item * lanes, b1);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) standardised_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0, double* __restrict__ y1, const Layout layout) {
  standardised_double_rows<1>(x0, x1, y0, y1, layout);
}
extern "C" __global__ void __launch_bounds__(512) standardised_double_lanes(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0, double* __restrict__ y1, const Layout layout) {
  standardised_double_rows<4>(x0, x1, y0, y1, layout);
}
