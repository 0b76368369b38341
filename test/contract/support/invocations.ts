import type { Answers } from './recorder.ts';

/** One call of a command. */
export interface Invocation {
  readonly argv: readonly string[];
  readonly answers?: Answers;
  readonly stdin?: string;
  /** The exit code where all answers are good; 0 by default. */
  readonly exit?: number;
}

/** Splits a command line at spaces. */
const line = (text: string, more: Omit<Invocation, 'argv'> = {}): Invocation => ({ argv: text.split(' '), ...more });

const pod = (status: string): Answers => ({ 'GET /v2/pods/{id}': { status } });
/** A pod without ports is reachable as soon as it runs. */
const RUNNING = {
  'GET /v2/pods/{id}': { status: 'RUNNING', ports: [] },
  'GET /v2/clusters/{id}/pods': { pods: [{ id: 'p1', status: 'RUNNING' }] },
};
const CONTAINER =
  '--image image:1 --args go --disk 20 --port 8080/http --port 22/tcp --env A=1 --env B=x=y --registry r1';
/** A command in exec form. */
const COMMAND = '--entrypoint sh --entrypoint=-c --cmd a --cmd b';
const CUDA = '--cuda 12.4,12.8';
const KEY = 'ssh-ed25519 AAAA me@host';
const ROLLED_OUT = {
  'GET /v2/serverless/{id}/releases': {
    rollout: { inProgress: false, workersOnLatest: 1, workersTotal: 1, percentOnLatest: 100 },
  },
};
const SSH = { 'GET /v2/pods/{id}': { status: 'RUNNING', ssh: { proxy: { host: 'proxy', port: 22, username: 'u' } } } };
/** What an endpoint asks of the catalog. */
const GPU_ENDPOINT = { pools: ['P1'], count: 2, allowedCudaVersions: ['12.4', '12.8'], minCudaVersion: null };
const period = '--from 7d --to 1d --bucket week';

/**
 * Every command that sends requests, by its words, with calls that use every flag. The test fails for a command that is
 * missing here, so a new command is added here to be tested against the contract.
 */
export const INVOCATIONS: Readonly<Record<string, readonly Invocation[]>> = {
  'pods list': [
    line('pods list'),
    line('pods list --all --status RUNNING --cloud SECURE --data-center D1 --gpu G1 --older-than 1h --newer-than 9d'),
  ],
  'pods get': [line('pods get p1 --exit-status')],
  'pods create': [
    line(
      `pods create --name a ${CONTAINER} --gpu G1 --gpu-count 2 ${CUDA} --cloud SECURE --data-center D1,D2 --template t1 --network-volume v1:/data --global-networking --start-ssh --start-jupyter --wait --yes`,
      { answers: RUNNING },
    ),
    line('pods create --name a --image image:1 --gpu G1 --min-cuda 12.4 --persistent-size 20 --mount-path /data'),
    line('pods create --name a --image image:1 --cpu C1 --vcpu 4 --cloud COMMUNITY --set startSsh=true'),
    line(`pods create --name a --image image:1 --gpu G1 --min-ram-per-gpu 30 --min-vcpu-per-gpu 8 ${COMMAND}`),
    line('pods create --name a --image image:1 --gpu G1 --stop-after 4h --terminate-after 2d -- a -b'),
    line('pods create --name a --image image:1 --cpu C1 --vcpu 4 --env-from -', { stdin: 'A=1\n' }),
    line('pods create --name a --file -', { stdin: 'image: image:1\ngpu: {id: G1}\nports: [80/http]\n' }),
  ],
  'pods update': [
    line(`pods update p1 ${COMMAND} --yes`),
    line('pods update p1 --stop-after 4h --terminate-after 2d --yes -- a -b --name c'),
    line(`pods update p1 --name b ${CONTAINER} --template t1 --global-networking on --locked off --yes`),
    line('pods update p1 --env-from - --unset-env B --replace-env', { stdin: 'A=1\n' }),
    line('pods update p1 --persistent-size 30 --mount-path /data', {
      answers: { 'GET /v2/pods/{id}': { mounts: { persistent: { size: 20, path: '/workspace' } } } },
    }),
    line('pods update p1 --mount-path /data', {
      answers: { 'GET /v2/pods/{id}': { mounts: { network: [{ volumeId: 'v1', path: '/workspace' }] } } },
    }),
  ],
  'pods delete': [line('pods delete p1 --yes'), line('pods delete p1 p2 --yes')],
  'pods terminate': [line('pods terminate p1 --yes')],
  'pods start': [
    line('pods start p1 --yes', { answers: pod('EXITED') }),
    line('pods start p1'),
    line('pods start p1 --wait', { answers: RUNNING }),
  ],
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
  'guard run': [
    line('guard run --max-age 52w --max-running 52w --budget 99 --match x --do terminate --allow-terminate'),
  ],
  'guard status': [line('guard status')],
  'pods stop': [
    line('pods stop p1', { answers: pod('EXITED') }),
    line('pods stop --all --yes'),
    line('pods stop p1 --wait', { answers: pod('EXITED') }),
  ],
  'pods restart': [line('pods restart p1 --yes'), line('pods restart p1 --wait', { answers: RUNNING })],
  'pods wait': [line('pods wait p1 --for RUNNING', { answers: pod('RUNNING') })],
  'pods logs': [
    line('pods logs p1 --tail 1 --source container'),
    line('pods logs p1 --since 10m --search x'),
    line('pods logs p1 --since 2025-12-31T12:00:00+02:00 --follow', { answers: pod('TERMINATED') }),
    line('pods logs p1 --after 2026-01-01T00:00:00Z --until 2026-01-01T01:00:00Z --search x --regex --times utc'),
    line('pods logs p1 p2 --tail 1'),
    line('pods logs --match x --tail 1'),
  ],
  'pods explain': [
    line('pods explain p1 --exit-status', {
      answers: { 'GET /v2/pods/{id}': { status: 'PROVISIONING', gpu: { id: 'G1', count: 2 } } },
    }),
    line('pods explain p1', {
      answers: { 'GET /v2/pods/{id}': { status: 'PROVISIONING', cpu: { id: 'c1', vcpuCount: 4, memory: 8 } } },
    }),
  ],
  'pods ssh': [line('pods ssh p1 --print', { answers: SSH }), line('pods ssh p1 --proxy --print', { answers: SSH })],
  'endpoints list': [line('endpoints list')],
  'endpoints get': [line('endpoints get e1')],
  'endpoints create': [
    line(
      `endpoints create --name e --type QUEUE ${CONTAINER} --template t1 --gpu-pool P1,P2 --exclude-gpu G1 --gpu-count 2 ${CUDA} --workers-min 0 --workers-max 5 --idle-timeout 10s --queue-delay 4s --execution-timeout 10m --flashboot FLASHBOOT --data-center D1 --network-volume v1 --wait`,
      { answers: ROLLED_OUT },
    ),
    line('endpoints create --name e --image image:1 --gpu-pool P1 --min-cuda 12.4'),
    line(`endpoints create --name e --image image:1 --gpu-pool P1 ${COMMAND}`),
    line('endpoints create --name e --image image:1 --gpu-pool P1 -- a -b'),
    line('endpoints create --name e --image image:1 --gpu-pool P1 --env-from -', { stdin: 'A=1\n' }),
    line('endpoints create --name e --type LOAD_BALANCER --image image:1 --cpu C1:4 --request-count 4'),
  ],
  'endpoints update': [
    line(
      `endpoints update e1 --name e ${CONTAINER} --template t1 --gpu-pool P1 --exclude-gpu G1 --gpu-count 1 ${CUDA} --workers-min 0 --workers-max 5 --idle-timeout 10s --queue-delay 4s --execution-timeout 10m --flashboot OFF --data-center D1 --network-volume v1 --wait`,
      { answers: ROLLED_OUT },
    ),
    line(`endpoints update e1 ${COMMAND}`),
    line('endpoints update e1 -- a -b'),
    line('endpoints update e1 --env-from - --unset-env B --replace-env', { stdin: 'A=1\n' }),
    line('endpoints update e1 --min-cuda 12.4 --request-count 4', {
      answers: { 'GET /v2/serverless/{id}': { type: 'LOAD_BALANCER', gpu: { pools: ['P1'] } } },
    }),
    line('endpoints update e1 --cpu C1:4', { answers: { 'GET /v2/serverless/{id}': { cpu: [], gpu: undefined } } }),
  ],
  'endpoints delete': [line('endpoints delete e1 --yes')],
  'endpoints workers': [line('endpoints workers e1')],
  'endpoints releases': [line('endpoints releases e1'), line('endpoints releases e1 --wait', { answers: ROLLED_OUT })],
  metrics: [line('metrics')],
  'endpoints rollback': [
    line('endpoints rollback e1 3 --yes --wait', {
      answers: {
        'GET /v2/serverless/{id}': { image: 'image:2', env: {} },
        'GET /v2/serverless/{id}/releases': {
          ...ROLLED_OUT['GET /v2/serverless/{id}/releases'],
          releases: [
            { id: 'r4', version: 4, diff: [{ field: 'image', old: 'image:1', new: 'image:2' }] },
            { id: 'r3', version: 3, diff: [] },
          ],
        },
      },
    }),
  ],
  'endpoints builds list': [line('endpoints builds list e1')],
  'endpoints builds get': [line('endpoints builds get e1 b1 --exit-status')],
  'endpoints logs': [
    line('endpoints logs e1 w1 --tail 1 --source system'),
    line('endpoints logs e1 --tail 1 --search x'),
    line('endpoints logs e1 w1 --since 10m --follow', {
      answers: { 'GET /v2/serverless/{id}/workers': { workers: [] } },
    }),
    line(
      'endpoints logs e1 w1 --after 2026-01-01T00:00:00Z --until 2026-01-01T01:00:00Z --search x --regex --times none',
    ),
  ],
  'endpoints explain': [
    line('endpoints explain e1 --exit-status', {
      answers: {
        'GET /v2/serverless/{id}': { workers: { min: 0, max: 3 }, gpu: GPU_ENDPOINT, networkVolumes: ['v1'] },
      },
    }),
    line('endpoints explain e1', {
      answers: {
        'GET /v2/serverless/{id}': {
          workers: { min: 0, max: 3 },
          cpu: [{ id: 'c1', vcpuCount: 4, memory: 8 }],
          gpu: undefined,
        },
      },
    }),
  ],
  'clusters list': [line('clusters list')],
  'clusters get': [line('clusters get c1')],
  'clusters create': [
    line(
      'clusters create --name c --type TRAINING --gpu G1 --gpu-count 8 --pods 4 --image image:1 --args go --disk 20 --port 80/http --env A=1 --data-center D1 --network-volume v1 --start-ssh --start-jupyter --wait --yes',
      { answers: RUNNING },
    ),
    line(`clusters create --name c --type TRAINING --gpu G1 --gpu-count 8 --pods 4 ${COMMAND}`),
    line('clusters create --name c --type TRAINING --gpu G1 --gpu-count 8 --pods 4 -- a -b'),
    line('clusters create --name c --type TRAINING --gpu G1 --gpu-count 8 --pods 4 --template t1'),
    line('clusters create --name c --type TRAINING --gpu G1 --gpu-count 8 --pods 4 --image image:1 --env-from -', {
      stdin: 'A=1\n',
    }),
  ],
  'clusters update': [line('clusters update c1 --name d')],
  'clusters delete': [line('clusters delete c1 --yes')],
  'clusters pods': [line('clusters pods c1')],
  'jobs explain': [line('jobs explain e1 job1 --exit-status')],
  'jobs run': [
    line('jobs run e1 --input {}'),
    line(
      'jobs run e1 --input - --sync --sync-wait 90s --webhook https://example.test/ --execution-timeout 10s --ttl 1h --low-priority',
      {
        stdin: '{}',
      },
    ),
    line('jobs run e1 --input {} --wait'),
    line('jobs run e1 --input {} --stream'),
    line('jobs run e1 --input {"input":{}} --input-field input'),
    line('jobs run e1 --input {"input":{},"policy":{}} --as-is'),
  ],
  'jobs status': [line('jobs status e1 j1 --ttl 1h --exit-status')],
  'jobs stream': [line('jobs stream e1 j1')],
  'jobs cancel': [line('jobs cancel e1 j1 j2 --yes')],
  'jobs retry': [line('jobs retry e1 failed1'), line('jobs retry e1 failed1 --wait')],
  'jobs recent': [line('jobs recent e1')],
  'jobs wait': [line('jobs wait e1 j1 --any')],
  'queue purge': [line('queue purge e1 --yes')],
  health: [line('health e1')],
  top: [line('top --once --interval 1s'), line('top pods --once'), line('top endpoints --once')],
  'volumes list': [line('volumes list')],
  'volumes get': [line('volumes get v1')],
  'volumes create': [
    line('volumes create --name v --size 100 --data-center D1 --yes'),
    line('volumes create --name v --size 100 --data-center D1 --type HIGH_PERFORMANCE'),
  ],
  'volumes update': [line('volumes update v1 --name w --size 200 --yes')],
  'volumes delete': [line('volumes delete v1 --yes')],
  'global-volumes list': [line('global-volumes list')],
  'global-volumes get': [line('global-volumes get g1')],
  'global-volumes create': [line('global-volumes create --name models')],
  'global-volumes delete': [line('global-volumes delete g1 --yes')],
  'tags list': [line('tags list')],
  'tags get': [line('tags get t1')],
  'tags create': [line('tags create env=prod'), line('tags create env=')],
  'tags update': [line('tags update t1 --key stage --value live')],
  'tags delete': [line('tags delete t1 --yes')],
  'tags add': [line('tags add t1 pod/p1 cluster/c1 endpoint/e1 volume/v1')],
  'tags remove': [line('tags remove t1 pod/p1')],
  'account show': [line('account show')],
  'account limits': [line('account limits')],
  'account balance': [line('account balance')],
  'templates list': [line('templates list'), line('templates list --serverless'), line('templates list --pods')],
  'templates get': [line('templates get t1')],
  'templates create': [
    line(
      `templates create --name t ${CONTAINER} --category NVIDIA ${CUDA} --set mounts.persistent.size=20 --set mounts.persistent.path=/data --public --start-ssh on --start-jupyter off`,
    ),
    line(`templates create --name t --image image:1 ${COMMAND}`),
    line('templates create --name t --image image:1 -- a -b'),
    line('templates create --name t --image image:1 --serverless --env-from -', { stdin: 'A=1\n' }),
  ],
  'templates update': [
    line(
      `templates update t1 --name t ${CONTAINER} --category AMD ${CUDA} --set mounts.persistent.size=20 --set mounts.persistent.path=/data --serverless off --public on --start-ssh on --start-jupyter off`,
    ),
    line(`templates update t1 ${COMMAND}`),
    line('templates update t1 -- a -b'),
    line('templates update t1 --env-from - --unset-env B --replace-env', { stdin: 'A=1\n' }),
  ],
  'templates delete': [line('templates delete t1 --yes')],
  'registries list': [line('registries list')],
  'registries get': [line('registries get r1')],
  'registries create': [
    line('registries create --name r --username u --password-stdin', { stdin: 'secret\n' }),
    line('registries create --name r --username u --password-file -', { stdin: 'secret\n' }),
  ],
  'registries delete': [line('registries delete r1 --yes')],
  limits: [line('limits')],
  'registries delegations list': [line('registries delegations list')],
  'registries delegations create': [line('registries delegations create --resource arn:x:y --name d')],
  'registries delegations revoke': [line('registries delegations revoke d1 --yes')],
  'secrets list': [line('secrets list')],
  'secrets get': [line('secrets get s1')],
  'secrets create': [
    line('secrets create --name s --value-stdin --description d', { stdin: 'secret\n' }),
    line('secrets create --name s --value-file -', { stdin: 'secret\n' }),
  ],
  'secrets update': [
    line('secrets update s1 --value-stdin', { stdin: 'secret\n' }),
    line('secrets update s1 --value-file -', { stdin: 'secret\n' }),
    line('secrets update s1 --description d'),
  ],
  'secrets delete': [line('secrets delete s1 --yes')],
  'catalog gpus': [
    line('catalog gpus'),
    line('catalog gpus --gpu x --max-price 2.50'),
    line(`catalog gpus --available --product POD,CLUSTER --count 2 --cloud SECURE --country se,us ${CUDA}`),
    line('catalog gpus --available --min-cuda 12.4'),
    line(`catalog gpus G1 --product POD --count 2 --cloud COMMUNITY --country se ${CUDA}`),
    line('catalog gpus G1 --min-cuda 12.4'),
  ],
  'catalog cpus': [
    line('catalog cpus'),
    line('catalog cpus --available --product SERVERLESS --vcpu 4'),
    line('catalog cpus C1 --vcpu 4'),
  ],
  'catalog datacenters': [
    line('catalog datacenters'),
    line(
      'catalog datacenters --available --region europe,ASIA --volume-type HIGH_PERFORMANCE --compliance gdpr,HIPAA --global-network',
    ),
    line('catalog datacenters D1 --available'),
  ],
  'catalog templates': [line('catalog templates --source community'), line('catalog templates t1')],
  'billing report': [line('billing report'), line('billing report --last 7d --by day --budget 1000000')],
  'billing summary': [
    line('billing summary --last 7'),
    ...[`${period}`, '--by pod --id p1', '--by endpoint --id e1', '--by volume --id v1', '--by cluster --id c1'].map(
      (flags) => line(`billing summary ${flags}`),
    ),
    line('billing summary --by public-endpoint'),
    ...['pod', 'endpoint', 'volume', 'cluster', 'public-endpoint'].map((by) =>
      line(`billing summary --last 7 --by ${by}`),
    ),
  ],
  'account ssh-keys list': [line('account ssh-keys list')],
  'account ssh-keys add': [
    {
      argv: ['account', 'ssh-keys', 'add', 'ssh-ed25519 BBBB you@host'],
      answers: { 'GET /v2/account/ssh-keys': { keys: [KEY] } },
    },
  ],
  'account ssh-keys remove': [
    line('account ssh-keys remove me@host --yes', { answers: { 'GET /v2/account/ssh-keys': { keys: [KEY] } } }),
  ],
  'auth login': [line('auth login --with-key', { stdin: 'key-of-the-recorder' })],
  'auth status': [line('auth status --check')],
  doctor: [line('doctor')],
  api: [
    line('api GET /v2/pods --field includeClusterPods=true --header accept:application/json --service base'),
    line('api GET /v2/pods --raw-body'),
    line('api POST /v2/network-volumes --field size=100 --field name=v --field dataCenter=D1'),
    { argv: ['api', 'PUT', '/v2/account/ssh-keys', '--input', `{"keys":["${KEY}"]}`, '--yes'] },
  ],
};
