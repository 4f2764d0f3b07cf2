template <int lanes>
__device__ void softmax_of_numbers_bfloat_rows(BFloat16* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    float part_v2 = Largest::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = 0.5f;
        const float v1 = rounded<BFloat16>(v0);
        part_v2 = Largest::of<float>(part_v2, v1);
      }
    }
    const float v2 = over_row<Largest>(part_v2);
    float part_v3 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = 0.5f;
        const float v1 = rounded<BFloat16>(v0);
        part_v3 = Sum::of<float>(part_v3, float_exp(v1 - v2));
      }
    }
    const float v3 = over_row<Sum>(part_v3);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      Lanes<BFloat16, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = 0.5f;
        const float v1 = rounded<BFloat16>(v0);
        const float v4 = float_exp(v1 - v2) / v3;
        const float v5 = rounded<BFloat16>(v4);
        b0.at[k] = Element<BFloat16>::of(v5);
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) softmax_of_numbers_bfloat(BFloat16* __restrict__ y0, const Layout layout) {
  softmax_of_numbers_bfloat_rows<1>(y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) softmax_of_numbers_bfloat_lanes(BFloat16* __restrict__ y0, const Layout layout) {
  softmax_of_numbers_bfloat_rows<4>(y0, layout);
}
