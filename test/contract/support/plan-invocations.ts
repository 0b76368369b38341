import { line, type Invocation } from './invocation.ts';

/** The calls of what reads and makes files of a fleet: see `INVOCATIONS`. */
export const PLAN_INVOCATIONS: Readonly<Record<string, readonly Invocation[]>> = {
  export: [line('export')],
  plan: [
    line('plan - --set-name web --prune', {
      exit: 16,
      // A plan refuses what is not in the catalog; an empty one says nothing about a name.
      answers: {
        'GET /v2/catalog/gpus': { gpus: [] },
        'GET /v2/catalog/cpus': { cpus: [] },
        'GET /v2/catalog/datacenters': { dataCenters: [] },
      },
      stdin: [
        '{kind: volume, name: new, size: 10, dataCenter: EU-NORTH-1}',
        '{kind: registry, name: team, username: u, password: p}',
        '{kind: template, name: base, image: i, registry: team}',
        '{kind: endpoint, name: api, image: i, gpu: {pools: [P1]}, workers: {min: 1}, networkVolumes: [new]}',
        '{kind: pod, name: lab, image: i, gpu: {id: G1}, templateId: base}',
        '{kind: pod, name: web, image: i, cpu: {id: C1, vcpuCount: 2}}',
      ].join('\n---\n'),
    }),
  ],
  apply: [
    line('apply - --yes --set-name web --prune --max-prune 5 --wait --wait-timeout 1m', {
      stdin: '{kind: template, name: base, image: i}',
    }),
    line('apply - --yes', {
      stdin: [
        '{kind: volume, name: new, size: 10, dataCenter: EU-NORTH-1}',
        '{kind: template, name: base, image: i}',
      ].join('\n---\n'),
    }),
  ],
};
