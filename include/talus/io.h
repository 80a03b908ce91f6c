/** @file io.h
 *  Files: scenes and meshes to read, results to write, read, go on with and export. In the library
 * talus_io, which needs HDF5; the core does without.
 *
 *  docs/scene-format.md describes scene files and docs/result-format.md result files.
 */
#ifndef TALUS_IO_H
#define TALUS_IO_H

#include "talus/mesh.h"
#include "talus/problem.h"
#include "talus/world.h"

TL_BEGIN_DECLS

/** @name Scene files
 *  @{ */

/** A scene read from a file, with what the file says besides: names, how long to run, what to
 *  record. Opaque; never changes once made. */
typedef struct tl_document tl_document;

/** What is recorded of the bodies of a frame besides their positions: bits of
 *  tl_record_def.fields. */
typedef enum tl_record_field {
    TL_RECORD_ORIENTATION = 1,      /**< unit quaternions */
    TL_RECORD_VELOCITY = 2,         /**< of the bodies' origins */
    TL_RECORD_ANGULAR_VELOCITY = 4, /**< in the world frame */
    TL_RECORD_ALL_FIELDS = 7        /**< all of them */
} tl_record_field;

/** How frames are stored. All are read by any program that reads HDF5. In packed results rows of
 *  zeros lie between the rows of frames, and up to eight frames wait in memory until their chunk is
 *  full, 30 s have passed or a checkpoint is written: docs/result-format.md. */
typedef enum tl_compression {
    TL_COMPRESSION_NONE = 0,     /**< as they are */
    TL_COMPRESSION_LOSSLESS = 1, /**< packed */
    TL_COMPRESSION_QUANTISED = 2 /**< rounded to tl_record_def.error, then packed */
} tl_compression;

/** How long to run and what to record, as a scene file says it. */
typedef struct tl_record_def {
    double duration;   /**< s of simulated time, > 0; default 10 */
    double rate;       /**< frames per second of simulated time, >= 0; 0: only the first and the
                            last; default 50 */
    bool contacts;     /**< record contacts with their impulses in each frame; default false */
    double checkpoint; /**< s of wall-clock time between checkpoints, > 0; default 60 */
    uint32_t fields;   /**< of tl_record_field, what frames hold besides positions; default all */
    tl_compression compression; /**< default none */
    double error; /**< m, > 0: the most by which quantised positions are off; default 1e-5. What it
                       means for the rest is in docs/result-format.md. */
    size_t body_count;           /**< ranges in `bodies`; 0, the default: all bodies */
    const tl_body_range *bodies; /**< the bodies whose states and contacts are recorded, ascending,
                                      without overlap; owned by who gives the definition */
} tl_record_def;

/** Everything at its default. */
TL_API tl_record_def tl_record_default(void);

/** Reads a scene file. `sets` holds `set_count` texts "PARAMETER=VALUE" or "path.in.scene=VALUE"
 * that replace values of the file before it is checked. A file that cannot be read gives TL_FILE;
 * one that breaks a rule TL_BAD_DATA and the message "file:line:column: path.in.scene: what is
 * wrong, what was expected". */
TL_API tl_status tl_document_read(const char *path, size_t set_count, const char *const *sets,
                                  tl_document **document);

/** The same from memory; `name` stands for the file in messages. */
TL_API tl_status tl_document_parse(const char *name, const char *text, size_t length,
                                   size_t set_count, const char *const *sets,
                                   tl_document **document);

/** Whether a text is a scene in lines (docs/scene-format.md), which all functions that read scenes
 *  read, too: the name ends in ".txt", and the text does not begin with '{'. */
TL_API bool tl_document_is_lines(const char *name, const char *text, size_t length);

/** The same as tl_document_read(), of a scene in lines alone; `ground` asks for a plane at z = 0
 * besides what the file has. tl_document_text() is the scene in JSON. */
TL_API tl_status tl_document_import(const char *path, bool ground, size_t set_count,
                                    const char *const *sets, tl_document **document);

/** How many lines of a scene in lines are comments; 0 of others. */
TL_API uint64_t tl_document_comments(const tl_document *document);

/** Frees a document with its scene; NULL does nothing. */
TL_API void tl_document_destroy(tl_document *document);

/** The scene, owned by the document. */
TL_API const tl_scene *tl_document_scene(const tl_document *document);

/** The scene file's text after `sets`, as JSON that tl_document_parse() reads to the same scene.
 * Owned by the document; ends with a zero byte that `length` (may be NULL) does not count. */
TL_API const char *tl_document_text(const tl_document *document, size_t *length);

/** The title, "" where the file has none. Owned by the document. */
TL_API const char *tl_document_title(const tl_document *document);

/** What the file says of running and recording. */
TL_API tl_record_def tl_document_record(const tl_document *document);

/** The name of a body of the file, NULL where it has none. Owned by the document. */
TL_API const char *tl_document_body_name(const tl_document *document, tl_body body);

/** The body of a name, none where there is no such body. */
TL_API tl_body tl_document_find_body(const tl_document *document, const char *name);

/** The bodies that the emitter of a name pours in: `range` receives all from the first one on,
 *  whenever they come, or no body where there is no such emitter. TL_BAD_ARGUMENT where the scene
 *  has more emitters: their bodies cannot be told apart. Bodies that a program adds to the world
 *  count as the emitter's. */
TL_API tl_status tl_document_find_emitted(const tl_document *document, const char *name,
                                          tl_body_range *range);

/** The name of the entry of the file that a joint is of, NULL where it has none. Owned by the
 *  document. */
TL_API const char *tl_document_joint_name(const tl_document *document, tl_joint joint);

/** Writes where a joint of the scene comes from, as tl_document_describe() does of bodies. Joints
 * that the file did not make: "joint 17". */
TL_API void tl_document_describe_joint(const tl_document *document, tl_joint joint, char *text,
                                       size_t room);

/** The joint of a name; none where there is no such joint, or where the entry of that name repeats
 *  and has made several. */
TL_API tl_joint tl_document_find_joint(const tl_document *document, const char *name);

/** The name of a material; "default" for none. NULL for one that is not of this scene. Owned by the
 *  document. */
TL_API const char *tl_document_material_name(const tl_document *document, tl_material material);

/** Writes where a body of the scene comes from, for example `pile.json:12:5: bodies[3] "ball"`, cut
 *  to `room` bytes with the final zero. Bodies that the file did not make: "body 17". */
TL_API void tl_document_describe(const tl_document *document, tl_body body, char *text,
                                 size_t room);

/** @} */

/** @name Mesh files
 *  @{ */

/** Reads a mesh: STL (binary or text) or OBJ, and PLY, DAE or glTF (.gltf, .glb) where talus_io was
 * built with assimp; the name's ending says which. `scale` (> 0) is what the file's lengths are
 * multiplied by to be metres, `merge` (m, >= 0) the distance within which vertices become one:
 * tl_mesh_def. A file that cannot be read gives TL_FILE, one that is damaged TL_BAD_DATA with
 * "file:line: ..." or, in binary files, with the triangle. */
TL_API tl_status tl_mesh_read(const char *path, double scale, double merge, tl_mesh **mesh);

/** The same from memory; `name` stands for the file in messages, and its ending says the format. */
TL_API tl_status tl_mesh_parse(const char *name, const void *data, size_t length, double scale,
                               double merge, tl_mesh **mesh);

/** Whether a name ends as those of mesh files do. */
TL_API bool tl_mesh_is_file(const char *path);

/** Whether PLY, DAE and glTF can be read: talus_io was built with assimp. */
TL_API bool tl_mesh_has_assimp(void);

/** @} */

/** @name Recording
 *  @{ */

/** Writes a result file while a world runs: frames, reports, and the scene itself. A process that
 * is killed at any time leaves a file that opens. Used by one thread. */
typedef struct tl_recorder tl_recorder;

/** Starts a result file at `path` with the world's present state as its first frame, and writes the
 *  first checkpoint (beside it, `path` + ".checkpoint"). An existing file is refused with TL_FILE
 *  unless `replace`. `note` is text kept in the file (for example the command line); may be NULL.
 */
TL_API tl_status tl_recorder_create(const char *path, bool replace, const tl_document *document,
                                    tl_world *world, const tl_record_def *record, const char *note,
                                    tl_recorder **recorder);

/** Goes on with a result: reads its scene and its last checkpoint, makes the world of it on a
 * backend of choice with `threads` (0: as many as there are), cuts what was recorded after the
 * checkpoint, and hands all three out for the caller to destroy. What follows is bit for bit what
 * an uninterrupted run would have written. `record` of the result is in tl_recorder_record(). */
TL_API tl_status tl_recorder_resume(const char *path, tl_backend_kind backend, uint32_t threads,
                                    tl_recorder **recorder, tl_document **document,
                                    tl_world **world);

/** What is recorded. */
TL_API tl_record_def tl_recorder_record(const tl_recorder *recorder);

/** To be called after every step, with its report: records the report, and a frame if one is due at
 *  this step (frame k is due at the first step at or after k / rate). Writing happens on a thread
 * of the recorder; a failure to write (TL_FILE: the disk is full) is returned by the next call, and
 * what was written before it stays readable. Writes a checkpoint, too, when the last one is older
 * than the record's `checkpoint` seconds. */
TL_API tl_status tl_recorder_step(tl_recorder *recorder, tl_world *world, const tl_report *report);

/** Writes everything out, then a checkpoint, atomically: at any time there is a whole one. */
TL_API tl_status tl_recorder_checkpoint(tl_recorder *recorder, tl_world *world);

/** Notes in the result, at the world's time, that the run was changed by hand: `text` is one line
 * that says how. Where a run is not what its scene says, its result says so
 * (tl_result_read_edits()). */
TL_API tl_status tl_recorder_edit(tl_recorder *recorder, const tl_world *world, const char *text);

/** Records the present state as the last frame unless it is recorded already, writes a checkpoint
 * and closes the file. The recorder is freed whatever the status; NULL does nothing. A NULL world
 * closes the file as it is. */
TL_API tl_status tl_recorder_close(tl_recorder *recorder, tl_world *world);

/** @} */

/** @name Results
 *  @{ */

/** A result file opened for reading. Opaque; one thread at a time. */
typedef struct tl_result tl_result;

/** What a result file holds. Texts belong to the result. */
typedef struct tl_result_info {
    const char *version;         /**< of the Talus that wrote it */
    const char *note;            /**< given to the recorder; "" where there was none */
    const char *backend;         /**< of the world, for example "cpu (avx2, 2 threads)" */
    bool closed;                 /**< false: still being written, or its writer was killed */
    uint64_t frames;             /**< whole frames */
    uint64_t steps;              /**< rows of step reports */
    uint64_t bodies;             /**< bodies that ever were in it */
    uint64_t shapes;             /**< shapes of those bodies */
    uint64_t contacts;           /**< contacts recorded, over all frames */
    double first_time;           /**< s, of the first frame */
    double last_time;            /**< s, of the last frame */
    bool has_checkpoint;         /**< its checkpoint lies beside it */
    uint32_t format_major;       /**< the version of its format */
    uint32_t format_minor;       /**< its second number */
    uint32_t fields;             /**< tl_record_field: what its frames hold */
    tl_compression compression;  /**< how they are stored */
    double error;                /**< m, of quantised positions; else 0 */
    size_t body_count;           /**< ranges of the bodies that are recorded; 0: all are */
    const tl_body_range *ranges; /**< these */
} tl_result_info;

/** Opens a result file; damaged ones are refused with TL_BAD_DATA. A file whose writer was killed
 * is opened as far as it is whole. Files of every earlier version from 0.1 on are read, and those
 * of later minor versions of the format as far as this library knows what is in them. */
TL_API tl_status tl_result_open(const char *path, tl_result **result);

/** Closes it; NULL does nothing. */
TL_API void tl_result_close(tl_result *result);

/** What it holds. */
TL_API tl_result_info tl_result_describe(const tl_result *result);

/** Looks again at a file that is being written: frames and steps may have grown. */
TL_API tl_status tl_result_refresh(tl_result *result);

/** What was done to the run by hand while it was recorded: one line per edit, the time in s, a
 * space and the text given to tl_recorder_edit(). `*length` receives the bytes of all of them, 0
 * where the run was left alone; `text` receives them with a final zero where `room` is larger. */
TL_API tl_status tl_result_read_edits(tl_result *result, size_t room, char *text, size_t *length);

/** Parses the scene inside. The caller destroys the document. Geometries
 *  that the scene has in files are those that the result holds: the files are not read. */
TL_API tl_status tl_result_document(const tl_result *result, tl_document **document);

/** One frame of a result. Arrays belong to the result and are valid until its next call. */
typedef struct tl_result_frame {
    tl_frame_view state;        /**< moving bodies; arrays that were not recorded are NULL */
    size_t contact_count;       /**< 0 where contacts were not recorded */
    const tl_contact *contacts; /**< in the order of tl_world_read_contacts() */
} tl_result_frame;

/** Reads frame `index`, from 0. */
TL_API tl_status tl_result_read_frame(tl_result *result, uint64_t index, tl_result_frame *frame);

/** The same without its contacts, which may be more than all else. */
TL_API tl_status tl_result_read_states(tl_result *result, uint64_t index, tl_frame_view *state);

/** Gives back the memory of the frame that was read last; its arrays are no longer there. */
TL_API void tl_result_drop_frame(tl_result *result);

/** Makes a world of frame `index`, from 0, in which nothing moves: for queries (talus/query.h).
 * Bodies have the handles and shapes of the result, are all fixed, and are where they were; of one
 * that records some bodies only these are there. Results without orientations are refused with
 * TL_BAD_ARGUMENT. Triangles of meshes are numbered as by tl_world_geometry() of this world. The
 * caller destroys it. */
TL_API tl_status tl_result_world(tl_result *result, uint64_t index, tl_world **world);

/** Makes the world that the checkpoint beside a result holds, which goes on from there bit for bit;
 * the result stays as it is. TL_FILE where there is none. The caller destroys it. */
TL_API tl_status tl_result_load(tl_result *result, tl_backend_kind backend, uint32_t threads,
                                tl_world **world);

/** s, the times of all frames, tl_result_info.frames values; `count` must be that. */
TL_API tl_status tl_result_read_times(tl_result *result, uint64_t count, double *times);

/** Where a body was when it first appeared in the result, and what it is. */
typedef struct tl_body_info {
    tl_body body;          /**< its handle */
    tl_body_kind kind;     /**< dynamic, fixed or prescribed */
    double mass;           /**< kg; 0 where it is not dynamic */
    double position[3];    /**< m */
    double orientation[4]; /**< unit quaternion (w, x, y, z) */
    double added;          /**< s, when it was first recorded */
    double removed;        /**< s, when it was first missed; infinity for those still there */
} tl_body_info;

/** All bodies that ever were, by index; `count` must be tl_result_info.bodies. */
TL_API tl_status tl_result_read_bodies(tl_result *result, uint64_t count, tl_body_info *bodies);

/** All their shapes; `count` must be tl_result_info.shapes. */
TL_API tl_status tl_result_read_shapes(tl_result *result, uint64_t count, tl_shape_info *shapes);

/** Takes a body with its shapes; other statuses than TL_OK end the visits. */
typedef tl_status (*tl_body_visit)(void *user, const tl_body_info *body, size_t shape_count,
                                   const tl_shape_info *shapes);

/** Hands over all bodies that ever were, by index, each with its shapes, without holding more than
 * some of them: for results that are large. Returns the status of the last visit, or what is wrong
 * with the file. */
TL_API tl_status tl_result_visit_bodies(tl_result *result, tl_body_visit visit, void *user);

/** How many geometries (hulls, meshes, height fields) its shapes may refer to. */
TL_API uint64_t tl_result_geometry_count(const tl_result *result);

/** What a geometry holds, whose number is that of tl_shape_def. The arrays belong to the result. */
TL_API tl_status tl_result_geometry(const tl_result *result, tl_geometry geometry,
                                    tl_geometry_info *info);

/** Step reports `first` to `first + count - 1`. */
TL_API tl_status tl_result_read_reports(tl_result *result, uint64_t first, uint64_t count,
                                        tl_report *reports);

/** How many channels the monitors of its scene have. */
TL_API uint64_t tl_result_monitor_count(const tl_result *result);

/** Channel i, from 0. */
TL_API tl_status tl_result_monitor_info(const tl_result *result, uint64_t i, tl_monitor_info *info);

/** What monitors measured in the steps of reports `first` to `first + count - 1`: `count` rows of
 * tl_result_monitor_count() values. NaN where there was no value. */
TL_API tl_status tl_result_read_monitors(tl_result *result, uint64_t first, uint64_t count,
                                         double *values);

/** The value of an expression as scene files have them, "abs(load.z) > 2*pi", over `count` names
 * (at most 65535) with their values: of what a result tells, for example. Comparisons give 1 or 0.
 * It may be infinite or NaN. Where the text is no expression over these names: TL_BAD_DATA, and the
 * message tells the column. */
TL_API tl_status tl_evaluate(const char *expression, size_t count, const char *const *names,
                             const double *values, double *value);

/** The files that tl_result_export() makes. */
typedef enum tl_export_format {
    TL_EXPORT_CSV = 0, /**< one file, one line per body and frame */
    TL_EXPORT_VTK = 1, /**< a .pvd with a .vtp a frame for moving spheres, one for fixed shapes, and
                            one per frame for contacts where they were recorded, and for joints
                            where orientations were: opens in ParaView */
    TL_EXPORT_STEPS_CSV = 2,    /**< one file, one line per step report */
    TL_EXPORT_CONTACTS_CSV = 3, /**< one file, one line per contact and frame */
    TL_EXPORT_MONITORS_CSV = 4, /**< one file, one line per step with the channels of monitors */
    TL_EXPORT_JOINTS_CSV = 5 /**< one file, one line per joint and frame: its frames in the world;
                                  reactions and error of joints that have a monitor */
} tl_export_format;

/** What tl_result_export() writes. Of step reports and monitors, first, last and
 * stride count steps. */
typedef struct tl_export_def {
    tl_export_format format; /**< default TL_EXPORT_CSV */
    uint64_t first;          /**< the first frame, from 0; default 0 */
    uint64_t last;           /**< the last, clipped to what there is; default UINT64_MAX */
    uint64_t stride;         /**< every stride-th frame from the first on, > 0; default 1 */
    size_t body_count;       /**< 0 (the default): all bodies */
    const tl_body *bodies;   /**< the bodies to write, each of the result, in any order. Of contacts
                                  and joints those are written that have one of them; not for step
                                reports   and monitors */
} tl_export_def;

/** All frames and bodies as CSV. */
TL_API tl_export_def tl_export_default(void);

/** What an export has written. */
typedef struct tl_export_info {
    uint64_t frames; /**< frames, or steps */
    uint64_t rows;   /**< lines of CSV without the head; points of VTK */
    uint64_t files;  /**< files: one, but for VTK */
    uint64_t bytes;  /**< of all files */
} tl_export_info;

/** Exports a result to `path`; for VTK that is the .pvd, and the others lie in a folder beside it.
 *  What is there is replaced. Writes to a temporary name first, so that a failure leaves no half
 *  file behind. `written`, if not NULL, receives what was written. */
TL_API tl_status tl_result_export(tl_result *result, const tl_export_def *def, const char *path,
                                  tl_export_info *written);

/** @} */

/** @name Contact problems
 *  @{ */

/** Reads a contact problem in FCLIB's HDF5 layout (docs/formats.md), of either form; of a file that
 * has both, the global one. Matrices may be in compressed columns, compressed rows or triplets. The
 * impulses of the first guess, where there is one, are the problem's guess. A file that cannot be
 * read gives TL_FILE, one that breaks a rule TL_BAD_DATA with the dataset, the value and the rule.
 */
TL_API tl_status tl_contact_problem_load(const char *path, tl_contact_problem **problem);

/** Writes one, with its guess, and with `r` (impulses; NULL: none) and what follows from it as the
 *  solution. What is there is replaced once the new file is whole. */
TL_API tl_status tl_contact_problem_save(const char *path, const tl_contact_problem *problem,
                                         const double *r);

/** @} */

TL_END_DECLS

#endif
