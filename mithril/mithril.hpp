// Everything that a user of the library needs.
#pragma once
#include "mithril/compile/compile.hpp"
#include "mithril/models/convolution.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/embedding.hpp"
#include "mithril/models/library.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops.hpp"
#include "mithril/models/perceptron.hpp"
#include "mithril/models/pooling.hpp"
#include "mithril/optim/adam.hpp"
#include "mithril/optim/sgd.hpp"
