// Derivatives as parts: gradients, products with Jacobians and Hessians.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril {

// The gradients of `of` with respect to each of `wrt`, with their shapes: those of the sum of of *
// seed. Without a seed `of` must be a scalar (ShapeError E0206). All paths of the model from `wrt`
// to `of` count; zeros where there is none. The results are connections like others: they may be
// differentiated again. Example, u'' of a network:
//   const Connection u = net(x), du = gradient(u, x, 1.0), ddu = gradient(du, x, 1.0);
std::vector<Connection> gradient(const Connection& of, const std::vector<Connection>& wrt,
                                 const std::optional<Binding>& seed = {});
Connection gradient(const Connection& of, const Connection& wrt,
                    const std::optional<Binding>& seed = {});

// The derivative of `of` in the direction `tangents`, one for each of `wrt` and of its shape: the
// Jacobian times them. ValueError E0402 for another number of tangents, ShapeError for another
// shape. docs/derivatives.md says what it costs.
Connection jvp(const Connection& of, const std::vector<Connection>& wrt,
               const std::vector<Binding>& tangents);

// The Hessian of the scalar `of` with respect to `wrt`, times `vectors` of their shapes. Errors as
// those of jvp.
std::vector<Connection> hvp(const Connection& of, const std::vector<Connection>& wrt,
                            const std::vector<Binding>& vectors);

// The Jacobian, [dims of `of`, dims of `wrt`]. In reverse mode a gradient for each element of `of`,
// in forward mode a jvp for each element of `wrt`; all are computed at once (vmap.hpp).
enum class JacobianMode : std::uint8_t { reverse, forward };
Connection jacobian(const Connection& of, const Connection& wrt,
                    JacobianMode mode = JacobianMode::reverse);
std::vector<Connection> jacobian(const Connection& of, const std::vector<Connection>& wrt,
                                 JacobianMode mode = JacobianMode::reverse);

// The Hessian of the scalar `of`, [dims of `wrt`, dims of `wrt`]: a product with it for each
// element of `wrt`, all at once.
Connection hessian(const Connection& of, const Connection& wrt);

// The output and the inputs of a derivative.
struct DerivativeOptions {
  std::string of;                // an output
  std::vector<std::string> wrt;  // inputs, with the wildcards * and ? of any characters
};

// A model with the ports of `model`, which becomes its part, and an output "<key>.grad" for each
// key of `wrt`. An output `of` that is not a scalar has an input "<of>.grad", the incoming
// gradient. NameError E0606 for an output that does not exist, E0623 for a key or a pattern without
// a match. Paths outside the model do not count.
Model Gradient(const Model& model, const DerivativeOptions& options);
// The same with an input "<key>.tangent" for each key of `wrt` and the output "<of>.tangent".
Model Jvp(const Model& model, const DerivativeOptions& options);
// The same with an input "<key>.tangent" and an output "<key>.hvp" for each key of `wrt`. `of` must
// be a scalar.
Model Hvp(const Model& model, const DerivativeOptions& options);
// The same with an output "<key>.jacobian" for each key of `wrt`, [dims of `of`, dims of the key].
Model Jacobian(const Model& model, const DerivativeOptions& options,
               JacobianMode mode = JacobianMode::reverse);
// The same with an output "<key>.hessian" for each key of `wrt`, [dims of the key, dims of the
// key], and with "<key>.<other>.hessian" for each pair of different keys, [dims of the key, dims of
// the other]. `of` must be a scalar.
Model Hessian(const Model& model, const DerivativeOptions& options);

}  // namespace mithril
