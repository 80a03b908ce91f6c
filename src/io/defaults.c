/* What is recorded where a scene file says nothing. */
#include "talus/io.h"

tl_record_def tl_record_default(void)
{
    return (tl_record_def){.duration = 10,
                           .rate = 50,
                           .contacts = false,
                           .checkpoint = 60,
                           .fields = TL_RECORD_ALL_FIELDS,
                           .compression = TL_COMPRESSION_NONE,
                           .error = 1e-5};
}
