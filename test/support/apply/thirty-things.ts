import type { RemoteService } from '../servers/remote-service.ts';

/** Thirty documents of a fleet: four kinds that refer to each other, and things that are changed. */
const names = (count: number, prefix: string): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}-${String(at)}`);

const NEW: readonly string[] = [
  ...names(3, 'hub').map((name) => `kind: registry\nname: ${name}\nusername: me\npassword: hidden`),
  ...names(4, 'data').map((name) => `kind: volume\nname: ${name}\nsize: 10\ndataCenter: EU-NORTH-1`),
  ...names(5, 'base').map((name) => `kind: template\nname: ${name}\nimage: a/b:1\nregistry: hub-0`),
  ...names(6, 'api').map((name) => `kind: endpoint\nname: ${name}\ntemplate: base-0\ngpu: {pools: [POOL-24G]}`),
  ...names(8, 'lab').map((name) => `kind: pod\nname: ${name}\nimage: a/b:1\ngpu: {id: GPU-24G}\nvolume: data-0`),
];

/** Changes of what the local service has from its beginning. */
const CHANGED: readonly string[] = [
  'kind: volume\nname: datasets\nsize: 4000',
  'kind: template\nid: tpl-train\nname: team training\nimage: other:1',
  "kind: endpoint\nname: echo\nenv: {NEW: '1'}",
  'kind: pod\nname: train-llm\nlocked: true',
];

export const THIRTY_THINGS = [...NEW, ...CHANGED].join('\n---\n');

/** What each kind is called in the list of the service, with the names that are there once at the end. */
export const NEW_NAMES: Readonly<Record<string, readonly string[]>> = {
  registries: names(3, 'hub'),
  'network-volumes': names(4, 'data'),
  templates: names(5, 'base'),
  serverless: names(6, 'api'),
  pods: names(8, 'lab'),
};

/** The names of the new things that the list of a service has, each as often as it is there. */
export async function namesOf({ send }: Pick<RemoteService, 'send'>, collection: string): Promise<readonly string[]> {
  const rows = Object.values((await send('GET', `/v2/${collection}`)).body).find((each) => Array.isArray(each));
  const found = (rows as readonly { readonly name: string }[]).map(({ name }) => name);
  return found.filter((name) => NEW_NAMES[collection]?.includes(name)).toSorted();
}
