/* What a result file holds (docs/result-format.md): its tables and the rows of each, shared by the
 * recorder, which writes them, and results, which read them. */
#ifndef TL_IO_RESULT_LAYOUT_H
#define TL_IO_RESULT_LAYOUT_H

#include "base/memory.h"
#include "io/h5table.h"
#include "talus/io.h"

/* The format's version. The minor one counts additions that older readers may pass over; with the
 * major one the meaning of what was there changes (docs/formats.md). */
#define TL_RESULT_MAJOR    1
#define TL_RESULT_MINOR    5
#define TL_RESULT_ID_CHARS 32 /* hexadecimal; the same in the result and in its checkpoint */

/* What quantised files round to besides tl_record_def.error. */
#define TL_RECORD_TURN_ERROR 0x1p-9 /* of components of quaternions and unit vectors */
#define TL_RECORD_SPEED_BITS 7      /* significant bits of velocities and impulses */

/* A row of /frames: written when everything it speaks of is in the file. */
typedef struct tl_frame_row {
    double time;
    uint64_t step;
    uint64_t state_first, state_count;     /* rows of /states */
    uint64_t contact_first, contact_count; /* rows of /contacts */
    uint64_t bodies, shapes, removals;     /* rows of these tables so far */
} tl_frame_row;

/* The columns of /steps: type, name in the file, member of tl_report. */
#define TL_STEP_FIELDS(X)                                 \
    X(uint64_t, step, steps)                              \
    X(double, time, time)                                 \
    X(uint64_t, bodies, bodies)                           \
    X(uint64_t, emitted, emitted)                         \
    X(uint64_t, waiting, waiting)                         \
    X(uint64_t, removed, removed)                         \
    X(uint64_t, contacts, contacts)                       \
    X(uint64_t, active_contacts, active_contacts)         \
    X(uint64_t, colours, colours)                         \
    X(uint64_t, impacts, impacts)                         \
    X(uint64_t, impact_rounds, impact_rounds)             \
    X(uint64_t, searches, searches)                       \
    X(uint64_t, iterations, iterations)                   \
    X(uint64_t, position_iterations, position_iterations) \
    X(uint64_t, coarse_nodes, coarse_nodes)               \
    X(uint64_t, coarse_iterations, coarse_iterations)     \
    X(double, coarse_change, coarse_change)               \
    X(double, residual, residual)                         \
    X(double, max_residual, max_residual)                 \
    X(double, max_penetration, max_penetration)           \
    X(double, mean_penetration, mean_penetration)         \
    X(double, carried_weight, carried_weight)             \
    X(double, imbalance, imbalance)                       \
    X(double, kinetic_energy, kinetic_energy)             \
    X(double, potential_energy, potential_energy)         \
    X(double, dissipated_energy, dissipated_energy)       \
    X(double, work_energy, work_energy)                   \
    X(double, joint_error, joint_error)                   \
    X(double, joint_residual, joint_residual)             \
    X(double, motor_energy, motor_energy)                 \
    X(double, spring_energy, spring_energy)               \
    X(uint64_t, substeps, substeps)                       \
    X(double, substep_ratio, substep_ratio)               \
    X(double, elastic_energy, elastic_energy)             \
    X(double, energy_error, energy_error)                 \
    X(double, total_ms, total_ms)                         \
    X(double, find_ms, ms.find)                           \
    X(double, match_ms, ms.match)                         \
    X(double, colour_ms, ms.colour)                       \
    X(double, build_ms, ms.build)                         \
    X(double, solve_ms, ms.solve)                         \
    X(double, position_ms, ms.position)                   \
    X(double, audit_ms, ms.audit)                         \
    X(double, integrate_ms, ms.integrate)                 \
    X(uint64_t, bytes, bytes)                             \
    X(uint64_t, peak_bytes, peak_bytes)

typedef struct tl_step_row {
#define X(type, name, member) type name;
    TL_STEP_FIELDS(X)
#undef X
} tl_step_row;

typedef struct tl_body_row {
    uint32_t body, kind;
    double mass, position[3], orientation[4], added;
} tl_body_row;

typedef struct tl_shape_row {
    uint32_t body, index, kind, material;
    double position[3], orientation[4], radius, half_extents[3], edge_u[3], edge_v[3];
    double half_length, rounding;
    uint64_t geometry; /* row of /geometries/list, from 1; 0: none */
    uint32_t group, mask;
    uint64_t sensor;       /* 1 or 0 */
    uint32_t end_a, end_b; /* of rods: the bodies that they are between; else 0 */
} tl_shape_row;

typedef struct tl_removal_row {
    uint64_t body;
    double time;
} tl_removal_row;

/* Every dataset that grows. Those of states, and those of contacts, grow together. */
typedef enum tl_result_table {
    TL_FRAMES,
    TL_STEPS,
    TL_BODIES,
    TL_SHAPES,
    TL_REMOVALS,
    TL_STATE_BODY,
    TL_STATE_POSITION,
    TL_STATE_ORIENTATION,
    TL_STATE_VELOCITY,
    TL_STATE_ANGULAR,
    TL_CONTACT_BODY,
    TL_CONTACT_SHAPE,
    TL_CONTACT_POINT,
    TL_CONTACT_NORMAL,
    TL_CONTACT_GAP,
    TL_CONTACT_IMPULSE,
    TL_RECORDED, /* which bodies are recorded, where not all are; does not grow */
    TL_RESULT_TABLES
} tl_result_table;

/* The tables of an open file. Those that the file does not have are not open and have no rows. */
typedef struct tl_result_tables {
    tl_h5_table table[TL_RESULT_TABLES];
    hid_t types[TL_RESULT_TABLES]; /* of rows in memory; those of structs are ours to close */
    tl_packer packer;              /* of a file that is written */
} tl_result_tables;

/* How many rows each kind of table has, as checkpoints keep it. */
typedef struct tl_result_rows {
    uint64_t frames, steps, bodies, shapes, removals, states, contacts;
} tl_result_rows;

/* Makes the tables that `record` asks for, for frames of about `bodies` bodies. */
tl_status tl_result_tables_create(tl_result_tables *tables, hid_t file, const char *path,
                                  uint64_t bodies, const tl_record_def *record);

/* Opens those that are there in a file of `size` bytes; each is checked. Columns are found by name.
 */
tl_status tl_result_tables_open(tl_result_tables *tables, hid_t file, const char *path,
                                uint64_t size);

/* Sets how a file that is gone on with rounds, as create does. */
void tl_result_tables_round(tl_result_tables *tables, const tl_record_def *record);

/* Whether the file has a table. */
bool tl_result_tables_have(const tl_result_tables *tables, tl_result_table which);

void tl_result_tables_close(tl_result_tables *tables);

/* Where rows that follow the first `rows` of a table begin: packed ones with a chunk. */
uint64_t tl_result_tables_next(const tl_result_tables *tables, tl_result_table which,
                               uint64_t rows);

/* Rows that are there in all tables of a kind. */
tl_result_rows tl_result_tables_rows(const tl_result_tables *tables);

/* Cuts every table to these rows: frames first, so that none is left without its states. */
tl_status tl_result_tables_cut(tl_result_tables *tables, hid_t file, const char *path,
                               const tl_result_rows *rows);

/* Checks one frame against the one before it (NULL for the first) and against what is there. */
bool tl_frame_row_is_whole(const tl_frame_row *row, const tl_frame_row *before,
                           const tl_result_rows *rows);

/* Reads the rows of /frames that are whole into `frames`, an array of tl_frame_row that holds those
 * read before, and takes the rows of /steps that are there into `steps`. What is not whole at the
 * end is left out; in a file that was closed it is damage. */
tl_status tl_result_tables_frames(const tl_result_tables *tables, const char *path, bool closed,
                                  tl_array *frames, uint64_t *steps);

#endif
