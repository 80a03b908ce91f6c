// The scene of the page's tests: a box with some balls in it, and one ball that stands apart and has a name.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCENE = {
  version: 1,
  title: 'A page test',
  step: 0.005,
  duration: 60,
  record: { rate: 20 },
  materials: { glass: { friction: 0.3, restitution: 0.2 }, steel: { friction: 0.5 } },
  bodies: [
    { name: 'floor', kind: 'fixed', shapes: [{ kind: 'plane', material: 'steel' }] },
    {
      name: 'block',
      kind: 'fixed',
      position: [0, 0.9, 0.1],
      shapes: [{ kind: 'box', size: [1.6, 0.1, 0.2] }],
    },
    {
      name: 'big',
      position: [0.8, -0.8, 0.2],
      density: 500,
      shapes: [{ kind: 'sphere', radius: 0.2, material: 'steel' }],
    },
    {
      name: 'dumbbell',
      position: [-0.8, -0.8, 0.1],
      shapes: [
        { kind: 'sphere', radius: 0.1, position: [-0.12, 0, 0], material: 'glass' },
        { kind: 'sphere', radius: 0.1, position: [0.12, 0, 0], material: 'glass' },
      ],
    },
  ],
  fills: [
    {
      name: 'balls',
      region: { kind: 'box', low: [-0.4, -0.4, 0.06], high: [0.4, 0.4, 0.7] },
      radius: 0.05,
      jitter: 0.002,
      material: 'glass',
    },
  ],
};

/** Writes the scene to a folder of its own. Returns { folder, file }. */
export function writeScene(changes = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'talus-scene-')),
    file = join(folder, 'scene.json');
  writeFileSync(file, JSON.stringify({ ...SCENE, ...changes }, null, 1));
  return { folder, file };
}
