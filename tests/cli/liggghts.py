"""LIGGGHTS 3.8, which long tests compare with: the same spheres from the same places, with Hertz's springs and friction with
history, between walls of triangles."""
import shutil
import subprocess

from cli import check, skip

if not shutil.which("liggghts"):
    skip("there is no liggghts")

# How all scripts begin: two materials, 1 for grains; the rest says what touches, moves and is written.
START = """
units si
atom_style granular
boundary f f f
newton off
communicate single vel yes
read_data spheres.data
neighbor {skin} bin
neigh_modify delay 0
fix a all property/global youngsModulus peratomtype {young} {young}
fix b all property/global poissonsRatio peratomtype 0.3 0.3
fix c all property/global coefficientRestitution peratomtypepair 2 0.1 0.1 0.1 0.1
fix d all property/global coefficientFriction peratomtypepair 2 {friction} {wall_friction} {wall_friction} {wall_friction}
"""


def stl(name, triangles):
    """A file of triangles, three corners each."""
    with open(name, "w", encoding="ascii") as file:
        file.write("solid s\n")
        for triangle in triangles:
            file.write("facet normal 0 0 0\nouter loop\n"
                       + "".join("vertex %.9g %.9g %.9g\n" % tuple(corner) for corner in triangle) + "endloop\nendfacet\n")
        file.write("endsolid s\n")


def liggghts(x, r, density, space, script, skin, young, friction, wall_friction=0):
    """Runs spheres of these places and radii, within the space of (low, high) for each axis, by a script after START."""
    with open("spheres.data", "w", encoding="ascii") as file:
        file.write(f"spheres\n\n{len(x)} atoms\n2 atom types\n\n")
        file.write("".join(f"{low} {high} {axis}lo {axis}hi\n" for axis, (low, high) in zip("xyz", space)) + "\nAtoms\n\n")
        for i, (place, radius) in enumerate(zip(x, r)):
            file.write(f"{i + 1} 1 {2 * radius:.9g} {density} {place[0]:.9g} {place[1]:.9g} {place[2]:.9g}\n")
    with open("spheres.in", "w", encoding="ascii") as file:
        file.write(START.format(skin=skin, young=young, friction=friction, wall_friction=wall_friction) + script)
    done = subprocess.run(["liggghts", "-in", "spheres.in"], capture_output=True, text=True, timeout=36000)
    check(done.returncode == 0, "liggghts: " + done.stdout[-2000:] + done.stderr[-2000:])
