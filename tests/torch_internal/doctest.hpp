// doctest beside the headers of torch, which have a macro CHECK of their own that ends the program.
#pragma once

#include <c10/util/Logging.h>
#include <doctest/doctest.h>

#undef CHECK
#define CHECK(...) DOCTEST_CHECK(__VA_ARGS__)
