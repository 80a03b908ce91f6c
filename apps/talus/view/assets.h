/* The files of the page, embedded in the program by cmake/viewer_embed.cmake. */
#ifndef TALUS_VIEW_ASSETS_H
#define TALUS_VIEW_ASSETS_H

#include <stddef.h>

typedef struct view_asset {
    const char *path; /* from the root, "/index.html" */
    const char *type; /* Content-Type */
    const char *etag; /* with its quotes */
    const unsigned char *data, *data_end;
    const unsigned char *packed, *packed_end; /* with gzip; NULL: not */
} view_asset;

extern const view_asset view_assets[];
extern const size_t view_asset_count;

#endif
