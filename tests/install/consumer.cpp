// The same program in C++17: what is valid in C must be valid here.
#include "consumer.c"
