/* Settings: their defaults and their rules. Scenes and worlds check with the same function. */
#include "scene/check.h"

#include <math.h>

static const uint32_t most_threads = 1024;
static const uint32_t most_substeps = 1000000;

tl_settings tl_settings_default(void)
{
    return (tl_settings){
        .gravity = {0, 0, -9.81},
        .step = 1.0 / 200,
        .stepper = TL_STEPPER_DVI,
        .exact = {.directions = 8},
        .penalty = {.damping = 12.5,
                    .friction = 50,
                    .collisions = true,
                    .collision_threshold = 1,
                    .cohesion = TL_COHESION_DMT},
        .planar = TL_PLANAR_NONE,
        .planes = TL_PLANES_BY_MOTION,
        .envelope = 0,
        .overlap = TL_OVERLAP_SPLIT,
        .recovery_fraction = 0.5,
        .recovery_speed = INFINITY,
        .restitution_speed = 0.01,
        .impacts = TL_IMPACTS_PROPAGATING,
        .max_speed = 1e5,
        .solver = {.kind = TL_PSOR,
                   .law = TL_LAW_DEFAULT,
                   .iterations = 8,
                   .position_iterations = 4,
                   .balance_iterations = 5000,
                   .coarse_layers = 64,
                   .tolerance = 0,
                   .omega = 0,
                   .lambda = 1,
                   .warm_start = true,
                   .joints = TL_JOINTS_EXACT},
        .precision = TL_MIXED,
        .threads = 0,
    };
}

static tl_status check_solver(const tl_place *place, const tl_solver_def *solver)
{
    static const double none = 0;
    TL_TRY(tl_check_enum(place, "solver.kind", solver->kind, TL_WORDS_SOLVER));
    TL_TRY(tl_check_enum(place, "solver.law", solver->law, TL_WORDS_LAW));
    TL_TRY(tl_check_enum(place, "solver.joints", solver->joints, TL_WORDS_JOINTS));
    if (solver->joints == TL_JOINTS_ITERATE && solver->kind != TL_PSOR)
        return tl_refuse_text(place, "solver.joints", "iterate",
                              "it must be exact where solver.kind is not psor");
    if (solver->iterations < 1)
        return tl_refuse(place, "solver.iterations", 1, &none, "it must be >= 1");
    if (solver->position_iterations < 1)
        return tl_refuse(place, "solver.position_iterations", 1, &none, "it must be >= 1");
    if (!(solver->tolerance >= 0 && isfinite(solver->tolerance)))
        return tl_refuse(place, "solver.tolerance", 1, &solver->tolerance,
                         "it must be finite and >= 0");
    if (!(solver->omega >= 0 && solver->omega < 2))
        return tl_refuse(place, "solver.omega", 1, &solver->omega,
                         "it must be above 0 and below 2, or 0 for the solver's own");
    if (!(solver->lambda > 0 && solver->lambda <= 1))
        return tl_refuse(place, "solver.lambda", 1, &solver->lambda,
                         "it must be above 0 and at most 1");
    return TL_OK;
}

static tl_status check_overlap(const tl_place *place, const tl_settings *settings)
{
    TL_TRY(tl_check_enum(place, "overlap", settings->overlap, TL_WORDS_OVERLAP));
    if (!(settings->recovery_fraction > 0 && settings->recovery_fraction <= 1))
        return tl_refuse(place, "recovery_fraction", 1, &settings->recovery_fraction,
                         "it must be above 0 and at most 1");
    if (!(settings->recovery_speed > 0))
        return tl_refuse(place, "recovery_speed", 1, &settings->recovery_speed,
                         "it must be > 0 (infinity: no limit)");
    return TL_OK;
}

static tl_status check_exact(const tl_place *place, const tl_exact_def *exact)
{
    const double directions = exact->directions;
    if (!(exact->epsilon >= 0 && isfinite(exact->epsilon)))
        return tl_refuse(place, "exact.epsilon", 1, &exact->epsilon, "it must be finite and >= 0");
    if (!(exact->psi_minimum >= 0 && isfinite(exact->psi_minimum)))
        return tl_refuse(place, "exact.psi_minimum", 1, &exact->psi_minimum,
                         "it must be finite and >= 0");
    if (exact->directions < 3 || exact->directions > 64)
        return tl_refuse(place, "exact.directions", 1, &directions, "it must be 3 to 64");
    return TL_OK;
}

static tl_status check_penalty(const tl_place *place, const tl_penalty_def *p)
{
    const struct {
        const char *field;
        const double *value;
    } numbers[] = {{"penalty.stiffness", &p->stiffness},
                   {"penalty.tangential_stiffness", &p->tangential_stiffness},
                   {"penalty.damping", &p->damping},
                   {"penalty.friction", &p->friction},
                   {"penalty.collision_threshold", &p->collision_threshold}};
    const double substeps = p->substeps;
    TL_TRY(tl_check_enum(place, "penalty.law", p->law, TL_WORDS_PENALTY));
    TL_TRY(tl_check_enum(place, "penalty.integrator", p->integrator, TL_WORDS_INTEGRATOR));
    TL_TRY(tl_check_enum(place, "penalty.friction_form", p->friction_form, TL_WORDS_FRICTION));
    TL_TRY(tl_check_enum(place, "penalty.rolling", p->rolling, TL_WORDS_ROLLING));
    TL_TRY(tl_check_enum(place, "penalty.cohesion", p->cohesion, TL_WORDS_COHESION));
    if (p->substeps > most_substeps)
        return tl_refuse(place, "penalty.substeps", 1, &substeps, "it must be at most 1000000");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(*numbers[i].value >= 0 && *numbers[i].value <= 1e12))
            return tl_refuse(place, numbers[i].field, 1, numbers[i].value, "it must be 0 to 1e12");
    return TL_OK;
}

tl_status tl_settings_check(const tl_settings *settings)
{
    if (!settings)
        return tl_refuse_null("settings");
    tl_place place = tl_place_of("settings");
    TL_TRY(tl_check_finite(&place, "gravity", 3, settings->gravity));
    if (!(settings->step > 0 && isfinite(settings->step)))
        return tl_refuse(&place, "step", 1, &settings->step, "it must be finite and > 0");
    TL_TRY(tl_check_enum(&place, "stepper", settings->stepper, TL_WORDS_STEPPER));
    TL_TRY(check_exact(&place, &settings->exact));
    TL_TRY(check_penalty(&place, &settings->penalty));
    TL_TRY(tl_check_enum(&place, "planar", settings->planar, TL_WORDS_PLANAR));
    TL_TRY(tl_check_enum(&place, "planes", settings->planes, TL_WORDS_PLANES));
    if (!(settings->envelope >= 0 && isfinite(settings->envelope)))
        return tl_refuse(&place, "envelope", 1, &settings->envelope, "it must be finite and >= 0");
    TL_TRY(check_overlap(&place, settings));
    TL_TRY(tl_check_enum(&place, "impacts", settings->impacts, TL_WORDS_IMPACTS));
    if (!(settings->restitution_speed >= 0 && isfinite(settings->restitution_speed)))
        return tl_refuse(&place, "restitution_speed", 1, &settings->restitution_speed,
                         "it must be finite and >= 0");
    if (!(settings->max_speed > 0 && isfinite(settings->max_speed)))
        return tl_refuse(&place, "max_speed", 1, &settings->max_speed, "it must be finite and > 0");
    TL_TRY(check_solver(&place, &settings->solver));
    if (settings->solver.joints == TL_JOINTS_ITERATE && settings->stepper == TL_STEPPER_SMOOTH)
        return tl_refuse_text(&place, "solver.joints", "iterate",
                              "it must be exact where stepper is smooth");
    TL_TRY(tl_check_enum(&place, "backend", settings->backend, TL_WORDS_BACKEND));
    TL_TRY(tl_check_enum(&place, "precision", settings->precision, TL_WORDS_PRECISION));
    if (settings->threads > most_threads) {
        double threads = settings->threads;
        return tl_refuse(&place, "threads", 1, &threads, "it must be at most 1024");
    }
    return TL_OK;
}
