import type { Json } from '../../core/json.ts';
import { asBadRequest, badRequest, notFound, unprocessable } from '../contract/problem.ts';
import { type Call, type Operation, steps } from '../http/operation.ts';
import { listed, WHOLE_LIST } from '../http/pages.ts';
import {
  argsWith,
  type CommandBody,
  type ContainerRecord,
  decodeCommand,
  newTemplate,
  type TemplateRecord,
  templates,
  type TemplateSource,
} from '../model/container.ts';
import { endpoints } from '../model/endpoints.ts';
import { presentPods } from '../model/pods.ts';
import { registries } from '../model/records.ts';
import { nextId, type State } from '../state/state.ts';

export interface ContainerBody extends CommandBody {
  readonly image?: string;
  readonly disk?: number;
  readonly ports?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly registry?: string | null;
}

export function readableTemplate(state: State, id: string): TemplateRecord | undefined {
  const template = templates.get(state, id);
  return template?.publisher === undefined || template.public ? template : undefined;
}

/** Only the container; `env` merges by key (rules, Pods). 404 Problem: unknown; 422: serverless on a pod. */
export function resolveTemplate<Body extends ContainerBody & { readonly templateId?: string }>(
  state: State,
  body: Body,
  product: 'pod' | 'endpoint',
): { readonly body: Body; readonly template: TemplateRecord | undefined } {
  if (body.templateId === undefined) return { body, template: undefined };
  const template = readableTemplate(state, body.templateId);
  if (template === undefined) throw notFound(`template ${body.templateId} not found`);
  if (product === 'pod' && template.serverless)
    throw unprocessable([`/templateId: template ${template.id} is for serverless endpoints, not for pods`]);
  const { image, disk, ports, registry } = template;
  const filled = {
    image,
    disk,
    ports,
    registry,
    ...body,
    // The text of `args` includes the arrays.
    args: argsWith(template.args, body),
    cmd: undefined,
    entrypoint: undefined,
    env: { ...template.env, ...body.env },
  };
  return { body: filled, template };
}

/** Throws the 400 Problem when its commands disagree. */
export const containerWith = (current: ContainerRecord, body: ContainerBody): ContainerRecord => ({
  image: body.image ?? current.image,
  args: argsWith(current.args, body),
  disk: body.disk ?? current.disk,
  ports: [...(body.ports ?? current.ports)],
  env: { ...(body.env ?? current.env) },
  registry: body.registry === undefined ? current.registry : body.registry,
});

/** Throws the 404 Problem for an unknown registry credential, 400 for an invalid port. */
export function checkContainer(state: State, body: ContainerBody): void {
  if (typeof body.registry === 'string' && registries.get(state, body.registry) === undefined)
    throw notFound(`registry ${body.registry} not found`);
  const invalid = body.ports?.find((port) => !isPort(port));
  if (invalid !== undefined) throw badRequest(`ports: ${JSON.stringify(invalid)} is not of the form port/protocol`);
}

function isPort(port: string): boolean {
  const number = /^(\d{1,5})\/(tcp|udp|http)$/.exec(port)?.[1];
  return number !== undefined && Number(number) >= 1 && Number(number) <= 65_535;
}

type Settings = Omit<TemplateRecord, 'id' | 'createdAt' | 'publisher'>;
type TemplateBody = Partial<Settings> & CommandBody;
type NewTemplate = Pick<Settings, 'name' | 'image'> & TemplateBody;

/** The maximum length of the list of public templates (contract rules, Catalog). */
const MAX_PUBLIC_TEMPLATES = 100;

const documentOf = ({ publisher: _publisher, createdAt: _createdAt, ...shown }: TemplateRecord): Json => ({
  ...shown,
  ...decodeCommand(shown.args),
  mounts: { ...shown.mounts },
});

/** Public templates of the account belong to the source `community`. */
const sourceOf = (template: TemplateRecord): TemplateSource => template.publisher ?? 'community';

function readable(state: State, call: Call): TemplateRecord {
  const template = readableTemplate(state, call.params['id'] ?? '');
  if (template === undefined) throw notFound();
  return template;
}

/** The account's own template. Public templates of other accounts can only be read (contract rules, Templates). */
function own(state: State, call: Call): TemplateRecord {
  const template = readable(state, call);
  if (template.publisher !== undefined) throw notFound();
  return template;
}

function settingsIn<Body extends TemplateBody>(state: State, args: string, body: Body) {
  asBadRequest(() => {
    checkContainer(state, body);
  });
  const { cmd: _cmd, entrypoint: _entrypoint, ...settings } = { ...body, args: argsWith(args, body) };
  return settings;
}

/** Throws the 400 Problem while an endpoint or a pod that is not terminated uses it (specification 2.1). */
function refuseInUse(state: State, { id }: TemplateRecord): void {
  const pod = presentPods(state).find(({ template }) => template === id);
  if (pod !== undefined) throw badRequest(`pod ${pod.id} uses the template`);
  const endpoint = endpoints.all(state).find(({ template }) => template === id);
  if (endpoint !== undefined) throw badRequest(`endpoint ${endpoint.id} uses the template`);
}

export const templateOperations: readonly Operation[] = steps({
  listTemplates: (state, ...call) => {
    const owned = templates.all(state).filter(({ publisher }) => publisher === undefined);
    // The first ones of an account, and those of older states, have no creation time.
    const positioned = owned.map((template) => ({ createdAt: 0, ...template }));
    return listed('templates', positioned, documentOf, state, ...call);
  },
  createTemplate: (state, call, now) => {
    const settings = settingsIn(state, '', call.body as NewTemplate);
    return documentOf(
      templates.put(state, { id: nextId(state, 'tpl'), createdAt: now, ...newTemplate(), ...settings }),
    );
  },
  getTemplate: (state, call) => documentOf(readable(state, call)),
  updateTemplate: (state, call) => {
    const template = own(state, call);
    return documentOf(Object.assign(template, settingsIn(state, template.args, call.body as TemplateBody)));
  },
  deleteTemplate: (state, call) => {
    const template = own(state, call);
    refuseInUse(state, template);
    templates.remove(state, template.id);
  },
  listPublicTemplates: (state, { query }) => {
    const source = query.get('source') ?? 'official';
    const listed = templates.all(state).filter((template) => template.public && sourceOf(template) === source);
    return { templates: listed.slice(0, MAX_PUBLIC_TEMPLATES).map(documentOf), pagination: WHOLE_LIST };
  },
});
