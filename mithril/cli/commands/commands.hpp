// The functions of commands (command.hpp). Each returns the exit status.
#pragma once

#include "mithril/cli/command.hpp"
#include "mithril/cli/output.hpp"

namespace mithril::cli {

int inspect(const Arguments& arguments, Output& output);
int run_model(const Arguments& arguments, Output& output);
int bench(const Arguments& arguments, Output& output);
int verify(const Arguments& arguments, Output& output);
int diff(const Arguments& arguments, Output& output);
int convert(const Arguments& arguments, Output& output);
int generate_code(const Arguments& arguments, Output& output);
int compile_library(const Arguments& arguments, Output& output);
int draw_graph(const Arguments& arguments, Output& output);
int package(const Arguments& arguments, Output& output);
int serve(const Arguments& arguments, Output& output);
int doctor(const Arguments& arguments, Output& output);
int complete(const Arguments& arguments, Output& output);
int manual(const Arguments& arguments, Output& output);

}  // namespace mithril::cli
