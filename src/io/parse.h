/* The scene reader: how its files take values from the tree, and how they refuse them. Nothing is
 * formatted until something is refused. A value that is not in the file is NULL here and leaves
 * what it would have set at its default. */
#ifndef TL_IO_PARSE_H
#define TL_IO_PARSE_H

#include <math.h>

#include "io/document.h"
#include "base/expression.h"
#include "talus/words.h"

/* The keys of a scene. */
enum {
    TL_SCENE_SCHEMA,
    TL_SCENE_VERSION_KEY,
    TL_SCENE_TITLE,
    TL_SCENE_PARAMETERS,
    TL_SCENE_INCLUDE,
    TL_SCENE_GRAVITY,
    TL_SCENE_STEP,
    TL_SCENE_DURATION,
    TL_SCENE_RECORD,
    TL_SCENE_SETTINGS,
    TL_SCENE_SOLVER,
    TL_SCENE_MATERIALS,
    TL_SCENE_PAIRS,
    TL_SCENE_GROUPS,
    TL_SCENE_EXCLUDE,
    TL_SCENE_GEOMETRIES,
    TL_SCENE_BODIES,
    TL_SCENE_FILLS,
    TL_SCENE_RODS,
    TL_SCENE_EMITTERS,
    TL_SCENE_EVENTS,
    TL_SCENE_BOUNDARIES,
    TL_SCENE_PATCH,
    TL_SCENE_FORCES,
    TL_SCENE_JOINTS,
    TL_SCENE_START,
    TL_SCENE_MONITORS,
    TL_SCENE_KEYS
};

/* Bodies that wait to be added to the scene in one call. */
typedef struct tl_waiting {
    tl_array defs;   /* tl_body_def, whose shapes and tables are set when they are added */
    tl_array places; /* where each comes from (parse_body.c) */
    tl_array shapes; /* tl_shape_def */
    tl_array tables; /* double */
    tl_array texts;  /* char */
} tl_waiting;

/* Groups and masks of shapes that name none of their own. */
typedef struct tl_filter {
    uint32_t group, mask;
} tl_filter;
static const tl_filter tl_no_filter = {1, UINT32_MAX};

/* Where a fragment lies in the world. */
typedef struct tl_frame {
    double position[3], orientation[4];
    bool moves, turns; /* false: it is not moved, not turned; nothing is computed */
} tl_frame;

/* A scene with names of its own: the scene itself, or one that is included. */
typedef struct tl_scope {
    const tl_json *root;
    tl_array parameters; /* tl_parameter */
    tl_array prefix;     /* char: stands in front of its names, "left."; no zero byte */
    tl_array folder;     /* char: where names of files start, "parts/"; no zero byte */
    tl_frame frame;
    size_t first;    /* the first scope that it includes, or itself; they follow each other */
    uint32_t joints; /* of the scene, once its own are read: they follow those that it includes */
    const tl_json *fields[TL_SCENE_KEYS];
} tl_scope;

typedef struct tl_reader {
    tl_document *document;
    tl_json_tree *tree;        /* the document's */
    tl_scene *scene;           /* the document's */
    tl_array scopes;           /* tl_scope: fragments before what includes them, the scene last */
    const tl_scope *scope;     /* the one that is being read */
    size_t included;           /* files of fragments */
    tl_array parameters;       /* tl_parameter: those of the scope, and indices of repeats */
    tl_expression *expression; /* scratch: the one that is evaluated */
    uint32_t repeats; /* how many of the last parameters are indices: entries with "repeat" */
    tl_settings settings;
    tl_waiting waiting;
    const tl_json *recorded;     /* record.bodies, for when all bodies are known */
    tl_array entry_shapes;       /* tl_shape_def: of the entry that is being read */
    tl_array entry_table;        /* double: its motion's tables, each its times, then its rows */
    tl_array entry_texts;        /* char: its motion's expressions, each with a zero byte */
    tl_array groups;             /* tl_text: the names of groups but "default" */
    tl_filter filter;            /* of the entry that is being read */
    tl_array splits;             /* meshes that are to be split (parse_geometry.c) */
    tl_array scratch;            /* double or tl_body: a table, or what an event removes */
    tl_stored_geometries stored; /* what files of geometries held; none: the files are read */
    uint64_t bodies;             /* asked for so far, with shapes and table rows of repeated ones */
    uint64_t items;
    uint64_t most; /* of either: TL_MOST_BODIES, or fewer where memory is short */
} tl_reader;

/* The most bodies of a scene, and of their shapes and table rows. */
#define TL_MOST_BODIES 500000000u

/* A rule that a number obeys, and how it reads. */
typedef struct tl_rule {
    double low, high;
    bool above, below; /* low, high themselves are refused */
    const char *expected;
} tl_rule;

#define TL_ANY(unit)     (&(const tl_rule){-INFINITY, INFINITY, 0, 0, "a number (" unit ")"})
#define TL_ABOVE_0(unit) (&(const tl_rule){0, INFINITY, 1, 0, "a number above 0 (" unit ")"})
#define TL_AT_LEAST_0(unit) \
    (&(const tl_rule){0, INFINITY, 0, 0, "a number of at least 0 (" unit ")"})

/* ---- Refusing: TL_BAD_DATA with "file:line:column: path.in.scene: ..." ---- */

tl_status tl_read_fail(const tl_reader *r, const tl_json *value, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* The same, pointing at the key of a value of an object; the path is the object's. */
tl_status tl_read_fail_key(const tl_reader *r, const tl_json *object, const tl_json *value,
                           const char *format, ...) __attribute__((format(printf, 4, 5), cold));

/* Parses the text of a source that is a file. */
tl_status tl_read_parse(tl_reader *r, uint16_t source);

/* "is VALUE, expected EXPECTED" */
tl_status tl_read_expected(const tl_reader *r, const tl_json *value, const char *expected)
    __attribute__((cold));

/* "has no 'KEY', expected EXPECTED" */
tl_status tl_read_missing(const tl_reader *r, const tl_json *object, const char *key,
                          const char *expected) __attribute__((cold));

/* parse_stepper.c: what the stepper of a scene does not know. The laws of an entry of materials or
 * pairs; friction_ellipsoid (NULL: not given); a shape with the value that is its kind. */
tl_status tl_read_check_laws(const tl_reader *r, const tl_json *entry, const tl_pair_def *laws);
tl_status tl_read_check_ellipsoid(const tl_reader *r, const tl_json *value,
                                  const double factors[3]);
tl_status tl_read_check_shape(const tl_reader *r, const tl_json *kind, tl_body_kind body,
                              const tl_shape_def *shape);

/* A refusal of the library, "fill.count is 9; ..." for an entry of the scene, turned into one that
 * points at the value it speaks of: "file:line:column: fills[0].count: is 9; ...". TL_NO_MEMORY is
 * passed on. */
tl_status tl_read_refused(const tl_reader *r, const tl_json *entry, tl_status status)
    __attribute__((cold));

/* "path.in.scene" of a value, cut to `room` bytes. */
void tl_read_path(const tl_json_tree *tree, const tl_json *value, char *path, size_t room);

/* A value for a message, in at most `room` bytes: its text, or what it is. */
const char *tl_read_show(const tl_reader *r, const tl_json *value, char *text, size_t room);

/* ---- Taking values ---- */

/* Takes the members of an object apart: fields[i] is the value of keys[i] or NULL. Refuses other
 * keys (but "comment", a text for people) and duplicate ones. `what` says what the object is. */
tl_status tl_read_fields(const tl_reader *r, const tl_json *object, const char *what, size_t count,
                         const char *const *keys, const tl_json **fields);

/* Refuses anything but an array. */
tl_status tl_read_array(const tl_reader *r, const tl_json *value, const char *expected);

tl_status tl_read_number(const tl_reader *r, const tl_json *value, const tl_rule *rule,
                         double *number);

/* Compiles a text, past its first `skip` bytes, into the reader's expression; a fault in it is
 * pointed at. */
tl_status tl_read_compile(const tl_reader *r, const tl_json *value, size_t skip,
                          const tl_names *names);

/* `count` numbers, each obeying the rule. */
tl_status tl_read_vector(const tl_reader *r, const tl_json *value, size_t count,
                         const tl_rule *rule, double *numbers);

/* A whole number. */
tl_status tl_read_whole(const tl_reader *r, const tl_json *value, uint64_t low, uint64_t high,
                        uint64_t *number);

tl_status tl_read_flag(const tl_reader *r, const tl_json *value, bool *flag);

/* A text that is not empty, `expected`; or any text where that is NULL. */
tl_status tl_read_string(const tl_reader *r, const tl_json *value, const char *expected,
                         tl_text *text);

/* One of some words, which end in NULL; `choice` receives its index. */
tl_status tl_read_choice(const tl_reader *r, const tl_json *value, const char *const *words,
                         uint32_t *choice);

/* The same for the 'kind' of an object, which must be there. */
tl_status tl_read_kind(const tl_reader *r, const tl_json *object, const tl_json *value,
                       const char *const *words, uint32_t *kind);

/* Rows of `width` numbers whose first is a time that increases strictly, into `table`: all times,
 * then all rests of rows. `first` is what stands in for the time, "the coordinate (m)"; or NULL. */
tl_status tl_read_table(const tl_reader *r, const tl_json *value, size_t width, const char *first,
                        const char *unit, tl_array *table);

/* Counts bodies and what they own against the most that is allowed, before memory is taken. */
tl_status tl_read_charge(tl_reader *r, const tl_json *value, uint64_t bodies, uint64_t items);

/* ---- The parts of a scene, one file each ---- */

/* parse_scene.c: everything, into the document; and version, keys and parameters of one scene, of
 * which some are given (tl_parameter). */
tl_status tl_read_scene(tl_reader *r);
tl_status tl_read_head(tl_reader *r, tl_scope *scope, const tl_array *given);

/* parse_include.c: the files of fragments, into the tree; the scopes, fragments first; a part of
 * each of them. */
tl_status tl_read_load(tl_reader *r);
tl_status tl_read_scopes(tl_reader *r);
void tl_scopes_free(tl_reader *r);
tl_status tl_read_each(tl_reader *r, int key,
                       tl_status (*read)(tl_reader *r, const tl_json *value));

/* What stands in front of names of the scope that is read; the same of the scope around it, false
 * where there is none; whether both together are a word. */
tl_text tl_scope_prefix(const tl_reader *r);
bool tl_prefix_shorten(tl_text *prefix);
bool tl_text_joins(tl_text prefix, tl_text name, const char *word);

/* The entry of a name: of this scope, or of those around it. NULL where there is none. */
const tl_span *tl_read_find(const tl_reader *r, tl_text name);
/* Keeps a name of this scope, as it is known to all. */
tl_status tl_read_keep(const tl_reader *r, tl_text name, uint32_t *place);

/* From the frame of the scope to the world. A box cannot be turned but by quarters. */
void tl_frame_point(const tl_reader *r, double x[3]);
void tl_frame_direction(const tl_reader *r, double v[3]);
void tl_frame_turn(const tl_reader *r, double q[4]);
bool tl_frame_turns(const tl_reader *r);
tl_status tl_frame_region(const tl_reader *r, const tl_json *value, tl_region *region);

/* parse_set.c: replaces values by those of texts "NAME=VALUE", and writes the changed text. */
tl_status tl_read_sets(tl_reader *r, size_t count, const char *const *sets);
tl_status tl_read_write(const tl_reader *r, tl_array *text);
/* Appends a value to an object as a member; both by index. */
tl_status tl_read_add_member(tl_reader *r, uint32_t object, tl_text key, uint32_t value);

extern const char *const tl_scene_keys[TL_SCENE_KEYS];

/* parse_shape.c: what bodies are made of. */
tl_status tl_read_shapes(tl_reader *r, const tl_json *list, tl_body_kind kind, tl_array *shapes);
tl_status tl_read_orientation(const tl_reader *r, const tl_json *value, double quaternion[4]);
/* A direction, its largest component 1 or -1, and its length then. */
tl_status tl_read_axis(const tl_reader *r, const tl_json *value, double axis[3], double *length);

/* parse_geometry.c: the geometries by name, and one that a shape names, which must be of its kind.
 */
tl_status tl_read_geometries(tl_reader *r, const tl_json *object);
/* Splits meshes, when all geometries that have names are there: these come first. */
tl_status tl_read_splits(tl_reader *r, const tl_json *object);
/* The pieces that a result holds. */
tl_status tl_read_pieces(tl_reader *r);
tl_status tl_read_geometry(const tl_reader *r, const tl_json *value, tl_shape_kind kind,
                           tl_geometry *geometry);

/* parse_motion.c: a motion, its tables in entry_table and its expressions in entry_texts; and its
 * pointers set to where those, or copies of them, are. */
tl_status tl_read_motion(tl_reader *r, const tl_json *value, tl_motion_def *motion);
void tl_motion_attach(tl_motion_def *motion, const double *tables, const char *texts);

/* Appends factor * (a number or a text of t) with its zero byte to entry_texts, parameters replaced
 * by their values. Nothing, and used = NULL, where that is the number 0. */
tl_status tl_read_function(tl_reader *r, const tl_json *value, double factor, const char *expected,
                           const char **used);

/* The material of a name. */
tl_status tl_read_material(const tl_reader *r, const tl_json *value, tl_material *material);

/* parse_body.c */
tl_status tl_read_bodies(tl_reader *r, const tl_json *list);

/* An entry with "repeat": how often, and an index that its expressions may use from then on; its
 * next value; and its end. */
tl_status tl_read_repeat(tl_reader *r, const tl_json *value, uint32_t *count);
void tl_repeat_at(tl_reader *r, uint32_t value);
void tl_repeat_end(tl_reader *r);

/* Keeps an entry with its name, which must be new. */
tl_status tl_read_entry(tl_reader *r, const tl_json *entry, const tl_json *name, tl_span span);

/* parse_fill.c; the first: an outline is none where a fill has no count, for it must be made. */
tl_status tl_read_uncounted(tl_reader *r, const tl_json *list);
tl_status tl_read_fills(tl_reader *r, const tl_json *list);
tl_status tl_read_emitters(tl_reader *r, const tl_json *list);
tl_status tl_read_region(const tl_reader *r, const tl_json *value, bool bounded, tl_region *region);

/* parse_filter.c: the names of groups; group and mask of a shape or an entry, as they were where
 * they are not given; pairs of bodies that do not collide. */
tl_status tl_read_groups(tl_reader *r, const tl_json *list);
tl_status tl_read_filter(const tl_reader *r, const tl_json *group, const tl_json *mask,
                         tl_filter *filter);
tl_status tl_read_exclusions(tl_reader *r, const tl_json *list);

/* parse_joint.c: joints, once all bodies are known; and one that is named, "elbow" or
 * ["hinges", 3]. */
tl_status tl_read_joints(tl_reader *r, const tl_json *list);

/* The bodies that a name stands for; one of them, "ball" or ["chain", 3]; or the ground, index 0.
 */
tl_status tl_read_body(const tl_reader *r, const tl_json *value, tl_body *body);

/* parse_rod.c: rods between two bodies. */
tl_status tl_read_rods(tl_reader *r, const tl_json *list);

/* parse_penalty.c: the settings of penalty contact. */
tl_status tl_read_penalty(tl_reader *r, const tl_json *object, tl_penalty_def *penalty);
tl_status tl_read_joint(const tl_reader *r, const tl_json *value, tl_joint *joint);

/* parse_axis.c: what a free axis has, by the values of these keys; tables go to entry_table, texts
 * to entry_texts. */
enum { TL_AXIS_KEYS = 5 };
extern const char *const tl_axis_keys[TL_AXIS_KEYS];
tl_status tl_read_joint_axis(tl_reader *r, const tl_json *const *fields, bool turns,
                             tl_axis_def *axis);

/* parse_event.c: what happens while the scene runs; the entry of bodies or fills that a name stands
 * for. */
tl_status tl_read_reference(const tl_reader *r, const tl_json *value, const tl_span **span);
tl_status tl_read_events(tl_reader *r, const tl_json *list);
tl_status tl_read_boundaries(tl_reader *r, const tl_json *list);
tl_status tl_read_patch(tl_reader *r, const tl_json *value);
tl_status tl_read_forces(tl_reader *r, const tl_json *list);

/* parse_start.c: bodies that start as they were in a result. */
tl_status tl_read_starts(tl_reader *r, const tl_json *list);

/* parse_monitor.c: what is measured. */
tl_status tl_read_monitors(tl_reader *r, const tl_json *object);
/* The bodies that are recorded. */
tl_status tl_read_recorded(tl_reader *r, const tl_json *list);

#endif
