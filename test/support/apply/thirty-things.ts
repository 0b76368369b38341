import type { RemoteService } from '../servers/remote-service.ts';

const names = (count: number, prefix: string): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}-${String(at)}`);

/** The new things by the name of their list at the service: their names, and the document of a name. They refer to each other. */
const NEW: Readonly<Record<string, readonly [readonly string[], (name: string) => string]>> = {
  registries: [names(3, 'hub'), (name) => `kind: registry\nname: ${name}\nusername: me\npassword: hidden`],
  'network-volumes': [names(4, 'data'), (name) => `kind: volume\nname: ${name}\nsize: 10\ndataCenter: EU-NORTH-1`],
  templates: [names(5, 'base'), (name) => `kind: template\nname: ${name}\nimage: a/b:1\nregistry: hub-0`],
  serverless: [names(6, 'api'), (name) => `kind: endpoint\nname: ${name}\ntemplate: base-0\ngpu: {pools: [POOL-24G]}`],
  pods: [names(8, 'lab'), (name) => `kind: pod\nname: ${name}\nimage: a/b:1\ngpu: {id: GPU-24G}\nvolume: data-0`],
};

/** Changes of what the local service has from its beginning. */
const CHANGED: readonly string[] = [
  'kind: volume\nname: datasets\nsize: 4000',
  'kind: template\nid: tpl-train\nname: team training\nimage: other:1',
  "kind: endpoint\nname: echo\nenv: {NEW: '1'}",
  'kind: pod\nname: train-llm\nlocked: true',
];

/** A fleet, as the text of its file, and the names of its new things by the name of their list. */
interface Fleet {
  readonly text: string;
  readonly names: readonly (readonly [collection: string, names: readonly string[]])[];
}

/** New things, at most so many of a kind, and the changes. */
export function fleetOf(most: number): Fleet {
  const kinds = Object.entries(NEW).map(([list, [all, document]]) => ({ list, names: all.slice(0, most), document }));
  const documents = kinds.flatMap(({ names: chosen, document }) => chosen.map(document));
  return {
    text: [...documents, ...CHANGED].join('\n---\n'),
    names: kinds.map(({ list, names: chosen }) => [list, chosen]),
  };
}

/** Thirty documents: all of them. */
export const THIRTY_THINGS = fleetOf(Infinity);

/** The names of the new things that the list of a service has, each as often as it is there. */
export async function namesOf({ send }: Pick<RemoteService, 'send'>, collection: string): Promise<readonly string[]> {
  const rows = Object.values((await send('GET', `/v2/${collection}`)).body).find((each) => Array.isArray(each));
  const found = (rows as readonly { readonly name: string }[]).map(({ name }) => name);
  return found.filter((name) => NEW[collection]?.[0].includes(name)).toSorted();
}
