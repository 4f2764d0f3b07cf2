// The table of all commands. The help texts are also in docs/cli.md (tools/make_cli_doc).
#include "mithril/cli/commands/commands.hpp"

namespace mithril::cli {
namespace {

const Positional model_file = {"FILE", "a model as JSON, a package, or an ONNX file"};
const Positional any_file = {"FILE",
                             "a model as JSON, a package, an ONNX file, or a file of tensors"};
const CommandOption shape = {.name = "--shape",
                             .value = "KEY=SIZES",
                             .help = "the sizes of an input: x=8,4",
                             .is_repeated = true};
const CommandOption constant = {.name = "--constant",
                                .value = "KEY=VALUE",
                                .help = "fix an input to a number, true or false",
                                .is_repeated = true};
const CommandOption params = {
    .name = "--params",
    .value = "FILE",
    .help = "a file of parameters; without it, those of the package or ONNX file, or initial ones",
    .completion = Completion::file};
const CommandOption input = {.name = "--input",
                             .value = "KEY=FILE",
                             .help = "an input as .npy; inputs that are not given are random",
                             .is_repeated = true,
                             .completion = Completion::file};
const CommandOption dtype = {.name = "--dtype",
                             .value = "DTYPE",
                             .help = "the dtype of floats",
                             .choices = {"float32", "float64", "float16", "bfloat16"},
                             .initial = "float32"};
const CommandOption threads = {
    .name = "--threads", .value = "N", .help = "the most threads; default: one per processor"};
const CommandOption seed = {.name = "--seed",
                            .value = "N",
                            .help = "the seed of random inputs and parameters",
                            .initial = "0"};

CommandOption output_file(std::string help) {
  return {.name = "--output",
          .value = "FILE",
          .help = std::move(help),
          .completion = Completion::file,
          .letter = "-o"};
}

std::vector<CommandOption> verify_options() {
  return {
      {.name = "--backends",
       .value = "NAME...",
       .help = "two or more, the first is the reference; torch, jax and onnxruntime need Python",
       .choices = {"reference", "cpu", "torch", "jax", "onnxruntime"},
       .takes_many = true},
      {.name = "--dtype",
       .value = "DTYPE",
       .help = "the dtype of floats",
       .choices = {"float32", "float64"},
       .initial = "float32"},
      shape,
      constant,
      params,
      {.name = "--data",
       .value = "FILE",
       .help = "a file of the inputs, such as .safetensors; default: random ones",
       .completion = Completion::file},
      {.name = "--tolerance",
       .value = "X",
       .help = "the largest difference, relative to the largest element of a value"},
      {.name = "--no-gradients", .help = "compare the outputs only"},
      {.name = "--inference", .help = "compare in inference mode"},
      seed,
      {.name = "--reduce",
       .value = "FOLDER",
       .help = "cut the graph to the smallest that fails, and write it with a test",
       .completion = Completion::file}};
}

std::vector<CommandOption> serve_options() {
  const auto option = [](std::string name, std::string value, std::string help,
                         std::string initial = "") {
    return CommandOption{.name = std::move(name),
                         .value = std::move(value),
                         .help = std::move(help),
                         .initial = std::move(initial)};
  };
  return {option("--host", "ADDRESS", "the address of an interface", "127.0.0.1"),
          option("--port", "N", "0 chooses a free port", "8000"),
          option("--max-batch-size", "ROWS", "rows of an evaluation", "1"),
          option("--max-delay", "SECONDS", "how long a batch waits for further requests", "0"),
          option("--max-queue", "N", "requests that wait for an evaluation", "1024"),
          option("--mask", "INPUT", "the input that is 0 at padding, such as attention_mask"),
          option("--memory-limit", "BYTES", "of all models, such as 2GB"),
          option("--max-request-bytes", "BYTES", "of the body of a request", "67108864"),
          option("--max-buffered-bytes", "BYTES", "of the bodies of all requests", "1073741824"),
          option("--max-connections", "N", "open connections", "1000"),
          option("--max-requests", "N", "requests that are answered at a time", "512"),
          option("--request-timeout", "SECONDS", "for a request to arrive", "60"),
          option("--idle-timeout", "SECONDS", "for a connection without a request", "60"),
          option("--stop-timeout", "SECONDS",
                 "after a signal, for the answers to requests that have arrived", "25"),
          option("--arrival-timeout", "SECONDS",
                 "after a signal, for requests that are still arriving", "1"),
          option("--allow-native", "",
                 "run native code of packages, in Python: only of authors whom you trust")};
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {.name = "inspect",
       .summary = "Show what a file contains: inputs, outputs, parts, parameters, tensors.",
       .positionals = {any_file},
       .options = {shape,
                   {.name = "--depth", .value = "N", .help = "the levels of parts to show"},
                   {.name = "--ops", .help = "count the ops of the model"},
                   {.name = "--unsupported",
                    .help = "list the nodes of an ONNX file that cannot be imported"},
                   constant},
       .run = inspect},
      {.name = "run",
       .summary = "Run a model on the CPU, in inference mode, and show its outputs.",
       .positionals = {model_file},
       .options = {input,
                   {.name = "--output",
                    .value = "[KEY=]FILE",
                    .help = "write an output as .npy",
                    .is_repeated = true,
                    .completion = Completion::file},
                   constant,
                   shape,
                   params,
                   dtype,
                   threads,
                   seed},
       .run = run_model},
      {.name = "bench",
       .summary = "Time a model on the CPU, in inference mode.",
       .positionals = {model_file},
       .options =
           {{.name = "--shape",
             .value = "KEY=SIZES",
             .help =
                 "the sizes of an input; several sizes of one input are timed one after the other",
             .is_repeated = true},
            constant,
            params,
            dtype,
            threads,
            seed,
            {.name = "--runs",
             .value = "N",
             .help = "timed runs of each shape; default: as many as fit in 2 s, at least 5"},
            {.name = "--ops", .help = "show how the time is spread over the ops"},
            {.name = "--trace",
             .value = "FILE",
             .help = "write a profile as a trace, for Perfetto and `mithril graph --profile`",
             .completion = Completion::file},
            {.name = "--against",
             .value = "PROGRAM",
             .help = "time another program, too; it runs in Python",
             .choices = {"onnxruntime"}},
            {.name = "--format",
             .value = "FORMAT",
             .help = "the format of the table",
             .choices = {"text", "markdown", "csv"},
             .initial = "text"}},
       .run = bench},
      {.name = "verify",
       .summary = "Compare backends on a model, value by value. Exit status 1 if they differ.",
       .positionals = {model_file},
       .options = verify_options(),
       .run = verify},
      {.name = "diff",
       .summary = "Compare two models or two files of tensors. Exit status 1 if they differ.",
       .positionals = {{"A", any_file.help}, {"B", "the file to compare it with"}},
       .options = {{.name = "--tolerance",
                    .value = "X",
                    .help = "the largest difference at which two elements count as equal",
                    .initial = "0"}},
       .run = diff},
      {.name = "convert",
       .summary = "Convert a model or tensors to the format that the ending of TO names.",
       .positionals =
           {{"FROM", any_file.help},
            {"TO", "NAME.json, NAME.onnx, NAME.safetensors, NAME.zip, or a folder for a package"}},
       .options = {constant,
                   shape,
                   params,
                   dtype,
                   seed,
                   {.name = "--opset",
                    .value = "N",
                    .help = "the opset of an ONNX file, from 13 to 24",
                    .initial = "20"}},
       .run = convert},
      {.name = "codegen",
       .summary =
           "Write a model as source code: C++, JAX or JavaScript.",
       .positionals = {model_file},
       .options = {{.name = "--target",
                    .value = "TARGET",
                    .help = "the language; default: by the ending of --output",
                    .choices = {"cpp", "jax", "javascript"}},
                   output_file(
                       "the file to write: NAME.cpp, NAME.py or NAME.mjs"),
                   constant,
                   shape,
                   dtype},
       .run = generate_code},
      {.name = "graph",
       .summary = "Draw a model: a page to look through it (HTML), Graphviz, Mermaid or SVG.",
       .positionals = {model_file},
       .options =
           {output_file(
                "the file to write: NAME.html, NAME.dot, NAME.mmd, or NAME.svg, which needs "
                "Graphviz"),
            constant,
            shape,
            {.name = "--params",
             .value = "FILE",
             .help = "a file of parameters, shown as histograms; without it, those of the package "
                     "or ONNX file",
             .completion = Completion::file},
            {.name = "--profile",
             .value = "FILE",
             .help =
                 "a trace of `mithril bench --trace` or of Profile.save: the page shows the time "
                 "and the bytes of each part",
             .completion = Completion::file},
            {.name = "--gradients", .help = "the page also shows the graph with gradients"},
            {.name = "--passes", .help = "the page also shows the graph after each pass"},
            {.name = "--depth",
             .value = "N",
             .help = "the levels of parts that .dot, .mmd and .svg show; .html shows all",
             .initial = "1"}},
       .run = draw_graph},
      {.name = "package",
       .summary = "Make, inspect, verify and copy packages. `create` runs in Python.",
       .positionals =
           {{"ACTION",
             "create FOLDER PACKAGE, from a folder of Hugging Face; inspect PACKAGE; verify "
             "PACKAGE..., which compares all checksums; extract PACKAGE TARGET"},
            {"PATH", "a package, or what ACTION takes", true}},
       .options =
           {{.name = "--name", .value = "NAME", .help = "of create: the name of the package"},
            {.name = "--revision",
             .value = "TEXT",
             .help = "of create: the revision; default: made of the checksums"},
            {.name = "--licence",
             .value = "TEXT",
             .help = "of create: the licence; default: that in README.md"},
            {.name = "--source", .value = "TEXT", .help = "of create: where the folder comes from"},
            {.name = "--max-shard-bytes",
             .value = "N",
             .help = "of create: split larger parameters"},
            {.name = "--library",
             .value = "NAME=SIZE...",
             .help = "of create: add a generated library for inputs of these sizes",
             .takes_many = true}},
       .run = package},
      {.name = "serve",
       .summary = "Serve packages over HTTP, with the Open Inference Protocol.",
       .positionals = {{"PACKAGE",
                        "a package; NAME=PACKAGE gives its model another name than the package has",
                        true}},
       .options = serve_options(),
       .run = serve},
      {.name = "doctor",
       .summary =
           "Show what this machine has and lacks: processor, threads, caches, Python, torch.",
       .run = doctor},
      {.name = "completion",
       .summary = "Write the completion script of a shell.",
       .positionals = {{"SHELL", "bash or zsh"}},
       .run = complete},
      {.name = "manual",
       .summary = "Write the manual of all commands: man (roff) or markdown.",
       .positionals = {{"FORMAT", "man or markdown"}},
       .run = manual},
  };
  return all;
}

}  // namespace mithril::cli
