/* What kind of file a path names, told by its first bytes, and whether an output may go there. Used
 * by all subcommands that take or write files. */
#ifndef TALUS_FILES_H
#define TALUS_FILES_H

#include "command.h"

typedef enum file_kind {
    FILE_MISSING,
    FILE_EMPTY,
    FILE_FOLDER,
    FILE_SPECIAL,    /* a device, a pipe: no regular file */
    FILE_UNREADABLE, /* it is there and cannot be read */
    FILE_HDF5,       /* a result, or another HDF5 file */
    FILE_CHECKPOINT, /* of a result */
    FILE_JSON,       /* a scene, or another JSON object */
    FILE_OTHER
} file_kind;

file_kind file_kind_of(const char *path);

/* "a scene", "a result", ... for messages. */
const char *file_kind_name(file_kind kind);

/* Whether a file starts as HDF5 files do. False where it cannot be read: the reader of scenes tells
 * why. */
bool is_result(const char *path);

/* Refuses, told, a file that is of another kind than the command takes; what cannot be read is left
 * to the reader, which tells why. */
int expect_scene(const char *command, const char *path);
int expect_result(const char *command, const char *path);

/* What begins the comment of a scene that decompose or import wrote, and tells that it may be
 * replaced. */
#define PART_MARK   "Made by talus decompose"
#define IMPORT_MARK "Read from lines"

/* Refuses, told, an output that cannot be or must not be: the input itself, a folder, one in a
 * folder that is not there, an existing file without --force, and with it what is no earlier output
 * of the kind. Each returns an exit code. */
int check_result_path(const options *given, const char *command, const char *path);
int check_export_path(const options *given, const char *path);
int check_problem_path(const options *given, const char *command, const char *path);
int check_scene_path(const options *given, const char *command, const char *input, const char *mark,
                     const char *path);

/* Refuses, told, an output in a folder that is not there. */
int check_folder_of(const char *path);

#endif
