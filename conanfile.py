"""The recipe for Conan 2: `conan create .` builds the package mithril-cpp with the libraries."""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class MithrilConan(ConanFile):
    name = "mithril-cpp"
    description = "Compose, compile and train models of named ports"
    license = "Apache-2.0"
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = (
        *("CMakeLists.txt", "LICENSE", "THIRD_PARTY_LICENSES"),
        *("backends/*", "cmake/*", "codegen/*", "mithril/*"),
    )

    def set_version(self) -> None:
        text = Path(self.recipe_folder, "CMakeLists.txt").read_text(encoding="utf-8")
        (self.version,) = re.findall(r"project\(Mithril VERSION ([0-9.]+)", text)

    def layout(self) -> None:
        cmake_layout(self)

    def generate(self) -> None:
        toolchain = CMakeToolchain(self, generator="Ninja")
        for part in ("TESTS", "EXAMPLES", "PYTHON", "TORCH", "SERVER"):
            toolchain.cache_variables[f"MITHRIL_{part}"] = "OFF"
        # As in the wheel and the archive.
        toolchain.cache_variables["MITHRIL_UNITY"] = "ON"
        toolchain.cache_variables["CMAKE_UNITY_BUILD_BATCH_SIZE"] = "20"
        toolchain.cache_variables["CMAKE_CXX_FLAGS_RELEASE"] = "-O2 -DNDEBUG"
        toolchain.generate()

    def build(self) -> None:
        cmake = CMake(self)
        cmake.configure()  # names the packages of the system that are missing
        cmake.build()

    def package(self) -> None:
        CMake(self).install(component="libraries")

    def package_info(self) -> None:
        # Mithril's own configuration for CMake describes the targets.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/Mithril"]
