// Uses the installed libraries as an outside program would.
#include <iostream>

#include "mithril/base/version.hpp"

int main() { std::cout << mithril::version() << '\n'; }
