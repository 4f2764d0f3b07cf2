template <int lanes>
__device__ void standardised_rows(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, float* __restrict__ y1, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[2];
    find_row_offsets(at, layout, row);
    const float v5 = x1[at[1]];
    float part_v1 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        part_v1 = Sum::of<float>(part_v1, v0);
      }
    }
    const float v1 = over_row<Sum>(part_v1);
    const float v2 = v1 / static_cast<float>(width);
    float part_v3 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        part_v3 = Sum::of<float>(part_v3, (v0 - v2) * (v0 - v2));
      }
    }
    const float v3 = over_row<Sum>(part_v3);
    const float v4 = v3 / std::max<float>(static_cast<float>(width) - 0.0f, 0.0f);
    const float v6 = v4 + v5;
    float part_v8 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v7 = v0 * v6;
        part_v8 = Sum::of<float>(part_v8, v7);
      }
    }
    const float v8 = over_row<Sum>(part_v8);
    const float v9 = v8 / static_cast<float>(width);
    if (threadIdx.x == 0) {
      y0[row] = v6;
    }
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      Lanes<float, lanes> b1;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v7 = v0 * v6;
        const float v10 = v7 - v9;
        b1.at[k] = v10;
      }
      store_lanes(y1 + row * width + item * lanes, b1);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) standardised(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, float* __restrict__ y1, const Layout layout) {
  standardised_rows<1>(x0, x1, y0, y1, layout);
}
extern "C" __global__ void __launch_bounds__(512) standardised_lanes(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, float* __restrict__ y1, const Layout layout) {
  standardised_rows<4>(x0, x1, y0, y1, layout);
}
