/* What is kept of a scene file once it is read. The reader (parse*.c) fills it; document.c answers
 * from it. */
#ifndef TL_IO_DOCUMENT_H
#define TL_IO_DOCUMENT_H

#include "io/lines.h"
#include "io/parse_json.h"
#include "talus/io.h"
#include "talus/surface.h"

/* The lists of a scene file whose entries may have names. */
typedef enum tl_section {
    TL_SECTION_BODIES,
    TL_SECTION_FILLS,
    TL_SECTION_RODS, /* those before have bodies as well */
    TL_SECTION_EMITTERS,
    TL_SECTION_JOINTS
} tl_section;

/* An entry of one of those lists, and the bodies that it made: `count` from index `first` on. Spans
 * are kept in the order of the bodies. */
typedef struct tl_span {
    uint32_t first, count; /* emitters and joints make none */
    uint32_t joint;        /* the first joint that an entry of joints made, and how many */
    uint32_t joints;
    uint32_t emitter; /* the number of an emitter */
    uint32_t start;   /* where it stands: bytes into its source */
    uint32_t entry;   /* its place in its list */
    uint32_t name;    /* bytes into names; 0 where it has none */
    uint16_t source;
    uint8_t section; /* tl_section */
    bool group;      /* it names a group, whatever the number of its bodies */
    bool prescribed; /* its bodies have a motion */
} tl_span;

/* A geometry's name, bytes into names, and its kind. */
typedef struct tl_named_geometry {
    uint32_t name, kind; /* tl_shape_kind */
    uint32_t index;      /* of its handle */
} tl_named_geometry;

struct tl_document {
    tl_json_tree tree; /* sources[0] is the file; once the scene is read the values are gone */
    tl_array text;  /* char: the text after sets, with a zero byte; empty where nothing was set */
    tl_lines lines; /* of a scene in lines, without the text: that is the source's */
    tl_scene *scene;
    tl_record_def record;
    tl_array recorded; /* tl_body_range: what record.bodies points at */
    tl_array spans;    /* tl_span */
    tl_array names; /* char: names and the title, each with a zero byte; starts with an empty one */
    tl_array table; /* uint32_t: open addressing from names to spans, 1 + index; 0 is free */
    size_t named;   /* spans with a name */
    tl_array materials;  /* uint32_t: bytes into names, in the order of handles */
    tl_array geometries; /* tl_named_geometry, in the order of handles */
    uint32_t title;      /* bytes into names */
};

/* The convex pieces of a mesh, as hulls among the geometries of a result. */
typedef struct tl_stored_pieces {
    uint32_t mesh, first; /* 1 + their places */
    tl_pieces_info info;  /* without the pieces themselves */
} tl_stored_pieces;

/* Geometries that a result holds, in the order of its scene. */
typedef struct tl_stored_geometries {
    bool result;  /* the scene is that of a result */
    bool outline; /* of it, names and settings: no bodies of fills, nothing that speaks of them */
    size_t count;
    const tl_geometry_info *infos;
    size_t split_count; /* meshes whose pieces it holds */
    const tl_stored_pieces *splits;
} tl_stored_geometries;

/* Reads the scene of a result. Where there are stored geometries they stand for the files that the
 * scene names, which need not be there any more. */
tl_status tl_document_parse_stored(const char *name, tl_text text, tl_stored_geometries stored,
                                   tl_document **document);

/* The scene of a result as an outline: settings, names of bodies and materials, the text. It takes
 * neither the time nor the memory of its fills. */
tl_status tl_result_outline(const tl_result *result, tl_document **document);

/* Keeps a copy of a text; `place` receives where. */
tl_status tl_document_keep(tl_document *document, tl_text text, uint32_t *place);

/* Keeps a span, which must not have the name of another. */
tl_status tl_document_add_span(tl_document *document, const tl_span *span);

/* The span of a name with something in front of it, NULL where there is none. */
const tl_span *tl_document_find_span(const tl_document *document, tl_text prefix, tl_text name);

/* The entry that a joint is of, NULL where there is none. */
const tl_span *tl_document_joint_span(const tl_document *document, tl_joint joint);

/* "bodies", "fills", "rods", "emitters" or "joints". */
const char *tl_section_name(tl_section section);

/* A new source that is a file, included by an entry of 'include' (an index into the values; 0: by
 * none). Takes over the text, which ends with a zero byte. */
tl_status tl_document_adopt_file(tl_document *document, const char *name, uint32_t entry,
                                 tl_array *text);

/* A new source with copies of both texts. */
tl_status tl_document_add_source(tl_document *document, const char *name, tl_text text);

#endif
