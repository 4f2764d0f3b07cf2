template <int lanes>
__device__ void adam_batch(const Batch& batch) {
  const Share share = share_of_block(batch);
  const float* const x0 = pointer_of<const float>(batch, share.tensor, 0);
  const float* const x1 = pointer_of<const float>(batch, share.tensor, 1);
  const float* const x2 = pointer_of<const float>(batch, share.tensor, 2);
  const float* const x3 = pointer_of<const float>(batch, share.tensor, 3);
  const float* const x4 = pointer_of<const float>(batch, share.tensor, 4);
  const float* const x5 = pointer_of<const float>(batch, share.tensor, 5);
  float* const y0 = pointer_of<float>(batch, share.tensor, 6);
  float* const y1 = pointer_of<float>(batch, share.tensor, 7);
  float* const y2 = pointer_of<float>(batch, share.tensor, 8);
  const int64_t items = share.end / lanes;
  for (int64_t item = share.first / lanes + threadIdx.x; item < items; item += blockDim.x) {
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + item * lanes * batch.steps[0], batch.steps[0]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + item * lanes * batch.steps[1], batch.steps[1]);
    const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + item * lanes * batch.steps[2], batch.steps[2]);
    const Lanes<float, lanes> a3 = load_lanes<lanes>(x3 + item * lanes * batch.steps[3], batch.steps[3]);
    const Lanes<float, lanes> a4 = load_lanes<lanes>(x4 + item * lanes * batch.steps[4], batch.steps[4]);
    const Lanes<float, lanes> a5 = load_lanes<lanes>(x5 + item * lanes * batch.steps[5], batch.steps[5]);
    Lanes<float, lanes> b0;
    Lanes<float, lanes> b1;
    Lanes<float, lanes> b2;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v5 = a2.at[k];
      const float v10 = a3.at[k];
      const float v13 = a4.at[k];
      const float v17 = a5.at[k];
      const float v2 = v0 - v1;
      const float v3 = v2 * 0.1f;
      const float v4 = v1 + v3;
      const float v6 = v5 * 0.999f;
      const float v7 = v0 * 0.001f;
      const float v8 = v7 * v0;
      const float v9 = v6 + v8;
      const float v11 = v4 * v10;
      const float v12 = std::sqrt(v9);
      const float v14 = v12 * v13;
      const float v15 = v14 + 1e-08f;
      const float v16 = v11 / v15;
      const float v18 = v17 - v16;
      b0.at[k] = v18;
      b1.at[k] = v4;
      b2.at[k] = v9;
    }
    store_lanes(y0 + item * lanes, b0);
    store_lanes(y1 + item * lanes, b1);
    store_lanes(y2 + item * lanes, b2);
  }
}
extern "C" __global__ void __launch_bounds__(256) adam(const Batch batch) {
  adam_batch<1>(batch);
}
extern "C" __global__ void __launch_bounds__(256) adam_lanes(const Batch batch) {
  adam_batch<4>(batch);
}

template <int lanes>
__device__ void adam_half_batch(const Batch& batch) {
  const Share share = share_of_block(batch);
  const Half* const x0 = pointer_of<const Half>(batch, share.tensor, 0);
  const Half* const x1 = pointer_of<const Half>(batch, share.tensor, 1);
  const float* const x2 = pointer_of<const float>(batch, share.tensor, 2);
  const float* const x3 = pointer_of<const float>(batch, share.tensor, 3);
  const float* const x4 = pointer_of<const float>(batch, share.tensor, 4);
  const float* const x5 = pointer_of<const float>(batch, share.tensor, 5);
  Half* const y0 = pointer_of<Half>(batch, share.tensor, 6);
  float* const y1 = pointer_of<float>(batch, share.tensor, 7);
  float* const y2 = pointer_of<float>(batch, share.tensor, 8);
  const int64_t items = share.end / lanes;
  for (int64_t item = share.first / lanes + threadIdx.x; item < items; item += blockDim.x) {
    const Lanes<Half, lanes> a0 = load_lanes<lanes>(x0 + item * lanes * batch.steps[0], batch.steps[0]);
    const Lanes<Half, lanes> a1 = load_lanes<lanes>(x1 + item * lanes * batch.steps[1], batch.steps[1]);
    const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + item * lanes * batch.steps[2], batch.steps[2]);
    const Lanes<float, lanes> a3 = load_lanes<lanes>(x3 + item * lanes * batch.steps[3], batch.steps[3]);
    const Lanes<float, lanes> a4 = load_lanes<lanes>(x4 + item * lanes * batch.steps[4], batch.steps[4]);
    const Lanes<float, lanes> a5 = load_lanes<lanes>(x5 + item * lanes * batch.steps[5], batch.steps[5]);
    Lanes<Half, lanes> b0;
    Lanes<float, lanes> b1;
    Lanes<float, lanes> b2;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = number(a0.at[k]);
      const float v2 = number(a1.at[k]);
      const float v6 = a2.at[k];
      const float v10 = a3.at[k];
      const float v15 = a4.at[k];
      const float v18 = a5.at[k];
      const float v1 = v0;
      const float v3 = v2;
      const float v4 = v1 * 0.01f;
      const float v5 = v3 + v4;
      const float v7 = v5 - v6;
      const float v8 = v7 * 0.1f;
      const float v9 = v6 + v8;
      const float v11 = v10 * 0.999f;
      const float v12 = v5 * 0.001f;
      const float v13 = v12 * v5;
      const float v14 = v11 + v13;
      const float v16 = v9 * v15;
      const float v17 = std::sqrt(v14);
      const float v19 = v17 * v18;
      const float v20 = v19 + 1e-08f;
      const float v21 = v16 / v20;
      const float v22 = v1 - v21;
      const float v23 = rounded<Half>(v22);
      b0.at[k] = Element<Half>::of(v23);
      b1.at[k] = v9;
      b2.at[k] = v14;
    }
    store_lanes(y0 + item * lanes, b0);
    store_lanes(y1 + item * lanes, b1);
    store_lanes(y2 + item * lanes, b2);
  }
}
extern "C" __global__ void __launch_bounds__(256) adam_half(const Batch batch) {
  adam_half_batch<1>(batch);
}
extern "C" __global__ void __launch_bounds__(256) adam_half_lanes(const Batch batch) {
  adam_half_batch<4>(batch);
}

template <int lanes>
__device__ void adam_w_batch(const Batch& batch) {
  const Share share = share_of_block(batch);
  const float* const x0 = pointer_of<const float>(batch, share.tensor, 0);
  const float* const x1 = pointer_of<const float>(batch, share.tensor, 1);
  const float* const x2 = pointer_of<const float>(batch, share.tensor, 2);
  const float* const x3 = pointer_of<const float>(batch, share.tensor, 3);
  const float* const x4 = pointer_of<const float>(batch, share.tensor, 4);
  const float* const x5 = pointer_of<const float>(batch, share.tensor, 5);
  const float* const x6 = pointer_of<const float>(batch, share.tensor, 6);
  float* const y0 = pointer_of<float>(batch, share.tensor, 7);
  float* const y1 = pointer_of<float>(batch, share.tensor, 8);
  float* const y2 = pointer_of<float>(batch, share.tensor, 9);
  const int64_t items = share.end / lanes;
  for (int64_t item = share.first / lanes + threadIdx.x; item < items; item += blockDim.x) {
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + item * lanes * batch.steps[0], batch.steps[0]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + item * lanes * batch.steps[1], batch.steps[1]);
    const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + item * lanes * batch.steps[2], batch.steps[2]);
    const Lanes<float, lanes> a3 = load_lanes<lanes>(x3 + item * lanes * batch.steps[3], batch.steps[3]);
    const Lanes<float, lanes> a4 = load_lanes<lanes>(x4 + item * lanes * batch.steps[4], batch.steps[4]);
    const Lanes<float, lanes> a5 = load_lanes<lanes>(x5 + item * lanes * batch.steps[5], batch.steps[5]);
    const Lanes<float, lanes> a6 = load_lanes<lanes>(x6 + item * lanes * batch.steps[6], batch.steps[6]);
    Lanes<float, lanes> b0;
    Lanes<float, lanes> b1;
    Lanes<float, lanes> b2;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v1 = a1.at[k];
      const float v3 = a2.at[k];
      const float v4 = a3.at[k];
      const float v8 = a4.at[k];
      const float v13 = a5.at[k];
      const float v16 = a6.at[k];
      const float v2 = v0 * v1;
      const float v5 = v3 - v4;
      const float v6 = v5 * 0.1f;
      const float v7 = v4 + v6;
      const float v9 = v8 * 0.999f;
      const float v10 = v3 * 0.001f;
      const float v11 = v10 * v3;
      const float v12 = v9 + v11;
      const float v14 = v7 * v13;
      const float v15 = std::sqrt(v12);
      const float v17 = v15 * v16;
      const float v18 = v17 + 1e-08f;
      const float v19 = v14 / v18;
      const float v20 = v2 - v19;
      b0.at[k] = v20;
      b1.at[k] = v7;
      b2.at[k] = v12;
    }
    store_lanes(y0 + item * lanes, b0);
    store_lanes(y1 + item * lanes, b1);
    store_lanes(y2 + item * lanes, b2);
  }
}
extern "C" __global__ void __launch_bounds__(256) adam_w(const Batch batch) {
  adam_w_batch<1>(batch);
}
extern "C" __global__ void __launch_bounds__(256) adam_w_lanes(const Batch batch) {
  adam_w_batch<4>(batch);
}

template <int lanes>
__device__ void adam_w_double_batch(const Batch& batch) {
  const Share share = share_of_block(batch);
  const double* const x0 = pointer_of<const double>(batch, share.tensor, 0);
  const double* const x1 = pointer_of<const double>(batch, share.tensor, 1);
  const double* const x2 = pointer_of<const double>(batch, share.tensor, 2);
  const double* const x3 = pointer_of<const double>(batch, share.tensor, 3);
  const double* const x4 = pointer_of<const double>(batch, share.tensor, 4);
  const double* const x5 = pointer_of<const double>(batch, share.tensor, 5);
  const double* const x6 = pointer_of<const double>(batch, share.tensor, 6);
  double* const y0 = pointer_of<double>(batch, share.tensor, 7);
  double* const y1 = pointer_of<double>(batch, share.tensor, 8);
  double* const y2 = pointer_of<double>(batch, share.tensor, 9);
  const int64_t items = share.end / lanes;
  for (int64_t item = share.first / lanes + threadIdx.x; item < items; item += blockDim.x) {
    const Lanes<double, lanes> a0 = load_lanes<lanes>(x0 + item * lanes * batch.steps[0], batch.steps[0]);
    const Lanes<double, lanes> a1 = load_lanes<lanes>(x1 + item * lanes * batch.steps[1], batch.steps[1]);
    const Lanes<double, lanes> a2 = load_lanes<lanes>(x2 + item * lanes * batch.steps[2], batch.steps[2]);
    const Lanes<double, lanes> a3 = load_lanes<lanes>(x3 + item * lanes * batch.steps[3], batch.steps[3]);
    const Lanes<double, lanes> a4 = load_lanes<lanes>(x4 + item * lanes * batch.steps[4], batch.steps[4]);
    const Lanes<double, lanes> a5 = load_lanes<lanes>(x5 + item * lanes * batch.steps[5], batch.steps[5]);
    const Lanes<double, lanes> a6 = load_lanes<lanes>(x6 + item * lanes * batch.steps[6], batch.steps[6]);
    Lanes<double, lanes> b0;
    Lanes<double, lanes> b1;
    Lanes<double, lanes> b2;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const double v0 = a0.at[k];
      const double v1 = a1.at[k];
      const double v3 = a2.at[k];
      const double v4 = a3.at[k];
      const double v8 = a4.at[k];
      const double v13 = a5.at[k];
      const double v16 = a6.at[k];
      const double v2 = v0 * v1;
      const double v5 = v3 - v4;
      const double v6 = v5 * 0.09999999999999998;
      const double v7 = v4 + v6;
      const double v9 = v8 * 0.999;
      const double v10 = v3 * 0.0010000000000000009;
      const double v11 = v10 * v3;
      const double v12 = v9 + v11;
      const double v14 = v7 * v13;
      const double v15 = std::sqrt(v12);
      const double v17 = v15 * v16;
      const double v18 = v17 + 1e-08;
      const double v19 = v14 / v18;
      const double v20 = v2 - v19;
      b0.at[k] = v20;
      b1.at[k] = v7;
      b2.at[k] = v12;
    }
    store_lanes(y0 + item * lanes, b0);
    store_lanes(y1 + item * lanes, b1);
    store_lanes(y2 + item * lanes, b2);
  }
}
extern "C" __global__ void __launch_bounds__(256) adam_w_double(const Batch batch) {
  adam_w_double_batch<1>(batch);
}
extern "C" __global__ void __launch_bounds__(256) adam_w_double_lanes(const Batch batch) {
  adam_w_double_batch<4>(batch);
}

template <int lanes>
__device__ void adam_w_bfloat_batch(const Batch& batch) {
  const Share share = share_of_block(batch);
  const BFloat16* const x0 = pointer_of<const BFloat16>(batch, share.tensor, 0);
  const BFloat16* const x1 = pointer_of<const BFloat16>(batch, share.tensor, 1);
  const float* const x2 = pointer_of<const float>(batch, share.tensor, 2);
  const float* const x3 = pointer_of<const float>(batch, share.tensor, 3);
  const float* const x4 = pointer_of<const float>(batch, share.tensor, 4);
  const float* const x5 = pointer_of<const float>(batch, share.tensor, 5);
  const float* const x6 = pointer_of<const float>(batch, share.tensor, 6);
  BFloat16* const y0 = pointer_of<BFloat16>(batch, share.tensor, 7);
  float* const y1 = pointer_of<float>(batch, share.tensor, 8);
  float* const y2 = pointer_of<float>(batch, share.tensor, 9);
  const int64_t items = share.end / lanes;
  for (int64_t item = share.first / lanes + threadIdx.x; item < items; item += blockDim.x) {
    const Lanes<BFloat16, lanes> a0 = load_lanes<lanes>(x0 + item * lanes * batch.steps[0], batch.steps[0]);
    const Lanes<BFloat16, lanes> a1 = load_lanes<lanes>(x1 + item * lanes * batch.steps[1], batch.steps[1]);
    const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + item * lanes * batch.steps[2], batch.steps[2]);
    const Lanes<float, lanes> a3 = load_lanes<lanes>(x3 + item * lanes * batch.steps[3], batch.steps[3]);
    const Lanes<float, lanes> a4 = load_lanes<lanes>(x4 + item * lanes * batch.steps[4], batch.steps[4]);
    const Lanes<float, lanes> a5 = load_lanes<lanes>(x5 + item * lanes * batch.steps[5], batch.steps[5]);
    const Lanes<float, lanes> a6 = load_lanes<lanes>(x6 + item * lanes * batch.steps[6], batch.steps[6]);
    Lanes<BFloat16, lanes> b0;
    Lanes<float, lanes> b1;
    Lanes<float, lanes> b2;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = number(a0.at[k]);
      const float v2 = number(a1.at[k]);
      const float v4 = a2.at[k];
      const float v6 = a3.at[k];
      const float v10 = a4.at[k];
      const float v15 = a5.at[k];
      const float v18 = a6.at[k];
      const float v1 = v0;
      const float v3 = v2;
      const float v5 = v1 * v4;
      const float v7 = v3 - v6;
      const float v8 = v7 * 0.1f;
      const float v9 = v6 + v8;
      const float v11 = v10 * 0.999f;
      const float v12 = v3 * 0.001f;
      const float v13 = v12 * v3;
      const float v14 = v11 + v13;
      const float v16 = v9 * v15;
      const float v17 = std::sqrt(v14);
      const float v19 = v17 * v18;
      const float v20 = v19 + 1e-08f;
      const float v21 = v16 / v20;
      const float v22 = v5 - v21;
      const float v23 = rounded<BFloat16>(v22);
      b0.at[k] = Element<BFloat16>::of(v23);
      b1.at[k] = v9;
      b2.at[k] = v14;
    }
    store_lanes(y0 + item * lanes, b0);
    store_lanes(y1 + item * lanes, b1);
    store_lanes(y2 + item * lanes, b2);
  }
}
extern "C" __global__ void __launch_bounds__(256) adam_w_bfloat(const Batch batch) {
  adam_w_bfloat_batch<1>(batch);
}
extern "C" __global__ void __launch_bounds__(256) adam_w_bfloat_lanes(const Batch batch) {
  adam_w_bfloat_batch<4>(batch);
}

template <int lanes>
__device__ void sgd_batch(const Batch& batch) {
  const Share share = share_of_block(batch);
  const float* const x0 = pointer_of<const float>(batch, share.tensor, 0);
  const float* const x1 = pointer_of<const float>(batch, share.tensor, 1);
  const float* const x2 = pointer_of<const float>(batch, share.tensor, 2);
  float* const y0 = pointer_of<float>(batch, share.tensor, 3);
  const int64_t items = share.end / lanes;
  for (int64_t item = share.first / lanes + threadIdx.x; item < items; item += blockDim.x) {
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + item * lanes * batch.steps[0], batch.steps[0]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + item * lanes * batch.steps[1], batch.steps[1]);
    const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + item * lanes * batch.steps[2], batch.steps[2]);
    Lanes<float, lanes> b0;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v2 = a1.at[k];
      const float v4 = a2.at[k];
      const float v1 = v0 * 0.01f;
      const float v3 = v2 + v1;
      const float v5 = v3 * v4;
      const float v6 = v0 - v5;
      b0.at[k] = v6;
    }
    store_lanes(y0 + item * lanes, b0);
  }
}
extern "C" __global__ void __launch_bounds__(256) sgd(const Batch batch) {
  sgd_batch<1>(batch);
}
extern "C" __global__ void __launch_bounds__(256) sgd_lanes(const Batch batch) {
  sgd_batch<4>(batch);
}

template <int lanes>
__device__ void sgd_momentum_batch(const Batch& batch) {
  const Share share = share_of_block(batch);
  const float* const x0 = pointer_of<const float>(batch, share.tensor, 0);
  const float* const x1 = pointer_of<const float>(batch, share.tensor, 1);
  const float* const x2 = pointer_of<const float>(batch, share.tensor, 2);
  const float* const x3 = pointer_of<const float>(batch, share.tensor, 3);
  float* const y0 = pointer_of<float>(batch, share.tensor, 4);
  float* const y1 = pointer_of<float>(batch, share.tensor, 5);
  const int64_t items = share.end / lanes;
  for (int64_t item = share.first / lanes + threadIdx.x; item < items; item += blockDim.x) {
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + item * lanes * batch.steps[0], batch.steps[0]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + item * lanes * batch.steps[1], batch.steps[1]);
    const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + item * lanes * batch.steps[2], batch.steps[2]);
    const Lanes<float, lanes> a3 = load_lanes<lanes>(x3 + item * lanes * batch.steps[3], batch.steps[3]);
    Lanes<float, lanes> b0;
    Lanes<float, lanes> b1;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v2 = a1.at[k];
      const float v4 = a2.at[k];
      const float v6 = a3.at[k];
      const float v1 = v0 * 0.9f;
      const float v3 = v1 + v2;
      const float v5 = v3 * v4;
      const float v7 = v6 - v5;
      b0.at[k] = v7;
      b1.at[k] = v3;
    }
    store_lanes(y0 + item * lanes, b0);
    store_lanes(y1 + item * lanes, b1);
  }
}
extern "C" __global__ void __launch_bounds__(256) sgd_momentum(const Batch batch) {
  sgd_momentum_batch<1>(batch);
}
extern "C" __global__ void __launch_bounds__(256) sgd_momentum_lanes(const Batch batch) {
  sgd_momentum_batch<4>(batch);
}

template <int lanes>
__device__ void sgd_nesterov_batch(const Batch& batch) {
  const Share share = share_of_block(batch);
  const float* const x0 = pointer_of<const float>(batch, share.tensor, 0);
  const float* const x1 = pointer_of<const float>(batch, share.tensor, 1);
  const float* const x2 = pointer_of<const float>(batch, share.tensor, 2);
  const float* const x3 = pointer_of<const float>(batch, share.tensor, 3);
  float* const y0 = pointer_of<float>(batch, share.tensor, 4);
  float* const y1 = pointer_of<float>(batch, share.tensor, 5);
  const int64_t items = share.end / lanes;
  for (int64_t item = share.first / lanes + threadIdx.x; item < items; item += blockDim.x) {
    const Lanes<float, lanes> a0 = load_lanes<lanes>(x0 + item * lanes * batch.steps[0], batch.steps[0]);
    const Lanes<float, lanes> a1 = load_lanes<lanes>(x1 + item * lanes * batch.steps[1], batch.steps[1]);
    const Lanes<float, lanes> a2 = load_lanes<lanes>(x2 + item * lanes * batch.steps[2], batch.steps[2]);
    const Lanes<float, lanes> a3 = load_lanes<lanes>(x3 + item * lanes * batch.steps[3], batch.steps[3]);
    Lanes<float, lanes> b0;
    Lanes<float, lanes> b1;
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const float v0 = a0.at[k];
      const float v2 = a1.at[k];
      const float v6 = a2.at[k];
      const float v8 = a3.at[k];
      const float v1 = v0 * 0.9f;
      const float v3 = v1 + v2;
      const float v4 = v3 * 0.9f;
      const float v5 = v2 + v4;
      const float v7 = v5 * v6;
      const float v9 = v8 - v7;
      b0.at[k] = v9;
      b1.at[k] = v3;
    }
    store_lanes(y0 + item * lanes, b0);
    store_lanes(y1 + item * lanes, b1);
  }
}
extern "C" __global__ void __launch_bounds__(256) sgd_nesterov(const Batch batch) {
  sgd_nesterov_batch<1>(batch);
}
extern "C" __global__ void __launch_bounds__(256) sgd_nesterov_lanes(const Batch batch) {
  sgd_nesterov_batch<4>(batch);
}
