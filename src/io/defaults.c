/* What is recorded where a scene file says nothing. */
#include "talus/io.h"

tl_record_def tl_record_default(void)
{
    return (tl_record_def){.duration = 10, .rate = 50, .contacts = false, .checkpoint = 60};
}
