/* The words of enums: the one place where they stand. Called by the other files of this room, the
 * scene reader, the command and the benchmarks. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "scene/check.h"

#define WORDS(...)        \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

/* Words in the order of values. The constant of a value is the prefix and its word in capitals. */
static const struct vocabulary {
    const char *prefix;
    const char *const *words;
} vocabularies[] = {
    [TL_WORDS_BODY] = {"TL_", WORDS("dynamic", "fixed", "prescribed")},
    [TL_WORDS_SHAPE] = {"TL_",
                        WORDS("sphere", "plane", "box", "parallelogram", "capsule", "cylinder",
                              "cone", "ellipsoid", "hull", "mesh", "heights", "point", "polygon")},
    [TL_WORDS_MOTION] = {"TL_MOTION_", WORDS("velocity", "sine", "table", "ramp", "expression")},
    [TL_WORDS_OVERLAP] = {"TL_OVERLAP_", WORDS("split", "velocity")},
    [TL_WORDS_SOLVER] = {"TL_", WORDS("psor", "jacobi", "apgd", "spg", "interior")},
    [TL_WORDS_LAW] = {"TL_LAW_", WORDS("default", "cone", "coulomb")},
    [TL_WORDS_PRECISION] = {"TL_", WORDS("mixed", "double")},
    [TL_WORDS_BACKEND] = {"TL_BACKEND_", WORDS("cpu", "cuda")},
    [TL_WORDS_REGION] = {"TL_REGION_", WORDS("box", "cylinder", "sphere")},
    [TL_WORDS_SIZE] = {"TL_SIZE_", WORDS("equal", "uniform", "normal", "lognormal")},
    [TL_WORDS_PATTERN] = {"TL_FILL_", WORDS("grid", "hex", "random", "close")},
    [TL_WORDS_EVENT] = {"TL_EVENT_", WORDS("remove", "gravity", "motion")},
    [TL_WORDS_MONITOR] = {"TL_MONITOR_",
                          WORDS("force", "torque", "mass_flow", "position", "velocity",
                                "angular_velocity", "energy", "amount", "speed", "mean", "max",
                                "min", "integral", "expression", "touching", "ray", "joint")},
    [TL_WORDS_IMPACTS] = {"TL_IMPACTS_", WORDS("simultaneous", "propagating")},
    [TL_WORDS_COMPRESSION] = {"TL_COMPRESSION_", WORDS("none", "lossless", "quantised")},
    [TL_WORDS_JOINT] = {"TL_JOINT_",
                        WORDS("fixed", "spherical", "revolute", "prismatic", "cylindrical",
                              "planar", "universal", "point_on_line", "point_on_plane", "distance",
                              "revolute_spherical", "gear", "rack", "screw", "pulley", "generic")},
    [TL_WORDS_FUNCTION] = {"TL_FUNCTION_", WORDS("constant", "sine", "table", "expression")},
    [TL_WORDS_DRIVE] = {"TL_DRIVE_", WORDS("none", "speed", "position", "force")},
    [TL_WORDS_STEPPER] = {"TL_STEPPER_",
                          WORDS("dvi", "smooth", "stewart-trinkle", "peg", "penalty")},
    [TL_WORDS_PLANAR] = {"TL_PLANAR_", WORDS("none", "xz")},
    [TL_WORDS_JOINTS] = {"TL_JOINTS_", WORDS("exact", "iterate")},
    [TL_WORDS_PLANES] = {"TL_PLANES_", WORDS("by-motion", "nearest")},
    [TL_WORDS_PENALTY] = {"TL_PENALTY_", WORDS("hertz", "linear", "scaled")},
    [TL_WORDS_INTEGRATOR] = {"TL_INTEGRATOR_",
                             WORDS("default", "verlet", "rk4", "euler", "semi_implicit")},
    [TL_WORDS_FRICTION] = {"TL_FRICTION_", WORDS("root", "constant", "proportional", "capped")},
    [TL_WORDS_ROLLING] = {"TL_ROLLING_", WORDS("constant", "elastic_plastic")},
    [TL_WORDS_COHESION] = {"TL_COHESION_", WORDS("sjkr", "jkr", "dmt")},
};

const char *const *tl_words(tl_vocabulary which)
{
    static const char *const none[] = {NULL};
    return (uint32_t)which < sizeof vocabularies / sizeof *vocabularies ? vocabularies[which].words
                                                                        : none;
}

const char *tl_word(tl_vocabulary which, uint32_t value)
{
    const char *const *words = tl_words(which);
    for (uint32_t i = 0; words[i]; i++)
        if (i == value)
            return words[i];
    return "unknown";
}

int tl_word_value(tl_vocabulary which, const char *word)
{
    const char *const *words = tl_words(which);
    for (int i = 0; word && words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}

void tl_word_constant(tl_vocabulary which, uint32_t value, char constant[TL_CONSTANT_SIZE])
{
    snprintf(constant, TL_CONSTANT_SIZE, "%s%s", vocabularies[which].prefix, tl_word(which, value));
    for (char *c = constant; *c; c++)
        *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}
