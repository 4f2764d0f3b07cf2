template <int lanes>
__device__ void plain_layer_norm_double_rows(const double* __restrict__ x0, double* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[1];
    find_row_offsets(at, layout, row);
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
    const double v4 = 1.0 / std::sqrt(v3 / static_cast<double>(width) + 1e-05);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      Lanes<double, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        const double v5 = (v0 - v2) * v4;
        const double v6 = v5;
        const double v7 = v6;
        const double v8 = v7 < 0.0 ? 0.0 : v7;
        b0.at[k] = v8;
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) plain_layer_norm_double(const double* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  plain_layer_norm_double_rows<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) plain_layer_norm_double_lanes(const double* __restrict__ x0, double* __restrict__ y0, const Layout layout) {
  plain_layer_norm_double_rows<4>(x0, y0, layout);
}
