template <int lanes>
__device__ void entropy_double_rows(const double* __restrict__ x0, double* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[1];
    find_row_offsets(at, layout, row);
    double part_v1 = Largest::start<double>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        part_v1 = Largest::of<double>(part_v1, v0);
      }
    }
    const double v1 = over_row<Largest>(part_v1);
    double part_v2 = Sum::start<double>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        part_v2 = Sum::of<double>(part_v2, std::exp(v0 - v1));
      }
    }
    const double v2 = over_row<Sum>(part_v2);
    double part_v6 = Sum::start<double>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        const double v3 = v0 - v1 - std::log(v2);
        const double v4 = std::exp(v3);
        const double v5 = v4 * v3;
        part_v6 = Sum::of<double>(part_v6, v5);
      }
    }
    const double v6 = over_row<Sum>(part_v6);
    if (threadIdx.x == 0) {
      y0[row] = v6;
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) entropy_double(const double* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  entropy_double_rows<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) entropy_double_lanes(const double* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  entropy_double_rows<4>(x0, y0, layout);
}
