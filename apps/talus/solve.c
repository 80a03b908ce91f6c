/* `talus solve`: contact problems in files of FCLIB's layout, solved by one solver or several. Of
 * one file and one solver, facts; else a table. */
#include "facts.h"
#include "files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOLVERS 8u /* in a list, at most */

typedef struct plan {
    tl_solver_def solvers[SOLVERS];
    uint32_t count;
    uint32_t threads;
} plan;

static int read_solver(const char *word, size_t length, tl_solver_kind *kind)
{
    const char *const *words = tl_words(TL_WORDS_SOLVER);
    for (uint32_t i = 0; words[i]; i++)
        if (strlen(words[i]) == length && !strncmp(words[i], word, length)) {
            *kind = (tl_solver_kind)i;
            return EXIT_OK;
        }
    char known[128] = "";
    for (uint32_t i = 0; words[i]; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 words[i]);
    complain("--solver: '%.*s' is not one of %s", (int)length, word, known);
    return EXIT_USAGE;
}

/* The solvers of a list with commas between. */
static int make_plan(const options *given, plan *p)
{
    const char *at = given->solvers ? given->solvers : "psor";
    tl_solver_def def = tl_settings_default().solver;
    def.law = given->law < 0 ? TL_LAW_COULOMB : (tl_law)given->law;
    def.iterations = given->iterations < 0 ? 10000 : (uint32_t)given->iterations;
    def.tolerance = isnan(given->tolerance) ? 1e-6 : given->tolerance;
    def.warm_start = !given->cold;
    *p = (plan){.threads = given->threads < 0 ? 0 : (uint32_t)given->threads};
    for (;;) {
        const size_t length = strcspn(at, ",");
        if (p->count == SOLVERS) {
            complain("--solver: more than %u solvers", SOLVERS);
            return EXIT_USAGE;
        }
        const int code = read_solver(at, length, &def.kind);
        if (code != EXIT_OK)
            return code;
        p->solvers[p->count++] = def;
        if (!at[length])
            return EXIT_OK;
        at += length + 1;
    }
}

/* One line of a table; its head where there is no answer. */
static void print_line(const options *given, const char *file, const tl_contact_problem_def *d,
                       const tl_solver_def *def, const tl_contact_answer *a)
{
    if (!a) {
        printf(given->csv ? "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n"
                          : "%-28s %9s %-9s %-8s %10s %10s %10s %10s %10s %14s %9s\n",
               "problem", "contacts", "solver", "law", "iterations", "ms", "fclib", "residual",
               "worst", "objective", "gap");
        return;
    }
    printf(given->csv ? "%s,%u,%s,%s,%u,%.6g,%.6g,%.6g,%.6g,%.12g,"
                      : "%-28s %9u %-9s %-8s %10u %10.3f %10.2e %10.2e %10.2e %14.6g ",
           file, d->contacts, tl_word(TL_WORDS_SOLVER, def->kind), tl_word(TL_WORDS_LAW, def->law),
           a->iterations, 1e3 * a->seconds, a->fclib, a->residual, a->worst, a->objective);
    if (isnan(a->gap))
        printf(given->csv ? "\n" : "%9s\n", "-");
    else
        printf(given->csv ? "%.6g\n" : "%9.2e\n", a->gap);
    fflush(stdout);
}

static int tell(const options *given, const tl_contact_problem_def *d, const tl_solver_def *def,
                const tl_contact_answer *a)
{
    facts f;
    facts_start(&f, given->json);
    fact_text(&f, "problem", given->file);
    fact_text(&f, "form", d->form == TL_PROBLEM_GLOBAL ? "global" : "local");
    fact_count(&f, "contacts", d->contacts);
    fact_count(&f, "constraints", d->form == TL_PROBLEM_GLOBAL ? d->G.columns : d->R.columns);
    fact_text(&f, "solver", tl_word(TL_WORDS_SOLVER, def->kind));
    fact_text(&f, "law", tl_word(TL_WORDS_LAW, def->law));
    fact_text(&f, "solved_as", a->rows ? "rows of rigid bodies" : "a sparse matrix");
    fact_count(&f, "iterations", a->iterations);
    fact_number(&f, "wall_s", a->seconds, "s");
    fact_number(&f, "fclib_residual", a->fclib, "");
    fact_number(&f, "residual", a->residual, "m/s");
    fact_number(&f, "worst_residual", a->worst, "m/s");
    fact_number(&f, "objective", a->objective, "J");
    if (!isnan(a->gap))
        fact_number(&f, "gap", a->gap, "");
    return facts_end(&f);
}

/* A problem with all solvers. A solver that cannot have it is told, and the others go on. */
static int solve_file(const options *given, const char *path, const plan *p, bool table)
{
    tl_contact_problem *problem = NULL;
    tl_status status = tl_contact_problem_load(path, &problem);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    const tl_contact_problem_def *d = tl_contact_problem_read(problem);
    double *r = calloc((size_t)d->dimension * d->contacts + 1, sizeof *r);
    int code = r ? EXIT_OK : out_of_memory();
    const char *slash = strrchr(path, '/');
    for (uint32_t i = 0; i < p->count && r; i++) {
        tl_contact_answer answer;
        status = tl_contact_problem_solve(problem, &p->solvers[i], p->threads, r, &answer);
        if (status >= 0 && given->output)
            status = tl_contact_problem_save(given->output, problem, r);
        if (status < 0) {
            complain("solve: %s: %s", path, tl_last_message());
            code = exit_code(status, status == TL_BAD_ARGUMENT ? PHASE_MAKING : PHASE_RUNNING);
        } else if (table) {
            print_line(given, slash ? slash + 1 : path, d, &p->solvers[i], &answer);
        } else if (!given->quiet) {
            code = tell(given, d, &p->solvers[i], &answer);
        }
    }
    free(r);
    tl_contact_problem_destroy(problem);
    return code;
}

int command_solve(const options *given)
{
    plan p;
    int worst = make_plan(given, &p);
    if (worst != EXIT_OK)
        return worst;
    const bool table = given->file_count > 1 || p.count > 1 || given->csv;
    if (table && (given->output || given->json)) {
        complain("solve: %s is for one problem and one solver", given->output ? "-o" : "--json");
        return EXIT_USAGE;
    }
    if (given->output)
        worst = check_problem_path(given, "solve", given->output);
    if (worst != EXIT_OK)
        return worst;
    if (table)
        print_line(given, NULL, NULL, NULL, NULL);
    for (size_t i = 0; i < given->file_count; i++) {
        const int code = solve_file(given, given->files[i], &p, table);
        worst = worst == EXIT_OK ? code : worst;
    }
    return worst == EXIT_OK ? close_output() : worst;
}
