/** @file talus.h
 *  The whole public interface of the core: include this one. Files are in io.h.
 *
 *  A program describes a scene (scene.h), compiles it into a world (world.h), steps the world and
 *  reads states and reports back. Everything is in SI units, right-handed, z up by habit;
 * quaternions are (w, x, y, z); vectors and angular velocities are in the world frame unless a
 * comment says otherwise.
 */
#ifndef TALUS_TALUS_H
#define TALUS_TALUS_H

#include "talus/base.h"
#include "talus/fill.h"
#include "talus/joint.h"
#include "talus/mesh.h"
#include "talus/monitor.h"
#include "talus/problem.h"
#include "talus/query.h"
#include "talus/scene.h"
#include "talus/schedule.h"
#include "talus/settings.h"
#include "talus/surface.h"
#include "talus/words.h"
#include "talus/world.h"

#endif
