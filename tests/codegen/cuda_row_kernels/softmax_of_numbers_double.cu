template <int lanes>
__device__ void softmax_of_numbers_double_rows(double* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    double part_v1 = Largest::start<double>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = 0.5;
        part_v1 = Largest::of<double>(part_v1, v0);
      }
    }
    const double v1 = over_row<Largest>(part_v1);
    double part_v2 = Sum::start<double>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = 0.5;
        part_v2 = Sum::of<double>(part_v2, std::exp(v0 - v1));
      }
    }
    const double v2 = over_row<Sum>(part_v2);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      Lanes<double, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = 0.5;
        const double v3 = std::exp(v0 - v1) / v2;
        b0.at[k] = v3;
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) softmax_of_numbers_double(double* __restrict__ y0, const Layout layout) {
  softmax_of_numbers_double_rows<1>(y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) softmax_of_numbers_double_lanes(double* __restrict__ y0, const Layout layout) {
  softmax_of_numbers_double_rows<4>(y0, layout);
}
