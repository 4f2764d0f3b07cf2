template <int lanes>
__device__ void standardised_bfloat_rows(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, BFloat16* __restrict__ y1, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[2];
    find_row_offsets(at, layout, row);
    const float v6 = number(x1[at[1]]);
    float part_v1 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        part_v1 = Sum::of<float>(part_v1, v0);
      }
    }
    const float v1 = over_row<Sum>(part_v1);
    const float v2 = v1 / static_cast<float>(width);
    float part_v3 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        part_v3 = Sum::of<float>(part_v3, (v0 - v2) * (v0 - v2));
      }
    }
    const float v3 = over_row<Sum>(part_v3);
    const float v4 = v3 / std::max<float>(static_cast<float>(width) - 0.0f, 0.0f);
    const float v5 = rounded<BFloat16>(v4);
    const float v7 = v5 + v6;
    const float v8 = rounded<BFloat16>(v7);
    float part_v11 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v9 = v0 * v8;
        const float v10 = rounded<BFloat16>(v9);
        part_v11 = Sum::of<float>(part_v11, v10);
      }
    }
    const float v11 = over_row<Sum>(part_v11);
    const float v12 = v11 / static_cast<float>(width);
    const float v13 = rounded<BFloat16>(v12);
    if (threadIdx.x == 0) {
      y0[row] = Element<BFloat16>::of(v8);
    }
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      Lanes<BFloat16, lanes> b1;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v9 = v0 * v8;
        const float v10 = rounded<BFloat16>(v9);
        const float v14 = v10 - v13;
        const float v15 = rounded<BFloat16>(v14);
        b1.at[k] = Element<BFloat16>::of(v15);
      }
      store_lanes(y1 + row * width + item * lanes, b1);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) standardised_bfloat(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, BFloat16* __restrict__ y1, const Layout layout) {
  standardised_bfloat_rows<1>(x0, x1, y0, y1, layout);
}
extern "C" __global__ void __launch_bounds__(512) standardised_bfloat_lanes(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, BFloat16* __restrict__ y1, const Layout layout) {
  standardised_bfloat_rows<4>(x0, x1, y0, y1, layout);
}
