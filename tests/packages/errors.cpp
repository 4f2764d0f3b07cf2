// Errors of packages that cannot be written, read or run.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "mithril/base/sha256.hpp"
#include "tests/packages/edit.hpp"
#include "tests/packages/sample.hpp"

namespace mithril {
namespace {

namespace fs = std::filesystem;
using namespace tests;

// The error of loading the sample package after the change.
template <typename Change>
std::string refusal_after(Change change, LoadPackageOptions options = {}) {
  const FileFolder folder;
  const std::string path = sample_package(folder);
  PackageEdit edit(path);
  change(edit);
  edit.write();
  return folder.error([&] { load_package(path, options); });
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

TEST_CASE("files that are not packages are refused") {
  const FileFolder folder;
  fs::create_directory(folder.at("p"));
  CHECK(folder.error([&] { load_package(folder.at("p")); }) ==
        "mithril.InputError[E0860]: p: this is not a package\n"
        "  why : it has no file metadata.json");
  CHECK(folder.error([&] { load_package(folder.at("q")); }) ==
        "mithril.InputError[E0830]: q: the file cannot be read\n"
        "  why : No such file or directory");
  folder.write("p.zip", "text");
  CHECK(folder.error([&] { load_package(folder.at("p.zip")); }) ==
        "mithril.ParseError[E0767]: p.zip: the file is not a .zip file of a package\n"
        "  why : it is not a zip archive\n"
        "  help: `mithril package extract` and `zip -0` write entries without compression");
}

TEST_CASE("another format version is refused") {
  CHECK(refusal_after([](PackageEdit& edit) {
          edit.replace("metadata.json", "\"format_version\": 1", "\"format_version\": 2");
        }) ==
        "mithril.ParseError[E0760]: p/metadata.json: the package has format version 2\n"
        "  expected : 1\n"
        "  help: load it with the Mithril that wrote it, or with a newer one");
}

TEST_CASE("a path that leads out of the package is refused") {
  for (const char* name :
       {"../x", "/etc/passwd", "a/../../x", "a//b", "./a", "a\\\\b", "C:x", ""}) {
    const std::string text = refusal_after([&](PackageEdit& edit) {
      edit.replace("metadata.json", "\"tokenizer.json\"", "\"" + std::string(name) + "\"");
    });
    CAPTURE(name);
    CHECK(text.starts_with("mithril.ParseError[E0761]: p/metadata.json: '"));
  }
  CHECK(refusal_after([](PackageEdit& edit) {
          edit.replace("metadata.json", "\"tokenizer.json\"", "\"../x\"");
        }) ==
        "mithril.ParseError[E0761]: p/metadata.json: '../x' is not a path inside of the package\n"
        "  at       : /files/..~1x\n"
        "  expected : a relative path without '.', '..', backslashes and colons");
}

TEST_CASE("a link in a package is refused") {
  const FileFolder folder;
  const std::string path = sample_package(folder);
  fs::remove(path + "/tokenizer.json");
  folder.write("outside", "{}");
  fs::create_symlink("../outside", path + "/tokenizer.json");
  CHECK(folder.error([&] { load_package(path); }) ==
        "mithril.ParseError[E0762]: p/tokenizer.json: a package has only files and folders\n"
        "  got : a link\n"
        "  help: copy what the link names");
  fs::remove(path + "/tokenizer.json");
  fs::create_directory_symlink("/etc", path + "/tokenizer.json");
  CHECK(folder.error([&] { load_package(path); }).starts_with("mithril.ParseError[E0762]"));
}

TEST_CASE("files that are not those of metadata.json are refused") {
  CHECK(refusal_after([](PackageEdit& edit) { edit.files["notes.txt"] = ""; }) ==
        "mithril.ParseError[E0763]: p/notes.txt: metadata.json does not list the file");
  CHECK(refusal_after([](PackageEdit& edit) { edit.files.erase("tokenizer.json"); }) ==
        "mithril.ParseError[E0764]: p/tokenizer.json: the file is missing\n"
        "  listed : in metadata.json");
  CHECK(refusal_after([](PackageEdit& edit) { edit.files["tokenizer.json"] += " "; }) ==
        "mithril.ParseError[E0765]: p/tokenizer.json: the file has another size than "
        "metadata.json says\n"
        "  expected : 2 bytes\n"
        "  got      : 3 bytes");
  CHECK(refusal_after([](PackageEdit& edit) { edit.files["tokenizer.json"] = "[]"; }) ==
        "mithril.ParseError[E0766]: p/tokenizer.json: the file has another checksum than "
        "metadata.json says\n"
        "  expected : 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a\n"
        "  got      : 4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945\n"
        "  help: get the package again: the file is damaged, or somebody has changed it");
}

TEST_CASE("lazy checks find a changed tensor before it is read") {
  const FileFolder folder;
  const std::string path = sample_package(folder);
  PackageEdit edit(path);
  edit.files["model.safetensors"].back() ^= 1;
  edit.write();
  CHECK(first_line(folder.error([&] { load_package(path); })) ==
        "mithril.ParseError[E0766]: p/model.safetensors: the file has another checksum than "
        "metadata.json says");
  const Package package = load_package(path, {.verify = PackageChecks::lazy});
  for (int i = 0; i < 2; ++i) {
    CHECK(folder.error([&] { package.params(); })
              .starts_with("mithril.ParseError[E0766]: p/model.safetensors"));
    CHECK(folder.error([&] { package.file("model.safetensors"); })
              .starts_with("mithril.ParseError[E0766]: p/model.safetensors"));
  }
  CHECK(folder.error([&] { package.compile(cpu()); })
            .starts_with("mithril.ParseError[E0766]: p/model.safetensors"));
}

TEST_CASE("a compressed or damaged archive is refused") {
  const FileFolder folder;
  sample_package(folder);
  copy_package(folder.at("p"), folder.at("p.zip"));
  std::string bytes = PackageEdit::contents(folder.at("p.zip"));
  folder.write("cut.zip", bytes.substr(0, bytes.size() / 2));
  CHECK(first_line(folder.error([&] { load_package(folder.at("cut.zip")); })) ==
        "mithril.ParseError[E0767]: cut.zip: the file is not a .zip file of a package");
  REQUIRE(std::system(("cd " + folder.at("p") +
                       " && python3 -c \"import zipfile, os; z = "
                       "zipfile.ZipFile('../c.zip', 'w', zipfile.ZIP_DEFLATED); [z.write(f) for f "
                       "in os.listdir('.')]\"")
                          .c_str()) == 0);
  CHECK(folder.error([&] { load_package(folder.at("c.zip")); }).find("is compressed") !=
        std::string::npos);
}

TEST_CASE("values that the package format lacks are refused") {
  const auto changed = [](const char* from, const char* to) {
    return refusal_after([&](PackageEdit& edit) {
      edit.replace("model_info.json", from, to);
      edit.list_again();
    });
  };
  CHECK(changed("\"float32\"", "\"float33\"") ==
        "mithril.ParseError[E0768]: p/model_info.json: the format of packages does not have this "
        "value\n"
        "  at       : /inputs/0/dtype\n"
        "  expected : bool, int32, int64, float16, bfloat16, float32, float64, int8, int16, uint8, "
        "uint16, uint32, uint64, float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, "
        "float8_e8m0fnu, float4_e2m1fn, int4, uint4, int2, uint2\n"
        "  got      : 'float33'");
  CHECK(first_line(changed("\"custom\"", "\"custom\", \"architecture_family\": \"Encoder\"")) ==
        "mithril.ParseError[E0768]: p/model_info.json: the format of packages does not have this "
        "value");
  CHECK(changed("\"custom\"", "7").starts_with("mithril.ParseError[E0726]: p/model_info.json: "));
  CHECK(changed("\"model_type\"", "\"model\"")
            .starts_with("mithril.NameError[E0640]: p/model_info.json: "));
}

TEST_CASE("a description that does not match the model is refused") {
  const FileFolder folder;
  const std::string path = sample_package(folder);
  PackageEdit edit(path);
  edit.replace("model_info.json", "\"name\": \"y\"", "\"name\": \"z\"");
  edit.list_again();
  edit.write();
  CHECK(folder.error([&] { load_package(path).compile(cpu()); }) ==
        "mithril.ParseError[E0769]: p/model_info.json: the model has other outputs than stated\n"
        "  stated : z\n"
        "  model  : y");
}

TEST_CASE("parameters that are not those of the model name their file") {
  const FileFolder folder;
  const std::string path = sample_package(folder);
  PackageEdit edit(path);
  edit.replace("model.json", "\"dimension\": 3", "\"dimension\": 5");
  edit.list_again();
  edit.write();
  CHECK(folder.error([&] { load_package(path).compile(cpu()); })
            .starts_with("mithril.StateError[E0901]: p/model.safetensors: "));
}

TEST_CASE("a backend that the package does not list is refused") {
  const FileFolder folder;
  const std::string path = sample_package(folder, "p", {.backends = {{.name = "torch"}}});
  const std::string text =
      "mithril.BackendError[E1040]: p/model_info.json: the package does not list the backend "
      "'cpu'\n"
      "  listed : torch";
  CHECK(folder.error([&] { load_package(path, {.backend = "cpu"}); }) == text);
  CHECK(folder.error([&] { load_package(path).compile(cpu()); }) == text);
}

TEST_CASE("native code is used only where the caller allows it") {
  const FileFolder folder;
  const std::string path = sample_package(
      folder, "p",
      {.backends = {{.name = "cpu", .files = {{.name = "model.so", .bytes = std::string("x")}}}}});
  const std::string help =
      "\n  help: if you trust its author like the author of a program, load the package with "
      "allow_native_code=True (mithril serve: --allow-native)";
  const Package package = load_package(path);
  CHECK(folder.error([&] { package.native_file("backends/cpu/model.so"); }) ==
        "mithril.BackendError[E1041]: p/backends/cpu/model.so: the file is native code" + help);
  PackageEdit edit(path);
  edit.files.erase("model.json");
  edit.list_again();
  edit.write();
  CHECK(folder.error([&] { load_package(path); }) ==
        "mithril.BackendError[E1041]: p/backends/cpu/model.so: the package needs native code: it "
        "has no model.json" +
            help);
  const Package trusted = load_package(path, {.allow_native_code = true});
  CHECK(trusted.native_file("backends/cpu/model.so") == path + "/backends/cpu/model.so");
  CHECK(folder.error([&] { trusted.make_model(); }).starts_with("mithril.BackendError[E1041]"));
}

TEST_CASE("an unknown file of a package is refused") {
  const FileFolder folder;
  const Package package = load_package(sample_package(folder));
  CHECK(first_line(folder.error([&] { package.file("tokenizer.jsno"); })) ==
        "mithril.NameError[E0625]: p: the package has no file 'tokenizer.jsno'");
}

TEST_CASE("models that a package cannot hold are not written") {
  const FileFolder folder;
  const Model model = packaged_model();
  const TensorMap params = packaged_params(model);
  const auto refusal = [&](const SavePackageOptions& options) {
    return folder.error([&] { save_package(folder.at("p"), model, params, options); });
  };
  CHECK(refusal({.assets = {{.name = "../x", .bytes = std::string()}}}) ==
        "mithril.InputError[E0861]: save_package: no asset can have the name '../x'\n"
        "  expected : a relative path without '.', '..', backslashes and colons");
  for (const char* name : {"model.json", "metadata.json", "model.safetensors", "backends/cpu/x"}) {
    CHECK(refusal({.assets = {{.name = name, .bytes = std::string()}}})
              .starts_with("mithril.InputError[E0861]"));
  }
  CHECK(first_line(refusal({.family = "DecodrOnly"})) ==
        "mithril.NameError[E0626]: there is no architecture family 'DecodrOnly'");
  CHECK(refusal({.backends = {{.name = "cpu", .options = "{"}}})
            .starts_with("mithril.ParseError[E0720]"));
  CHECK(refusal({.assets = {{.name = "a", .path = folder.at("missing")}}}) ==
        "mithril.InputError[E0830]: missing: the file cannot be read\n"
        "  why : No such file or directory");
  CHECK(folder.error([&] { save_package(folder.at("a/p"), model, params); }) ==
        "mithril.InputError[E0831]: a/p: the file cannot be written\n"
        "  why : No such file or directory");
  CHECK(fs::is_empty(folder.at(".")));
}

TEST_CASE("parameters of another model are not written") {
  const FileFolder folder;
  const Model model = packaged_model();
  TensorMap params = packaged_params(model);
  const std::vector<std::string> keys = params.keys();
  params.erase(keys[0]);
  params["wieght"] = Tensor::scalar(1.0f);
  params[keys[2]] = Tensor::full(DType::float32, {7}, 1);
  const std::string text = folder.error([&] { save_package(folder.at("p"), model, params); });
  CHECK(first_line(text) ==
        "mithril.InputError[E0862]: save_package: the parameters are not those of the model");
  CHECK(text.find("missing") != std::string::npos);
  CHECK(text.find("unknown") != std::string::npos);
  CHECK(text.find("'" + keys[2] + "'") != std::string::npos);
  CHECK(!fs::exists(folder.at("p")));
}

TEST_CASE("a package without a model needs native code") {
  const FileFolder folder;
  const std::vector<PackagePort> ports = {{.name = "x", .shape = KnownShape{"N", 4}}};
  CHECK(folder.error([&] {
    save_native_package(folder.at("p"), ports, ports, {.backends = {{.name = "torch"}}});
  }) == "mithril.InputError[E0865]: p: a package without a model needs native code of a backend\n"
        "  help: list it in the files of a backend");
  save_native_package(folder.at("p"), ports, ports,
                      {.backends = {{.name = "torch",
                                     .files = {{.name = "model.pt", .bytes = std::string("x")}}}}});
  CHECK(folder.error([&] { load_package(folder.at("p")); })
            .starts_with("mithril.BackendError[E1041]: p/backends/torch/model.pt"));
  const Package package = load_package(folder.at("p"), {.allow_native_code = true});
  CHECK(package.info().inputs[0].name == "x");
  CHECK(package.params().empty());
}

TEST_CASE("a folder that is not a package is not replaced") {
  const FileFolder folder;
  fs::create_directory(folder.at("p"));
  folder.write("p/thesis.txt", "text");
  CHECK(folder.error([&] { sample_package(folder); }) ==
        "mithril.InputError[E0863]: p: the folder is not a package, so it is not replaced\n"
        "  help: choose another path, or remove the folder");
  CHECK(PackageEdit::contents(folder.at("p/thesis.txt")) == "text");
}

}  // namespace mithril
