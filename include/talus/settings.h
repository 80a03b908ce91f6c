/** @file settings.h
 *  How a scene is simulated: steppers, solvers, laws and precision, with their defaults.
 */
#ifndef TALUS_SETTINGS_H
#define TALUS_SETTINGS_H

#include "talus/base.h"

TL_BEGIN_DECLS

/** How a step goes in time (docs/theory.md, "Steppers"). */
typedef enum tl_stepper {
    TL_STEPPER_DVI = 0,    /**< first order in h: contacts and joints in one problem */
    TL_STEPPER_SMOOTH = 1, /**< second order in h where nothing impacts: for mechanisms */
    TL_STEPPER_STEWART_TRINKLE =
        2,                 /**< every facet of a shape is a half-space, solved exactly; CPU */
    TL_STEPPER_PEG = 3,    /**< polyhedral exact geometry: half-spaces end where shapes do; CPU */
    TL_STEPPER_PENALTY = 4 /**< contacts are springs and dampers, in substeps (docs/penalty.md) */
} tl_stepper;

/** The force laws of TL_STEPPER_PENALTY (docs/theory.md, "Penalty contact"). */
typedef enum tl_penalty_law {
    TL_PENALTY_HERTZ = 0,  /**< Hertz and Mindlin, by Young's modulus and Poisson's ratio */
    TL_PENALTY_LINEAR = 1, /**< springs and dashpots of a constant stiffness */
    TL_PENALTY_SCALED = 2  /**< document 004's: forces are in proportion to the reduced mass */
} tl_penalty_law;

/** How a substep goes in time. */
typedef enum tl_integrator {
    TL_INTEGRATOR_DEFAULT = 0,      /**< rk4 of the law scaled, verlet of the others */
    TL_INTEGRATOR_VERLET = 1,       /**< half a kick, drift, half a kick: second order */
    TL_INTEGRATOR_RK4 = 2,          /**< Runge-Kutta: fourth order, four evaluations */
    TL_INTEGRATOR_EULER = 3,        /**< explicit: first order, gains energy */
    TL_INTEGRATOR_SEMI_IMPLICIT = 4 /**< velocities, then positions by these: first order */
} tl_integrator;

/** How friction of the law scaled depends on the slip u; o is the overlap, m the reduced mass. */
typedef enum tl_friction_form {
    TL_FRICTION_ROOT = 0,         /**< m mu o u / sqrt|u|: method 3 of document 004 */
    TL_FRICTION_CONSTANT = 1,     /**< m mu o u / |u|: method 1 */
    TL_FRICTION_PROPORTIONAL = 2, /**< m mu o u: method 2 */
    TL_FRICTION_CAPPED = 3        /**< constant where |u| is above 1 m/s, else root */
} tl_friction_form;

/** How rolling_friction of a material acts. */
typedef enum tl_rolling {
    TL_ROLLING_CONSTANT = 0,       /**< a moment against the relative spin */
    TL_ROLLING_ELASTIC_PLASTIC = 1 /**< a spring and dashpot, up to that moment */
} tl_rolling;

/** How cohesion of a material acts. */
typedef enum tl_cohesion_law {
    TL_COHESION_SJKR = 0, /**< cohesion_density times the area of contact */
    TL_COHESION_JKR = 1,  /**< Johnson, Kendall and Roberts; cohesion is the force that pulls off */
    TL_COHESION_DMT = 2   /**< Derjaguin, Muller and Toporov: cohesion while surfaces touch */
} tl_cohesion_law;

/** What TL_STEPPER_PENALTY takes. */
typedef struct tl_penalty_def {
    tl_penalty_law law;       /**< default TL_PENALTY_HERTZ */
    tl_integrator integrator; /**< default TL_INTEGRATOR_DEFAULT */
    uint32_t substeps;        /**< of a step; 0 (the default): as many as keep 0.2 of Rayleigh's
                                   time and of the duration of a contact, and the limit of
                                   stability; at most 1,000,000 */
    double stiffness;         /**< linear: N/m, 0 (the default): 2 E R of the pair, reduced; scaled:
                                   C_c, 1/s^2, 0 (the default): 1000 */
    double tangential_stiffness;    /**< linear: N/m; 0 (the default): 2/7 of the stiffness */
    double damping;                 /**< scaled: C_d, 1/s; default 12.5 */
    double friction;                /**< scaled: mu; default 50 */
    tl_friction_form friction_form; /**< scaled; default TL_FRICTION_ROOT */
    bool collisions;                /**< scaled: fast contacts collide by impulses; default true */
    double collision_threshold;     /**< 1/s, scaled: those whose approach is above this times the
                                         smaller radius; default 1 */
    bool attraction;          /**< whether damping may pull surfaces together; default false */
    tl_rolling rolling;       /**< default TL_ROLLING_CONSTANT */
    tl_cohesion_law cohesion; /**< default TL_COHESION_DMT */
} tl_penalty_def;

/** Whether bodies move in space or in a plane. */
typedef enum tl_planar {
    TL_PLANAR_NONE = 0, /**< in space */
    TL_PLANAR_XZ = 1    /**< dynamic bodies keep their y, and turn about y alone */
} tl_planar;

/** Which plane of a shape a contact acts as for one step (docs/theory.md, "Planes by motion"). */
typedef enum tl_planes {
    TL_PLANES_BY_MOTION = 0, /**< where bodies move on: the plane that their path leads to */
    TL_PLANES_NEAREST = 1    /**< the one that is nearest as the step begins */
} tl_planes;

/** What the steppers TL_STEPPER_STEWART_TRINKLE and TL_STEPPER_PEG take (docs/theory.md, "Exact
 * geometry"). */
typedef struct tl_exact_def {
    double epsilon;      /**< m: pairs farther apart than this are left out, whatever their speed; 0
                              (the default): those that cannot meet within the step */
    double psi_minimum;  /**< m: facets that a pair is deeper behind are left out; 0 (the default):
                              those that cannot matter within the step */
    uint32_t directions; /**< of the pyramid of friction in space, 3 to 64; default 8 */
    bool cone;           /**< the cone instead of the pyramid; default false */
    bool primary;        /**< TL_STEPPER_PEG: eq. 16 of document 003, one impulse along the primary
                              facet of each pair; default false: on the facet that the pair ends
                              the step on */
} tl_exact_def;

/** How joints are solved (docs/theory.md, "Joints"). */
typedef enum tl_joint_method {
    TL_JOINTS_EXACT = 0,  /**< all joints of a machine at once, by factors */
    TL_JOINTS_ITERATE = 1 /**< one at a time in each sweep of psor, as in the sources */
} tl_joint_method;

/** How overlap is removed (docs/theory.md, "Overlap"). */
typedef enum tl_overlap {
    TL_OVERLAP_SPLIT = 0,   /**< a second, frictionless problem moves positions only */
    TL_OVERLAP_VELOCITY = 1 /**< gap / h inside the velocity problem, as in the sources */
} tl_overlap;

/** The solvers of the velocity problem (docs/theory.md, "Solvers"). */
typedef enum tl_solver_kind {
    TL_PSOR = 0,    /**< coloured projected Gauss-Seidel: the default, best per millisecond */
    TL_JACOBI = 1,  /**< the fixed-point iteration of the sources, eq. 12 and 14 */
    TL_APGD = 2,    /**< accelerated projected gradient: for tight tolerances */
    TL_SPG = 3,     /**< spectral projected gradient (Barzilai-Borwein) */
    TL_INTERIOR = 4 /**< interior-point method by factorizations, on the host in 64-bit: with a
                         certificate, the duality gap; with joints, exact ones, of up to 8 GB of
                         factors; without rolling and spinning friction */
} tl_solver_kind;

/** The friction law that a solver satisfies. */
typedef enum tl_law {
    TL_LAW_DEFAULT = 0, /**< Coulomb's */
    TL_LAW_CONE = 1,    /**< the convex relaxation of the sources: contacts that slip are thrown
                             apart at friction times the slip */
    TL_LAW_COULOMB = 2  /**< true Coulomb friction */
} tl_law;

/** How impacts share a step (docs/theory.md, "Impacts"). */
typedef enum tl_impacts {
    TL_IMPACTS_SIMULTANEOUS = 0, /**< all at once, in the velocity problem: touching bodies share an
                                      impact */
    TL_IMPACTS_PROPAGATING = 1   /**< one pair after the other, the earliest first, until none is
                                      left: what a gas or a row of balls does. The points of a pair
                                      that touches at several follow each other, too: a cube that
                                      lands flat with restitution 0.5 leaves with about 0.2 of its
                                      speed and spins; all at once it leaves with 0.5 */
} tl_impacts;

/** How real numbers are kept; positions are always 64-bit. */
typedef enum tl_precision {
    TL_MIXED = 0, /**< velocities, impulses and contact frames in 32-bit: the default */
    TL_DOUBLE = 1 /**< everything in 64-bit */
} tl_precision;

/** Where a world runs. */
typedef enum tl_backend_kind {
    TL_BACKEND_CPU = 0, /**< threads of this machine: the default */
    TL_BACKEND_CUDA = 1 /**< the first NVIDIA GPU, through the plugin libtalus_cuda.so; making a
                           world fails with TL_NO_BACKEND and the reason where that cannot be had */
} tl_backend_kind;

/** How a solver runs. */
typedef struct tl_solver_def {
    tl_solver_kind kind;          /**< default TL_PSOR */
    tl_law law;                   /**< default TL_LAW_DEFAULT */
    uint32_t iterations;          /**< at most, velocity problem, >= 1; default 8. Not used by
                                       interior, which ends by its certificate */
    uint32_t position_iterations; /**< at most, position problem (split), >= 1; default 4 */
    uint32_t balance_iterations;  /**< psor with Coulomb's law: at most so many before those of a
                                       step in which loads are new on bodies at rest, in search of
                                       impulses that hold them, fewer beyond 1,000 contacts, or a
                                       few factorizations that take no longer; 0: none, nor a direct
                                     solution where bodies at rest creep;  default 5000 */
    uint32_t coarse_layers;       /**< psor: heaps of about so many layers or more, along gravity,
                                       have a coarse level between the sweeps; 0: none; default 64
                                     */
    double tolerance; /**< m/s: stop when the residual is below; default 0, run them all */
    double omega;     /**< step factor, > 0 and below 2; 0 (the default): 1 for psor, longer in most
                           sweeps of deep heaps of balls, with momentum under the cone law in double
                           precision, and 0.3 for jacobi, where bodies of many points bear it. Not
                           used by apgd and spg */
    double lambda;    /**< jacobi's averaging factor, above 0 and at most 1; default 1 */
    bool warm_start;  /**< start from the last step's impulses; default true */
    tl_joint_method joints; /**< default TL_JOINTS_EXACT; TL_JOINTS_ITERATE needs TL_PSOR and
                                 TL_STEPPER_DVI */
} tl_solver_def;

/** Settings of a scene; a world takes a copy and they can be changed while it runs. */
typedef struct tl_settings {
    double gravity[3];        /**< m/s^2; default (0, 0, -9.81) */
    double step;              /**< s, the time step h, > 0; default 1/200 */
    tl_stepper stepper;       /**< default TL_STEPPER_DVI */
    tl_exact_def exact;       /**< of exact steppers */
    tl_penalty_def penalty;   /**< of TL_STEPPER_PENALTY */
    tl_planar planar;         /**< default TL_PLANAR_NONE */
    tl_planes planes;         /**< default TL_PLANES_BY_MOTION; not used by exact steppers */
    double envelope;          /**< m, contacts are made for gaps up to this (delta); 0, the default:
                                   5 % of the smallest radius of a dynamic body's shapes */
    tl_overlap overlap;       /**< default TL_OVERLAP_SPLIT */
    double recovery_fraction; /**< part of an overlap removed a step, above 0 and at most 1; default
                                   0.5. The sources' form is TL_OVERLAP_VELOCITY with 1 */
    double recovery_speed;    /**< m/s, overlap is removed no faster; default infinity */
    double restitution_speed; /**< m/s, slower impacts do not bounce; default 0.01 */
    tl_impacts impacts;       /**< default TL_IMPACTS_PROPAGATING; worlds with joints have them all
                                 at once */
    double max_speed;         /**< m/s, a body that moves faster, or is moved faster out of an
                                   overlap, stops the run with TL_DIVERGED; default 1e5 */
    tl_solver_def solver;     /**< how contacts are solved */
    tl_precision precision;   /**< fixed when the world is made */
    tl_backend_kind backend;  /**< default TL_BACKEND_CPU; fixed when the world is made */
    uint32_t threads;         /**< CPU threads; 0 (the default): as many as the machine offers */
    bool
        exact_times; /**< wait for the device at the end of each stage, so that a report's stage
                          times are where the work was done; costs a GPU some time. Default false */
} tl_settings;

/** Every setting at its default. */
TL_API tl_settings tl_settings_default(void);

TL_END_DECLS

#endif
