import { decodeJson, type Json, memberAt } from '../../../src/core/json.ts';
import { age, gigabytes, list, money, percent, status, text, yesNo } from '../../../src/output/cells.ts';
import type { View } from '../../../src/output/view.ts';

/** A view like the one of `pods list`. */
export const podView: View = {
  noun: ['pod', 'pods'],
  id: (row) => text(row, 'id'),
  columns: [
    { header: 'ID', show: (row) => text(row, 'id') },
    { header: 'NAME', show: (row) => text(row, 'name') },
    { header: 'STATUS', show: (row) => status(row) },
    { header: 'GPU', show: (row) => text(row, 'gpu.id') },
    { header: 'COST', show: (row) => money(row, 'cost').replace(/^(\$[\d.]+)$/, '$1/h'), right: true },
    { header: 'AGE', show: (row, facts) => age(row, 'createdAt', facts), right: true },
    { header: 'IMAGE', show: (row) => text(row, 'image'), wide: true },
    { header: 'PORTS', show: (row) => list(row, 'ports'), wide: true },
  ],
  detail: (row) => [
    {
      lines: [
        { label: 'id', value: text(row, 'id') },
        { label: 'name', value: text(row, 'name') },
        { label: 'status', value: status(row) },
        { label: 'disk', value: gigabytes(row, 'disk') },
        { label: 'locked', value: yesNo(row, 'locked') },
        { label: 'args', value: text(row, 'args') },
      ],
    },
    {
      title: 'runtime',
      lines:
        memberAt(row, 'runtime') === undefined
          ? []
          : [
              { label: 'gpu', value: percent(row, 'runtime.gpus.0.util') },
              { label: 'ports', value: list(row, 'ports') },
            ],
    },
  ],
};

/** A list with a long name, accents, wide characters, and text that tries to control a terminal. */
export const PODS = `{"pods": [
  {"id": "pod-7f3a9c01", "name": "train-${'very-'.repeat(30)}long", "status": "RUNNING", "gpu": {"id": "A100 80GB"},
   "cost": 1.19, "createdAt": "2026-01-01T00:00:00Z", "image": "registry/train:2026.1", "ports": ["8888/http", "22/tcp"],
   "disk": 20, "locked": false, "args": "python -m train --rate 0.001 --epochs 12 --data /workspace/data --resume\\nthen\\tpublish",
   "runtime": {"gpus": [{"util": 42, "memoryUtil": 9007199254740993}]}},
  {"id": "pod-2", "name": "réseau \u00e9te\u0301 naïve", "status": "EXITED", "gpu": {"id": "L4"}, "cost": 0.0,
   "createdAt": "2026-01-03T11:59:18Z", "image": null, "ports": []},
  {"id": "pod-3", "name": "日本語のポッド 🚀", "status": "PROVISIONING", "gpu": null, "cost": 0.0034, "createdAt": "soon"},
  {"id": "pod-4", "name": "\\u001b[31mred\\u001b]52;c;aGk=\\u0007", "status": "ERROR", "cost": 9007199254740993, "gpu": 7},
  {"id": "pod-5", "name": "\\u202egnp.exe\\u2066 \u0085c1\ttab", "status": "HIBERNATING", "cost": "free"}
]}`.replace('\ttab', '\\ttab');

export const document = decodeJson(PODS);

export const rows = memberAt(document, 'pods') as readonly Json[];

/** The result of `pods list`. */
export const podList = {
  kind: 'many',
  view: podView,
  values: rows,
} as const;

/** The result of `pods get` of one of them. */
export const pod = (at: number) => ({ kind: 'one', view: podView, value: rows[at] ?? null }) as const;
