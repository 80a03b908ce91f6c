/** @file words.h
 *  The words that scene files, the command and the viewer have for the values of enums.
 */
#ifndef TALUS_WORDS_H
#define TALUS_WORDS_H

#include "talus/base.h"

TL_BEGIN_DECLS

/** The enums that have words. */
typedef enum tl_vocabulary {
    TL_WORDS_BODY = 0,         /**< tl_body_kind: "dynamic", "fixed", ... */
    TL_WORDS_SHAPE = 1,        /**< tl_shape_kind: "sphere", "plane", ... */
    TL_WORDS_MOTION = 2,       /**< tl_motion_kind: "velocity", "sine", ... */
    TL_WORDS_OVERLAP = 3,      /**< tl_overlap: "split", ... */
    TL_WORDS_SOLVER = 4,       /**< tl_solver_kind: "psor", "jacobi", ... */
    TL_WORDS_LAW = 5,          /**< tl_law: "default", "cone", ... */
    TL_WORDS_PRECISION = 6,    /**< tl_precision: "mixed", ... */
    TL_WORDS_BACKEND = 7,      /**< tl_backend_kind: "cpu", ... */
    TL_WORDS_REGION = 8,       /**< tl_region_kind: "box", "cylinder", ... */
    TL_WORDS_SIZE = 9,         /**< tl_size_kind: "equal", "uniform", ... */
    TL_WORDS_PATTERN = 10,     /**< tl_fill_pattern: "grid", "hex", ... */
    TL_WORDS_EVENT = 11,       /**< tl_event_kind: "remove", ... */
    TL_WORDS_MONITOR = 12,     /**< tl_monitor_kind: "force", ... */
    TL_WORDS_IMPACTS = 13,     /**< tl_impacts: "simultaneous", ... */
    TL_WORDS_COMPRESSION = 14, /**< tl_compression (talus/io.h): "none", "lossless", ... */
    TL_WORDS_JOINT = 15,       /**< tl_joint_kind: "fixed", "spherical", ... */
    TL_WORDS_FUNCTION = 16,    /**< tl_function_kind: "constant", "sine", ... */
    TL_WORDS_DRIVE = 17,       /**< tl_drive: "none", "speed", ... */
    TL_WORDS_STEPPER = 18,     /**< tl_stepper: "dvi", ... */
    TL_WORDS_PLANAR = 19,      /**< tl_planar: "none", "xz" */
    TL_WORDS_JOINTS = 20,      /**< tl_joint_method: "exact", ... */
    TL_WORDS_PLANES = 21,      /**< tl_planes: "by-motion", "nearest" */
    TL_WORDS_PENALTY = 22,     /**< tl_penalty_law: "hertz", ... */
    TL_WORDS_INTEGRATOR = 23,  /**< tl_integrator: "default", "verlet", ... */
    TL_WORDS_FRICTION = 24,    /**< tl_friction_form: "root", ... */
    TL_WORDS_ROLLING = 25,     /**< tl_rolling: "constant", ... */
    TL_WORDS_COHESION = 26     /**< tl_cohesion_law: "sjkr", ... */
} tl_vocabulary;

/** All words of an enum in the order of its values, which start at 0, with NULL at the end. No
 * words for a number that is no vocabulary. Static storage. */
TL_API const char *const *tl_words(tl_vocabulary which);

/** The word of a value, for example tl_word(TL_WORDS_SOLVER, TL_PSOR) is "psor"; "unknown" for a
 *  value that has none. Static storage. */
TL_API const char *tl_word(tl_vocabulary which, uint32_t value);

/** The value of a word, -1 where it is none of the vocabulary's. */
TL_API int tl_word_value(tl_vocabulary which, const char *word);

TL_END_DECLS

#endif
