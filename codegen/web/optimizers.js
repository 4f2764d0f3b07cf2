// Optimizers, as PyTorch defines them.
import { MithrilError } from "./basics.js";

// Of `options` and the defaults; an unknown option is an error.
function settings(name, defaults, options) {
  for (const key of Object.keys(options)) {
    if (key in defaults) continue;
    const known = Object.keys(defaults).join(", ");
    throw new MithrilError("E0802", `${name} has no option '${key}'\n  known : ${known}`, "InputError");
  }
  const chosen = { ...defaults, ...options };
  for (const [key, value] of Object.entries(chosen)) {
    if (typeof value === typeof defaults[key] && value === value) continue;
    throw new MithrilError("E0805", `${name}: ${key} is ${value}`, "InputError");
  }
  return chosen;
}

// Memory of the parameters' sizes, zeros at first.
function zerosLike(parameters) {
  const zeros = {};
  for (const [key, elements] of Object.entries(parameters))
    zeros[key] = new Float32Array(elements.length);
  return zeros;
}

export class SGD {
  #model;
  #velocities;
  #steps = 0;

  constructor(model, options = {}) {
    const defaults = {
      learningRate: 0.01, momentum: 0, dampening: 0, weightDecay: 0, nesterov: false,
    };
    Object.assign(this, settings("SGD", defaults, options));
    this.#model = model;
    this.#velocities = this.momentum === 0 ? {} : zerosLike(model.parameters);
  }

  step(gradients) {
    const parameters = this.#model.parameters;
    for (const [key, gradient] of Object.entries(gradients)) {
      if (this.momentum === 0) this.#descend(parameters[key], gradient);
      else this.#descendWithMomentum(parameters[key], gradient, this.#velocities[key]);
    }
    ++this.#steps;
  }

  #descend(parameter, gradient) {
    const { learningRate, weightDecay } = this;
    for (let i = 0; i < parameter.length; ++i)
      parameter[i] -= learningRate * (gradient[i] + weightDecay * parameter[i]);
  }

  #descendWithMomentum(parameter, gradient, velocity) {
    const { learningRate, momentum, weightDecay, nesterov } = this;
    const fresh = this.#steps === 0 ? 1 : 1 - this.dampening;
    for (let i = 0; i < parameter.length; ++i) {
      const slope = gradient[i] + weightDecay * parameter[i];
      const speed = momentum * velocity[i] + fresh * slope;
      velocity[i] = speed;
      parameter[i] -= learningRate * (nesterov ? slope + momentum * speed : speed);
    }
  }
}

export class Adam {
  #model;
  #means;
  #squares;
  #steps = 0;

  constructor(model, options = {}) {
    const defaults = {
      learningRate: 0.001, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0,
    };
    Object.assign(this, settings("Adam", defaults, options));
    this.#model = model;
    this.#means = zerosLike(model.parameters);
    this.#squares = zerosLike(model.parameters);
  }

  step(gradients) {
    const parameters = this.#model.parameters;
    ++this.#steps;
    for (const [key, gradient] of Object.entries(gradients))
      this.#update(parameters[key], gradient, this.#means[key], this.#squares[key]);
  }

  #update(parameter, gradient, mean, square) {
    const { beta1, beta2, epsilon, weightDecay } = this;
    const rate = this.learningRate / (1 - beta1 ** this.#steps);
    const scale = 1 / Math.sqrt(1 - beta2 ** this.#steps);
    for (let i = 0; i < parameter.length; ++i) {
      const slope = gradient[i] + weightDecay * parameter[i];
      const first = beta1 * mean[i] + (1 - beta1) * slope;
      const second = beta2 * square[i] + (1 - beta2) * slope * slope;
      mean[i] = first;
      square[i] = second;
      parameter[i] -= (rate * first) / (Math.sqrt(second) * scale + epsilon);
    }
  }
}
