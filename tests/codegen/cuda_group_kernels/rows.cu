template <int lanes>
__device__ void entropy_rows(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[1];
    find_row_offsets(at, layout, row);
    float part_v1 = Largest::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        part_v1 = Largest::of<float>(part_v1, v0);
      }
    }
    const float v1 = over_row<Largest>(part_v1);
    float part_v2 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        part_v2 = Sum::of<float>(part_v2, float_exp(v0 - v1));
      }
    }
    const float v2 = over_row<Sum>(part_v2);
    float part_v6 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v3 = v0 - v1 - std::log(v2);
        const float v4 = float_exp(v3);
        const float v5 = v4 * v3;
        part_v6 = Sum::of<float>(part_v6, v5);
      }
    }
    const float v6 = over_row<Sum>(part_v6);
    if (threadIdx.x == 0) {
      y0[row] = v6;
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) entropy(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  entropy_rows<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) entropy_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  entropy_rows<4>(x0, y0, layout);
}

template <int lanes>
__device__ void gradient_of_softmax_rows(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[2];
    find_row_offsets(at, layout, row);
    float part_v2 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v1 = a1.at[k];
        part_v2 = Sum::of<float>(part_v2, v0 * v1);
      }
    }
    const float v2 = over_row<Sum>(part_v2);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      Lanes<float, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v1 = a1.at[k];
        const float v3 = v1 * (v0 - v2);
        const float v4 = v3 * 0.5f;
        b0.at[k] = v4;
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) gradient_of_softmax(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  gradient_of_softmax_rows<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) gradient_of_softmax_lanes(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  gradient_of_softmax_rows<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void layer_norm_of_residual_rows(const float* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, const float* __restrict__ x3, float* __restrict__ y0, float* __restrict__ y1, float* __restrict__ y2, float* __restrict__ y3, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[4];
    find_row_offsets(at, layout, row);
    float part_v3 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v1 = a1.at[k];
        const float v2 = v0 + v1;
        part_v3 = Sum::of<float>(part_v3, v2);
      }
    }
    const float v3 = over_row<Sum>(part_v3);
    const float v4 = v3 / static_cast<float>(width);
    float part_v5 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v1 = a1.at[k];
        const float v2 = v0 + v1;
        part_v5 = Sum::of<float>(part_v5, (v2 - v4) * (v2 - v4));
      }
    }
    const float v5 = over_row<Sum>(part_v5);
    const float v6 = 1.0f / std::sqrt(v5 / static_cast<float>(width) + 1e-05f);
    if (threadIdx.x == 0) {
      y2[row] = v4;
      y3[row] = v6;
    }
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      const int64_t s2 = layout.steps[2][layout.axes - 1];
      const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + at[2] + item * lanes * s2, s2);
      const int64_t s3 = layout.steps[3][layout.axes - 1];
      const Lanes<float, lanes> a3 = load_lanes<lanes>(x3 + at[3] + item * lanes * s3, s3);
      Lanes<float, lanes> b0;
      Lanes<float, lanes> b1;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v1 = a1.at[k];
        const float v2 = v0 + v1;
        const float v7 = (v2 - v4) * v6;
        const float v8 = a2.at[k];
        const float v9 = v7 * v8;
        const float v10 = a3.at[k];
        const float v11 = v9 + v10;
        b0.at[k] = v2;
        b1.at[k] = v11;
      }
      store_lanes(y0 + row * width + item * lanes, b0);
      store_lanes(y1 + row * width + item * lanes, b1);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) layer_norm_of_residual(const float* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, const float* __restrict__ x3, float* __restrict__ y0, float* __restrict__ y1, float* __restrict__ y2, float* __restrict__ y3, const Layout layout) {
  layer_norm_of_residual_rows<1>(x0, x1, x2, x3, y0, y1, y2, y3, layout);
}
extern "C" __global__ void __launch_bounds__(512) layer_norm_of_residual_lanes(const float* __restrict__ x0, const float* __restrict__ x1, const float* __restrict__ x2, const float* __restrict__ x3, float* __restrict__ y0, float* __restrict__ y1, float* __restrict__ y2, float* __restrict__ y3, const Layout layout) {
  layer_norm_of_residual_rows<4>(x0, x1, x2, x3, y0, y1, y2, y3, layout);
}

template <int lanes>
__device__ void plain_layer_norm_rows(const float* __restrict__ x0, float* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[1];
    find_row_offsets(at, layout, row);
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
    const float v4 = 1.0f / std::sqrt(v3 / static_cast<float>(width) + 1e-05f);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      Lanes<float, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v5 = (v0 - v2) * v4;
        const float v6 = v5;
        const float v7 = v6;
        const float v8 = v7 < 0.0f ? 0.0f : v7;
        b0.at[k] = v8;
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) plain_layer_norm(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  plain_layer_norm_rows<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) plain_layer_norm_lanes(const float* __restrict__ x0, float* __restrict__ y0, const Layout layout) {
  plain_layer_norm_rows<4>(x0, y0, layout);
}

template <int lanes>
__device__ void rms_norm_rows(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[2];
    find_row_offsets(at, layout, row);
    float part_v2 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v1 = v0 * v0;
        part_v2 = Sum::of<float>(part_v2, v1);
      }
    }
    const float v2 = over_row<Sum>(part_v2);
    const float v3 = v2 / static_cast<float>(width);
    const float v4 = v3 + 1e-06f;
    const float v5 = std::sqrt(v4);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      Lanes<float, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v6 = v0 / v5;
        const float v7 = a1.at[k];
        const float v8 = v6 * v7;
        b0.at[k] = v8;
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) rms_norm(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  rms_norm_rows<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) rms_norm_lanes(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  rms_norm_rows<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void softmax_of_masked_scores_rows(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[2];
    find_row_offsets(at, layout, row);
    float part_v4 = Largest::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v1 = v0 * 0.125f;
        const float v2 = a1.at[k];
        const float v3 = v1 + v2;
        part_v4 = Largest::of<float>(part_v4, v3);
      }
    }
    const float v4 = over_row<Largest>(part_v4);
    float part_v5 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v1 = v0 * 0.125f;
        const float v2 = a1.at[k];
        const float v3 = v1 + v2;
        part_v5 = Sum::of<float>(part_v5, float_exp(v3 - v4));
      }
    }
    const float v5 = over_row<Sum>(part_v5);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      Lanes<float, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = a0.at[k];
        const float v1 = v0 * 0.125f;
        const float v2 = a1.at[k];
        const float v3 = v1 + v2;
        const float v6 = float_exp(v3 - v4) / v5;
        b0.at[k] = v6;
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) softmax_of_masked_scores(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  softmax_of_masked_scores_rows<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) softmax_of_masked_scores_lanes(const float* __restrict__ x0, const float* __restrict__ x1, float* __restrict__ y0, const Layout layout) {
  softmax_of_masked_scores_rows<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void softmax_of_numbers_rows(float* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    float part_v1 = Largest::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = 0.5f;
        part_v1 = Largest::of<float>(part_v1, v0);
      }
    }
    const float v1 = over_row<Largest>(part_v1);
    float part_v2 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = 0.5f;
        part_v2 = Sum::of<float>(part_v2, float_exp(v0 - v1));
      }
    }
    const float v2 = over_row<Sum>(part_v2);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      Lanes<float, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = 0.5f;
        const float v3 = float_exp(v0 - v1) / v2;
        b0.at[k] = v3;
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) softmax_of_numbers(float* __restrict__ y0, const Layout layout) {
  softmax_of_numbers_rows<1>(y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) softmax_of_numbers_lanes(float* __restrict__ y0, const Layout layout) {
  softmax_of_numbers_rows<4>(y0, layout);
}

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

template <int lanes>
__device__ void layer_norm_of_residual_double_rows(const double* __restrict__ x0, const double* __restrict__ x1, const double* __restrict__ x2, const double* __restrict__ x3, double* __restrict__ y0, double* __restrict__ y1, double* __restrict__ y2, double* __restrict__ y3, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[4];
    find_row_offsets(at, layout, row);
    double part_v3 = Sum::start<double>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<double, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        const double v1 = a1.at[k];
        const double v2 = v0 + v1;
        part_v3 = Sum::of<double>(part_v3, v2);
      }
    }
    const double v3 = over_row<Sum>(part_v3);
    const double v4 = v3 / static_cast<double>(width);
    double part_v5 = Sum::start<double>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<double, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        const double v1 = a1.at[k];
        const double v2 = v0 + v1;
        part_v5 = Sum::of<double>(part_v5, (v2 - v4) * (v2 - v4));
      }
    }
    const double v5 = over_row<Sum>(part_v5);
    const double v6 = 1.0 / std::sqrt(v5 / static_cast<double>(width) + 1e-05);
    if (threadIdx.x == 0) {
      y2[row] = v4;
      y3[row] = v6;
    }
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<double, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      const int64_t s2 = layout.steps[2][layout.axes - 1];
      const Lanes<double, lanes> a2 = load_lanes<lanes>(x2 + at[2] + item * lanes * s2, s2);
      const int64_t s3 = layout.steps[3][layout.axes - 1];
      const Lanes<double, lanes> a3 = load_lanes<lanes>(x3 + at[3] + item * lanes * s3, s3);
      Lanes<double, lanes> b0;
      Lanes<double, lanes> b1;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        const double v1 = a1.at[k];
        const double v2 = v0 + v1;
        const double v7 = (v2 - v4) * v6;
        const double v8 = a2.at[k];
        const double v9 = v7 * v8;
        const double v10 = a3.at[k];
        const double v11 = v9 + v10;
        b0.at[k] = v2;
        b1.at[k] = v11;
      }
      store_lanes(y0 + row * width + item * lanes, b0);
      store_lanes(y1 + row * width + item * lanes, b1);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) layer_norm_of_residual_double(const double* __restrict__ x0, const double* __restrict__ x1, const double* __restrict__ x2, const double* __restrict__ x3, double* __restrict__ y0, double* __restrict__ y1, double* __restrict__ y2, double* __restrict__ y3, const Layout layout) {
  layer_norm_of_residual_double_rows<1>(x0, x1, x2, x3, y0, y1, y2, y3, layout);
}
extern "C" __global__ void __launch_bounds__(512) layer_norm_of_residual_double_lanes(const double* __restrict__ x0, const double* __restrict__ x1, const double* __restrict__ x2, const double* __restrict__ x3, double* __restrict__ y0, double* __restrict__ y1, double* __restrict__ y2, double* __restrict__ y3, const Layout layout) {
  layer_norm_of_residual_double_rows<4>(x0, x1, x2, x3, y0, y1, y2, y3, layout);
}

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

template <int lanes>
__device__ void rms_norm_double_rows(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[2];
    find_row_offsets(at, layout, row);
    double part_v2 = Sum::start<double>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        const double v1 = v0 * v0;
        part_v2 = Sum::of<double>(part_v2, v1);
      }
    }
    const double v2 = over_row<Sum>(part_v2);
    const double v3 = v2 / static_cast<double>(width);
    const double v4 = v3 + 1e-06;
    const double v5 = std::sqrt(v4);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<double, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      Lanes<double, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        const double v6 = v0 / v5;
        const double v7 = a1.at[k];
        const double v8 = v6 * v7;
        b0.at[k] = v8;
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) rms_norm_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0, const Layout layout) {
  rms_norm_double_rows<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) rms_norm_double_lanes(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0, const Layout layout) {
  rms_norm_double_rows<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void softmax_of_masked_scores_double_rows(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[2];
    find_row_offsets(at, layout, row);
    double part_v4 = Largest::start<double>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<double, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        const double v1 = v0 * 0.125;
        const double v2 = a1.at[k];
        const double v3 = v1 + v2;
        part_v4 = Largest::of<double>(part_v4, v3);
      }
    }
    const double v4 = over_row<Largest>(part_v4);
    double part_v5 = Sum::start<double>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<double, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        const double v1 = v0 * 0.125;
        const double v2 = a1.at[k];
        const double v3 = v1 + v2;
        part_v5 = Sum::of<double>(part_v5, std::exp(v3 - v4));
      }
    }
    const double v5 = over_row<Sum>(part_v5);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<double, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      Lanes<double, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const double v0 = a0.at[k];
        const double v1 = v0 * 0.125;
        const double v2 = a1.at[k];
        const double v3 = v1 + v2;
        const double v6 = std::exp(v3 - v4) / v5;
        b0.at[k] = v6;
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) softmax_of_masked_scores_double(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0, const Layout layout) {
  softmax_of_masked_scores_double_rows<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) softmax_of_masked_scores_double_lanes(const double* __restrict__ x0, const double* __restrict__ x1, double* __restrict__ y0, const Layout layout) {
  softmax_of_masked_scores_double_rows<4>(x0, x1, y0, layout);
}

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

template <int lanes>
__device__ void gradient_of_softmax_bfloat_rows(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[2];
    find_row_offsets(at, layout, row);
    float part_v2 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v1 = number(a1.at[k]);
        part_v2 = Sum::of<float>(part_v2, v0 * v1);
      }
    }
    const float v2 = over_row<Sum>(part_v2);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      Lanes<BFloat16, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v1 = number(a1.at[k]);
        const float v3 = v1 * (v0 - v2);
        const float v4 = rounded<BFloat16>(v3);
        const float v5 = v4 * 0.5f;
        const float v6 = rounded<BFloat16>(v5);
        b0.at[k] = Element<BFloat16>::of(v6);
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) gradient_of_softmax_bfloat(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, const Layout layout) {
  gradient_of_softmax_bfloat_rows<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) gradient_of_softmax_bfloat_lanes(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, const Layout layout) {
  gradient_of_softmax_bfloat_rows<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void layer_norm_of_residual_bfloat_rows(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, const BFloat16* __restrict__ x2, const BFloat16* __restrict__ x3, BFloat16* __restrict__ y0, BFloat16* __restrict__ y1, BFloat16* __restrict__ y2, BFloat16* __restrict__ y3, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[4];
    find_row_offsets(at, layout, row);
    float part_v4 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v1 = number(a1.at[k]);
        const float v2 = v0 + v1;
        const float v3 = rounded<BFloat16>(v2);
        part_v4 = Sum::of<float>(part_v4, v3);
      }
    }
    const float v4 = over_row<Sum>(part_v4);
    const float v5 = v4 / static_cast<float>(width);
    const float v14 = rounded<BFloat16>(v5);
    float part_v6 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v1 = number(a1.at[k]);
        const float v2 = v0 + v1;
        const float v3 = rounded<BFloat16>(v2);
        part_v6 = Sum::of<float>(part_v6, (v3 - v5) * (v3 - v5));
      }
    }
    const float v6 = over_row<Sum>(part_v6);
    const float v7 = 1.0f / std::sqrt(v6 / static_cast<float>(width) + 1e-05f);
    const float v15 = rounded<BFloat16>(v7);
    if (threadIdx.x == 0) {
      y2[row] = Element<BFloat16>::of(v14);
      y3[row] = Element<BFloat16>::of(v15);
    }
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      const int64_t s2 = layout.steps[2][layout.axes - 1];
      const Lanes<BFloat16, lanes> a2 = load_lanes<lanes>(x2 + at[2] + item * lanes * s2, s2);
      const int64_t s3 = layout.steps[3][layout.axes - 1];
      const Lanes<BFloat16, lanes> a3 = load_lanes<lanes>(x3 + at[3] + item * lanes * s3, s3);
      Lanes<BFloat16, lanes> b0;
      Lanes<BFloat16, lanes> b1;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v1 = number(a1.at[k]);
        const float v2 = v0 + v1;
        const float v3 = rounded<BFloat16>(v2);
        const float v8 = (v3 - v5) * v7;
        const float v9 = number(a2.at[k]);
        const float v10 = v8 * v9;
        const float v11 = number(a3.at[k]);
        const float v12 = v10 + v11;
        const float v13 = rounded<BFloat16>(v12);
        b0.at[k] = Element<BFloat16>::of(v3);
        b1.at[k] = Element<BFloat16>::of(v13);
      }
      store_lanes(y0 + row * width + item * lanes, b0);
      store_lanes(y1 + row * width + item * lanes, b1);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) layer_norm_of_residual_bfloat(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, const BFloat16* __restrict__ x2, const BFloat16* __restrict__ x3, BFloat16* __restrict__ y0, BFloat16* __restrict__ y1, BFloat16* __restrict__ y2, BFloat16* __restrict__ y3, const Layout layout) {
  layer_norm_of_residual_bfloat_rows<1>(x0, x1, x2, x3, y0, y1, y2, y3, layout);
}
extern "C" __global__ void __launch_bounds__(512) layer_norm_of_residual_bfloat_lanes(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, const BFloat16* __restrict__ x2, const BFloat16* __restrict__ x3, BFloat16* __restrict__ y0, BFloat16* __restrict__ y1, BFloat16* __restrict__ y2, BFloat16* __restrict__ y3, const Layout layout) {
  layer_norm_of_residual_bfloat_rows<4>(x0, x1, x2, x3, y0, y1, y2, y3, layout);
}

template <int lanes>
__device__ void plain_layer_norm_bfloat_rows(const BFloat16* __restrict__ x0, BFloat16* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[1];
    find_row_offsets(at, layout, row);
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
    const float v9 = rounded<BFloat16>(v2);
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
    const float v4 = 1.0f / std::sqrt(v3 / static_cast<float>(width) + 1e-05f);
    const float v10 = rounded<BFloat16>(v4);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      Lanes<BFloat16, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v5 = (v0 - v2) * v4;
        const float v6 = v5;
        const float v7 = v6;
        const float v8 = rounded<BFloat16>(v7);
        const float v11 = v8 < 0.0f ? 0.0f : v8;
        const float v12 = rounded<BFloat16>(v11);
        b0.at[k] = Element<BFloat16>::of(v12);
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) plain_layer_norm_bfloat(const BFloat16* __restrict__ x0, BFloat16* __restrict__ y0, const Layout layout) {
  plain_layer_norm_bfloat_rows<1>(x0, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) plain_layer_norm_bfloat_lanes(const BFloat16* __restrict__ x0, BFloat16* __restrict__ y0, const Layout layout) {
  plain_layer_norm_bfloat_rows<4>(x0, y0, layout);
}

template <int lanes>
__device__ void rms_norm_bfloat_rows(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[2];
    find_row_offsets(at, layout, row);
    float part_v3 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v1 = v0 * v0;
        const float v2 = rounded<BFloat16>(v1);
        part_v3 = Sum::of<float>(part_v3, v2);
      }
    }
    const float v3 = over_row<Sum>(part_v3);
    const float v4 = v3 / static_cast<float>(width);
    const float v5 = rounded<BFloat16>(v4);
    const float v6 = v5 + 1e-06f;
    const float v7 = rounded<BFloat16>(v6);
    const float v8 = std::sqrt(v7);
    const float v9 = rounded<BFloat16>(v8);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      Lanes<BFloat16, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v10 = v0 / v9;
        const float v11 = rounded<BFloat16>(v10);
        const float v12 = number(a1.at[k]);
        const float v13 = v11 * v12;
        const float v14 = rounded<BFloat16>(v13);
        b0.at[k] = Element<BFloat16>::of(v14);
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) rms_norm_bfloat(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, const Layout layout) {
  rms_norm_bfloat_rows<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) rms_norm_bfloat_lanes(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, const Layout layout) {
  rms_norm_bfloat_rows<4>(x0, x1, y0, layout);
}

template <int lanes>
__device__ void softmax_of_masked_scores_bfloat_rows(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, const Layout& layout) {
  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;
  const int64_t rows = layout.count / width;
  for (int64_t row = first_row(); row < rows; row += row_step()) {
    int64_t at[2];
    find_row_offsets(at, layout, row);
    float part_v6 = Largest::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v1 = v0 * 0.125f;
        const float v2 = rounded<BFloat16>(v1);
        const float v3 = number(a1.at[k]);
        const float v4 = v2 + v3;
        const float v5 = rounded<BFloat16>(v4);
        part_v6 = Largest::of<float>(part_v6, v5);
      }
    }
    const float v6 = over_row<Largest>(part_v6);
    float part_v7 = Sum::start<float>();
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v1 = v0 * 0.125f;
        const float v2 = rounded<BFloat16>(v1);
        const float v3 = number(a1.at[k]);
        const float v4 = v2 + v3;
        const float v5 = rounded<BFloat16>(v4);
        part_v7 = Sum::of<float>(part_v7, float_exp(v5 - v6));
      }
    }
    const float v7 = over_row<Sum>(part_v7);
    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {
      const int64_t s0 = layout.steps[0][layout.axes - 1];
      const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + at[0] + item * lanes * s0, s0);
      const int64_t s1 = layout.steps[1][layout.axes - 1];
      const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + at[1] + item * lanes * s1, s1);
      Lanes<BFloat16, lanes> b0;
#pragma unroll
      for (int k = 0; k < lanes; ++k) {
        const float v0 = number(a0.at[k]);
        const float v1 = v0 * 0.125f;
        const float v2 = rounded<BFloat16>(v1);
        const float v3 = number(a1.at[k]);
        const float v4 = v2 + v3;
        const float v5 = rounded<BFloat16>(v4);
        const float v8 = float_exp(v5 - v6) / v7;
        const float v9 = rounded<BFloat16>(v8);
        b0.at[k] = Element<BFloat16>::of(v9);
      }
      store_lanes(y0 + row * width + item * lanes, b0);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) softmax_of_masked_scores_bfloat(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, const Layout layout) {
  softmax_of_masked_scores_bfloat_rows<1>(x0, x1, y0, layout);
}
extern "C" __global__ void __launch_bounds__(512) softmax_of_masked_scores_bfloat_lanes(const BFloat16* __restrict__ x0, const BFloat16* __restrict__ x1, BFloat16* __restrict__ y0, const Layout layout) {
  softmax_of_masked_scores_bfloat_rows<4>(x0, x1, y0, layout);
}

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
