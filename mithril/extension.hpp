// What authors of ops, optimizers and backends need beside mithril/mithril.hpp: records, what their
// functions get, checks of records, and plugins.
#pragma once
#include "mithril/backend/backend.hpp"
#include "mithril/backend/plugin.hpp"
#include "mithril/check/check_op.hpp"
#include "mithril/graph/grad_context.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/op/solver.hpp"
#include "mithril/op/spelling.hpp"
#include "mithril/optim/update_rule.hpp"
