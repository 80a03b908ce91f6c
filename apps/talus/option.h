/* A row of the table of options (option_table.c), which options.c reads and prints. */
#ifndef TALUS_OPTION_H
#define TALUS_OPTION_H

#include "command.h"

/* What a value is, and so which type the field at `field` has. */
typedef enum option_kind {
    KIND_FLAG,   /* bool: no value */
    KIND_TEXT,   /* const char * */
    KIND_NUMBER, /* double, from low to high */
    KIND_COUNT,  /* int64_t, from low to high */
    KIND_WORD,   /* int64_t, which word */
    KIND_SET,    /* added to sets; may be given again and again */
    KIND_BODY,   /* added to names; likewise */
    KIND_VARY,   /* NAME=VALUES, added to varies; likewise */
    KIND_RANGE,  /* two doubles, "LOW:HIGH" */
    KIND_RAY,    /* added to questions: six numbers with commas between; likewise */
    KIND_BALL    /* the same, four numbers */
} option_kind;

typedef struct option {
    const char *name;
    const char *value; /* how help calls it; NULL for flags and words */
    const char *help;
    uint32_t takes; /* the bit it belongs to */
    char letter;    /* 0: none */
    option_kind kind;
    size_t field;
    const char *(*word)(uint32_t i); /* its words one by one; help lists them */
    double low, high;
} option;

extern const option known_options[];
extern const size_t known_count;
extern const options no_options; /* where nothing is given */

#endif
