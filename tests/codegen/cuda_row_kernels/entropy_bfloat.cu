template <int lanes>
__device__ void entropy_bfloat_rows(const BFloat16* __restrict__ x0, BFloat16* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[1];
    find_row_offsets(at, layout, row);
    float part_v1 = Largest::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        part_v1 = Largest::of<float>(part_v1, v0);
      }
    }
    const float v1 = over_row<Largest>(part_v1);
    float part_v2 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        part_v2 = Sum::of<float>(part_v2, float_exp(v0 - v1));
      }
    }
    const float v2 = over_row<Sum>(part_v2);
    float part_v9 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v3 = v0 - v1 - std::log(v2);
        const float v4 = rounded<BFloat16>(v3);
        const float v5 = float_exp(v4);
        const float v6 = rounded<BFloat16>(v5);
        const float v7 = v6 * v4;
        const float v8 = rounded<BFloat16>(v7);
        part_v9 = Sum::of<float>(part_v9, v8);
      }
    }
    const float v9 = over_row<Sum>(part_v9);
    const float v10 = rounded<BFloat16>(v9);
    if (threadIdx.x == 0) {
      y0[row] = Element<BFloat16>::of(v10);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) entropy_bfloat(const BFloat16* __restrict__ x0, BFloat16* __restrict__ y0, const Layout layout) {
  entropy_bfloat_rows<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) entropy_bfloat_lanes(const BFloat16* __restrict__ x0, BFloat16* __restrict__ y0, const Layout layout) {
  entropy_bfloat_rows<4>(x0, y0, layout);
}
