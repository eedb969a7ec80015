// main.cpp: written by `omnilink gen harness`, and rewritten by it.
#include "actions.hpp"

int main() { return omnilink::Harness<System, Client>(all_actions()).run(); }
