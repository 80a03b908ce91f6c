"""Draws spheres with Cycles, inside of Blender 3.4: blender -b --factory-startup -P cycles.py -- SCENE.json

The scene has spheres (a .npy of rows x, y, z, radius), meshes (lists of vertices and faces), `albedo` of both, `sky` (radiance), `light`
(four corners and a radiance; null: none), `camera` (eye, target, fov in degrees from top to bottom), `size`, `samples`, `bounces`, `threads`
and `out`, an OpenEXR in 32 bits without compression. Called by bench/render.py and by tests/cli/test_render_cycles.py."""
import json
import math
import sys

import bpy
import mathutils
import numpy as np

with open(sys.argv[sys.argv.index("--") + 1]) as file:
    scene = json.load(file)
bpy.ops.wm.read_factory_settings(use_empty=True)
s = bpy.context.scene


def shader(name, kind, color, strength=None):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    node, out = tree.nodes.new(kind), tree.nodes.new("ShaderNodeOutputMaterial")
    node.inputs["Color"].default_value = (*color, 1)
    if strength is not None:
        node.inputs["Strength"].default_value = strength
    tree.links.new(node.outputs[0], out.inputs["Surface"])
    return material


diffuse = shader("diffuse", "ShaderNodeBsdfDiffuse", [scene["albedo"]] * 3)


def add_mesh(name, vertices, faces, material):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(v) for v in vertices], [], [tuple(f) for f in faces])
    if material:
        mesh.materials.append(material)
    thing = bpy.data.objects.new(name, mesh)
    s.collection.objects.link(thing)
    return thing


# Spheres: vertices as a point cloud, by nodes.
rows = np.load(scene["spheres"]).astype(np.float32)
mesh = bpy.data.meshes.new("spheres")
mesh.vertices.add(len(rows))
mesh.vertices.foreach_set("co", np.ascontiguousarray(rows[:, :3]).ravel())
mesh.attributes.new("r", "FLOAT", "POINT").data.foreach_set("value", np.ascontiguousarray(rows[:, 3]))
balls = bpy.data.objects.new("spheres", mesh)
s.collection.objects.link(balls)
nodes = bpy.data.node_groups.new("points", "GeometryNodeTree")
nodes.inputs.new("NodeSocketGeometry", "Geometry")
nodes.outputs.new("NodeSocketGeometry", "Geometry")
first, last = nodes.nodes.new("NodeGroupInput"), nodes.nodes.new("NodeGroupOutput")
points, paint = nodes.nodes.new("GeometryNodeMeshToPoints"), nodes.nodes.new("GeometryNodeSetMaterial")
radius = nodes.nodes.new("GeometryNodeInputNamedAttribute")
radius.data_type = "FLOAT"
radius.inputs["Name"].default_value = "r"
paint.inputs["Material"].default_value = diffuse
nodes.links.new(first.outputs[0], points.inputs["Mesh"])
nodes.links.new(next(o for o in radius.outputs if o.enabled), points.inputs["Radius"])
nodes.links.new(points.outputs[0], paint.inputs["Geometry"])
nodes.links.new(paint.outputs[0], last.inputs[0])
balls.modifiers.new("points", "NODES").node_group = nodes

for i, (vertices, faces) in enumerate(scene["meshes"]):
    add_mesh(f"mesh{i}", vertices, faces, diffuse)
if scene["light"]:
    lamp = add_mesh("light", scene["light"]["corners"], [(0, 1, 2, 3)], shader("light", "ShaderNodeEmission", [1] * 3, scene["light"]["radiance"]))
    lamp.visible_camera = False

world = bpy.data.worlds.new("world")
world.use_nodes = True
world.node_tree.nodes["Background"].inputs["Color"].default_value = (1, 1, 1, 1)
world.node_tree.nodes["Background"].inputs["Strength"].default_value = scene["sky"]
s.world = world

eye, target = (mathutils.Vector(scene["camera"][key]) for key in ("eye", "target"))
camera = bpy.data.cameras.new("camera")
camera.sensor_fit = "VERTICAL"
camera.angle_y = math.radians(scene["camera"]["fov"])
camera.clip_start, camera.clip_end = 1e-3, 1e6
thing = bpy.data.objects.new("camera", camera)
thing.location = eye
thing.rotation_euler = (target - eye).to_track_quat("-Z", "Y").to_euler()
s.collection.objects.link(thing)
s.camera = thing

s.render.engine = "CYCLES"
s.render.resolution_x, s.render.resolution_y = scene["size"]
s.render.resolution_percentage = 100
s.render.threads_mode, s.render.threads = "FIXED", scene["threads"]
s.render.image_settings.file_format = "OPEN_EXR"
s.render.image_settings.color_depth = "32"
s.render.image_settings.color_mode = "RGB"
s.render.image_settings.exr_codec = "NONE"
s.render.filepath = scene["out"]
c = s.cycles
c.device = "CPU"
c.samples = scene["samples"]
c.seed = scene.get("seed", 0)
c.use_adaptive_sampling = c.use_denoising = False
c.pixel_filter_type = "BOX"
c.sample_clamp_direct = c.sample_clamp_indirect = 0
c.max_bounces = c.diffuse_bounces = scene["bounces"]
c.blur_glossy = 0
c.caustics_reflective = c.caustics_refractive = True
bpy.ops.render.render(write_still=True)
