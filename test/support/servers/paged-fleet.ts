import { pagedService, type PageFault, type PagedRow } from './paged-service.ts';
import { json, problem, routed, text, type Behaviour } from './scripted-server.ts';

/** Rows of each list: three pages of 100. */
const ROWS = 300;

/** The newest first: `at` falls. The last row is on the third page. */
const rowsOf = (prefix: string, more: (number: number) => PagedRow = () => ({})): readonly PagedRow[] =>
  Array.from({ length: ROWS }, (_, index) => ({
    id: `${prefix}-${String(index + 1)}`,
    name: `${prefix}-name-${String(index + 1)}`,
    at: ROWS - index,
    createdAt: new Date(Date.UTC(2026, 0, 1) - index * 60_000).toISOString(),
    ...more(index + 1),
  }));

export const PODS = rowsOf('pod', (number) => ({
  status: number === ROWS ? 'EXITED' : 'RUNNING',
  cost: 1,
  mounts: number === ROWS ? { network: [{ volumeId: 'vol-1', path: '/data' }] } : {},
}));
const ENDPOINTS = rowsOf('ep', () => ({ type: 'QUEUE', workers: { min: 0, max: 3 } }));
const TEMPLATES = rowsOf('tpl', () => ({ image: 'example/image', serverless: false }));
const RELEASES = rowsOf('rel', (number) => ({ version: ROWS - number + 1, diff: [] }));
const BUILDS = rowsOf('build', () => ({ status: 'COMPLETED' }));

/** One row by its id; anything else is not found, as a name is. */
const rowRoutes = (path: string, rows: readonly PagedRow[]): Readonly<Record<string, Behaviour>> =>
  Object.fromEntries(rows.map((row) => [`GET ${path}/${String(row['id'])}`, json(row)]));

/** Made once: the tests of lists would spend half of their time on it. */
const ROW_ROUTES = {
  ...rowRoutes('/v2/pods', PODS),
  ...rowRoutes('/v2/serverless', ENDPOINTS),
  ...rowRoutes('/v2/templates', TEMPLATES),
  ...rowRoutes('/v2/serverless/ep-300/builds', BUILDS),
};

/**
 * A service with 300 pods, endpoints, templates, releases and builds, in pages of 100. The queue and writes know the last
 * endpoint and the last pod, on the third page.
 */
export const pagedFleet = (fault?: PageFault): Behaviour => {
  const others = routed(
    {
      ...ROW_ROUTES,
      'GET /v2/network-volumes': json({ networkVolumes: [{ id: 'vol-1', name: 'data', size: 10 }] }),
      'GET /v2/network-volumes/vol-1': json({ id: 'vol-1', name: 'data', size: 10 }),
      'GET /v2/registries': json({ registries: [] }),
      'GET /v2/clusters': json({ clusters: [] }),
      'GET /v2/serverless/ep-300/workers': json({ workers: [], summary: { total: 0 } }),
      'GET /v2/ep-300/health': json({ jobs: { inQueue: 1 }, workers: {} }),
      'POST /v2/ep-300/run': json({ id: 'job-1', status: 'IN_QUEUE' }),
      'POST /v2/ep-300/purge-queue': json({ removed: 1, status: 'completed' }),
      'POST /v2/pods/pod-300/action': json({ ...PODS.at(-1), status: 'STARTING' }),
      'PATCH /v2/pods/pod-300': json({ ...PODS.at(-1) }),
      'DELETE /v2/pods/pod-300': text('', 204),
      'DELETE /v2/network-volumes/vol-1': text('', 204),
      'GET /v2/billing': json({ records: [], metadata: {} }),
      'GET /v2/billing/pods': json({ records: [], metadata: {} }),
    },
    problem(404, 'resource not found'),
  );
  return pagedService({
    lists: {
      '/v2/pods': { member: 'pods', rows: () => PODS },
      '/v2/serverless': { member: 'endpoints', rows: () => ENDPOINTS },
      '/v2/templates': { member: 'templates', rows: () => TEMPLATES },
      '/v2/serverless/ep-300/releases': { member: 'releases', rows: () => RELEASES },
      '/v2/serverless/ep-300/builds': { member: 'builds', rows: () => BUILDS },
    },
    ...(fault === undefined ? {} : { fault }),
    otherwise: others,
  });
};
