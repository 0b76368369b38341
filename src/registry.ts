import type { Noun } from './cli/model/command.ts';
import { OUTPUT_FLAGS, type GlobalFlag } from './cli/model/global-flags.ts';
import { SETTINGS, type Setting } from './settings/settings-table.ts';

const inSection = (section: Noun['section'], nouns: readonly Omit<Noun, 'section'>[]): readonly Noun[] =>
  nouns.map((noun) => ({ ...noun, section }));

/** All nouns, in the order of help. A noun's module is loaded only when the noun is used. */
export const NOUNS: readonly Noun[] = [
  ...inSection('Compute', [
    {
      name: 'run',
      summary: 'one command on a GPU; its pod is gone at the end',
      load: async () => (await import('./commands/run/index.ts')).runCommand,
    },
    {
      name: 'pods',
      summary: 'GPU and CPU containers',
      load: async (_, verb) => {
        if (verb === 'get' || verb === 'list') return (await import('./commands/pods/reads.ts')).reads;
        return (await import('./commands/pods/index.ts')).pods;
      },
    },
    {
      name: 'endpoints',
      summary: 'serverless endpoints',
      load: async () => (await import('./commands/endpoints/index.ts')).endpoints,
    },
    {
      name: 'clusters',
      summary: 'pods that work together on a fast network',
      load: async () => (await import('./commands/clusters.ts')).clusters,
    },
    {
      name: 'jobs',
      summary: 'run, follow, cancel and retry jobs on an endpoint',
      load: async () => (await import('./commands/jobs/index.ts')).jobs,
    },
    {
      name: 'queue',
      summary: "an endpoint's waiting jobs",
      load: async () => (await import('./commands/queue.ts')).queue,
    },
    {
      name: 'health',
      summary: "an endpoint's jobs and workers at a glance",
      load: async () => (await import('./commands/health.ts')).health,
    },
    {
      name: 'top',
      summary: 'pods and endpoints, live: use, queues, workers, cost',
      load: async () => (await import('./commands/top/index.ts')).top,
    },
    {
      name: 'metrics',
      summary: 'print pods, endpoints, volumes and the account as OpenMetrics',
      load: async () => (await import('./commands/metrics.ts')).metrics,
    },
    {
      name: 'guard',
      summary: 'stop pods by deadlines and rules: idle, too old, too expensive',
      load: async () => (await import('./commands/guard/index.ts')).guard,
    },
    {
      name: 'plan',
      summary: 'compare what files describe with what is there',
      load: async () => (await import('./commands/plan/index.ts')).plan,
    },
    {
      name: 'apply',
      summary: 'create and change what files describe',
      load: async () => (await import('./commands/apply/index.ts')).apply,
    },
    {
      name: 'export',
      summary: 'print what is there as files for plan',
      load: async () => (await import('./commands/export/index.ts')).exportFiles,
    },
  ]),
  ...inSection('Storage and images', [
    {
      name: 'volumes',
      summary: 'network volumes',
      load: async () => (await import('./commands/volumes.ts')).volumes,
    },
    {
      name: 'global-volumes',
      summary: 'volumes for every data center',
      load: async () => (await import('./commands/volumes.ts')).globalVolumes,
    },
    {
      name: 'files',
      summary: 'the files on network volumes: list, copy, remove',
      load: async () => (await import('./commands/files/index.ts')).files,
    },
    {
      name: 'templates',
      summary: 'container settings to start pods and endpoints from',
      load: async () => (await import('./commands/templates.ts')).templates,
    },
    {
      name: 'secrets',
      summary: 'values for the variables of pods and endpoints, never shown',
      load: async () => (await import('./commands/secrets.ts')).secrets,
    },
    {
      name: 'registries',
      summary: 'credentials and delegations for private images',
      load: async () => (await import('./commands/registries.ts')).registries,
    },
    {
      name: 'catalog',
      summary: 'GPUs, CPUs, data centers and public templates',
      load: async () => (await import('./commands/catalog.ts')).catalog,
    },
  ]),
  ...inSection('Access and settings', [
    {
      name: 'billing',
      summary: 'what was spent, and on what',
      load: async () => (await import('./commands/billing/index.ts')).billing,
    },
    {
      name: 'account',
      summary: 'your account: balance, limits, SSH keys',
      load: async () => (await import('./commands/account/index.ts')).account,
    },
    {
      name: 'tags',
      summary: 'labels that pods, endpoints, clusters and volumes share',
      load: async () => (await import('./commands/tags.ts')).tags,
    },
    {
      name: 'auth',
      offline: true,
      summary: 'log in, log out, switch between profiles',
      load: async () => (await import('./commands/auth.ts')).auth,
    },
    {
      name: 'config',
      offline: true,
      summary: 'settings, and where each value comes from',
      load: async (program) => (await import('./commands/config.ts')).config(program),
    },
    {
      name: 'limits',
      offline: true,
      summary: 'what is left of each rate window',
      load: async () => (await import('./commands/limits.ts')).limits,
    },
    {
      name: 'doctor',
      summary: 'check addresses, key, clock, proxy and settings',
      load: async () => (await import('./commands/doctor.ts')).doctor,
    },
  ]),
  ...inSection('Tools', [
    {
      name: 'api',
      summary: 'call any operation of the service',
      load: async () => (await import('./commands/api.ts')).api,
    },
    {
      name: 'local',
      offline: true,
      summary: 'the local service: serve it, move its clock, inject faults',
      load: async () => (await import('./commands/local/serve.ts')).local,
    },
    {
      name: 'mcp',
      summary: 'the commands as tools for an agent (Model Context Protocol)',
      load: async (program) => (await import('./commands/mcp/index.ts')).mcp(program),
    },
    {
      name: 'completion',
      offline: true,
      summary: 'completion scripts for your shell',
      load: async () => (await import('./commands/completion.ts')).completion,
    },
    {
      name: 'schema',
      summary: "the JSON Schema of a command's output",
      load: async (program) => (await import('./commands/schema.ts')).schema(program),
    },
    {
      name: 'version',
      summary: 'the version, and whether a newer one is published',
      load: async () => (await import('./commands/version.ts')).version,
    },
    {
      name: 'help',
      offline: true,
      summary: 'help on a command or a topic',
      load: async (program) => (await import('./commands/help/index.ts')).help(program),
    },
  ]),
];

/** The placeholder of a setting's value in help, by kind of setting. */
const METAVARS: Readonly<Record<Exclude<Setting['kind'], 'switch'>, string>> = {
  address: 'URL',
  'storage-address': 'URL',
  text: 'TEXT',
  path: 'PATH',
  identifier: 'PFX',
  profile: 'NAME',
  key: 'KEY',
  duration: 'TIME',
  count: 'N',
  choice: 'WORD',
};

/** The flags of every command: the output flags, and the flags of settings. */
export const FLAGS: readonly GlobalFlag[] = [
  ...OUTPUT_FLAGS,
  ...SETTINGS.flatMap((setting: Setting): readonly GlobalFlag[] =>
    setting.flag === undefined || OUTPUT_FLAGS.some((flag) => flag.flag === setting.flag)
      ? []
      : [
          {
            name: setting.name,
            flag: setting.flag,
            ...(setting.short === undefined ? {} : { short: setting.short }),
            summary: setting.summary,
            ...(setting.kind === 'switch' ? {} : { metavar: METAVARS[setting.kind] }),
            ...(setting.kind === 'profile' ? { complete: 'profile' } : {}),
          },
        ],
  ),
];
