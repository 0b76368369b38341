import type { Noun } from './cli/model/command.ts';
import { OUTPUT_FLAGS } from './cli/model/global-flags.ts';
import { option, type Param, type Params } from './cli/model/params.ts';
import { SETTINGS, type Setting } from './settings/settings-table.ts';

/** A noun's module is loaded only when the noun is used. */
const MODULES = {
  run: async () => (await import('./commands/run/index.ts')).runCommand,
  pods: async (_, verb) => (await import('./commands/pods/index.ts')).pods(verb),
  endpoints: async (_, verb) => (await import('./commands/endpoints/index.ts')).endpoints(verb),
  clusters: async (_, verb) => (await import('./commands/clusters/index.ts')).clusters(verb),
  jobs: async (_, verb) => (await import('./commands/jobs/index.ts')).jobs(verb),
  queue: async () => (await import('./commands/queue.ts')).queue,
  health: async () => (await import('./commands/health.ts')).health,
  top: async () => (await import('./commands/top/index.ts')).top,
  metrics: async () => (await import('./commands/metrics.ts')).metrics,
  guard: async () => (await import('./commands/guard/index.ts')).guard,
  plan: async () => (await import('./commands/plan/index.ts')).plan,
  apply: async () => (await import('./commands/apply/index.ts')).apply,
  export: async () => (await import('./commands/export/index.ts')).exportFiles,
  volumes: async (_, verb) => (await import('./commands/volumes.ts')).volumes(verb),
  'global-volumes': async (_, verb) => (await import('./commands/volumes.ts')).globalVolumes(verb),
  files: async () => (await import('./commands/files/index.ts')).files,
  templates: async (_, verb) => (await import('./commands/templates.ts')).templates(verb),
  secrets: async (_, verb) => (await import('./commands/secrets.ts')).secrets(verb),
  registries: async (_, verb) => (await import('./commands/registries.ts')).registries(verb),
  catalog: async () => (await import('./commands/catalog/index.ts')).catalog,
  billing: async () => (await import('./commands/billing/index.ts')).billing,
  account: async () => (await import('./commands/account/index.ts')).account,
  tags: async (_, verb) => (await import('./commands/tags.ts')).tags(verb),
  auth: async () => (await import('./commands/auth/index.ts')).auth,
  config: async (program) => (await import('./commands/config.ts')).config(program),
  limits: async () => (await import('./commands/limits.ts')).limits,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  api: async () => (await import('./commands/api.ts')).api,
  local: async () => (await import('./commands/local/serve.ts')).local,
  mcp: async (program) => (await import('./commands/mcp/index.ts')).mcp(program),
  completion: async () => (await import('./commands/completion.ts')).completion,
  schema: async (program) => (await import('./commands/schema.ts')).schema(program),
  version: async () => (await import('./commands/version.ts')).version,
  help: async (program) => (await import('./commands/help/index.ts')).help(program),
} satisfies Readonly<Record<string, Noun['load']>>;

type Name = keyof typeof MODULES;

/** The order of help. */
const SECTIONS: Readonly<Record<string, Partial<Record<Name, string>>>> = {
  Compute: {
    run: 'one command on a GPU; its pod is gone at the end',
    pods: 'GPU and CPU containers',
    endpoints: 'serverless endpoints',
    clusters: 'pods that work together on a fast network',
    jobs: 'run, follow, cancel and retry jobs on an endpoint',
    queue: "an endpoint's waiting jobs",
    health: "an endpoint's jobs and workers at a glance",
    top: 'pods and endpoints, live: use, queues, workers, cost',
    metrics: 'print pods, endpoints, volumes and the account as OpenMetrics',
    guard: 'stop pods by deadlines and rules: idle, too old, too expensive',
    plan: 'compare what files describe with what is there',
    apply: 'create and change what files describe',
    export: 'print what is there as files for plan',
  },
  'Storage and images': {
    volumes: 'network volumes',
    'global-volumes': 'volumes for every data center',
    files: 'the files on network volumes: list, copy, remove',
    templates: 'container settings to start pods and endpoints from',
    secrets: 'values for the variables of pods and endpoints, never shown',
    registries: 'credentials and delegations for private images',
    catalog: 'GPUs, CPUs, data centers and public templates',
  },
  'Access and settings': {
    billing: 'what was spent, and on what',
    account: 'your account: balance, limits, SSH keys',
    tags: 'labels that pods, endpoints, clusters and volumes share',
    auth: 'log in, log out, switch between profiles',
    config: 'settings, and where each value comes from',
    limits: 'what is left of each rate window',
    doctor: 'check addresses, key, clock, proxy and settings',
  },
  Tools: {
    api: 'call any operation of the service',
    local: 'the local service: serve it, move its clock, inject faults',
    mcp: 'the commands as tools for an agent (Model Context Protocol)',
    completion: 'completion scripts for your shell',
    schema: "the JSON Schema of a command's output",
    version: 'the version, and whether a newer one is published',
    help: 'help on a command or a topic',
  },
};

const nouns = new Map<string, Noun>();
for (const [section, summaries] of Object.entries(SECTIONS))
  for (const [name, summary] of Object.entries(summaries))
    nouns.set(name, { name, summary, section, load: MODULES[name as Name] });

export const NOUNS: ReadonlyMap<string, Noun> = nouns;

/** The placeholder of a setting's value in help, by kind of setting. */
const METAVARS: Readonly<Partial<Record<Setting['kind'], string>>> = {
  address: 'URL',
  'storage-address': 'URL',
  profile: 'NAME',
  duration: 'TIME',
  count: 'N',
};

const flags: Record<string, Param<unknown>> = { ...OUTPUT_FLAGS };
for (const { name, flag, kind, summary, short } of SETTINGS) {
  if (flag === undefined || name in OUTPUT_FLAGS) continue;
  const shape = { ...(short && { short }), ...(kind === 'profile' && { complete: kind }) };
  flags[name] =
    kind === 'switch'
      ? option.on(summary, shape)
      : option.text(summary, { ...shape, metavar: METAVARS[kind] ?? 'TEXT' });
}

/** The flags of every command: the output flags, and the flags of settings. */
export const FLAGS: Params = flags;
