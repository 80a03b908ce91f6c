#!/usr/bin/python3 -B
# labels: slow
# talus-render-mpi: the same pictures and the movie for 1, 2 and 3 ranks, by pictures and by bands of them; what a rank
# refuses ends all of them.
import glob
import hashlib
import os
import shutil
import subprocess

from cli import BUILD, SOURCE, check, equal, skip, talus

PROGRAM = os.path.join(BUILD, "talus-render-mpi")
if not os.path.exists(PROGRAM) or not shutil.which("mpirun"):
    skip("talus-render-mpi is not built: it needs MPI")
talus("run", os.path.join(SOURCE, "examples", "silo.json"), "--set", "bodies=200", "--until", 0.2, "--threads", 1, "-o", "silo.h5", "--quiet")
SMALL = ("--size", "64x48", "--samples", "2", "--fps", "20", "--threads", "1", "--quiet")


def mpi(ranks, *arguments, code=0):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(["mpirun", "--oversubscribe", "-n", str(ranks), PROGRAM, *arguments], capture_output=True, text=True,
                          env=environment, timeout=240)
    check((done.returncode == 0) == (code == 0), f"{ranks} ranks, {arguments}: {done.returncode}, {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def digests(folder):
    return {os.path.basename(path): hashlib.sha256(open(path, "rb").read()).hexdigest() for path in sorted(glob.glob(folder + "/*.png"))}


talus("render", "silo.h5", "-o", "one", *SMALL)
wanted = digests("one")
equal(len(wanted), 5, "pictures")
for ranks in (1, 2, 3):
    for by in ("frames", "tiles"):
        name = f"{by}{ranks}.mp4"
        mpi(ranks, "silo.h5", "-o", name, *SMALL, "--by", by)
        equal(digests(name + ".frames"), wanted, f"pictures of {ranks} ranks by {by}")
        check(os.path.getsize(name) > 500, "no movie")
check("ranks are the parts here" in mpi(2, "silo.h5", "-o", "x.mp4", "--part", "1/2", code=2), "--part is taken")
check("nowhere.h5" in mpi(2, "nowhere.h5", "-o", "x.mp4", code=4), "a result that is not there")
