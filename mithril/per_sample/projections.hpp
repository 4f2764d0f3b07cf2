// Random matrices that project the gradients of samples.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mithril/per_sample/per_sample_types.hpp"

namespace mithril {

// ValueError E0418 for a rank below 1, or a negative one of a pattern; NameError E0623 for a
// pattern that matches none of the keys.
void check_ranks(const ProjectionOptions& options, const std::vector<std::string>& keys);
// The rank of a parameter, which is an input of the graph; 0: the options leave it out.
std::int64_t rank_of(const ProjectionOptions& options, const std::string& key, const Graph& graph,
                     ValueId parameter);

// The ranks r and s of a matrix [rows, columns] with elements: r * s is at most `rank`, r at most
// rows, s at most columns, and both are as equal as that allows.
std::pair<std::int64_t, std::int64_t> projection_ranks(std::int64_t rows, std::int64_t columns,
                                                       std::int64_t rank);

// [rank, size], from the seed and the key ("fc1.weight left"). Gaussian and Rademacher elements
// have variance 1 / rank; orthonormal rows are those of a Gaussian matrix after Gram-Schmidt, times
// sqrt(size / rank). So the mean of |P x|^2 is |x|^2. A matrix with rank == size of any kind is the
// identity.
Tensor projection_matrix(const ProjectionOptions& options, const std::string& key,
                         std::int64_t rank, std::int64_t size, DType dtype);

}  // namespace mithril
