// The same program in C++17.
#include "consumer_io.c"
