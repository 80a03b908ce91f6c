/* The exact steppers against the closed form of document 003's experiments, and against what
 * mechanics says of inclines, rolling, tipping and impacts. */
#include "exact.h"

#include "physics/stand.h"

int main(void)
{
    return 0;
}
