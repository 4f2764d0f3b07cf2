// torch's ProcessGroupGloo.hpp includes headers of gloo, which torch's wheels lack. This folder
// declares what that header names. The classes are defined in libtorch_cpu.
#pragma once
