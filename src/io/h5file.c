/* Opening result files. The writer uses a driver of its own (h5disk.c) and holds two locks: a write
 * lock of the open file (F_OFD_SETLK), which writers of Talus alone take, and flock's shared one,
 * which keeps other programs from opening the file to write. */
#define _GNU_SOURCE
#include "io/h5file.h"
#include "io/h5disk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Metadata that a reader finds half written is read again, with waits that double from a nanosecond
 * on: HDF5's own 100 times would never end on a damaged file. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define READ_ATTEMPTS 2
#else
#define READ_ATTEMPTS 24
#endif

/* ---- Locks ---- */

static struct flock whole_file(short type)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET};
}

/* Takes both locks. File systems that have none do without. */
static tl_status take_locks(int fd, const char *name)
{
    struct flock writer = whole_file(F_WRLCK);
    if (fcntl(fd, F_OFD_SETLK, &writer) != 0 && (errno == EAGAIN || errno == EACCES))
        return tl_fail(TL_FILE, "%s: another process is writing it", name);
    if (flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return tl_fail(TL_FILE, "%s: another program has it open for writing", name);
    return TL_OK;
}

bool tl_h5_is_being_written(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct flock probe = whole_file(F_RDLCK);
    const bool is = fd >= 0 && fcntl(fd, F_OFD_GETLK, &probe) == 0 && probe.l_type != F_UNLCK;
    if (fd >= 0)
        close(fd);
    return is;
}

/* ---- Writing ---- */

static hid_t close_list(hid_t list)
{
    if (list >= 0)
        H5Pclose(list);
    return -1;
}

/* How a writer opens a file; -1: HDF5 cannot be set up so. */
static hid_t access_list(int fd)
{
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS), driver = tl_h5_disk_driver();
    const tl_h5_disk_info info = {fd};
    const hbool_t clear = true;
    const bool done =
        list >= 0 && driver >= 0 && H5Pset_driver(list, driver, &info) >= 0 &&
        H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
        H5Pset_fclose_degree(list, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_metadata_read_attempts(list, READ_ATTEMPTS) >= 0 &&
        H5Pset(list, "clear_status_flags", &clear) >= 0; /* as h5clear: we hold the lock */
    return done ? list : close_list(list);
}

/* How readers open one. */
static hid_t reading_list(void)
{
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    const bool done = list >= 0 &&
                      H5Pset_libver_bounds(list, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) >= 0 &&
                      H5Pset_fclose_degree(list, H5F_CLOSE_STRONG) >= 0 &&
                      H5Pset_metadata_read_attempts(list, READ_ATTEMPTS) >= 0 &&
                      /* a reader must not keep a writer from going on */
                      H5Pset_file_locking(list, false, true) >= 0;
    return done ? list : close_list(list);
}

/* Closes after a failure, whose message stays. */
static void discard(tl_h5_writer *writer)
{
    if (writer->file >= 0)
        H5Fclose(writer->file);
    if (writer->fd >= 0)
        close(writer->fd);
    *writer = (tl_h5_writer){.file = -1, .fd = -1};
}

/* Takes the journal's part out of what HDF5 has to give. */
static tl_status add_journal(const tl_h5_writer *writer, const char *name)
{
    hsize_t size = 0;
    const hsize_t end = TL_H5_JOURNAL + TL_H5_JOURNAL_BYTES;
    if (H5Fget_filesize(writer->file, &size) < 0 || size > TL_H5_JOURNAL ||
        H5Fincrement_filesize(writer->file, end - size) < 0)
        return tl_h5_fail(TL_FILE, name, "HDF5 leaves no room for the journal");
    if (!tl_h5_journal_make(writer->fd))
        return tl_fail(TL_FILE, "%s: %s", name, strerror(errno));
    return TL_OK;
}

tl_status tl_h5_create(const char *path, const char *name, tl_h5_writer *writer)
{
    *writer = (tl_h5_writer){.file = -1, .fd = -1};
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return tl_fail(TL_FILE, "%s: %s", name, strerror(errno));
    tl_status status = take_locks(fd, name);
    if (status == TL_OK && ftruncate(fd, 0) != 0)
        status = tl_fail(TL_FILE, "%s: %s", name, strerror(errno));
    if (status != TL_OK) {
        close(fd);
        return status;
    }
    const hid_t access = access_list(fd), creation = H5Pcreate(H5P_FILE_CREATE);
    writer->fd = fd;
    /* Attributes stay in the header of the root group. */
    if (access >= 0 && creation >= 0 && H5Pset_attr_phase_change(creation, 64, 0) >= 0)
        writer->file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    close_list(creation);
    close_list(access);
    if (writer->file < 0 ||
        H5Fget_vfd_handle(writer->file, H5P_DEFAULT, (void **)&writer->error) < 0)
        status = tl_h5_fail(TL_FILE, name, "HDF5 cannot create it");
    else
        status = add_journal(writer, name);
    if (status != TL_OK) {
        unlink(path);
        discard(writer);
    }
    return status;
}

/* Opens with HDF5 what is open and locked. */
static tl_status adopt(const char *path, int fd, unsigned flags, tl_h5_writer *writer)
{
    const hid_t access = access_list(fd);
    *writer = (tl_h5_writer){.file = access < 0 ? -1 : H5Fopen(path, flags, access), .fd = fd};
    close_list(access);
    /* A killed writer may not have said how far it had allocated; the file's size does. */
    if (writer->file < 0 || H5Fincrement_filesize(writer->file, 0) < 0 ||
        H5Fget_vfd_handle(writer->file, H5P_DEFAULT, (void **)&writer->error) < 0)
        return tl_h5_fail(TL_BAD_DATA, path, "HDF5 cannot open it");
    return TL_OK;
}

tl_status tl_h5_reopen(const char *path, tl_h5_writer *writer)
{
    *writer = (tl_h5_writer){.file = -1, .fd = -1};
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return tl_fail(TL_FILE, "%s: %s", path, strerror(errno));
    tl_status status = take_locks(fd, path);
    if (status != TL_OK) {
        close(fd);
        return status;
    }
    if (!tl_h5_journal_exists(fd)) {
        close(fd);
        return tl_fail(TL_BAD_DATA,
                       "%s: another program has rewritten it; it cannot be gone on with", path);
    }
    tl_h5_journal_replay(fd);
    status = adopt(path, fd, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, writer);
    if (status != TL_OK)
        discard(writer);
    return status;
}

tl_status tl_h5_check(const tl_h5_writer *writer, const char *name)
{
    if (writer->error && *writer->error)
        return tl_fail(TL_FILE, "%s: %s", name, strerror(*writer->error));
    return TL_OK;
}

tl_status tl_h5_close(tl_h5_writer *writer, const char *name)
{
    tl_status status = TL_OK;
    if (writer->file >= 0) {
        /* The driver's error is gone with the file: closing writes, so look at it in between. */
        if (H5Fflush(writer->file, H5F_SCOPE_GLOBAL) < 0)
            status = tl_h5_fail(TL_FILE, name, "HDF5 cannot write it out");
        else
            status = tl_h5_check(writer, name);
        if (H5Fclose(writer->file) < 0 && status == TL_OK)
            status = tl_h5_fail(TL_FILE, name, "HDF5 cannot close it");
    }
    if (writer->fd >= 0)
        close(writer->fd);
    *writer = (tl_h5_writer){.file = -1, .fd = -1};
    return status;
}

/* ---- Reading ---- */

/* Whether a writer that is gone left something to put in order: a write that was broken off, or the
 * mark in the superblock that HDF5 makes, as in files of Talus 0.1. */
static bool is_marked(int fd)
{
    unsigned char block[12];
    return pread(fd, block, sizeof block, 0) == sizeof block &&
           memcmp(block, "\211HDF\r\n\032\n", 8) == 0 && block[8] >= 3 &&
           (block[11] != 0 || tl_h5_journal_pending(fd));
}

/* Opens without writing, whatever the mark says, to see whether the file is one of ours. */
static bool is_result(const char *path, int fd)
{
    char format[32] = "";
    tl_h5_writer look;
    if (adopt(path, fd, H5F_ACC_RDONLY, &look) == TL_OK)
        tl_h5_read_text(look.file, path, "format", format, sizeof format);
    if (look.file >= 0)
        H5Fclose(look.file);
    return strcmp(format, TL_RESULT_FORMAT) == 0;
}

/* Where the superblock says that the file ends; 0 where it does not say so in a way known here. */
static uint64_t stated_end(int fd)
{
    unsigned char block[36];
    uint64_t end = 0;
    if (pread(fd, block, sizeof block, 0) == sizeof block &&
        memcmp(block, "\211HDF\r\n\032\n", 8) == 0 && (block[8] == 2 || block[8] == 3) &&
        block[9] == 8)
        memcpy(&end, block + 28, sizeof end);
    return end;
}

/* Files of other programs are left alone, for their writers do not take our lock; and where the
 * mark cannot be removed the file is read as it is. */
void tl_h5_settle(const char *path)
{
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    struct flock lock = whole_file(F_WRLCK);
    if (fd < 0)
        return;
    bool ours = is_marked(fd) && tl_h5_journal_exists(fd) && fcntl(fd, F_OFD_SETLK, &lock) == 0 &&
                flock(fd, LOCK_EX | LOCK_NB) == 0 && is_marked(fd);
    if (ours) {
        tl_h5_journal_replay(fd);
        ours = is_result(path, fd);
    }
    if (ours) {
        tl_h5_writer writer;
        if (adopt(path, fd, H5F_ACC_RDWR, &writer) == TL_OK)
            tl_note("%s: its writer was killed; put in order", path);
        tl_h5_close(&writer, path);
    } else {
        close(fd);
    }
    tl_h5_forget();
}

tl_status tl_h5_open_read(const char *path, hid_t *file)
{
    *file = -1;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        const int error = errno;
        if (fd >= 0)
            close(fd);
        return tl_fail(TL_FILE, "%s: %s", path, strerror(error));
    }
    const bool regular = S_ISREG(status.st_mode);
    const uint64_t end = regular ? stated_end(fd) : 0; /* never after the end, as h5disk.c writes */
    if (regular && fstat(fd, &status) != 0)
        status.st_size = 0;
    close(fd);
    if (!regular)
        return tl_fail(TL_FILE, "%s: %s", path,
                       S_ISDIR(status.st_mode) ? strerror(EISDIR) : "not a regular file");
    if (end > (uint64_t)status.st_size)
        return tl_fail(TL_BAD_DATA, "%s: it is cut off: of %llu bytes it has %lld", path,
                       (unsigned long long)end, (long long)status.st_size);
    tl_h5_settle(path);
    const hid_t access = reading_list();
    if (access < 0)
        return tl_h5_fail(TL_FILE, path, "HDF5 cannot be set up to read it");
    /* HDF5 asks how long the file is before it reads what the superblock says of that: a file that
     * grew in between looks cut off. */
    bool grew = true;
    for (int attempt = 0; *file < 0 && grew && attempt < 16; attempt++) {
        const off_t before = status.st_size;
        *file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
        grew = stat(path, &status) == 0 && status.st_size > before;
    }
    close_list(access);
    return *file < 0 ? tl_h5_fail(TL_BAD_DATA, path, "not a whole HDF5 file") : TL_OK;
}
