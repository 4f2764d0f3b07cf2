// The include for the file of an op: the record and the contexts of its functions.
#pragma once
#include "mithril/graph/grad_context.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/solver.hpp"
