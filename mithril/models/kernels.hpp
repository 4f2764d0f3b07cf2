// Kernels (similarities of the rows of two matrices), and models with a linear layer over them.
#pragma once
#include <string>

#include "mithril/models/part_argument.hpp"

namespace mithril {

// l_scale² exp(-|x - y|² / (2 sigma²)) for all pairs of rows. Ports: input1 [N, D], input2 [M, D],
// l_scale [1], sigma [1], output [N, M].
Model RBFKernel();

struct PolynomialKernelOptions {
  bool robust = true;  // the power is the robust one
};
// (x . y + poly_coef) ** degree for all pairs of rows. Ports: input1 [N, D], input2 [M, D],
// poly_coef, degree, output [N, M].
Model PolynomialKernel(const PolynomialKernelOptions& options = {});

struct KernelizedSVMOptions {
  PartArgument kernel;  // a model of two or more inputs and one output
};
// A linear layer with one output, applied to a kernel matrix. Ports: the ports of the kernel,
// weight [1, M], bias [1], kernel [N, M], output [N, 1].
Model KernelizedSVM(const KernelizedSVMOptions& options);

}  // namespace mithril
